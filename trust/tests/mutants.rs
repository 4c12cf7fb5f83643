//! A sample of the mutants: each is noticed by its kata's suite, or known to be right. `trust mutants` runs all of them.

use leasehold_trust::mutants::{derive, judge};
use std::path::Path;

/// Every so many mutants one is run, so that all of it takes some 20 s of processor time.
const EVERY: usize = 15;

#[test]
fn a_sampled_mutant_is_killed_or_listed() {
    let mut findings = Vec::new();
    for kata in leasehold_exercises::katas() {
        let mutants = derive(leasehold_exercises::solution(kata.slug).unwrap());
        let trust = Path::new(env!("CARGO_BIN_EXE_trust"));
        let tally = judge(trust, kata.slug, &mutants, EVERY, 2, |_, _| ()).unwrap();
        assert!(tally.killed > 0, "{}: nothing was noticed", kata.slug);
        findings.extend(tally.findings.iter().map(|finding| format!("{}: {finding}", kata.slug)));
    }
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn a_run_without_a_verdict_kills_nothing() {
    let trust = Path::new(env!("CARGO_BIN_EXE_trust"));
    let mutants = derive("x = 1\n");
    let tally = judge(trust, "no-such-kata", &mutants, 1, 1, |_, _| ()).unwrap();
    assert_eq!((tally.killed, tally.findings.len()), (0, mutants.len()), "{tally}");
}
