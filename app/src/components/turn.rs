//! The way to the pages before and after, at the end of each.

use leasehold_exercises::Link;
use yew::prelude::*;

/// Two links by title. Not a component: those cost half a kilobyte each.
pub fn turn(previous: Option<Link>, next: Option<Link>) -> Html {
    let link = |class: &'static str, word: &'static str, link: Option<Link>| {
        link.map(|Link { address, title }| html! { <a {class} href={address}><span>{ word }</span>{ title }</a> })
    };
    html! {
        <nav class="turn" aria-label="Pages before and after">
            { link("turn-back", "← Previous", previous) }
            { link("turn-on", "Next →", next) }
        </nav>
    }
}
