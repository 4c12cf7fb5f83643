//! Interview practice: where one begins (`#/practice`), the cards (`#/practice/cards`, `#/practice/after/NUMBER`), the report
//! (`#/practice/report/NUMBER`), and the strip with the clock above the editor. See [`crate::practice`].

mod cards;
mod deck;
mod home;
mod report;
mod seat;

pub use seat::Clock;

use crate::address;
use crate::practice::session::wall_ms;
use crate::practice::{AFTER, CARDS, REPORT, times};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// See [`Practice`].
#[derive(Properties, PartialEq)]
pub struct PracticeProps {
    /// The address.
    pub data: AttrValue,
}

/// What the address asks for.
#[component]
pub fn Practice(PracticeProps { data }: &PracticeProps) -> Html {
    let number = |before: &str| data.strip_prefix(before).and_then(|number| number.parse::<u64>().ok());
    if let Some(started) = number(REPORT) {
        html! { <report::ReportPage key={data.to_string()} {started} /> }
    } else if let Some(started) = number(AFTER) {
        html! { <cards::Cards key={data.to_string()} session={started} /> }
    } else if data.as_str() == CARDS {
        html! { <cards::Cards key="cards" session={None::<u64>} /> }
    } else {
        html! { <home::Home key="home" /> }
    }
}

/// How many minutes this place is behind UTC.
fn behind() -> i32 {
    web_sys::js_sys::Date::new_0().get_timezone_offset() as i32
}

/// Today as a number.
fn today() -> u32 {
    times::day(wall_ms(), behind())
}

/// To another address within the page.
fn go(hash: &str) {
    if let Some(window) = web_sys::window() {
        let _ = window.location().set_hash(hash);
    }
}

/// The page's address without what is asked for within it.
fn here() -> String {
    let href = web_sys::window().and_then(|w| w.location().href().ok()).unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

/// Gives the focus to what a selector finds.
fn focus(root: &NodeRef, selector: &str) {
    let found = root.cast::<Element>().and_then(|root| root.query_selector(selector).ok().flatten());
    if let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// What could not be read or stored, above all else.
fn told(notices: &[&'static str]) -> Html {
    html! { <div role="alert">{ for notices.iter().map(|notice| html! { <p class="notice">{ *notice }</p> }) }</div> }
}

/// A way back to where one begins.
fn back() -> Html {
    html! { <p><a href={crate::practice::HOME}>{ "Back to interview practice" }</a></p> }
}

/// For whoever came by an old link.
fn gone() -> Html {
    html! {
        <div class="practice">
            <p>{ "There is no such session in this browser. Only the newest are kept." }</p>
            { back() }
            <p><a href={address::CONTENTS}>{ "Go to the contents" }</a></p>
        </div>
    }
}
