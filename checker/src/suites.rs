//! One module per kata: its named tests and properties.
//!
//! ```
//! use leasehold_checker::report::Verdict;
//! let report = leasehold_checker::suites::check("acquire-with-fencing", "x = 1").unwrap();
//! assert_eq!(report.verdict, Verdict::Failed);
//! assert_eq!(report.first_failure().unwrap().name, "loads");
//! ```

pub mod acquire_with_fencing;
pub mod attack;
pub mod compare_and_delete;
pub mod fair_lock;
pub mod given_up;
pub mod handle_lifecycle;
pub mod lock_client;
pub mod lock_delay;
pub mod redlock_validity;
pub mod reentrant_handle;
pub mod renewal_daemon;
pub mod retry_with_jitter;
pub mod runner;
pub mod sequential;
pub mod storage_gate;
pub mod stories;
pub mod watch_the_predecessor;
pub mod worlds;
pub mod write_the_test;

use crate::explore::replay::{BadReplay, Replay};
use crate::python::{self, Problem, ProblemKind, Python};
use crate::report::{Outcome, Report, Score, TestReport};
use crate::signs;
use crate::trace::Trace;
pub use runner::{Deeper, Options};

/// A kata's suite.
pub struct Suite {
    /// The kata's slug.
    pub kata: &'static str,
    /// What the learner writes, in a few words.
    pub task: &'static str,
    /// What a reader of printed text needs to know to find it in the timelines.
    pub in_output: &'static str,
    /// The tests' names, in the order of the report.
    pub tests: fn() -> Vec<&'static str>,
    check: fn(&Python<'_>, &str, &Options, runner::Progress<'_>) -> Findings,
    replay: fn(&Python<'_>, &str, Replay) -> Result<TestReport, ReplayError>,
    deeper: runner::Begin,
}

/// The tests in order, and a score where the learner's code is a test itself.
type Findings = (Vec<TestReport>, Option<Score>);
/// All suites, in the katas' order.
pub const SUITES: &[Suite] = &[
    acquire_with_fencing::SUITE,
    storage_gate::SUITE,
    compare_and_delete::SUITE,
    handle_lifecycle::SUITE,
    renewal_daemon::SUITE,
    retry_with_jitter::SUITE,
    reentrant_handle::SUITE,
    watch_the_predecessor::SUITE,
    fair_lock::SUITE,
    redlock_validity::SUITE,
    write_the_test::SUITE,
    lock_client::SUITE,
    lock_delay::SUITE,
];

/// The suite of a kata, or the one in which chapters run their [`stories`].
pub fn suite(kata: &str) -> Option<&'static Suite> {
    SUITES.iter().chain([&stories::SUITE]).find(|s| s.kata == kata)
}

/// Judges `source`, the learner's whole file, by the suite of `kata` (a slug). `None` if there is no such kata.
pub fn check(kata: &str, source: &str) -> Option<Report> {
    check_with(kata, source, &Options::default(), &mut |_, _| ())
}

/// The same with a bound and a seed of one's own; `progress` hears of the search every now and then.
pub fn check_with(kata: &str, source: &str, options: &Options, progress: runner::Progress<'_>) -> Option<Report> {
    let suite = suite(kata)?;
    Some(python::enter(|py| {
        begin(py);
        signs::begins(runner::LOADS);
        let (tests, score) = (suite.check)(py, source, options, progress);
        let mut output = py.take_output();
        if !output.is_empty() {
            output.insert_str(0, &format!("{}\n\n", suite.in_output));
        }
        Report { score, ..Report::of(kata, tests, output) }
    }))
}

/// Runs the schedule of a replay string on `source` and gives what happened.
///
/// # Errors
/// What is wrong with the string, in a sentence; or that the file does not load.
pub fn replay(kata: &str, source: &str, string: &str) -> Result<TestReport, ReplayError> {
    let suite = suite(kata).ok_or_else(|| ReplayError::NoSuchKata(kata.to_owned()))?;
    let replay = Replay::decode(string, kata)?;
    python::enter(|py| {
        begin(py);
        signs::begins("replay");
        (suite.replay)(py, source, replay)
    })
}

/// A search of `source` that runs in parts, see [`Deeper`]. Named tests are not run.
///
/// # Errors
/// There is no such kata, or the file does not load.
pub fn deeper(kata: &str, source: &str, options: &Options) -> Result<Box<dyn Deeper>, ReplayError> {
    let suite = suite(kata).ok_or_else(|| ReplayError::NoSuchKata(kata.to_owned()))?;
    python::enter(|py| {
        begin(py);
        signs::begins("search");
        (suite.deeper)(py, source, options)
    })
    .map_err(ReplayError::Load)
}

/// A file owes nothing to the one before it: neither its output, nor the work that it took, nor where its world left
/// tasks and clocks.
fn begin(py: &Python<'_>) {
    py.begin_tasks();
    py.forget_functions();
    py.take_output();
    py.give_suite_budget(u64::MAX);
}

/// Why a replay did not run.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// No suite of this name.
    #[error("there is no kata {0}; `leasehold list` names them")]
    NoSuchKata(String),
    /// The string can't be used.
    #[error(transparent)]
    Bad(#[from] BadReplay),
    /// The kata's suite has no schedules.
    #[error("this kata has no schedules to replay: your own test makes them")]
    Nothing,
    /// The file did not load.
    #[error("the file does not load: {0}")]
    Load(Problem),
}

impl TestReport {
    /// A passed test.
    pub(crate) fn passed(name: &str, message: impl Into<String>, trace: Option<Trace>) -> Self {
        TestReport { message: message.into(), trace, ..TestReport::blank(name, Outcome::Passed) }
    }

    /// A test that learner code itself ended.
    pub(crate) fn problem(name: &str, problem: &Problem) -> Self {
        let outcome = match problem.kind {
            ProblemKind::Stopped => Outcome::Stopped,
            _ => Outcome::Error,
        };
        TestReport {
            message: problem.message.clone(),
            line: problem.line,
            column: problem.column,
            traceback: problem.traceback.clone(),
            ..TestReport::blank(name, outcome)
        }
    }

    /// A test that was not run.
    pub(crate) fn not_run(name: &str, why: &str) -> Self {
        TestReport { message: why.to_owned(), ..TestReport::blank(name, Outcome::NotRun) }
    }

    /// One of which nothing is known but this.
    pub(crate) fn blank(name: &str, outcome: Outcome) -> Self {
        TestReport {
            name: name.to_owned(),
            outcome,
            message: String::new(),
            line: None,
            column: None,
            traceback: None,
            replay: None,
            search: None,
            trace: None,
        }
    }
}
