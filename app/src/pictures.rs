//! What is drawn, and can be stepped through, asked or played with: a program of its own (the bin `pictures`), which the page
//! loads once it is there itself. A page has a place for each (`<live-picture>`, app/editor/picture.js) and says by a word
//! and by JSON what is to be seen there. What happens in a picture that the page must know comes as an event of that element.

mod adversary;
mod code;
mod compare;
mod contents;
mod life_cycle;
pub mod link;
mod practice;
mod progress;
mod runs;
mod search;
mod settings;
mod shared;
mod sharing;
mod solution;
mod states;
mod story;
mod subject;
mod ttl;

// What reads text from outside, so that `trust fuzz` can try it.
pub use adversary::joined_levels;
pub use compare::align;
pub use life_cycle::follow;
pub use progress::file;
pub use ttl::text as ttl_text;

use leasehold_checker::report::TestReport;
use serde::Deserialize;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// A run to be shown as a timeline.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Shown {
    /// The kata's slug.
    pub kata: String,
    /// The test with its trace.
    pub test: TestReport,
    /// The file that ran; empty where there is no editor beside the picture.
    pub source: String,
}

impl Shown {
    /// The run that a text holds, as JSON; none if it holds none.
    pub fn read(data: &str) -> Option<Self> {
        serde_json::from_str(data).ok()
    }
}

/// See [`View`].
#[derive(Properties, PartialEq)]
pub struct ViewProps {
    /// `timeline`, `states`, `solution`, `seat` (the clock of a session of practice, whose number it is told), `search` and
    /// `keys` (the insides of dialogs), or that of one of [`crate::address::TOOLS`].
    pub kind: AttrValue,
    /// What it shows, as JSON: [`Shown`], the ways between states, each as four texts, a kata's slug and the learner's code, or what the explorer is set
    /// to. For a tool:
    /// the address.
    pub data: AttrValue,
    /// The element that it is drawn in, which tells the page what happens.
    pub place: web_sys::Element,
}

/// One picture.
#[component]
pub fn View(ViewProps { kind, data, place }: &ViewProps) -> Html {
    match kind.as_str() {
        "timeline" => html! { <story::Story data={data.clone()} place={place.clone()} /> },
        "practice" | "seat" => html! { <practice::Practice data={data.clone()} /> },
        "break" => html! { <adversary::Adversary data={data.clone()} /> },
        "states" => html! { <states::States data={data.clone()} /> },
        "search" => html! { <search::Search /> },
        "keys" => html! { <settings::Settings /> },
        "progress" => html! { <progress::Overview /> },
        "solution" => html! { <solution::Solution data={data.clone()} place={place.clone()} /> },
        "ttl" => html! { <ttl::Explorer data={data.clone()} /> },
        "shared" => html! { <shared::Shared key={data.to_string()} hash={data.clone()} /> },
        _ => Html::default(),
    }
}

/// Tells the page, as an event of the picture's element that bubbles.
fn tell(place: &web_sys::Element, event: &str, detail: impl Into<JsValue>) {
    let options = web_sys::CustomEventInit::new();
    options.set_bubbles(true);
    options.set_detail(&detail.into());
    if let Ok(event) = web_sys::CustomEvent::new_with_event_init_dict(event, &options) {
        let _ = place.dispatch_event(&event);
    }
}
