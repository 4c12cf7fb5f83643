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
