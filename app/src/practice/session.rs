//! One session: a kata, a clock, the code and the runs. Times are milliseconds of the wall clock since 1970, given by the
//! caller: a reload, or a night with the lid closed, changes nothing in what is stored.

use super::rows::{self, Row, field, number, row};
use crate::address::is_slug;
use crate::storage::SaveError;
use leasehold_checker::report::{Outcome, Report};

/// Where the session that runs is stored.
pub const KEY: &str = "leasehold:practice:now";
/// Between two runs, if one wants it so.
pub const BETWEEN_RUNS_MS: u64 = 60_000;
/// So many runs are told one by one.
const MOST_RUNS: usize = 100;
/// So much of a message is kept, in characters.
const MOST_MESSAGE: usize = 300;

/// A session, under way or over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// How long the session had gone then, pauses not counted.
    pub at: u64,
    /// How many tests passed.
    pub passed: u32,
    /// Of how many; 0 if the run did not come to a report.
    pub all: u32,
}

/// A test of the last run that did not pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
        Session { kata, title, started: now, minutes, limited, ..Session::default() }
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

    /// As rows: `session` with its names and numbers, in the order of [`Session::of`], then `code`, `tried`, each `run` and
    /// each `failed`.
    pub fn rows(&self) -> Vec<Row> {
        let limited = u64::from(self.limited);
        let times = [self.paused, self.ended, self.ran].map(Option::unwrap_or_default);
        let counts = [self.minutes, self.pauses, self.runs_before].map(u64::from);
        let mut first = row(&["session", &self.kata, &self.title]);
        first.extend(
            [&[self.started, self.paused_ms, limited], &times, &counts].into_iter().flatten().map(u64::to_string),
        );
        let mut rows = vec![first];
        rows.extend(self.code.iter().map(|code| row(&["code", code])));
        rows.push(row(&["tried", &self.tried]));
        for Run { at, passed, all } in &self.runs {
            rows.push(row(&["run", &at.to_string(), &passed.to_string(), &all.to_string()]));
        }
        for Failed { name, message, replay, drawn } in &self.failed {
            let replay = replay.as_deref().unwrap_or_default();
            rows.push(row(&["failed", name, message, replay, if *drawn { "drawn" } else { "" }]));
        }
        rows
    }

    /// Reads the row that a session begins with; none if it is something else. The slug goes into the name of a file.
    pub fn of(row: &[String]) -> Option<Session> {
        let mut numbers = [0; 9];
        for (i, place) in numbers.iter_mut().enumerate() {
            *place = number(row, i + 3)?;
        }
        let [started, paused_ms, limited, paused, ended, ran, minutes, pauses, runs_before] = numbers;
        let (kata, title) = (field(row, 1).to_owned(), field(row, 2).to_owned());
        let is_kata = kata.len() <= 100 && is_slug(&kata);
        let time = |ms: u64| (ms > 0).then_some(ms);
        let session = Session {
            kata,
            title,
            started,
            minutes: minutes.try_into().ok()?,
            limited: limited > 0,
            paused: time(paused),
            pauses: pauses.try_into().ok()?,
            paused_ms,
            ended: time(ended),
            runs_before: runs_before.try_into().ok()?,
            ran: time(ran),
            ..Session::default()
        };
        (field(row, 0) == "session" && is_kata && (1..=600).contains(&minutes)).then_some(session)
    }

    /// Takes in one of the rows after that; none if it is something else.
    pub fn add(&mut self, row: &[String]) -> Option<()> {
        let text = |i: usize| field(row, i).to_owned();
        match field(row, 0) {
            "code" => self.code = Some(text(1)),
            "tried" => self.tried = text(1),
            "run" => {
                let count = |i: usize| u32::try_from(number(row, i)?).ok();
                self.runs.push(Run { at: number(row, 1)?, passed: count(2)?, all: count(3)? });
            }
            "failed" => self.failed.push(Failed {
                name: text(1),
                message: text(2),
                replay: Some(text(3)).filter(|replay| !replay.is_empty()),
                drawn: !field(row, 4).is_empty(),
            }),
            _ => return None,
        }
        Some(())
    }
}

/// Reads the rows of the record, of one session or of none; none if they are something else.
pub fn read(rows: &[Row]) -> Option<Option<Session>> {
    let Some((first, rest)) = rows.split_first() else { return Some(None) };
    let mut session = Session::of(first)?;
    for row in rest {
        session.add(row)?;
    }
    Some(Some(session))
}

/// The session that runs, as far as one can be read.
pub fn now() -> Option<Session> {
    rows::peek(KEY, read)?
}

/// The session that runs, and what the learner must be told of its record.
pub fn load() -> (Option<Session>, Option<&'static str>) {
    rows::load(KEY, read)
}

/// Stores the session that runs, or that there is none.
///
/// # Errors
/// The browser does not store it.
pub fn store(session: Option<&Session>) -> Result<(), SaveError> {
    rows::store(KEY, session.map_or_else(Vec::new, Session::rows))
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
        let again = read(&session.rows()).unwrap().unwrap();
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
    fn a_session_comes_back_from_its_rows() {
        let mut session = session();
        session.edit("x = 1\n", at(1));
        session.run("x = 0\n", at(2));
        session.report(&Report::of("k", vec![test("wrong", Outcome::Failed, None)], String::new()));
        session.pause(at(3));
        assert_eq!(read(&session.rows()), Some(Some(session.clone())));
        session.go_on(at(4));
        session.ended = Some(at(5));
        assert_eq!(read(&session.rows()), Some(Some(session)));
    }

    #[test]
    fn what_is_no_session_is_not_read() {
        assert_eq!(read(&[]), Some(None));
        let good = session().rows();
        for (place, text) in
            [(0, "other"), (1, "../secret"), (1, ""), (3, "-1"), (3, "x"), (9, "0"), (9, "99999999999")]
        {
            let mut rows = good.clone();
            rows[0][place] = text.to_owned();
            assert_eq!(read(&rows), None, "{place} {text}");
        }
        let mut rows = good.clone();
        rows[0].truncate(7);
        assert_eq!(read(&rows), None);
        for more in [row(&["run", "1", "x", "2"]), row(&["unknown"]), row(&[])] {
            assert_eq!(read(&[good[0].clone(), more]), None);
        }
    }
}
