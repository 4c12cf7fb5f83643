//! What the address asks for (`#/kata/slug`, `#/chapter/slug`, `#/contents`), and how it comes: a file beside the page.

use leasehold_exercises::first;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use yew::Callback;

/// The address of the contents within the page.
pub const CONTENTS: &str = "#/contents";

/// The name of the file that the address asks for, see [`leasehold_exercises::Kata::to_file`]; none for the first kata,
/// which is here already.
pub fn file() -> Option<String> {
    let hash = web_sys::window().and_then(|w| w.location().hash().ok()).unwrap_or_default();
    read(&hash)
}

/// The file that a hash asks for. What can't be a slug is none, so that nothing else is ever fetched.
fn read(hash: &str) -> Option<String> {
    if hash == CONTENTS {
        return Some("book.contents".to_owned());
    }
    let (kind, slug) = hash.strip_prefix("#/")?.split_once('/')?;
    let is_slug = slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    match kind {
        "kata" if slug == first().slug => None,
        "kata" | "chapter" if is_slug && !slug.is_empty() => Some([slug, ".", kind].concat()),
        _ => None,
    }
}

/// Fetches a file's text; none if it can't be had.
pub fn fetch(name: &str, came: Callback<Option<String>>) {
    let came = Closure::once_into_js(move |text: Option<String>| came.emit(text));
    fetch_text(name, &came);
}

#[wasm_bindgen]
extern "C" {
    // In app/editor/early.js: a few bytes of JavaScript, several kilobytes in Rust.
    #[wasm_bindgen(js_name = fetchText)]
    fn fetch_text(name: &str, came: &wasm_bindgen::JsValue);
}

#[cfg(test)]
mod tests {
    use super::*;
    use leasehold_exercises::contents;

    #[test]
    fn an_address_leads_to_its_file_and_nowhere_else() {
        assert_eq!(read("#/kata/storage-gate").as_deref(), Some("storage-gate.kata"));
        assert_eq!(read("#/chapter/testing-time").as_deref(), Some("testing-time.chapter"));
        assert_eq!(read(CONTENTS).as_deref(), Some("book.contents"));
        assert_eq!(read(&["#/kata/", first().slug].concat()), None);
        for other in ["", "#", "#/", "#/kata/", "#/kata/../secret", "#/chapter/a?b", "#/museum/a", "#/kata/A"] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn every_line_of_the_contents_leads_to_a_file() {
        let leads = |address: &str| read(address).is_some() || address.ends_with(first().slug);
        assert!(contents().iter().all(|entry| leads(entry.address)));
    }
}
