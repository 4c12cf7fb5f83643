//! The parts of a page.

mod chapter;
mod deeper;
mod header;
mod icons;
mod introduction;
mod notices;
mod picture;
mod results;
mod run_bar;
mod score;
mod splitter;
mod test_detail;
mod test_list;
mod turn;

use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, MouseEvent, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::{Callback, Html, TargetCast, html};

/// The width from which editor and results have room; static/css/workspace.css and app/editor/early.js have the same.
const WIDE: &str = "(min-width: 1024px)";

/// Scrolls as little as it takes to see an element, and without motion.
pub fn into_view(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// The first element of the document that a selector fits.
pub fn find(selector: &str) -> Option<Element> {
    web_sys::window()?.document()?.query_selector(selector).ok()?
}

/// Puts the focus on an element, if that can have it.
pub fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus();
    }
}

/// For a button that goes when it was pressed: puts the focus on `at` in the nearest element `around` it.
pub fn leave_focus(event: &MouseEvent, around: &str, at: &str) {
    let around = event.target_dyn_into::<Element>().and_then(|button| button.closest(around).ok()?);
    if let Some(element) = around.and_then(|around| around.query_selector(at).ok()?) {
        focus(&element);
    }
}

/// Whether the window is as wide as it takes to write code, and what tells when it becomes so.
pub fn watch_width(widened: Callback<()>) -> (bool, Option<EventListener>) {
    let Some(wide) = web_sys::window().and_then(|window| window.match_media(WIDE).ok().flatten()) else {
        return (false, None);
    };
    let query = wide.clone();
    let listener = EventListener::new(&wide, "change", move |_| {
        if query.matches() {
            widened.emit(());
        }
    });
    (wide.matches(), Some(listener))
}

/// Text in which `backticks` mean code.
pub fn marked_up(text: &str) -> Html {
    let part = |(is_code, part): (bool, &str)| {
        if is_code {
            html! { <code>{ part.to_owned() }</code> }
        } else {
            html! { part.to_owned() }
        }
    };
    crate::words::parts(text).map(part).collect()
}

pub use chapter::{Chapter, questions};
pub use header::Header;
pub use introduction::Introduction;
pub use notices::Notices;
pub use picture::{CLOSE, GO, LINE, PUT, Picture, timeline};
pub use results::Results;
pub use run_bar::{RunBar, loading};
pub use splitter::{Axis, Splitter};
pub use turn::turn;
