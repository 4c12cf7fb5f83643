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
use rules::{MOST_LOCKS, Rules};

const KATA: &str = "acquire-with-fencing";

/// The suite.
pub const SUITE: Suite = Suite {
    kata: KATA,
    task: "LockManager: acquire and release with fencing tokens",
    clients: 3,
    locks: MOST_LOCKS,
    in_output: "In the timelines client-1 is A, client-10 is B, client-2 is C.",
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
/// How many ticks all tests together may take, so that slow code gets its verdict all the same.
const TICKS_PER_SUITE: u64 = 2_500_000;
/// How many longer schedules are drawn, and how long they are.
const DRAWN: u64 = 150;
const DRAWN_LENGTH: usize = 16;

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
    let output = py.take_output();
    if let Some(tests) = run_all(&mut lab) {
        return tests;
    }
    // A run saw what another one had left behind, where nobody looked for it. Once more, each from the file.
    lab.start_fresh_always();
    py.take_output();
    py.put_output(&output);
    run_all(&mut lab).unwrap_or_default()
}

/// All tests; none if a failure turned out to come from an earlier run and not from the file.
fn run_all(lab: &mut Lab<'_>) -> Option<Vec<TestReport>> {
    let py = lab.py;
    py.give_suite_budget(TICKS_PER_SUITE);
    let mut tests = vec![TestReport::passed(LOADS, "The file loads and LockManager(clock) can be made.", None)];
    let mut stops = 0;
    for test in scripts::TESTS {
        // Code that loops for ever does so in most tests; after a few, more of the same tells nothing new.
        if stops >= 3 {
            tests.push(TestReport::not_run(test.name, "Not run: the code was stopped in three tests already."));
            continue;
        }
        let report = py.output_under(test.name, || run_test(lab, test))?;
        stops += u32::from(report.outcome == Outcome::Stopped);
        tests.push(report);
    }
    tests.push(if stops > 0 {
        TestReport::not_run(SEARCH, "Not run: the code was stopped in a test above.")
    } else {
        search(lab)?
    });
    Some(tests)
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

fn run_test(lab: &mut Lab<'_>, test: &scripts::Test) -> Option<TestReport> {
    let mut shown = None;
    for schedule in test.schedules() {
        let run = lab.shown_run(&schedule, test.judged);
        if let Some(breach) = run.breach {
            return is_the_files_own(lab, &schedule, test.judged, &breach)
                .then(|| failed(test.name, &schedule, &breach, run.trace));
        }
        shown.get_or_insert((run.trace, schedule));
    }
    let (trace, schedule) = shown.map_or((None, None), |(t, s)| (Some(t), Some(s)));
    let replay = schedule.map(|s| s.encode(KATA));
    Some(TestReport { replay, ..TestReport::passed(test.name, test.rule, trace) })
}

/// A failure is the file's own if it comes again in a process of its own.
fn is_the_files_own(lab: &mut Lab<'_>, schedule: &Schedule, judged: Verdicts, breach: &Breach) -> bool {
    lab.starts_fresh_always()
        || lab.py.quietly(|| lab.fresh_run(schedule, judged)).is_some_and(|b| b.rule == breach.rule)
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

fn search(lab: &mut Lab<'_>) -> Option<TestReport> {
    let py = lab.py;
    let mut schedules = 0;
    let start = Rules::default();
    let (bound, drawn) = if lab.keeps_state_outside() { (BOUND_WHEN_RELOADED, DRAWN / 3) } else { (BOUND, DRAWN) };
    let mut complete_to = 0;
    let found = py.quietly(|| {
        let mut run = |schedule: &Schedule| {
            if py.suite_budget_is_used_up() {
                return Some(None);
            }
            schedules += 1;
            lab.quick_run(schedule).map(Some)
        };
        for length in 1..=bound {
            let found = sequences::every(&start, length, &mut run);
            if found.is_some() {
                return found;
            }
            complete_to = length;
        }
        let start = start.with_more_clients();
        (0..drawn).find_map(|seed| {
            let schedule = sequences::drawn(&start, DRAWN_LENGTH, seed);
            let breach = run(&schedule)?;
            Some((schedule, breach))
        })
    });
    let reached = Search { bound: bound as u32, complete: complete_to == bound, schedules };
    // A broken rule is one, however much work was left; code that was stopped for want of it has broken none.
    let stopped = match &found {
        Some((_, Some(breach))) => breach.problem.is_some() && py.suite_budget_is_used_up(),
        Some((_, None)) => true,
        None => false,
    };
    let Some((schedule, Some(first))) = found.filter(|_| !stopped) else {
        let message = if stopped {
            format!(
                "Every schedule of up to {complete_to} operations was tried, {schedules} schedules in all, and none breaks \
                 a rule. Then the search stopped at its limit: your code does a lot of work in each call."
            )
        } else {
            format!(
                "Every schedule of up to {bound} operations by two clients on two locks was tried, and {drawn} longer \
                 ones by three clients on three locks: {schedules} in all, and none breaks a rule."
            )
        };
        return Some(TestReport { search: Some(reached), ..TestReport::passed(SEARCH, message, None) });
    };
    // To run it again, and to make it shorter.
    py.give_suite_budget(TICKS_PER_SUITE);
    if !is_the_files_own(lab, &schedule, Verdicts::All, &first) {
        return None;
    }
    let same = |s: &Schedule| lab.quick_run(s).is_some_and(|b| b.rule == first.rule);
    let schedule = if schedule.0.len() > bound { py.quietly(|| sequences::shrink(schedule, same)) } else { schedule };
    let run = py.output_under(SEARCH, || lab.shown_run(&schedule, Verdicts::All));
    let report = match run.breach {
        Some(breach) if breach.rule == first.rule => failed(SEARCH, &schedule, &breach, run.trace),
        _ => TestReport {
            message: format!(
                "This failed once and did not fail again in the same schedule: {} If your code uses id() or the order \
                 of a set, that may be why; otherwise it is a defect of this checker.",
                first.message
            ),
            replay: Some(schedule.encode(KATA)),
            trace: Some(run.trace),
            ..TestReport::blank(SEARCH, Outcome::Failed)
        },
    };
    Some(TestReport { search: Some(reached), ..report })
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
