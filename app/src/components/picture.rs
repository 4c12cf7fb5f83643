//! `<live-picture>` (app/editor/picture.js): a place in the page that another program draws, see [`crate::pictures`].

use crate::protocol::TestReport;
use serde::Serialize;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// What the element tells of as it is stepped through: the line of the code that acted, 0 if none did.
pub const LINE: &str = "picture-line";
/// What the element tells of when the reader asks to see a line of the code.
pub const GO: &str = "picture-go";
/// What the solution's element tells of when it is to be put into the editor; its detail is the whole file.
pub const PUT: &str = "solution-put";
/// What it tells of when it is to be put away.
pub const CLOSE: &str = "solution-close";

/// See [`Picture`].
#[derive(Properties, PartialEq)]
pub struct PictureProps {
    /// Which one, see [`crate::pictures::View`].
    pub kind: &'static str,
    /// What it shows, as JSON.
    pub data: AttrValue,
}

/// The place of a picture.
#[component]
pub fn Picture(PictureProps { kind, data }: &PictureProps) -> Html {
    html! { <live-picture kind={*kind} ~data={JsValue::from_str(data)} /> }
}

/// What a timeline is told: [`crate::pictures::Shown`].
pub fn timeline(kata: &str, test: &TestReport, source: &str) -> AttrValue {
    #[derive(Serialize)]
    struct Shown<'a> {
        kata: &'a str,
        test: &'a TestReport,
        source: &'a str,
    }
    serde_json::to_string(&Shown { kata, test, source }).unwrap_or_default().into()
}
