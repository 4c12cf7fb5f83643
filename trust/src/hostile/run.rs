//! Runs hostile programs and says what became of each.

use super::{Must, Program};
use leasehold_checker::report::{self, Report, Verdict};
use leasehold_checker::suites;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Where a program is run.
#[derive(Clone, Debug)]
pub enum Beside {
    /// In this process.
    Here,
    /// By the command of this path, in a process of its own.
    Command(PathBuf),
}

/// What became of a program.
#[derive(Debug)]
pub struct Outcome {
    /// How long it took.
    pub took: Duration,
    /// What is wrong with that; nothing if it came to what it must.
    pub wrong: Option<String>,
}

/// The command beside this program, as cargo lays them out.
impl Beside {
    /// Finds it.
    ///
    /// # Errors
    /// It was not built.
    pub fn command() -> Result<Self, String> {
        let here = std::env::current_exe().map_err(|e| e.to_string())?;
        let found = here.ancestors().skip(1).take(2).map(|folder| folder.join("leasehold")).find(|path| path.is_file());
        found.map(Beside::Command).ok_or_else(|| "the command leasehold is not built".to_owned())
    }
}

/// Runs all; hears of each.
pub fn try_all(programs: &[Program], command: &Beside, mut hears: impl FnMut(&Program, &Outcome)) {
    for program in programs {
        let beside = if program.needs_the_watcher { command } else { &Beside::Here };
        hears(program, &tried(program, beside));
    }
}

fn tried(program: &Program, beside: &Beside) -> Outcome {
    let start = now();
    let report = match beside {
        Beside::Here => judge_here(program),
        Beside::Command(path) => judge_there(program, path),
    };
    let took = start.elapsed();
    let wrong = report.and_then(|report| holds(program, &report)).and_then(|()| next_works(program, beside)).err();
    Outcome { took, wrong }
}

#[expect(clippy::disallowed_methods, reason = "how long a hostile program takes is the question")]
fn now() -> Instant {
    Instant::now()
}

/// The report on a program.
///
/// # Errors
/// There is no such kata.
pub fn judge_here(program: &Program) -> Result<Report, String> {
    suites::check(program.kata, &program.source).ok_or_else(|| format!("there is no kata {}", program.kata))
}

fn judge_there(program: &Program, command: &Path) -> Result<Report, String> {
    let name: String = program.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let file = std::env::temp_dir().join(format!("leasehold-{}-{name}.py", std::process::id()));
    std::fs::write(&file, &program.source).map_err(|e| e.to_string())?;
    let output = Command::new(command).args(["check", program.kata]).arg(&file).arg("--json").output();
    let _ = std::fs::remove_file(&file);
    let output = output.map_err(|e| e.to_string())?;
    let exit = output.status.code();
    let report: Report = serde_json::from_slice(&output.stdout).map_err(|e| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        format!("no report came, but exit {exit:?}: {said} ({e})")
    })?;
    let expected = i32::from(report.verdict != Verdict::Passed);
    if exit == Some(expected) { Ok(report) } else { Err(format!("exit {exit:?} with {:?}", report.verdict)) }
}

/// Whether the report is what must come of the program.
fn holds(program: &Program, report: &Report) -> Result<(), String> {
    let failure = report.first_failure();
    let told = failure.map_or_else(
        || "all passed".to_owned(),
        |t| format!("{}: {:?} at {:?}: {}", t.name, t.outcome, t.line, t.message),
    );
    let is = |held: bool| if held { Ok(()) } else { Err(told.clone()) };
    is(failure.is_none_or(|test| !test.message.trim().is_empty()))?;
    match (&program.must, failure) {
        (Must::End, _) => Ok(()),
        (Must::Pass, failure) => is(failure.is_none()),
        (Must::Fail { line, says }, Some(test)) => is(test.message.contains(says) && (!line || test.line.is_some())),
        (Must::Fail { .. }, None) => is(false),
        (Must::NotPass { test }, _) => {
            let outcome = report.tests.iter().find(|t| t.name == *test).map(|t| t.outcome);
            let loads = report.tests.first().is_some_and(|t| t.outcome != report::Outcome::Passed);
            is(loads || outcome.is_some_and(|outcome| outcome != report::Outcome::Passed))
        }
    }
}

/// Whether the next run is as if nothing had been.
fn next_works(program: &Program, beside: &Beside) -> Result<(), String> {
    let solution = leasehold_exercises::solution(program.kata).unwrap_or_default();
    let next = Program { source: solution.to_owned(), must: Must::Pass, ..program.clone() };
    match beside {
        // The suites of some katas take a second: their solutions are tried by the suite's own tests.
        Beside::Here if program.kata != "acquire-with-fencing" => Ok(()),
        Beside::Here => {
            judge_here(&next).and_then(|report| holds(&next, &report)).map_err(|e| format!("the next run: {e}"))
        }
        // It is another process.
        Beside::Command(_) => Ok(()),
    }
}
