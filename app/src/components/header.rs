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
    /// It is the contents.
    #[prop_or_default]
    pub is_contents: bool,
}

/// Whose page this is, what is open, and the way to everything else.
#[component]
pub fn Header(HeaderProps { title, facts, is_contents }: &HeaderProps) -> Html {
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
                <a href={address::CONTENTS} aria-current={is_contents.then_some("page")}>{ "Contents" }</a>
            </nav>
        </header>
    }
}
