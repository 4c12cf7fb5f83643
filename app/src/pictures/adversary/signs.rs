//! A sign for each kind of disturbance. Beside it stands its name.

use yew::prelude::*;

/// The sign of a kind, 16 by 16.
pub fn sign(kind: &str) -> Html {
    let shape = match kind {
        "pause" => "M5.5 3v10M10.5 3v10",
        "crash" => "M3.5 3.5l9 9M12.5 3.5l-9 9",
        "partition" => "M1 8h4M11 8h4M8 2v3M8 6.5v3M8 11v3",
        "wall_step" => "M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12M8 4.5v3.5l3 1.5",
        "lost_request" => "M1.5 8h7M11 5l4 6M15 5l-4 6",
        "lost_reply" => "M14.5 8h-7M1 5l4 6M5 5l-4 6",
        "duplicate" => "M1.5 5.5h12M10.5 2.5l3 3l-3 3M1.5 11.5h9",
        "late_reply" => "M14.5 5.5h-12M5.5 2.5l-3 3l3 3M8 10.5h1M11 10.5h1M14 10.5h1",
        _ => "M8 3v6M8 12v1",
    };
    html! { <svg class="sign" viewBox="0 0 16 16" aria-hidden="true"><path d={shape} /></svg> }
}

/// The place where something may be put.
pub fn plus() -> Html {
    html! { <svg class="sign" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 3.5v9M3.5 8h9" /></svg> }
}

/// Takes something away.
pub fn cross() -> Html {
    html! { <svg class="sign" viewBox="0 0 16 16" aria-hidden="true"><path d="M4.5 4.5l7 7M11.5 4.5l-7 7" /></svg> }
}
