//! What is tried. The seeds are made by the program itself, so that they change with it.

mod addresses;
mod checker;
mod exercises;
mod pictures;
mod storage;

use super::{Read, Target};
use leasehold_checker::report::{Report, TestReport};
use leasehold_checker::suites::{self, Options};
use std::fmt::Debug;
use std::sync::OnceLock;

/// All targets, in the order of the table.
pub fn all() -> &'static [Target] {
    const ALL: &[Target] = &[
        addresses::ADDRESSES,
        addresses::SETTINGS,
        addresses::LINKS,
        addresses::SHARED,
        storage::RECORDS,
        storage::LEVELS,
        storage::SESSION,
        storage::SESSIONS,
        storage::CARDS,
        storage::FILES,
        pictures::STORIES,
        checker::REPLAYS,
        checker::SCHEDULES,
        checker::SOURCES,
        exercises::META,
        exercises::HEADERS,
        exercises::PROSE,
    ];
    ALL
}

/// Refused, which must be told in words.
fn refused(words: &str) -> Read {
    if words.trim().is_empty() { Err("refused without a word".to_owned()) } else { Ok(false) }
}

/// Taken; what was written of it and read again must be the same.
fn comes_back<T: PartialEq + Debug>(again: &T, first: &T) -> Read {
    if again == first { Ok(true) } else { Err(format!("comes back otherwise: {again:?} instead of {first:?}")) }
}

fn holds(rule: &str, held: bool) -> Result<(), String> {
    if held { Ok(()) } else { Err(rule.to_owned()) }
}

/// A wrong solution and its report, with the first failed test that has a schedule.
struct Failure {
    kata: &'static str,
    source: &'static str,
    report: Report,
    test: TestReport,
}

/// One each of two katas whose schedules are sequences, of two that live in worlds, and of one with databases.
fn failures() -> &'static [Failure] {
    const KATAS: [&str; 5] =
        ["acquire-with-fencing", "compare-and-delete", "renewal-daemon", "storage-gate", "fair-lock"];
    static FAILURES: OnceLock<Vec<Failure>> = OnceLock::new();
    FAILURES.get_or_init(|| KATAS.into_iter().filter_map(failure).collect())
}

fn failure(kata: &'static str) -> Option<Failure> {
    leasehold_exercises::wrong(kata).iter().find_map(|program| {
        let report = judged(kata, program.source)?;
        let test = report.tests.iter().find(|test| test.replay.is_some() && test.trace.is_some())?.clone();
        Some(Failure { kata, source: program.source, report, test })
    })
}

/// What the suite finds before its search goes deep.
fn judged(kata: &str, source: &str) -> Option<Report> {
    let options = Options { bound: Some(1), ends_at_failure: true, ..Options::default() };
    suites::check_with(kata, source, &options, &mut |_, _| ())
}
