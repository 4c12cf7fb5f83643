//! The forms of signs, each drawn around 0 and some 14 pixels wide; and what they mean.

use super::layout::Sign;
use yew::prelude::*;

/// One sign.
pub fn sign(sign: Sign) -> Html {
    let (ground, d) = match sign {
        Sign::Dot => return html! { <circle class="tl-dot" r="2.5" /> },
        Sign::Repeats => return html! { <path class="tl-repeats" d="M0 -6v.1M0 0v.1M0 6v.1" /> },
        Sign::Rejected => {
            return html! {
                <>
                    <path class="tl-rejected" d="M-3 -7.2h6l4.2 4.2v6l-4.2 4.2h-6l-4.2 -4.2v-6z" />
                    <path class="tl-verdict" d="M-3 -3l6 6m0 -6l-6 6" />
                </>
            };
        }
        Sign::Lost => return html! { <path class="tl-lost" d="M-5 -5l10 10m0 -10l-10 10" /> },
        Sign::Accepted => ("tl-accepted", "M-3.4 .2l2.4 2.5l4.2 -5"),
        Sign::Crashes => ("tl-sign tl-crash", "M-3 -3l6 6m0 -6l-6 6"),
        Sign::Forbidden => ("tl-sign tl-forbidden", "M-3 -3l6 6m0 -6l-6 6"),
        Sign::Pauses => ("tl-sign", "M-2 -3.2v6.4M2 -3.2v6.4"),
        Sign::Wakes => ("tl-sign", "M-2 -3.4l5 3.4l-5 3.4z"),
        Sign::Restarts => ("tl-sign", "M3.4 -1.4a3.7 3.7 0 1 0 .2 2.4M3.9 -4.2v3h-3"),
        Sign::IsCut => ("tl-sign", "M-5 0h3M2 0h3M-1.5 3.5l3 -7"),
        Sign::IsJoined => ("tl-sign", "M-5 0h10M-1.5 -3v6M1.5 -3v6"),
        Sign::ClockBack => ("tl-sign", "M-1.5 -4.6v4h-2.6M.6 2.6h4"),
        Sign::ClockForward => ("tl-sign", "M-1.5 -4.6v4h-2.6M.6 2.6h4m-2 -2v4"),
        Sign::First => ("tl-sign", "M-4 -3l3 3l-3 3M.5 -3l3 3l-3 3"),
        Sign::Twice => ("tl-sign", "M-4 -1.8h7.5M-4 1.8h7.5M1.5 -4.2l3 4.2l-3 4.2"),
        Sign::Late => ("tl-sign", "M-2.8 -4h5.6l-5.6 8h5.6z"),
        Sign::Unknown => ("tl-sign", "M-2.2 -2.2a2.2 2.2 0 1 1 3.2 2q-1 .6 -1 1.7M0 4v.1"),
        Sign::Lease => return sample("tl-lease"),
        Sign::Belief => return sample("tl-belief"),
        Sign::FalseBelief => return sample("tl-false-belief"),
        Sign::Mark => return sample("tl-mark"),
        Sign::Validity => return html! { <rect class="tl-validity" x="-1" y="-7" width="2" height="14" /> },
        Sign::Cut => return html! { <rect class="tl-cut" x="-1.5" y="-7" width="3" height="14" /> },
        Sign::Rivals => return wide_sample("tl-rivals"),
        Sign::Pause => return wide_sample("tl-pause"),
        Sign::Down => return wide_sample("tl-down"),
    };
    let stroke = if sign == Sign::Accepted { "tl-verdict" } else { "tl-glyph" };
    html! {
        <>
            <circle class={ground} r="7.5" />
            <path class={stroke} {d} />
        </>
    }
}

fn sample(class: &'static str) -> Html {
    html! { <rect {class} x="-4" y="-7" width="8" height="14" rx="2" /> }
}

fn wide_sample(class: &'static str) -> Html {
    html! { <rect {class} x="-7" y="-7" width="14" height="14" rx="2" /> }
}

/// What a sign means, for those that are not told by the words beside them.
pub fn meaning(sign: Sign) -> &'static str {
    match sign {
        Sign::Lease => "lease",
        Sign::Belief => "believes it holds the lock, and does",
        Sign::FalseBelief => "believes so, and does not",
        Sign::Validity => "what its own clock gives it",
        Sign::Rivals => "several believe at once",
        Sign::Pause => "paused",
        Sign::Cut => "cut off",
        Sign::Down => "dead",
        Sign::Mark => "high-water mark",
        Sign::Accepted => "let through",
        Sign::Rejected => "turned away",
        Sign::Lost => "lost",
        Sign::Unknown => "no answer in time",
        Sign::Repeats => "repeats, in one row",
        _ => "",
    }
}
