//! The strip at the top.

use crate::address;
use yew::prelude::*;

/// See [`Header`].
#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    /// What is open.
    pub title: &'static str,
    /// What kind of page that is and how long it takes.
    pub facts: AttrValue,
    /// Which of the links leads here: `contents`, or the kind of a tool.
    #[prop_or_default]
    pub open: &'static str,
}

/// Whose page this is, what is open, and the way to everything else.
#[component]
pub fn Header(HeaderProps { title, facts, open }: &HeaderProps) -> Html {
    html! {
        <header class="top">
            <p class="wordmark">
                <svg viewBox="0 0 24 24" aria-hidden="true">
                    <path class="wordmark-lane" d="M5 2v20" />
                    <path class="wordmark-lease" d="M5 4v9" />
                    <path class="wordmark-tick" d="M1.5 13h7" />
                    <path class="wordmark-lane" d="M17 2v20" />
                    <path class="wordmark-lease" d="M17 15v6" />
                </svg>
                { "Leasehold" }
            </p>
            <h1>{ *title }</h1>
            <p class="top-facts">{ facts }</p>
            <nav class="to-contents" aria-label="Book">
                { link("#/break", "Break it", *open == "break") }
                { link(address::CONTENTS, "Contents", *open == "contents") }
            </nav>
        </header>
    }
}

fn link(address: &'static str, words: &'static str, is_open: bool) -> Html {
    html! { <a href={address} aria-current={is_open.then_some("page")}>{ words }</a> }
}
