//! The strip at the top.

use crate::address;
use crate::keys::{Action, act};
use yew::prelude::*;

/// See [`Header`].
#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    /// What is open.
    pub title: &'static str,
    /// What kind of page that is and how long it takes.
    pub facts: AttrValue,
    /// Which of the links leads here: the first part of its address, such as `contents`.
    #[prop_or_default]
    pub open: &'static str,
}

/// Where the links of the strip lead, in order.
const LINKS: [(&str, &str); 5] = [
    (address::CONTENTS, "Contents"),
    ("#/practice", "Practice"),
    (address::MUSEUM, "Museum"),
    ("#/break", "Break it"),
    ("#/ttl", "TTL"),
];

/// Whose page this is, what is open, and the way to everything else.
#[component]
pub fn Header(HeaderProps { title, facts, open }: &HeaderProps) -> Html {
    html! {
        <header class="top">
            <a class="wordmark" href="#">
                <svg viewBox="0 0 24 24" aria-hidden="true">
                    <path class="wordmark-lane" d="M5 2v20" />
                    <path class="wordmark-lease" d="M5 4v9" />
                    <path class="wordmark-tick" d="M1.5 13h7" />
                    <path class="wordmark-lane" d="M17 2v20" />
                    <path class="wordmark-lease" d="M17 15v6" />
                </svg>
                { "Leasehold" }
            </a>
            <h1>{ *title }</h1>
            <p class="top-facts">{ facts }</p>
            <nav class="ways" aria-label="Site">
                { for LINKS.iter().map(|(address, words)| {
                    let is_open = address.strip_prefix("#/") == Some(*open);
                    html! { <a href={*address} aria-current={is_open.then_some("page")}>{ *words }</a> }
                }) }
            </nav>
            <div class="ways">
                { button(Action::Search, "Search", "S") }
                { button(Action::Keys, "Settings", "?") }
            </div>
        </header>
    }
}

fn button(action: Action, words: &'static str, key: &'static str) -> Html {
    html! {
        <button type="button" class="quiet" aria-keyshortcuts={key} onclick={move |_| act(action)}>
            { words }<kbd aria-hidden="true">{ key }</kbd>
        </button>
    }
}
