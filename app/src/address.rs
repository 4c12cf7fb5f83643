//! Which kata the address asks for, and how it comes: `#/kata/slug`, a file beside the page.

use leasehold_exercises::Kata;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use yew::Callback;

/// The address of a kata within the page.
pub fn of(slug: &str) -> String {
    format!("#/kata/{slug}")
}

/// The kata's slug in the address; empty if there is none.
pub fn slug() -> String {
    let hash = web_sys::window().and_then(|w| w.location().hash().ok()).unwrap_or_default();
    read(&hash).to_owned()
}

/// The slug in a hash. What can't be one is none, so that nothing else is ever fetched.
fn read(hash: &str) -> &str {
    let slug = hash.strip_prefix("#/kata/").unwrap_or_default();
    let is_slug = slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if is_slug { slug } else { "" }
}

/// Fetches a kata; none if it can't be had.
pub fn fetch(slug: &str, came: Callback<Option<&'static Kata>>) {
    let came = Closure::once_into_js(move |text: Option<String>| came.emit(text.and_then(Kata::from_file)));
    fetch_kata(slug, &came);
}

#[wasm_bindgen]
extern "C" {
    // In app/editor/early.js: a few bytes of JavaScript, several kilobytes in Rust.
    #[wasm_bindgen(js_name = fetchKata)]
    fn fetch_kata(slug: &str, came: &wasm_bindgen::JsValue);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_to_its_kata_and_nowhere_else() {
        assert_eq!(read(&of("storage-gate")), "storage-gate");
        for other in ["", "#", "#/", "#/kata/", "#/kata/../secret", "#/kata/a?b", "#/museum", "#/kata/A"] {
            assert_eq!(read(other), "", "{other}");
        }
    }
}
