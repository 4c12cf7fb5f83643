//! Sessions that are over, with the answers to their questions.

use super::Grade;
use super::rows::{self, Row, field, row};
use super::session::{self, Session};
use crate::storage::{self, SaveError};

/// Where they are stored.
pub const KEY: &str = "leasehold:practice";
/// Where an answer is stored that is not graded yet.
pub const DRAFT: &str = "leasehold:practice:draft";
/// So many sessions are kept,
pub const MOST: usize = 20;
/// and so many bytes of them; the newest in any case.
const MOST_BYTES: usize = 600_000;
/// So much of an answer is kept, in characters.
const MOST_ANSWER: usize = 8_000;

/// The record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// The newest first.
    pub past: Vec<Entry>,
}

/// A session that is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The session.
    pub session: Session,
    /// The questions that were answered afterwards, in order.
    pub answers: Vec<Answer>,
    /// How the learner judges the whole.
    pub grade: Option<Grade>,
}

/// An answer, with its question as it was worded then.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    fn fitted(&mut self) -> String {
        loop {
            let text = rows::text(self.past.iter().flat_map(Entry::rows).collect());
            if text.len() <= MOST_BYTES || self.past.len() <= 1 {
                return text;
            }
            self.past.pop();
        }
    }
}

impl Entry {
    /// Those of the session, then each `answer`, then the `grade`.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = self.session.rows();
        for Answer { id, ask, text, grade } in &self.answers {
            rows.push(row(&["answer", id, ask, text, grade.word()]));
        }
        rows.extend(self.grade.map(|grade| row(&["grade", grade.word()])));
        rows
    }

    fn add(&mut self, row: &[String]) -> Option<()> {
        let text = |i: usize| field(row, i).to_owned();
        match field(row, 0) {
            "answer" => {
                let grade = Grade::of(field(row, 4))?;
                self.answers.push(Answer { id: text(1), ask: text(2), text: text(3), grade });
            }
            "grade" => self.grade = Some(Grade::of(field(row, 1))?),
            _ => self.session.add(row)?,
        }
        Some(())
    }

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

/// Reads the rows of the record; none if they are something else.
pub fn read(rows: &[Row]) -> Option<Past> {
    let mut past = Past::default();
    for row in rows {
        if field(row, 0) == "session" {
            past.past.push(Entry { session: Session::of(row)?, ..Entry::default() });
        } else {
            past.past.last_mut()?.add(row)?;
        }
    }
    Some(past)
}

/// The record, and what the learner must be told of it.
pub fn load() -> (Past, Option<&'static str>) {
    rows::load(KEY, read)
}

/// Changes a session that is over. What another window stored meanwhile stays.
///
/// # Errors
/// The browser does not store it.
pub fn change(started: u64, change: &mut dyn FnMut(&mut Entry)) -> Result<(), SaveError> {
    let mut past = load().0;
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
    let mut past = load().0;
    past.put(Entry { session, ..Entry::default() });
    session::store(None)?;
    put(past).inspect_err(|_| {
        // What was there before fits in again.
        let _ = session::store(Some(&running));
    })
}

fn put(mut past: Past) -> Result<(), SaveError> {
    storage::set_text(KEY, &past.fitted())
}

/// The text that was typed for a card and not graded, so that a reload does not lose it.
pub fn draft(id: &str) -> String {
    let read = |rows: &[Row]| {
        let own = rows.first().filter(|row| field(row, 0) == "draft" && field(row, 1) == id);
        Some(own.map(|row| field(row, 2).to_owned()).unwrap_or_default())
    };
    rows::load(DRAFT, read).0
}

/// Keeps it.
///
/// # Errors
/// The browser does not store it.
pub fn keep_draft(id: &str, text: &str) -> Result<(), SaveError> {
    rows::store(DRAFT, vec![row(&["draft", id, text])])
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
        assert!(past.fitted().len() <= MOST_BYTES);
        assert_eq!((past.past.len(), past.past[0].session.started), (2, 3));
        let mut entry = entry(9);
        entry.session.code = Some("x".repeat(MOST_BYTES * 2));
        past.put(entry);
        assert!(past.fitted().len() > MOST_BYTES);
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
        let mut first = entry(7);
        first.answer(answer("a", "one\ntwo"));
        first.grade = Some(Grade::Missed);
        past.put(first);
        past.put(entry(8));
        assert_eq!(rows::read(&past.fitted()).and_then(|rows| read(&rows)), Some(past));
    }

    #[test]
    fn what_is_no_record_is_not_read() {
        let good = entry(7).rows();
        for more in [row(&["answer", "a", "?", "t", "splendid"]), row(&["grade", ""]), row(&["other"])] {
            assert_eq!(read(&[good[0].clone(), more.clone()]), None);
            assert_eq!(read(&[more]), None);
        }
        assert_eq!(read(&[]), Some(Past::default()));
    }
}
