//! The record of one kata: the learner's code, and how far they have come. Pure.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Version of the record. One of version 1 had no progress and is read all the same; one of any other is kept aside unread.
pub const RECORD_VERSION: u32 = 2;

/// What is stored for one kata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// [`RECORD_VERSION`].
    pub version: u32,
    /// Grows by one whenever other code is stored, so that a page sees that another one did. It is to the record what a
    /// fencing token is to a lock.
    #[serde(default)]
    pub revision: u32,
    /// [`fingerprint`] of the starter that the code began from.
    pub starter_hash: String,
    /// The learner's whole file.
    pub code: String,
    /// How far they have come with it.
    #[serde(default)]
    pub progress: Progress,
}

/// How far somebody has come with a kata. Stored as its numbers, in this order; what is missing at the end is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The tests that passed in the best run.
    pub passed: u32,
    /// All tests of that run; 0 before the first report.
    pub of: u32,
    /// When all passed for the first time, in milliseconds since 1970 UTC; 0 if that is not known.
    pub solved_ms: u64,
    /// Runs.
    pub attempts: u32,
    /// Hints that are open.
    pub hints: u32,
    /// The solution was shown; stored as 1.
    pub solution: bool,
    /// Time spent: the page was in sight, and somebody did something. See [`crate::activity`].
    pub seconds: u32,
}

impl Serialize for Progress {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Progress { passed, of, solved_ms, attempts, hints, solution, seconds } = *self;
        let numbers: [u64; 7] =
            [passed.into(), of.into(), solved_ms, attempts.into(), hints.into(), solution.into(), seconds.into()];
        numbers.as_slice().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Progress {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let numbers = Vec::<u64>::deserialize(from)?;
        let at = |i: usize| numbers.get(i).copied().unwrap_or(0);
        let small = |i: usize| u32::try_from(at(i)).unwrap_or(u32::MAX);
        Ok(Progress {
            passed: small(0),
            of: small(1),
            solved_ms: at(2),
            attempts: small(3),
            hints: small(4),
            solution: at(5) > 0,
            seconds: small(6),
        })
    }
}

/// What became of a stored record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restored {
    /// There was none, or nothing in it that the starter does not say.
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

/// How a kata stands, for a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing was typed or run.
    NotBegun,
    /// Something was; so many tests of so many passed, 0 of 0 before a run.
    Begun(u32, u32),
    /// All so many tests passed.
    Solved(u32),
}

impl Progress {
    /// All tests of the best run passed.
    pub fn is_solved(&self) -> bool {
        self.of > 0 && self.passed == self.of
    }

    /// Takes in a run in which so many tests of so many passed; what was better stays.
    pub fn ran(&mut self, passed: u32, of: u32) {
        let cross = |a: u32, b: u32| u64::from(a) * u64::from(b);
        let (new, old) = (cross(passed, self.of), cross(self.passed, of));
        if new > old || new == old && of > self.of {
            (self.passed, self.of) = (passed, of);
        }
    }

    /// The better of both in everything. For two records of which one may be a copy of the other.
    pub fn best(mut self, other: &Progress) -> Self {
        self.ran(other.passed, other.of);
        self.solved_ms = match (self.solved_ms, other.solved_ms) {
            (0, ms) | (ms, 0) => ms,
            (a, b) => a.min(b),
        };
        self.attempts = self.attempts.max(other.attempts);
        self.hints = self.hints.max(other.hints);
        self.solution |= other.solution;
        self.seconds = self.seconds.max(other.seconds);
        self
    }

    /// What is stored, with what a page has added since it looked: then `known` was stored, and now the page has `mine`.
    pub fn with_news(self, known: &Progress, mine: &Progress) -> Self {
        let plus = |stored: u32, known: u32, mine: u32| stored.saturating_add(mine.saturating_sub(known));
        Progress {
            attempts: plus(self.attempts, known.attempts, mine.attempts),
            seconds: plus(self.seconds, known.seconds, mine.seconds),
            ..self.best(mine)
        }
    }
}

impl Record {
    /// The code is not the starter any more.
    pub fn is_edited(&self) -> bool {
        fingerprint(&self.code) != self.starter_hash
    }

    /// For a list.
    pub fn standing(&self) -> Standing {
        let Progress { passed, of, attempts, hints, .. } = self.progress;
        match () {
            () if self.progress.is_solved() => Standing::Solved(of),
            () if attempts > 0 || hints > 0 || of > 0 || self.is_edited() => Standing::Begun(passed, of),
            () => Standing::NotBegun,
        }
    }
}

/// The kata to go on with, by place: the first that was begun and is not solved, else the first that is not solved.
pub fn go_on(standings: &[Standing]) -> Option<usize> {
    let begun = standings.iter().position(|standing| matches!(standing, Standing::Begun(..)));
    begun.or_else(|| standings.iter().position(|standing| *standing == Standing::NotBegun))
}

/// A short text that differs when `text` does (FNV-1a, 64 bits).
pub fn fingerprint(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

/// Reads a stored text; else says what is wrong with it, [`Restored::Unreadable`] or [`Restored::OtherVersion`].
pub fn parse(stored: &str) -> Result<Record, Restored> {
    // It comes first in every record: whatever the form of a later version may be, its number can be read.
    let rest = stored.strip_prefix(r#"{"version":"#).ok_or(Restored::Unreadable)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    match rest[..end].parse::<u32>() {
        Err(_) => Err(Restored::Unreadable),
        Ok(1 | RECORD_VERSION) => serde_json::from_str(stored).map_err(|_| Restored::Unreadable),
        Ok(_) => Err(Restored::OtherVersion),
    }
}

/// What a page with this starter makes of a record.
pub(super) fn restored(record: Record, starter: &str) -> Restored {
    let starter_changed = record.starter_hash != fingerprint(starter);
    // An old starter that nobody touched is nobody's work.
    if starter_changed && !record.is_edited() {
        return Restored::Nothing;
    }
    Restored::Code { code: record.code, starter_changed }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn record(code: &str, revision: u32, progress: Progress) -> Record {
        Record { version: RECORD_VERSION, revision, starter_hash: fingerprint("s"), code: code.into(), progress }
    }

    fn read(stored: &str, starter: &str) -> Restored {
        parse(stored).map_or_else(|trouble| trouble, |record| restored(record, starter))
    }

    fn text(version: u32) -> String {
        serde_json::to_string(&Record { version, ..record("x = 1\n", 3, Progress::default()) }).unwrap()
    }

    #[test]
    fn a_record_comes_back_and_its_form_is_fixed() {
        let progress = Progress { passed: 7, of: 9, solved_ms: 0, attempts: 4, hints: 1, solution: false, seconds: 95 };
        let text = serde_json::to_string(&record("x", 3, progress)).unwrap();
        assert_eq!(
            text,
            r#"{"version":2,"revision":3,"starter_hash":"af63ee4c86020b22","code":"x","progress":[7,9,0,4,1,0,95]}"#
        );
        assert_eq!(parse(&text), Ok(record("x", 3, progress)));
        let shorter = text.replace(",0,4,1,0,95]", "]");
        assert_eq!(parse(&shorter).unwrap().progress, Progress { passed: 7, of: 9, ..Progress::default() });
    }

    #[test]
    fn code_comes_back_with_word_of_a_changed_starter() {
        let code = "x = 1\n".to_owned();
        assert_eq!(read(&text(2), "s"), Restored::Code { code: code.clone(), starter_changed: false });
        assert_eq!(read(&text(2), "t"), Restored::Code { code, starter_changed: true });
    }

    #[test]
    fn a_record_of_version_1_keeps_its_code() {
        let old = format!(r#"{{"version":1,"starter_hash":"{}","code":"mine"}}"#, fingerprint("s"));
        assert_eq!(read(&old, "s"), Restored::Code { code: "mine".into(), starter_changed: false });
        assert_eq!(parse(&old).unwrap().progress, Progress::default());
    }

    #[test]
    fn an_old_starter_that_nobody_touched_makes_way_for_the_new_one() {
        let untouched = serde_json::to_string(&record("s", 0, Progress::default())).unwrap();
        assert_eq!(read(&untouched, "t"), Restored::Nothing);
    }

    #[test]
    fn what_is_no_record_is_told_apart_from_one_of_another_version() {
        assert_eq!(read("", "s"), Restored::Unreadable);
        assert_eq!(read("{\"version\":1,\"code\":5}", "s"), Restored::Unreadable);
        assert_eq!(read("{\"version\":2,\"code\":\"x\"}", "s"), Restored::Unreadable);
        assert_eq!(read("{\"version\":2", "s"), Restored::Unreadable);
        assert_eq!(read("{\"version\":3,\"files\":[]}", "s"), Restored::OtherVersion);
        assert_eq!(read(&text(0), "s"), Restored::OtherVersion);
    }

    #[test]
    fn the_best_run_is_kept_by_its_share_of_passed_tests() {
        let mut progress = Progress::default();
        for (passed, of, best) in
            [(0, 9, (0, 9)), (3, 9, (3, 9)), (2, 9, (3, 9)), (4, 12, (4, 12)), (9, 9, (9, 9)), (10, 12, (9, 9))]
        {
            progress.ran(passed, of);
            assert_eq!((progress.passed, progress.of), best);
        }
        assert!(progress.is_solved());
        // A suite that has grown is passed again.
        progress.ran(12, 12);
        assert_eq!(progress.of, 12);
    }

    #[test]
    fn two_pages_add_up_their_runs_and_time_and_lose_no_result() {
        let known = Progress { attempts: 2, seconds: 60, hints: 1, ..Progress::default() };
        let mine = Progress { attempts: 5, seconds: 100, passed: 3, of: 9, ..known };
        let stored = Progress { attempts: 3, seconds: 90, passed: 9, of: 9, solved_ms: 7, hints: 2, ..known };
        let joined = stored.with_news(&known, &mine);
        assert_eq!((joined.attempts, joined.seconds), (6, 130));
        assert_eq!((joined.passed, joined.of, joined.solved_ms, joined.hints), (9, 9, 7, 2));
    }

    #[test]
    fn a_copy_of_a_record_adds_nothing_to_it() {
        let progress = Progress { passed: 3, of: 9, solved_ms: 5, attempts: 4, hints: 2, solution: true, seconds: 8 };
        assert_eq!(progress.best(&progress), progress);
        assert_eq!(Progress::default().best(&progress), progress);
        assert_eq!(progress.best(&Progress { solved_ms: 9, ..Progress::default() }).solved_ms, 5);
    }

    #[test]
    fn a_kata_is_begun_by_typing_a_run_or_a_hint() {
        let standing = |code: &str, progress| record(code, 1, progress).standing();
        let none = Progress::default();
        assert_eq!(standing("s", Progress { seconds: 9, ..none }), Standing::NotBegun);
        assert_eq!(standing("x", none), Standing::Begun(0, 0));
        assert_eq!(standing("s", Progress { hints: 1, ..none }), Standing::Begun(0, 0));
        assert_eq!(standing("s", Progress { attempts: 1, passed: 2, of: 9, ..none }), Standing::Begun(2, 9));
        assert_eq!(standing("x", Progress { passed: 9, of: 9, ..none }), Standing::Solved(9));
    }

    #[test]
    fn one_goes_on_with_what_was_begun_else_with_what_comes_next() {
        use Standing::{Begun, NotBegun, Solved};
        assert_eq!(go_on(&[Solved(9), NotBegun, Begun(1, 9)]), Some(2));
        assert_eq!(go_on(&[Solved(9), NotBegun, NotBegun]), Some(1));
        assert_eq!(go_on(&[Solved(9), Solved(9)]), None);
        assert_eq!(go_on(&[]), None);
    }

    #[test]
    fn fingerprints_are_fnv_1a() {
        assert_eq!(fingerprint(""), "cbf29ce484222325");
        assert_eq!(fingerprint("a"), "af63dc4c8601ec8c");
    }
}
