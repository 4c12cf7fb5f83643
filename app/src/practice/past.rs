//! Sessions that are over, with the answers to their questions.

use super::Grade;
use super::session::{self, Session};
use crate::storage::{self, SaveError};
use serde::{Deserialize, Serialize};

/// Where they are stored.
pub const KEY: &str = "leasehold:practice";
/// Where an answer is stored that is not graded yet.
const DRAFT: &str = "leasehold:practice:draft";
/// Version of both records.
const VERSION: u32 = 1;
/// So many sessions are kept,
pub const MOST: usize = 20;
/// and so many bytes of them; the newest in any case.
const MOST_BYTES: usize = 600_000;
/// So much of an answer is kept, in characters.
const MOST_ANSWER: usize = 8_000;

const BLOCKED: &str =
    "This browser lets the page store nothing: what you do here will be forgotten, and no session can be begun.";
const UNREADABLE: &str =
    "Something that this browser had kept of your practice could not be read. It was set aside, not deleted.";

/// The record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    version: u32,
    /// The newest first.
    pub past: Vec<Entry>,
}

impl Default for Past {
    fn default() -> Self {
        Past { version: VERSION, past: Vec::new() }
    }
}

/// A session that is over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// The session.
    pub session: Session,
    /// The questions that were answered afterwards, in order.
    pub answers: Vec<Answer>,
    /// How the learner judges the whole.
    pub grade: Option<Grade>,
}

/// An answer, with its question as it was worded then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// See [`super::cards::id`].
    pub id: String,
    /// The question.
    pub ask: String,
    /// What was typed; may be empty.
    pub text: String,
    /// How the learner judges it.
    pub grade: Grade,
}

/// An answer that is not graded yet, so that a reload does not lose it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    version: u32,
    id: String,
    text: String,
}

impl Past {
    /// A session by its number.
    pub fn find(&self, started: u64) -> Option<&Entry> {
        self.past.iter().find(|entry| entry.session.started == started)
    }

    /// Takes in a session, in the place of itself if it is there.
    pub fn put(&mut self, entry: Entry) {
        match self.past.iter_mut().find(|other| other.session.started == entry.session.started) {
            Some(place) => *place = entry,
            None => self.past.insert(0, entry),
        }
        self.past.truncate(MOST);
    }

    /// The text to be stored. What takes too much room goes, the oldest first.
    fn fitted(&mut self) -> Option<String> {
        loop {
            let text = serde_json::to_string(self).ok()?;
            if text.len() <= MOST_BYTES || self.past.len() <= 1 {
                return Some(text);
            }
            self.past.pop();
        }
    }
}

impl Entry {
    /// Takes in an answer, in the place of an earlier one to the same question.
    pub fn answer(&mut self, mut answer: Answer) {
        answer.text = answer.text.trim().chars().take(MOST_ANSWER).collect();
        match self.answers.iter_mut().find(|other| other.id == answer.id) {
            Some(place) => *place = answer,
            None => self.answers.push(answer),
        }
    }

    /// What the last run came to: passed, of how many. None if none came to a report.
    pub fn score(&self) -> Option<(u32, u32)> {
        self.session.runs.last().filter(|run| run.all > 0).map(|run| (run.passed, run.all))
    }
}

/// Reads a stored text; none if it is no record of this version.
pub fn read(stored: &str) -> Option<Past> {
    serde_json::from_str::<Past>(stored).ok().filter(|past| past.version == VERSION)
}

/// What is stored under a key, and what the learner must be told of that.
pub fn load<T: Default>(key: &str, read: fn(&str) -> Option<T>) -> (T, Option<&'static str>) {
    match storage::text(key) {
        Err(_) => (T::default(), Some(BLOCKED)),
        Ok(None) => (T::default(), None),
        Ok(Some(stored)) => match read(&stored) {
            Some(record) => (record, None),
            None => {
                storage::set_aside(key, &stored);
                (T::default(), Some(UNREADABLE))
            }
        },
    }
}

/// Stores a record as JSON.
///
/// # Errors
/// The browser does not store it.
pub fn store<T: Serialize>(key: &str, record: &T) -> Result<(), SaveError> {
    storage::set_text(key, &serde_json::to_string(record).map_err(|_| SaveError::Blocked)?)
}

/// Changes a session that is over. What another window stored meanwhile stays.
///
/// # Errors
/// The browser does not store it.
pub fn change(started: u64, change: &mut dyn FnMut(&mut Entry)) -> Result<(), SaveError> {
    let mut past = load(KEY, read).0;
    let Some(entry) = past.past.iter_mut().find(|entry| entry.session.started == started) else { return Ok(()) };
    change(entry);
    put(past)
}

/// The session that runs is over. It takes no more room than it did: where storage is full, it leaves its old place before
/// it takes the new one, and comes back if that fails.
///
/// # Errors
/// The browser does not store it. Then the session still runs.
pub fn end(session: Session) -> Result<(), SaveError> {
    let mut running = session.clone();
    running.ended = None;
    let mut past = load(KEY, read).0;
    past.put(Entry { session, ..Entry::default() });
    session::store(None)?;
    put(past).inspect_err(|_| {
        // What was there before fits in again.
        let _ = session::store(Some(&running));
    })
}

fn put(mut past: Past) -> Result<(), SaveError> {
    storage::set_text(KEY, &past.fitted().ok_or(SaveError::Blocked)?)
}

/// The text that was typed for a card and not graded.
pub fn draft(id: &str) -> String {
    let read = |stored: &str| serde_json::from_str::<Draft>(stored).ok();
    let stored = storage::text(DRAFT).ok().flatten();
    stored
        .and_then(|stored| read(&stored))
        .filter(|draft| draft.version == VERSION && draft.id == id)
        .map_or_else(String::new, |draft| draft.text)
}

/// Keeps it.
///
/// # Errors
/// The browser does not store it.
pub fn keep_draft(id: &str, text: &str) -> Result<(), SaveError> {
    store(DRAFT, &Draft { version: VERSION, id: id.to_owned(), text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(started: u64) -> Entry {
        Entry { session: Session::new("storage-gate", "The storage gate", 25, false, started), ..Entry::default() }
    }

    fn answer(id: &str, text: &str) -> Answer {
        Answer { id: id.into(), ask: "Why?".into(), text: text.into(), grade: Grade::Well }
    }

    #[test]
    fn the_newest_session_is_first_and_only_some_are_kept() {
        let mut past = Past::default();
        for started in 0..30 {
            past.put(entry(started));
        }
        assert_eq!((past.past.len(), past.past[0].session.started), (MOST, 29));
        assert_eq!((past.find(10).is_some(), past.find(9)), (true, None));
    }

    #[test]
    fn a_session_takes_the_place_of_itself() {
        let mut past = Past::default();
        past.put(entry(1));
        past.put(entry(2));
        past.put(Entry { grade: Some(Grade::Well), ..entry(1) });
        assert_eq!((past.past.len(), past.past[1].grade), (2, Some(Grade::Well)));
    }

    #[test]
    fn what_takes_too_much_room_goes_but_never_the_newest() {
        let mut past = Past::default();
        for started in 0..4 {
            let mut entry = entry(started);
            entry.session.code = Some("x".repeat(MOST_BYTES / 3));
            past.put(entry);
        }
        assert!(past.fitted().unwrap().len() <= MOST_BYTES);
        assert_eq!((past.past.len(), past.past[0].session.started), (2, 3));
        let mut entry = entry(9);
        entry.session.code = Some("x".repeat(MOST_BYTES * 2));
        past.put(entry);
        assert!(past.fitted().is_some());
        assert_eq!((past.past.len(), past.past[0].session.started), (1, 9));
    }

    #[test]
    fn an_answer_is_kept_once_and_has_a_bound() {
        let mut entry = entry(1);
        entry.answer(answer("a", " one "));
        entry.answer(answer("b", &"ü".repeat(MOST_ANSWER + 1)));
        entry.answer(answer("a", "two"));
        let texts: Vec<_> = entry.answers.iter().map(|answer| answer.text.chars().count()).collect();
        assert_eq!(texts, [3, MOST_ANSWER]);
        assert_eq!(entry.answers[0].text, "two");
    }

    #[test]
    fn a_record_comes_back_as_it_was_stored() {
        let mut past = Past::default();
        let mut entry = entry(7);
        entry.answer(answer("a", "one"));
        past.put(entry);
        let text = past.fitted().unwrap();
        assert!(text.starts_with(r#"{"version":1,"past":[{"session":{"version":1,"kata":"storage-gate","#), "{text}");
        assert_eq!(read(&text), Some(past));
    }

    #[test]
    fn what_is_no_record_of_this_version_is_not_read() {
        for text in ["", "[]", "{", r#"{"version":2,"past":[]}"#, r#"{"version":1,"past":[1]}"#, r#"{"version":1}"#] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
