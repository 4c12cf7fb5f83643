//! The verdict on one file. The same JSON natively and in wasm; `leasehold check --json` prints it, the page reads it.

use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// Version of the JSON; a reader that meets another one says so instead of guessing.
pub const REPORT_VERSION: u32 = 1;

/// What a suite found out about one file. `T` is what a reader makes of traces: one that only passes them on need not
/// read them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report<T = Trace> {
    /// [`REPORT_VERSION`].
    pub version: u32,
    /// The kata's slug.
    pub kata: String,
    /// Passed only if every test did.
    pub verdict: Verdict,
    /// The tests, in the order in which they are shown.
    pub tests: Vec<TestReport<T>>,
    /// What the learner's code printed, cut at a stated length.
    pub output: String,
    /// Where the learner's code is a test itself: how it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
}

/// How a learner's test did on locks of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// Wrong locks that it caught,
    pub killed: u32,
    /// of so many.
    pub wrong: u32,
    /// Right locks that it left in peace,
    pub spared: u32,
    /// of so many.
    pub right: u32,
    /// The wrong ones that were tried and not caught, by what can be said of them without giving them away.
    pub survivors: Vec<String>,
    /// The right ones that it complained of.
    pub false_alarms: Vec<String>,
}

/// The whole file's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every test passed.
    Passed,
    /// At least one did not.
    Failed,
}

/// One named test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestReport<T = Trace> {
    /// The rule it holds, in snake case.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// For a pass what was shown; otherwise what went wrong, in plain sentences.
    pub message: String,
    /// The learner's line that acted, from 1.
    pub line: Option<u32>,
    /// The column in that line, from 1 (syntax errors).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// A Python traceback, trimmed to the learner's own frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
    /// The schedule as a string that replays it.
    pub replay: Option<String>,
    /// For tests that search: how far.
    pub search: Option<Search>,
    /// What happened in the run that is shown.
    pub trace: Option<T>,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The rule held.
    Passed,
    /// The rule was broken.
    Failed,
    /// The learner's code raised, did not load, or lacks what the task names.
    Error,
    /// The learner's code used up its work budget.
    Stopped,
    /// Not run, because the file did not load.
    NotRun,
}

/// How far a search went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// The bound that it was to be complete to.
    pub bound: u32,
    /// What the bound counts.
    #[serde(default)]
    pub by: Bound,
    /// Whether every schedule up to the bound was tried.
    pub complete: bool,
    /// The greatest bound up to which every schedule was tried.
    #[serde(default)]
    pub complete_to: u32,
    /// How many schedules were run.
    pub schedules: u64,
}

/// What a search's bound counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Operations in a schedule.
    #[default]
    Operations,
    /// Things that go wrong in a run.
    Disturbances,
}

/// What a message says has happened: its first sentence without the full stop, and without a time at its head, which stands
/// beside it where it is shown.
///
/// ```
/// use leasehold_checker::report::finding;
/// assert_eq!(finding("At 13.25 s is_held() was false. It looks at the clock."), "is_held() was false");
/// assert_eq!(finding("At 0 s A called, and at 9 s it waited. It ends."), "At 0 s A called, and at 9 s it waited");
/// ```
pub fn finding(message: &str) -> &str {
    let begins_anew = |at: usize| message[at + 2..].starts_with(|c: char| c.is_uppercase() || c == '`');
    let end = message.match_indices(". ").map(|(at, _)| at).find(|at| begins_anew(*at)).unwrap_or(message.len());
    let sentence = message[..end].lines().next().unwrap_or_default().trim_end_matches('.');
    let timed = sentence.strip_prefix("At ").and_then(|rest| rest.split_once(" s "));
    match timed {
        Some((time, rest)) if time.parse::<f64>().is_ok() && !rest.contains("and at ") => rest,
        _ => sentence,
    }
}

impl<T> Report<T> {
    /// A report whose verdict follows from its tests.
    pub fn of(kata: &str, tests: Vec<TestReport<T>>, output: String) -> Self {
        let passed = !tests.is_empty() && tests.iter().all(|t| t.outcome == Outcome::Passed);
        let verdict = if passed { Verdict::Passed } else { Verdict::Failed };
        Report { version: REPORT_VERSION, kata: kata.to_owned(), verdict, tests, output, score: None }
    }

    /// The first test that did not pass.
    pub fn first_failure(&self) -> Option<&TestReport<T>> {
        self.tests.iter().find(|t| t.outcome != Outcome::Passed)
    }
}
