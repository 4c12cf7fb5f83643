//! The strip at the top.

use crate::address;
use leasehold_exercises::{Head, Kata, heads};
use yew::prelude::*;

/// See [`Header`].
#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    /// The kata that is open.
    pub kata: &'static Kata,
}

/// Whose page this is, and which kata is open.
#[component]
pub fn Header(HeaderProps { kata }: &HeaderProps) -> Html {
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
            <h1>{ kata.title }</h1>
            <nav class="katas" aria-label="Katas">
                { for heads().iter().map(|head| link(head, head.slug == kata.slug)) }
            </nav>
            <p class="top-facts">{ format!("Kata {} · {} · about {} min", kata.order, kata.difficulty, kata.minutes) }</p>
        </header>
    }
}

fn link(Head { slug, title, order }: &'static Head, is_open: bool) -> Html {
    html! {
        <a href={address::of(slug)} title={*title} aria-label={format!("Kata {order}: {title}")}
            aria-current={is_open.then_some("page")}>{ order }</a>
    }
}
