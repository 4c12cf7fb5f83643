//! Rules of `suites::check` that hold whatever the kata.

use leasehold_checker::report::{Outcome, Verdict};
use leasehold_checker::suites::check;

const SOLUTION: &str = include_str!("../../exercises/01-acquire-with-fencing/solution.py");

/// The solution, but every call does far more work than a lock needs.
fn slow() -> String {
    SOLUTION
        .replace("        now = self._clock()\n", "        for _ in range(10_000): pass\n        now = self._clock()\n")
}

#[test]
fn a_file_owes_nothing_to_the_one_before_it() {
    let slow = check("acquire-with-fencing", &slow()).expect("the kata is there");
    assert!(slow.tests.iter().any(|t| t.outcome == Outcome::Stopped && t.message.contains("all tests together")));
    let report = check("acquire-with-fencing", SOLUTION).expect("the kata is there");
    assert_eq!(report.verdict, Verdict::Passed, "{:?}", report.first_failure());
}

#[test]
fn the_same_file_gets_the_same_report_twice() {
    for source in [SOLUTION, &slow(), "class LockManager: pass\n", "x = = 1\n"] {
        assert_eq!(check("acquire-with-fencing", source), check("acquire-with-fencing", source));
    }
}

#[test]
fn a_replay_string_of_a_sequence_brings_back_the_failure() {
    const KATA: &str = "compare-and-delete";
    for source in [
        include_str!("../../exercises/03-compare-and-delete/wrong/ownership_token_is_a_hash.py"),
        include_str!("../../exercises/03-compare-and-delete/wrong/release_compares_the_client.py"),
        include_str!("../../exercises/03-compare-and-delete/wrong/nan_never_ends.py"),
    ] {
        let report = check(KATA, source).expect("the kata is there");
        let found = report.first_failure().expect("it is wrong");
        let string = found.replay.as_deref().expect("a string");
        let again = leasehold_checker::suites::replay(KATA, source, string).expect("it fits");
        assert_eq!((again.outcome, &again.message, &again.trace), (found.outcome, &found.message, &found.trace));
    }
}
