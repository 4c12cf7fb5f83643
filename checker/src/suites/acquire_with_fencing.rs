//! Kata 1: `LockManager(clock)` with `acquire(name, client_id, ttl) -> int or None` and `release(name, client_id)`.
//!
//! Every test is a handful of schedules run against the learner's manager and, beside it, against the reference
//! [`Rules`]; the run ends at the first answer that the rules do not allow. What the task leaves open is allowed in
//! every reading: which integers the tokens are and how far apart, whether a refusal spends one, what `release` says
//! of one's own lease that is over.

mod judge;
mod rules;
mod scripts;

use super::Suite;
use crate::explore::replay::Schedule;
use crate::explore::sequences;
use crate::python::{Problem, Program, Python};
use crate::report::{Outcome, Search, TestReport};
use judge::{Breach, Lab, Verdicts};
use rules::Rules;

const KATA: &str = "acquire-with-fencing";

/// The suite.
pub const SUITE: Suite = Suite {
    kata: KATA,
    task: "LockManager: acquire and release with fencing tokens",
    clients: 3,
    locks: 3,
    tests: names,
    check,
    replay,
};

const LOADS: &str = "loads";
const SEARCH: &str = "no_short_schedule_breaks_it";

/// Every schedule of up to this many operations is tried.
const BOUND: usize = 4;
/// The same where the file keeps state outside the manager and so must be run anew for every schedule.
const BOUND_WHEN_RELOADED: usize = 3;
/// How many longer schedules are drawn, and how long they are.
const DRAWN: u64 = 60;
const DRAWN_LENGTH: usize = 14;

fn names() -> Vec<&'static str> {
    let mut names = vec![LOADS];
    names.extend(scripts::TESTS.iter().map(|t| t.name));
    names.push(SEARCH);
    names
}

fn check(py: &Python<'_>, source: &str) -> Vec<TestReport> {
    let program = match load(py, source) {
        Ok(program) => program,
        Err(problem) => {
            let mut tests = vec![TestReport::problem(LOADS, &problem)];
            let rest = names().into_iter().skip(1);
            tests.extend(rest.map(|name| TestReport::not_run(name, "Not run: the file did not load.")));
            return tests;
        }
    };
    let mut lab = Lab::new(py, &program);
    let mut tests = vec![TestReport::passed(LOADS, "The file loads and LockManager(clock) can be made.", None)];
    let mut stops = 0;
    for test in scripts::TESTS {
        // Code that loops for ever does so in most tests; after a few, more of the same tells nothing new.
        if stops >= 3 {
            tests.push(TestReport::not_run(test.name, "Not run: the code was stopped in three tests already."));
            continue;
        }
        let report = py.output_under(test.name, || run_test(&mut lab, test));
        stops += u32::from(report.outcome == Outcome::Stopped);
        tests.push(report);
    }
    tests.push(if stops > 0 {
        TestReport::not_run(SEARCH, "Not run: the code was stopped in a test above.")
    } else {
        search(&mut lab)
    });
    tests
}

/// Compiles and runs the file and looks whether what the task names is there.
fn load(py: &Python<'_>, source: &str) -> Result<Program, Problem> {
    let program = py.compile(source)?;
    py.output_under(LOADS, || {
        let module = program.run(py)?;
        let clock = py.clock();
        let manager = module.get(py, "LockManager")?.call(py, &[crate::python::Arg::Object(&clock)])?;
        for method in ["acquire", "release"] {
            if !manager.has_method(py, method) {
                return Err(Problem::missing(format!("LockManager has no method {method}. The task names it.")));
            }
        }
        Ok(())
    })?;
    Ok(program)
}

fn run_test(lab: &mut Lab<'_>, test: &scripts::Test) -> TestReport {
    let mut shown = None;
    for script in test.scripts {
        let schedule = Schedule(script.to_vec());
        let run = lab.shown_run(&schedule, test.judged);
        if let Some(breach) = run.breach {
            return failed(test.name, &schedule, &breach, run.trace);
        }
        shown.get_or_insert((run.trace, schedule));
    }
    let (trace, schedule) = shown.map_or((None, None), |(t, s)| (Some(t), Some(s)));
    TestReport { replay: schedule.map(|s| s.encode(KATA)), ..TestReport::passed(test.name, test.rule, trace) }
}

fn failed(name: &str, schedule: &Schedule, breach: &Breach, trace: crate::trace::Trace) -> TestReport {
    let mut report = match &breach.problem {
        Some(problem) => TestReport::problem(name, problem),
        None => TestReport {
            message: breach.message.clone(),
            line: trace.first_bad.and_then(|i| trace.events[i].line),
            ..TestReport::blank(name, Outcome::Failed)
        },
    };
    report.replay = Some(schedule.encode(KATA));
    report.trace = Some(trace);
    report
}

fn search(lab: &mut Lab<'_>) -> TestReport {
    let py = lab.py;
    let mut schedules = 0;
    let start = Rules::default();
    let (bound, drawn) = if lab.keeps_state_outside() { (BOUND_WHEN_RELOADED, DRAWN / 6) } else { (BOUND, DRAWN) };
    let found = py.quietly(|| {
        let mut run = |schedule: &Schedule| {
            schedules += 1;
            lab.quick_run(schedule)
        };
        for length in 1..=bound {
            let found = sequences::every(&start, length, &mut run);
            if found.is_some() {
                return found;
            }
        }
        (0..drawn).find_map(|seed| {
            let schedule = sequences::drawn(&start.with_more_clients(), DRAWN_LENGTH, seed);
            run(&schedule).map(|breach| (schedule, breach))
        })
    });
    let found = found.map(|(schedule, breach)| {
        let same = |s: &Schedule| lab.quick_run(s).is_some_and(|b| b.rule == breach.rule);
        (py.quietly(|| sequences::shrink(schedule, same)), breach)
    });
    let reached = Search { bound: bound as u32, complete: found.is_none(), schedules };
    let Some((schedule, first)) = found else {
        let message = format!(
            "Every schedule of up to {bound} operations by two clients on two locks was tried, and {drawn} longer ones \
             by three clients on three locks: {schedules} in all, and none breaks a rule."
        );
        return TestReport { search: Some(reached), ..TestReport::passed(SEARCH, message, None) };
    };
    let run = py.output_under(SEARCH, || lab.shown_run(&schedule, Verdicts::All));
    match run.breach {
        Some(breach) if breach.rule == first.rule => {
            TestReport { search: Some(reached), ..failed(SEARCH, &schedule, &breach, run.trace) }
        }
        _ => TestReport {
            message: format!(
                "This failed once and did not fail again in the same schedule: {}. If your code uses id() or the \
                 order of a set, that may be why; otherwise it is a defect of this checker.",
                first.message
            ),
            replay: Some(schedule.encode(KATA)),
            trace: Some(run.trace),
            search: Some(reached),
            ..TestReport::blank(SEARCH, Outcome::Failed)
        },
    }
}

fn replay(py: &Python<'_>, source: &str, schedule: &Schedule) -> Result<TestReport, Problem> {
    let program = load(py, source)?;
    let run = Lab::new(py, &program).shown_run(schedule, Verdicts::All);
    Ok(match run.breach {
        Some(breach) => failed("replay", schedule, &breach, run.trace),
        None => TestReport {
            replay: Some(schedule.encode(KATA)),
            ..TestReport::passed("replay", "This schedule breaks no rule.", Some(run.trace))
        },
    })
}
