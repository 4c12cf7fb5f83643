//! One session: a kata, a clock, the code and the runs. Times are milliseconds of the wall clock since 1970, given by the
//! caller: a reload, or a night with the lid closed, changes nothing in what is stored.

use crate::storage::{self, SaveError};
use leasehold_checker::report::{Outcome, Report};
use serde::{Deserialize, Serialize};

/// Where the session that runs is stored.
pub const KEY: &str = "leasehold:practice:now";
/// Version of the record.
pub const VERSION: u32 = 1;
/// Between two runs, if one wants it so.
pub const BETWEEN_RUNS_MS: u64 = 60_000;
/// So many runs are told one by one.
const MOST_RUNS: usize = 100;
/// So much of a message is kept, in characters.
const MOST_MESSAGE: usize = 300;

/// A session, under way or over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// [`VERSION`].
    pub version: u32,
    /// The kata's slug.
    pub kata: String,
    /// Its name for people.
    pub title: String,
    /// When it began; no two sessions share it, so it is the session's number as well.
    pub started: u64,
    /// How many minutes it was to take.
    pub minutes: u32,
    /// Run Tests once a minute at most.
    pub limited: bool,
    /// Since when it is paused.
    pub paused: Option<u64>,
    /// How many pauses there were, the present one not among them.
    pub pauses: u32,
    /// How long they were together.
    pub paused_ms: u64,
    /// When it ended.
    pub ended: Option<u64>,
    /// The file as it stands in the editor; none if the starter was not touched.
    pub code: Option<String>,
    /// The runs, the oldest first.
    pub runs: Vec<Run>,
    /// How many there were before those.
    pub runs_before: u32,
    /// When the last one began.
    pub ran: Option<u64>,
    /// The file that it was given.
    pub tried: String,
    /// The tests that it did not pass.
    pub failed: Vec<Failed>,
}

/// A run of the tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// How long the session had gone then, pauses not counted.
    pub at: u64,
    /// How many tests passed.
    pub passed: u32,
    /// Of how many; 0 if the run did not come to a report.
    pub all: u32,
}

/// A test of the last run that did not pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Failed {
    /// Its name.
    pub name: String,
    /// The first line of what was said.
    pub message: String,
    /// Its schedule.
    pub replay: Option<String>,
    /// There is a timeline of it.
    pub drawn: bool,
}

impl Session {
    /// A session that begins now.
    pub fn new(kata: &str, title: &str, minutes: u32, limited: bool, now: u64) -> Self {
        let (kata, title) = (kata.to_owned(), title.to_owned());
        Session { version: VERSION, kata, title, started: now, minutes, limited, ..Session::default() }
    }

    /// How long it has gone, pauses not counted.
    pub fn used_ms(&self, now: u64) -> u64 {
        let until = self.ended.or(self.paused).unwrap_or(now);
        until.saturating_sub(self.started).saturating_sub(self.paused_ms)
    }

    /// The seconds that are left, begun ones counted; below 0 those that it is over.
    pub fn left_s(&self, now: u64) -> i64 {
        let given = i64::from(self.minutes) * 60;
        given - i64::try_from(self.used_ms(now) / 1_000).unwrap_or(i64::MAX / 2)
    }

    /// Stops the clock.
    pub fn pause(&mut self, now: u64) {
        self.paused = self.paused.or(Some(now));
    }

    /// Lets it go on.
    pub fn go_on(&mut self, now: u64) {
        if let Some(since) = self.paused.take() {
            self.pauses = self.pauses.saturating_add(1);
            self.paused_ms = self.paused_ms.saturating_add(now.saturating_sub(since));
        }
    }

    /// Takes in what was typed. Whoever types is back from the pause.
    pub fn edit(&mut self, code: &str, now: u64) {
        self.go_on(now);
        self.code = Some(code.to_owned());
    }

    /// The seconds until Run Tests may be pressed again; 0 if it may. A wall clock that stepped back keeps nobody waiting.
    pub fn wait_s(&self, now: u64) -> u32 {
        let since = self.ran.filter(|_| self.limited).and_then(|ran| now.checked_sub(ran));
        let left = BETWEEN_RUNS_MS.saturating_sub(since.unwrap_or(BETWEEN_RUNS_MS));
        left.div_ceil(1_000) as u32
    }

    /// A run begins with this file.
    pub fn run(&mut self, code: &str, now: u64) {
        self.go_on(now);
        if self.runs.len() >= MOST_RUNS {
            self.runs.remove(0);
            self.runs_before = self.runs_before.saturating_add(1);
        }
        self.runs.push(Run { at: self.used_ms(now), passed: 0, all: 0 });
        self.ran = Some(now);
        code.clone_into(&mut self.tried);
        self.failed.clear();
    }

    /// The last run came to this report, or a search went on from it to this one.
    pub fn report<T>(&mut self, report: &Report<T>) {
        let Some(run) = self.runs.last_mut() else { return };
        self.failed.clear();
        for test in report.tests.iter().filter(|test| test.outcome != Outcome::Passed) {
            self.failed.push(Failed {
                name: test.name.clone(),
                message: test.message.lines().next().unwrap_or_default().chars().take(MOST_MESSAGE).collect(),
                replay: test.replay.clone(),
                drawn: test.trace.is_some(),
            });
        }
        run.all = report.tests.len() as u32;
        run.passed = run.all - self.failed.len() as u32;
    }

    // The slug goes into the name of a file.
    fn is_plausible(&self) -> bool {
        let is_slug = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        self.version == VERSION
            && !self.kata.is_empty()
            && self.kata.len() <= 100
            && self.kata.bytes().all(is_slug)
            && (1..=600).contains(&self.minutes)
    }
}

/// Reads a stored text; none if it is no record of this version.
pub fn read(stored: &str) -> Option<Option<Session>> {
    let session = serde_json::from_str::<Option<Session>>(stored).ok()?;
    session.as_ref().is_none_or(Session::is_plausible).then_some(session)
}

/// The session that runs, as far as one can be read.
pub fn now() -> Option<Session> {
    read(&storage::text(KEY).ok()??)?
}

/// Stores the session that runs, or that there is none.
///
/// # Errors
/// The browser does not store it.
pub fn store(session: Option<&Session>) -> Result<(), SaveError> {
    storage::set_text(KEY, &serde_json::to_string(&session).map_err(|_| SaveError::Blocked)?)
}

/// The wall clock.
pub fn wall_ms() -> u64 {
    web_sys::js_sys::Date::now() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use leasehold_checker::report::TestReport;

    const START: u64 = 1_800_000_000_000;
    const MINUTE: u64 = 60_000;

    fn session() -> Session {
        Session::new("storage-gate", "The storage gate", 25, true, START)
    }

    fn at(minutes: u64) -> u64 {
        START + minutes * MINUTE
    }

    #[test]
    fn pauses_do_not_count_and_a_second_one_in_a_pause_changes_nothing() {
        let mut session = session();
        session.pause(at(5));
        session.pause(at(6));
        assert_eq!(session.used_ms(at(60)), 5 * MINUTE);
        session.go_on(at(65));
        session.go_on(at(66));
        assert_eq!((session.used_ms(at(70)), session.pauses, session.paused_ms), (10 * MINUTE, 1, 60 * MINUTE));
        assert_eq!(session.left_s(at(70)), 15 * 60);
    }

    #[test]
    fn a_session_that_is_read_again_has_lost_no_time_and_no_code() {
        let mut session = session();
        session.edit("x = 1\n", at(1));
        let text = serde_json::to_string(&Some(&session)).unwrap();
        let again = read(&text).unwrap().unwrap();
        assert_eq!(again, session);
        assert_eq!(again.used_ms(at(9)), 9 * MINUTE);
    }

    #[test]
    fn whoever_types_or_runs_is_back_from_the_pause() {
        let mut session = session();
        session.pause(at(1));
        session.edit("x", at(3));
        assert_eq!((session.paused, session.used_ms(at(4))), (None, 2 * MINUTE));
        session.pause(at(4));
        session.run("x", at(6));
        assert_eq!(session.runs[0].at, 2 * MINUTE);
    }

    #[test]
    fn time_over_is_counted_on() {
        let session = session();
        assert_eq!(session.left_s(at(25)), 0);
        assert_eq!(session.left_s(at(27)), -120);
    }

    #[test]
    fn the_end_stops_the_clock() {
        let mut session = session();
        session.ended = Some(at(20));
        assert_eq!(session.used_ms(at(90)), 20 * MINUTE);
    }

    #[test]
    fn a_wall_clock_that_stepped_back_makes_no_time_and_no_panic() {
        let mut session = session();
        session.run("x", at(10));
        assert_eq!(session.used_ms(START - MINUTE), 0);
        assert_eq!(session.wait_s(at(9)), 0);
        session.pause(at(10));
        session.go_on(at(1));
        assert_eq!(session.paused_ms, 0);
    }

    #[test]
    fn the_next_run_may_be_asked_for_a_minute_after_the_last() {
        let mut session = session();
        assert_eq!(session.wait_s(START), 0);
        session.run("x", START);
        assert_eq!(session.wait_s(START), 60);
        assert_eq!(session.wait_s(START + 18_001), 42);
        assert_eq!(session.wait_s(START + 59_999), 1);
        assert_eq!(session.wait_s(START + 60_000), 0);
        session.limited = false;
        assert_eq!(session.wait_s(START), 0);
    }

    fn test(name: &str, outcome: Outcome, trace: Option<u8>) -> TestReport<u8> {
        let json = format!(
            r#"{{"name":"{name}","outcome":"passed","message":"one\ntwo","line":1,"replay":"AQ","search":null,"trace":null}}"#
        );
        let mut test: TestReport<u8> = serde_json::from_str(&json).unwrap();
        test.outcome = outcome;
        test.trace = trace;
        test
    }

    #[test]
    fn a_run_is_noted_with_what_it_broke() {
        let mut session = session();
        session.run("a", at(1));
        session.run("b", at(2));
        let tests = vec![test("right", Outcome::Passed, Some(1)), test("wrong", Outcome::Failed, Some(1))];
        session.report(&Report::of("storage-gate", tests, String::new()));
        let runs: Vec<_> = session.runs.iter().map(|run| (run.at, run.passed, run.all)).collect();
        assert_eq!(runs, [(MINUTE, 0, 0), (2 * MINUTE, 1, 2)]);
        assert_eq!((session.tried.as_str(), session.failed.len()), ("b", 1));
        let Failed { name, message, replay, drawn } = &session.failed[0];
        assert_eq!((name.as_str(), message.as_str(), replay.as_deref(), *drawn), ("wrong", "one", Some("AQ"), true));
    }

    #[test]
    fn many_runs_take_no_more_room_than_some() {
        let mut session = session();
        for i in 0..150 {
            session.run("x", START + i);
        }
        assert_eq!((session.runs.len(), session.runs_before), (MOST_RUNS, 50));
        assert_eq!(session.runs.last().unwrap().at, 149);
    }

    #[test]
    fn what_is_no_session_of_this_version_is_not_read() {
        assert_eq!(read("null"), Some(None));
        let good = serde_json::to_string(&session()).unwrap();
        assert!(read(&good).is_some());
        for (from, to) in
            [("\"version\":1", "\"version\":2"), ("storage-gate", "../secret"), ("\"minutes\":25", "\"minutes\":0")]
        {
            assert_eq!(read(&good.replacen(from, to, 1)), None, "{to}");
        }
        for text in ["", "{", "{}", "[]", "7", r#"{"version":1}"#] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
