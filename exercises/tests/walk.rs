//! Holds every suite against its kata's programs: right ones pass however they are made, wrong ones are caught by
//! the test that they name. Each test reports all breaches that it finds, not just the first.

use leasehold_checker::report::{Outcome, Report, TestReport};
use leasehold_checker::suites;
use leasehold_exercises::{Kata, Program, alternatives, katas, solution, spoils, wrong};
use std::collections::BTreeSet;

#[test]
fn every_kata_has_a_suite() {
    walk(|kata, breaches| match suites::check(kata.slug, kata.starter) {
        None => breaches.push("no suite".to_owned()),
        Some(report) if report.tests.is_empty() => breaches.push("the suite has no tests".to_owned()),
        Some(_) => {}
    });
}

#[test]
fn the_starter_fails_exactly_the_tests_that_it_names() {
    walk(|kata, breaches| {
        let report = judge(kata, kata.starter);
        let named: BTreeSet<&str> = kata.starter_fails.iter().copied().collect();
        let failed: BTreeSet<&str> = report.tests.iter().filter(|t| !passed(t)).map(|t| t.name.as_str()).collect();
        breaches.extend(failed.difference(&named).map(|test| format!("starter.py fails {test} and does not name it")));
        breaches.extend(named.difference(&failed).map(|test| format!("starter.py names {test} and does not fail it")));
    });
}

#[test]
fn a_starter_that_contains_most_of_another_solution_says_so() {
    fn lines(code: &str) -> BTreeSet<&str> {
        code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
    }
    walk(|kata, breaches| {
        let starter = lines(kata.starter);
        let contains = |other: &&Kata| {
            let own = lines(solution(other.slug).expect("the build script saw to it"));
            let own: Vec<&str> = own.difference(&lines(other.starter)).copied().collect();
            let there = own.iter().filter(|line| starter.contains(*line)).count();
            other.slug != kata.slug && there * 4 > own.len() * 3
        };
        let found: Vec<&str> = katas().iter().filter(contains).map(|other| other.slug).collect();
        if found != spoils(kata.slug).into_iter().collect::<Vec<_>>() {
            breaches
                .push(format!("starter.py contains the solutions of {found:?}; `spoils` is {:?}", spoils(kata.slug)));
        }
    });
}

#[test]
fn the_solution_passes_every_test() {
    walk(|kata, breaches| {
        let source = solution(kata.slug).expect("the build script saw to it");
        breaches.extend(failure("solution.py", &judge(kata, source)));
    });
}

#[test]
fn the_alternatives_pass_every_test() {
    walk(|kata, breaches| {
        breaches.extend(alternatives(kata.slug).iter().filter_map(|p| failure(p.file, &judge(kata, p.source))));
    });
}

#[test]
fn each_wrong_solution_is_killed_by_the_test_that_it_names() {
    walk(|kata, breaches| {
        for Program { file, source, killed_by, .. } in wrong(kata.slug) {
            let report = judge(kata, source);
            breaches.extend(report.tests.iter().filter_map(misplaced).map(|mark| format!("{file}: {mark}")));
            let killer = killed_by.expect("the build script saw to it");
            let found = report.tests.iter().find(|test| test.name == killer);
            if found.is_some_and(|test| passed(test) || test.outcome == Outcome::NotRun) {
                let killers: Vec<&str> = report.tests.iter().filter(|t| !passed(t)).map(|t| t.name.as_str()).collect();
                breaches.push(format!("{file} survives {killer}; it fails {killers:?}"));
            }
        }
    });
}

#[test]
fn every_test_that_is_named_exists() {
    walk(|kata, breaches| {
        let report = judge(kata, kata.starter);
        let exists = |name: &str| report.tests.iter().any(|test| test.name == name);
        for test in kata.starter_fails.iter().filter(|test| !exists(test)) {
            breaches.push(format!("kata.toml names {test}, which the suite does not have"));
        }
        for Program { file, killed_by, .. } in wrong(kata.slug) {
            breaches.extend(
                killed_by
                    .filter(|test| !exists(test))
                    .map(|test| format!("{file} names {test}, which the suite does not have")),
            );
        }
    });
}

#[test]
fn there_are_at_least_eight_wrong_solutions_and_three_alternatives() {
    walk(|kata, breaches| {
        for (what, count, least) in
            [("wrong solutions", wrong(kata.slug).len(), 8), ("alternatives", alternatives(kata.slug).len(), 3)]
        {
            if count < least {
                breaches.push(format!("{count} {what}, fewer than {least}"));
            }
        }
    });
}

/// Runs `rule` on every kata and fails with all breaches that it pushed.
fn walk(rule: impl Fn(&Kata, &mut Vec<String>)) {
    let mut all = Vec::new();
    for kata in katas() {
        let mut breaches = Vec::new();
        rule(kata, &mut breaches);
        all.extend(breaches.into_iter().map(|breach| format!("{}: {breach}", kata.slug)));
    }
    assert!(!katas().is_empty(), "no katas");
    assert!(all.is_empty(), "{} breaches:\n{}", all.len(), all.join("\n"));
}

fn judge(kata: &Kata, source: &str) -> Report {
    suites::check(kata.slug, source).unwrap_or_else(|| panic!("{}: no suite", kata.slug))
}

fn passed(test: &TestReport) -> bool {
    test.outcome == Outcome::Passed
}

/// Whether the mark in the timeline stands at another time than the one that the message names. Which time that is, is clear
/// where a message begins with it, or goes on from there to "and at 5 s" or the like. Kata 7's "and the service was not told"
/// names the time from which on that was due.
fn misplaced(test: &TestReport) -> Option<String> {
    let trace = test.trace.as_ref().filter(|_| test.outcome == Outcome::Failed)?;
    let sentence = test.message.split(". ").next()?.strip_prefix("At ")?;
    let later = [", and at ", ", and the next was sent at "].iter().find_map(|and| sentence.rsplit_once(and));
    let named = later.map_or(sentence, |(_, last)| last);
    let named: f64 = named.split_once(" s")?.0.parse().ok()?;
    if sentence.ends_with("and the service was not told") {
        return None;
    }
    let marked = trace.events[trace.first_bad?].at_us as f64 / 1e6;
    // Drivers name six digits, or whole milliseconds.
    let is_there = (named - marked).abs() <= named * 1e-5 + 0.000_501;
    (!is_there).then(|| format!("{} is marked at {marked} s: {}", test.name, test.message))
}

/// The whole first failure of a program that ought to pass.
fn failure(file: &str, report: &Report) -> Option<String> {
    let Some(test) = report.first_failure() else {
        return report.tests.is_empty().then(|| format!("{file}: nothing was tested"));
    };
    let line = test.line.map(|line| format!(", line {line}")).unwrap_or_default();
    let mut text = format!("{file}{line}: {:?} in {}: {}", test.outcome, test.name, test.message);
    let replay = test.replay.as_ref().map(|replay| format!("replay {replay}"));
    let timeline = test.trace.as_ref().map(|trace| trace.text());
    for part in [test.traceback.clone(), replay, timeline].into_iter().flatten() {
        text.push('\n');
        text.push_str(part.trim_end());
    }
    Some(text)
}
