//! How the records of practice are stored: `{"version":1,"rows":[["what","field",…],…]}`. Every field is a text and every
//! record has this one form, since each form that is derived costs the page kilobytes.

use crate::storage::{self, SaveError};
use serde::{Deserialize, Serialize};

/// Version of all records.
const VERSION: u32 = 1;
const BLOCKED: &str =
    "This browser lets the page store nothing: what you do here will be forgotten, and no session can be begun.";
const UNREADABLE: &str =
    "Something that this browser had kept of your practice could not be read. It was set aside, not deleted.";

/// What it is, then its fields.
pub type Row = Vec<String>;

#[derive(Serialize, Deserialize)]
struct Rows {
    version: u32,
    rows: Vec<Row>,
}

/// A row of these fields.
pub fn row(fields: &[&str]) -> Row {
    fields.iter().map(|field| (*field).to_owned()).collect()
}

/// A field; empty if the row has none such.
pub fn field(row: &[String], i: usize) -> &str {
    row.get(i).map_or("", String::as_str)
}

/// A field that is a number.
pub fn number(row: &[String], i: usize) -> Option<u64> {
    field(row, i).parse().ok()
}

/// The rows of a stored text; none if it is no record of this version.
pub fn read(stored: &str) -> Option<Vec<Row>> {
    serde_json::from_str::<Rows>(stored).ok().filter(|rows| rows.version == VERSION).map(|rows| rows.rows)
}

/// The text to be stored.
pub fn text(rows: Vec<Row>) -> String {
    serde_json::to_string(&Rows { version: VERSION, rows }).unwrap_or_default()
}

/// Stores rows.
///
/// # Errors
/// The browser does not store them.
pub fn store(key: &str, rows: Vec<Row>) -> Result<(), SaveError> {
    storage::set_text(key, &text(rows))
}

/// What a record holds, for a look: nothing is moved. None if there is none, or it can't be read.
pub fn peek<T>(key: &str, meaning: impl Fn(&[Row]) -> Option<T>) -> Option<T> {
    meaning(&read(&storage::text(key).ok()??)?)
}

/// What is stored under a key, as `read` reads it, and what the learner must be told of it.
pub fn load<T: Default>(key: &str, read: impl Fn(&[Row]) -> Option<T>) -> (T, Option<&'static str>) {
    let mut loaded = T::default();
    let told = hand_over(key, &mut |rows| read(rows).map(|read| loaded = read).is_some());
    (loaded, told)
}

/// Hands over what is stored; `take` says whether it could be read. Returns what the learner must be told.
fn hand_over(key: &str, take: &mut dyn FnMut(&[Row]) -> bool) -> Option<&'static str> {
    match storage::text(key) {
        Err(_) => Some(BLOCKED),
        Ok(None) => None,
        Ok(Some(stored)) if read(&stored).is_some_and(|rows| take(&rows)) => None,
        Ok(Some(stored)) => {
            storage::set_aside(key, &stored);
            Some(UNREADABLE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_was_stored() {
        let rows = vec![row(&["a", "1", "\"ü\"\n"]), row(&["b"])];
        let stored = text(rows.clone());
        assert_eq!(stored, r#"{"version":1,"rows":[["a","1","\"ü\"\n"],["b"]]}"#);
        assert_eq!(read(&stored), Some(rows));
    }

    #[test]
    fn what_is_no_record_of_this_version_is_not_read() {
        for text in
            ["", "null", "[]", "{", r#"{"version":2,"rows":[]}"#, r#"{"version":1,"rows":[[1]]}"#, r#"{"version":1}"#]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_field_that_is_missing_is_empty_and_no_number() {
        let row = row(&["a", "7", "x"]);
        assert_eq!((number(&row, 1), number(&row, 2), number(&row, 9)), (Some(7), None, None));
        assert_eq!(field(&row, 9), "");
    }
}
