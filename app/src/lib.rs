//! The page of Leasehold: a chapter, an editor, Run Tests, and what came of it.
//!
//! The page knows of the checker only what a report is made of (`report`, `trace`, `time`). It never runs a suite
//! itself: that is done by the bin `worker` in a Web Worker, which [`engine`] starts and talks to, so that a run
//! that hangs or dies takes nothing of the page with it, and so that the page is there long before the interpreter.
//!
//! All decisions are made in [`state`], a plain struct with one update function that returns what is to be done:
//! native tests cover it without a browser. [`pages`] does what it says. [`timeline::layout`] turns a trace into
//! shapes, again natively; [`timeline`] draws them.

pub mod activity;
pub mod address;
pub mod components;
pub mod editor;
pub mod engine;
pub mod keys;
#[cfg(test)]
mod noise;
pub mod pages;
pub mod pictures;
pub mod practice;
pub mod protocol;
pub mod settings;
pub mod state;
pub mod storage;
pub mod timeline;
pub mod words;

/// Shows the page in the document's element `#page`.
pub fn start() {
    let place = web_sys::window().and_then(|w| w.document()).and_then(|d| d.get_element_by_id("page"));
    match place {
        Some(place) => {
            place.set_inner_html("");
            yew::Renderer::<pages::Root>::with_root(place).render();
        }
        None => {
            yew::Renderer::<pages::Root>::new().render();
        }
    }
}
