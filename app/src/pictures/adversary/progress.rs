//! What was reached, in the browser's storage: one record for all levels. A record that can't be read is set aside, never
//! deleted, and so is one of another version.

use crate::storage::{self, SaveError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where it is stored.
pub const KEY: &str = "leasehold:levels";
/// The version of the record.
const VERSION: u32 = 1;

/// What was reached in one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The fewest disturbances that the player broke it with.
    pub best: Option<usize>,
    /// The player has seen the shortest attack, or that there is none.
    pub told: bool,
}

impl Record {
    /// Broken with so many.
    pub fn won(count: usize) -> Self {
        Record { best: Some(count), told: false }
    }

    /// Seen.
    pub fn told() -> Self {
        Record { best: None, told: true }
    }

    fn and(self, other: Self) -> Self {
        let best = [self.best, other.best].into_iter().flatten().min();
        Record { best, told: self.told || other.told }
    }
}

/// All levels that anything was reached in, by slug.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    version: u32,
    levels: BTreeMap<String, Record>,
}

impl Default for Progress {
    fn default() -> Self {
        Progress { version: VERSION, levels: BTreeMap::new() }
    }
}

impl Progress {
    /// What was reached in a level.
    pub fn of(&self, slug: &str) -> Record {
        self.levels.get(slug).copied().unwrap_or_default()
    }

    /// Takes in what was reached; what was better stays.
    pub fn add(&mut self, slug: &str, record: Record) {
        let known = self.of(slug);
        self.levels.insert(slug.to_owned(), known.and(record));
    }

    fn and(mut self, other: &Progress) -> Self {
        for (slug, record) in &other.levels {
            self.add(slug, *record);
        }
        self
    }
}

/// Reads a stored text; none if it is no record of this version.
fn read(stored: &str) -> Option<Progress> {
    serde_json::from_str::<Progress>(stored).ok().filter(|progress| progress.version == VERSION)
}

/// Two stored records as one; none if one of them can't be read.
pub fn joined(here: &str, there: &str) -> Option<String> {
    serde_json::to_string(&read(here)?.and(&read(there)?)).ok()
}

/// What was stored, and what the player must be told of that.
pub fn restore() -> (Progress, Option<&'static str>) {
    match storage::text(KEY) {
        Err(_) => (
            Progress::default(),
            Some("This browser lets the page store nothing, so what you reach here will be forgotten when you leave."),
        ),
        Ok(None) => (Progress::default(), None),
        Ok(Some(stored)) => match read(&stored) {
            Some(progress) => (progress, None),
            None => {
                storage::set_aside(KEY, &stored);
                let told =
                    "What this browser had kept of your levels could not be read. It was set aside, not deleted.";
                (Progress::default(), Some(told))
            }
        },
    }
}

/// Stores it, with what another window may have reached meanwhile.
pub fn keep(progress: &Progress) -> Result<(), SaveError> {
    let stored = storage::text(KEY)?.as_deref().and_then(read).unwrap_or_default();
    let text = serde_json::to_string(&stored.and(progress)).map_err(|_| SaveError::Blocked)?;
    storage::set_text(KEY, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_a_level_stays_and_what_was_seen_stays_seen() {
        let mut progress = Progress::default();
        progress.add("a", Record::won(2));
        progress.add("a", Record::told());
        progress.add("a", Record::won(3));
        assert_eq!(progress.of("a"), Record { best: Some(2), told: true });
        assert_eq!(progress.of("b"), Record::default());
    }

    #[test]
    fn a_record_comes_back_as_it_was_stored() {
        let mut progress = Progress::default();
        progress.add("a", Record::won(1));
        let text = serde_json::to_string(&progress).unwrap();
        assert_eq!(text, r#"{"version":1,"levels":{"a":{"best":1,"told":false}}}"#);
        assert_eq!(read(&text), Some(progress));
    }

    #[test]
    fn what_is_no_record_of_this_version_is_not_read() {
        for text in ["", "[]", "{", r#"{"version":2,"levels":{}}"#, r#"{"version":1,"levels":[1]}"#] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn two_windows_keep_what_either_reached() {
        let (mut one, mut other) = (Progress::default(), Progress::default());
        one.add("a", Record::won(2));
        other.add("a", Record::won(1));
        other.add("b", Record::told());
        let both = one.and(&other);
        assert_eq!((both.of("a").best, both.of("b").told), (Some(1), true));
    }
}
