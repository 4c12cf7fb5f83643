//! A report depends on the file alone: not on what was checked before it in the same process, and how often.

use leasehold_checker::suites;
use leasehold_exercises::{alternatives, katas, solution, wrong};

#[test]
fn every_program_gets_the_same_report_whatever_was_checked_before_it() {
    let programs = programs();
    assert!(programs.len() > 12, "{} programs", programs.len());
    // There and back: each file comes after other files than before.
    let forward: Vec<String> = programs.iter().map(report).collect();
    let mut backward: Vec<String> = programs.iter().rev().map(report).collect();
    backward.reverse();
    let differences: Vec<String> = programs
        .iter()
        .zip(forward.iter().zip(&backward))
        .filter(|(_, (first, second))| first != second)
        .map(|(program, (first, second))| {
            let at = first.bytes().zip(second.bytes()).take_while(|(a, b)| a == b).count();
            format!("{}/{}, byte {at}:\n  {}\n  {}", program.kata, program.file, around(first, at), around(second, at))
        })
        .collect();
    assert!(differences.is_empty(), "{} files:\n{}", differences.len(), differences.join("\n"));
}

struct Program {
    kata: &'static str,
    file: &'static str,
    source: &'static str,
}

/// Files of every kata: the two that learners see most, and every fourth of the others. All of them would take minutes.
fn programs() -> Vec<Program> {
    let mut all = Vec::new();
    for kata in katas() {
        let slug = kata.slug;
        let solution = solution(slug).expect("the build script saw to it");
        let others = alternatives(slug).iter().chain(wrong(slug)).step_by(4).map(|p| (p.file, p.source));
        let files = [("starter.py", kata.starter), ("solution.py", solution)].into_iter().chain(others);
        all.extend(files.map(|(file, source)| Program { kata: slug, file, source }));
    }
    all
}

fn report(program: &Program) -> String {
    let report = suites::check(program.kata, program.source).expect("every kata has a suite");
    serde_json::to_string(&report).expect("a report is plain data")
}

/// What stands there, cut to a line.
fn around(text: &str, at: usize) -> String {
    let bytes = &text.as_bytes()[at.saturating_sub(120)..(at + 120).min(text.len())];
    String::from_utf8_lossy(bytes).into_owned()
}
