//! The pictures in the page, see `leasehold_app::pictures`. app/editor/picture.js loads it and makes its places.

use leasehold_app::pictures::{View, ViewProps};
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Element;
use yew::{AppHandle, Html, Renderer, component};

/// A picture that was put into an element.
#[wasm_bindgen]
pub struct Mounted {
    app: AppHandle<View>,
    kind: String,
    place: Element,
}

/// Draws a picture in an element; `data` is JSON.
#[wasm_bindgen]
pub fn mount(place: Element, kind: String, data: String) -> Mounted {
    let app = Renderer::<View>::with_root_and_props(place.clone(), props(&place, &kind, data)).render();
    Mounted { app, kind, place }
}

#[wasm_bindgen]
impl Mounted {
    /// Shows something else of the same kind.
    pub fn update(&mut self, data: String) {
        self.app.update(props(&self.place, &self.kind, data));
    }

    /// Takes it out.
    pub fn unmount(self) {
        self.app.destroy();
    }
}

fn props(place: &Element, kind: &str, data: String) -> ViewProps {
    ViewProps { kind: kind.to_owned().into(), data: data.into(), place: place.clone() }
}

#[component]
fn Nothing() -> Html {
    Html::default()
}

/// Once, before anything is drawn. Page and pictures are two programs with Yew inside; each numbers its roots from 1 and
/// writes the number onto the elements, and the page's one root would take a click on the first picture for its own.
/// So number 1 goes to a root that is nowhere.
#[wasm_bindgen]
pub fn start() {
    if let Some(nowhere) = web_sys::window().and_then(|w| w.document()).and_then(|d| d.create_element("div").ok()) {
        let _ = Renderer::<Nothing>::with_root(nowhere).render();
    }
}

/// Nothing by itself: the functions above are called from outside.
fn main() {}
