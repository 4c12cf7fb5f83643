//! The pages.

mod kata;

pub use kata::KataPage;

use yew::prelude::*;

/// The page for this address.
#[component]
pub fn Root() -> Html {
    match leasehold_exercises::katas().first() {
        Some(kata) => html! { <KataPage {kata} /> },
        None => html! { <p>{ "There is no kata here." }</p> },
    }
}
