//! What this browser keeps: texts by key, all of whose keys begin with [`BEFORE`]. What can't be read is kept aside, never
//! deleted; a browser that stores nothing costs the learner a notice, not the page.

mod place;
mod record;

pub use place::{Place, Saved};
pub use record::{Progress, RECORD_VERSION, Record, Restored, Standing, fingerprint, go_on, parse};

/// Every key of ours begins so.
pub const BEFORE: &str = "leasehold:";
/// The key of a kata's record, without its slug.
pub const KATA: &str = "leasehold:kata:";
/// The key of where a bar between areas stands, without the name of the area before it.
pub const LAYOUT: &str = "leasehold:layout:";
/// Stands in the key of what was kept aside, before a number.
pub const ASIDE: &str = ":aside-";

/// Why something could not be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveError {
    /// The browser gives no storage.
    Blocked,
    /// It gives one, and takes no more.
    Full,
    /// It takes no more, but the code that it holds is that of the page: only the progress is not noted.
    NotNoted,
}

/// The key of a kata's record.
pub fn key(slug: &str) -> String {
    [KATA, slug].concat()
}

/// The slug of a kata, of the key of its record.
pub fn slug(key: &str) -> Option<&str> {
    key.strip_prefix(KATA).filter(|slug| !slug.contains(':'))
}

/// The record of a kata, for a look: nothing is moved.
pub fn peek(slug: &str) -> Option<Record> {
    text(&key(slug)).ok()?.and_then(|stored| record::parse(&stored).ok())
}

/// The code that is saved for a kata, for a look.
pub fn saved(slug: &str) -> Option<String> {
    peek(slug).map(|record| record.code)
}

/// How many katas are solved, as far as this browser knows.
pub fn solved() -> usize {
    let is_solved = |key: &String| slug(key).and_then(peek).is_some_and(|record| record.progress.is_solved());
    keys().iter().filter(|key| is_solved(key)).count()
}

/// All keys of ours, in order. None of a browser that gives no storage.
pub fn keys() -> Vec<String> {
    let Some(storage) = storage() else { return Vec::new() };
    let mut keys: Vec<String> = Vec::new();
    for i in 0..storage.length().unwrap_or(0) {
        let Ok(Some(key)) = storage.key(i) else { continue };
        if key.starts_with(BEFORE) {
            // A sort of texts would be kilobytes.
            let at = keys.iter().position(|other| *other > key).unwrap_or(keys.len());
            keys.insert(at, key);
        }
    }
    keys
}

/// What is stored under a key.
pub fn text(key: &str) -> Result<Option<String>, SaveError> {
    storage().and_then(|storage| storage.get_item(key).ok()).ok_or(SaveError::Blocked)
}

/// Stores a text.
pub fn set_text(key: &str, text: &str) -> Result<(), SaveError> {
    storage().ok_or(SaveError::Blocked)?.set_item(key, text).map_err(|_| SaveError::Full)
}

/// Takes a text out.
pub fn remove(key: &str) {
    if let Some(storage) = storage() {
        // Fails only where nothing can be stored either.
        let _ = storage.remove_item(key);
    }
}

/// Keeps a text aside, and says under which key; none if there is no room. The original stays under its key until the next
/// save, and what was kept aside before is not overwritten.
pub fn set_aside(key: &str, stored: &str) -> Option<String> {
    let free = free(key, stored, &|key| text(key).ok().flatten());
    set_text(&free, stored).ok().map(|()| free)
}

/// The first key beside `key` under which nothing lies, or this very text; `here` says what is stored under a key.
pub fn free(key: &str, text: &str, here: &dyn Fn(&str) -> Option<String>) -> String {
    let beside = |n: u32| [key, ASIDE, &n.to_string()].concat();
    let is_free = |key: &String| here(key).is_none_or(|there| there == text);
    (1..).map(beside).find(is_free).unwrap_or_default()
}

fn storage() -> Option<web_sys::Storage> {
    // The getter itself throws where storage is blocked.
    web_sys::window()?.local_storage().ok().flatten()
}
