//! The way to the pages before and after, at the end of each.

use leasehold_exercises::Link;
use yew::prelude::*;

/// See [`Turn`].
#[derive(Properties, PartialEq)]
pub struct TurnProps {
    /// The page before.
    pub previous: Option<Link>,
    /// The page after.
    pub next: Option<Link>,
}

/// Two links by title.
#[component]
pub fn Turn(TurnProps { previous, next }: &TurnProps) -> Html {
    let link = |class: &'static str, word: &'static str, link: &Option<Link>| {
        link.map(|Link { address, title }| html! { <a {class} href={address}><span>{ word }</span>{ title }</a> })
    };
    html! {
        <nav class="turn" aria-label="Pages before and after">
            { link("turn-back", "← Previous", previous) }
            { link("turn-on", "Next →", next) }
        </nav>
    }
}
