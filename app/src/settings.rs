//! What the reader has set. The record (`leasehold:settings` in the browser's storage) is read, checked and written by
//! app/editor/settings.js, since the theme must stand before there is any Rust; here are its fields by name.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The themes as they are stored, and in words; the first follows the system.
pub const THEMES: [(&str, &str); 3] = [("auto", "As the system"), ("light", "Light"), ("dark", "Dark")];

/// Do single keys act? See [`crate::keys`].
pub fn single_keys() -> bool {
    read("keys").as_bool() != Some(false)
}

/// Whether single keys act from now on. False if it could not be stored: then it holds until the page is closed.
pub fn set_single_keys(on: bool) -> bool {
    keep("keys", &on.into())
}

/// Which of [`THEMES`].
pub fn theme() -> String {
    read("theme").as_string().unwrap_or_default()
}

/// Changes the theme at once. False if it could not be stored.
pub fn set_theme(theme: &str) -> bool {
    keep("theme", &theme.into())
}

/// Was the introduction put away?
pub fn introduced() -> bool {
    read("introduced").as_bool() == Some(true)
}

/// Remembers that the introduction was put away.
pub fn set_introduced() {
    keep("introduced", &true.into());
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = readSetting)]
    fn read(name: &str) -> JsValue;
    #[wasm_bindgen(js_name = keepSetting)]
    fn keep(name: &str, value: &JsValue) -> bool;
}
