//! What takes something out of the page: the clipboard, and files. In app/editor/carry.js.

use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Element;
use yew::Callback;

/// Copies a text; then says whether the browser let it.
pub fn copy(text: &str, done: Callback<bool>) {
    let done = Closure::once_into_js(move |copied: bool| done.emit(copied));
    copy_text(text, &done);
}

/// Offers a text as a file of this name and media type.
pub fn save(name: &str, media_type: &str, text: &str) {
    save_file(name, media_type, text);
}

/// Reads the file that was chosen in a field, up to `most` bytes: hands on its text, if it can be read, and whether it is larger.
pub fn chosen(field: &Element, most: u32, came: Callback<(Option<String>, bool)>) {
    let came = Closure::once_into_js(move |text: Option<String>, is_large: bool| came.emit((text, is_large)));
    chosen_text(field, most, &came);
}

/// The drawings of the timeline in `place` as one SVG that needs no style sheet; `text` is what it says to who can't see it.
pub fn drawing(place: &Element, title: &str, text: &str) -> String {
    standing_alone(place, title, text)
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = copyText)]
    fn copy_text(text: &str, done: &JsValue);
    #[wasm_bindgen(js_name = saveFile)]
    fn save_file(name: &str, media_type: &str, text: &str);
    #[wasm_bindgen(js_name = chosenText)]
    fn chosen_text(field: &Element, most: u32, came: &JsValue);
    #[wasm_bindgen(js_name = standingAlone)]
    fn standing_alone(place: &Element, title: &str, text: &str) -> String;
}
