//! What the address asks for (`#/kata/slug`, `#/chapter/slug`, `#/museum/slug`, each perhaps with a section, `#/contents`,
//! `#/museum`, or one of the [`TOOLS`]), and how it comes. Sections are found by app/editor/places.js.

use leasehold_exercises::first;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use yew::Callback;

/// The address of the contents within the page.
pub const CONTENTS: &str = "#/contents";
/// Before the slug of a kata.
pub const KATA: &str = "#/kata/";
/// The address of the contents of the museum.
pub const MUSEUM: &str = "#/museum";

/// A page that is one large picture, and reads the rest of its address itself.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// The first part of its address, and the kind of its picture, see [`crate::pictures::View`].
    pub kind: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What one does there, in one sentence; none if only a link leads there.
    pub summary: Option<&'static str>,
}

/// All of them, in the order of the contents.
pub const TOOLS: &[Tool] = &[
    Tool {
        kind: "break",
        title: "Break it yourself",
        summary: Some(
            "Twelve locks, and you are what goes wrong: place pauses, lost replies and clock steps until two holders meet \
             or a stale write lands.",
        ),
    },
    Tool {
        kind: "ttl",
        title: "How long should a lease be?",
        summary: Some("Move ttl, renewal, pauses and failures, and see how often a live holder loses its lock."),
    },
    Tool {
        kind: "practice",
        title: "Interview practice",
        summary: Some(
            "A kata against the clock, then an interviewer's questions as cards that come back over days, and a report to \
             keep.",
        ),
    },
    Tool { kind: "progress", title: "Your progress", summary: None },
    Tool { kind: "shared", title: "A shared run", summary: None },
];

/// What an address asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Place {
    /// The first kata, which is here already.
    First,
    /// What is in this file, see [`leasehold_exercises::Kata::to_file`].
    File(String),
    /// One of [`TOOLS`].
    Tool(&'static Tool),
}

/// The part of the address that is ours.
pub fn hash() -> String {
    web_sys::window().and_then(|w| w.location().hash().ok()).unwrap_or_default()
}

/// What a hash asks for. What can't be a slug leads to the first kata, so that nothing else is ever fetched.
pub fn read(hash: &str) -> Place {
    let file = || file(hash).filter(|(_, slug)| *slug != first().slug).map(|(kind, slug)| [slug, ".", kind].concat());
    if hash == CONTENTS {
        return Place::File("book.contents".to_owned());
    }
    if hash == MUSEUM {
        return Place::File("museum.contents".to_owned());
    }
    let kind = hash.strip_prefix("#/").unwrap_or_default().split('/').next();
    match TOOLS.iter().find(|tool| Some(tool.kind) == kind) {
        Some(tool) => Place::Tool(tool),
        None => file().map_or(Place::First, Place::File),
    }
}

/// The kind and the slug of the page that an address of a kata, a chapter or a page of the museum asks for, whatever its
/// section; its file is called `slug.kind`.
pub fn file(hash: &str) -> Option<(&str, &str)> {
    let (kind, rest) = hash.strip_prefix("#/")?.split_once('/')?;
    let (slug, section) = rest.split_once('/').unwrap_or((rest, ""));
    let is_file = matches!(kind, "kata" | "chapter" | "museum") && is_slug(slug);
    (is_file && !section.contains('/')).then_some((kind, slug))
}

/// What can be the name of a page in an address. It goes into names of files.
pub fn is_slug(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// The slug of the kata at an address of the contents; none if that is something else.
pub fn kata(address: &str) -> Option<&str> {
    address.strip_prefix(KATA)
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
    use leasehold_exercises::{contents, hall};

    #[test]
    fn an_address_leads_to_its_file_and_nowhere_else() {
        let file = |name: &str| Place::File(name.to_owned());
        assert_eq!(read("#/kata/storage-gate"), file("storage-gate.kata"));
        assert_eq!(read("#/chapter/testing-time"), file("testing-time.chapter"));
        assert_eq!(read(CONTENTS), file("book.contents"));
        assert_eq!(read(MUSEUM), file("museum.contents"));
        assert_eq!(read("#/museum/losses-unheard"), file("losses-unheard.museum"));
        assert_eq!(read("#/museum/losses-unheard/lost-and-still-held"), file("losses-unheard.museum"));
        assert_eq!(read(&["#/kata/", first().slug].concat()), Place::First);
        for other in
            ["", "#", "#/", "#/kata/", "#/kata/../secret", "#/chapter/a?b", "#/museum/", "#/museum/a/b/c", "#/kata/A"]
        {
            assert_eq!(read(other), Place::First, "{other}");
        }
    }

    #[test]
    fn every_line_of_the_contents_leads_to_a_file() {
        let leads = |address: &str| read(address) != Place::First || address.ends_with(first().slug);
        assert!(contents().iter().chain(hall()).all(|entry| leads(entry.address)));
    }

    #[test]
    fn a_section_is_on_the_page_before_it() {
        for (address, page) in [
            ("#/kata/storage-gate/your-task", "storage-gate.kata"),
            ("#/chapter/testing-time/sources", "testing-time.chapter"),
            ("#/museum/losses-unheard/", "losses-unheard.museum"),
        ] {
            assert_eq!(read(address), Place::File(page.to_owned()), "{address}");
        }
        assert_eq!(read(&["#/kata/", first().slug, "/your-task"].concat()), Place::First);
    }

    #[test]
    fn a_tool_reads_the_rest_of_its_address_itself() {
        for address in ["#/break", "#/break/one-pause", "#/break/../x"] {
            assert_eq!(read(address), Place::Tool(&TOOLS[0]));
        }
        assert_eq!(read("#/breaking"), Place::First);
    }
}
