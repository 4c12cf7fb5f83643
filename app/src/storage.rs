//! The learner's code in the browser's storage: one record per kata. What can't be read is kept aside, never deleted;
//! a browser that stores nothing costs the learner a notice, not the page.

use serde::{Deserialize, Serialize};

/// Version of the record; one of another version is kept aside unread.
pub const RECORD_VERSION: u32 = 1;

/// What is stored for one kata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// [`RECORD_VERSION`].
    pub version: u32,
    /// [`fingerprint`] of the starter that the code began from.
    pub starter_hash: String,
    /// The learner's whole file.
    pub code: String,
}

/// What became of a stored record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restored {
    /// There was none.
    Nothing,
    /// The learner's code.
    Code {
        /// The whole file.
        code: String,
        /// The starter is not any more the one that it began from.
        starter_changed: bool,
    },
    /// It could not be read and lies under another key now.
    Unreadable,
    /// It is of another version and lies under another key now.
    OtherVersion,
    /// The browser gives no storage.
    Blocked,
}

/// Why code could not be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveError {
    /// The browser gives no storage.
    Blocked,
    /// It gives one, and takes no more.
    Full,
}

/// The key of a kata's record.
pub fn key(slug: &str) -> String {
    format!("leasehold:kata:{slug}")
}

/// A short text that differs when `text` does (FNV-1a, 64 bits).
pub fn fingerprint(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

/// Reads a stored text for a kata with this starter.
pub fn read(stored: Option<&str>, starter: &str) -> Restored {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Some(stored) = stored else { return Restored::Nothing };
    match serde_json::from_str::<Version>(stored) {
        Err(_) => return Restored::Unreadable,
        Ok(Version { version }) if version != RECORD_VERSION => return Restored::OtherVersion,
        Ok(_) => {}
    }
    match serde_json::from_str::<Record>(stored) {
        Err(_) => Restored::Unreadable,
        Ok(record) => {
            Restored::Code { code: record.code, starter_changed: record.starter_hash != fingerprint(starter) }
        }
    }
}

/// Gives back the code that was saved for a kata, and moves aside what can't be read.
pub fn restore(slug: &str, starter: &str) -> Restored {
    let Ok(stored) = text(&key(slug)) else { return Restored::Blocked };
    let restored = read(stored.as_deref(), starter);
    if let (Restored::Unreadable | Restored::OtherVersion, Some(stored)) = (&restored, stored) {
        set_aside(&key(slug), &stored);
    }
    restored
}

/// The code that is saved for a kata, for a look: nothing is moved.
pub fn saved(slug: &str) -> Option<String> {
    let stored = storage()?.get_item(&key(slug)).ok()?;
    match read(stored.as_deref(), "") {
        Restored::Code { code, .. } => Some(code),
        _ => None,
    }
}

/// Saves a kata's code.
pub fn save(slug: &str, starter: &str, code: &str) -> Result<(), SaveError> {
    let record = Record { version: RECORD_VERSION, starter_hash: fingerprint(starter), code: code.to_owned() };
    let text = serde_json::to_string(&record).map_err(|_| SaveError::Blocked)?;
    set_text(&key(slug), &text)
}

/// What is stored under a key.
pub fn text(key: &str) -> Result<Option<String>, SaveError> {
    storage().and_then(|storage| storage.get_item(key).ok()).ok_or(SaveError::Blocked)
}

/// Stores a text.
pub fn set_text(key: &str, text: &str) -> Result<(), SaveError> {
    storage().ok_or(SaveError::Blocked)?.set_item(key, text).map_err(|_| SaveError::Full)
}

/// Keeps what could not be read. The original stays under its key until the next save, and what was kept aside before is
/// not overwritten.
pub fn set_aside(key: &str, stored: &str) {
    let Some(storage) = storage() else { return };
    let free = (1..100)
        .map(|n| format!("{key}:aside-{n}"))
        .find(|key| matches!(storage.get_item(key), Ok(None)) || storage.get_item(key) == Ok(Some(stored.to_owned())));
    if let Some(free) = free {
        // Full: then the next save fails as well and says so, and the original is still there.
        let _ = storage.set_item(&free, stored);
    }
}

fn storage() -> Option<web_sys::Storage> {
    // The getter itself throws where storage is blocked.
    web_sys::window()?.local_storage().ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(version: u32, starter: &str) -> String {
        let record = Record { version, starter_hash: fingerprint(starter), code: "x = 1\n".into() };
        serde_json::to_string(&record).unwrap()
    }

    #[test]
    fn a_record_comes_back() {
        let code = "x = 1\n".to_owned();
        assert_eq!(read(None, "s"), Restored::Nothing);
        assert_eq!(read(Some(&record(1, "s")), "s"), Restored::Code { code: code.clone(), starter_changed: false });
        assert_eq!(read(Some(&record(1, "s")), "t"), Restored::Code { code, starter_changed: true });
    }

    #[test]
    fn what_is_no_record_is_told_apart_from_one_of_another_version() {
        assert_eq!(read(Some(""), "s"), Restored::Unreadable);
        assert_eq!(read(Some("{\"version\":1,\"code\":5}"), "s"), Restored::Unreadable);
        assert_eq!(read(Some("{\"version\":2,\"files\":[]}"), "s"), Restored::OtherVersion);
        assert_eq!(read(Some(&record(0, "s")), "s"), Restored::OtherVersion);
    }

    #[test]
    fn fingerprints_are_fnv_1a() {
        assert_eq!(fingerprint(""), "cbf29ce484222325");
        assert_eq!(fingerprint("a"), "af63dc4c8601ec8c");
    }
}
