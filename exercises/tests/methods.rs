//! A method that the task names may be the class's own, or be bound to each object in `__init__`. One that is missing is named.

use leasehold_checker::report::Outcome;
use leasehold_checker::suites;
use leasehold_exercises::solution;

const BOUND: &str = "
class Bound(LockRegistry):
    def __init__(self, service):
        inner = LockRegistry(service)
        self.acquire = inner.acquire
        setattr(self, 'lost', inner.lost)
";

fn registry() -> &'static str {
    solution("reentrant-handle").expect("there is a solution")
}

/// The first failure: test and message.
fn fails(source: &str) -> (String, String) {
    let report = suites::check("reentrant-handle", source).expect("there is a suite");
    let test = report.first_failure().expect("it fails").clone();
    (test.name, test.message)
}

#[test]
fn methods_may_be_bound_to_the_object_when_it_is_made() {
    let source = format!("{}{BOUND}", registry()).replace("class Bound(LockRegistry):", "class Bound:");
    let source = format!("{source}\nBound.__name__, LockRegistry = 'LockRegistry', Bound\n")
        .replace("inner = LockRegistry(service)", "inner = Inner(service)")
        .replace("\nclass Bound:", "\nInner = LockRegistry\nclass Bound:");
    let report = suites::check("reentrant-handle", &source).expect("there is a suite");
    let bad: Vec<_> = report.tests.iter().filter(|test| test.outcome != Outcome::Passed).collect();
    assert!(bad.is_empty(), "{}: {}", bad[0].name, bad[0].message);
}

#[test]
fn a_method_that_nothing_in_the_file_sets_is_missed_when_it_loads() {
    let typo = registry().replace("def lost(self", "def losst(self");
    let message = "LockRegistry has no method lost. The task names it.".to_owned();
    assert_eq!(fails(&typo), ("loads".to_owned(), message));
}

#[test]
fn a_method_that_something_else_sets_is_missed_when_it_is_called() {
    let typo = registry().replace("def lost(self", "def losst(self");
    let (test, message) = fails(&format!("{typo}\nclass Other:\n    def __init__(self):\n        self.lost = 0\n"));
    assert_ne!(test, "loads");
    assert!(message.contains("'LockRegistry' object has no attribute 'lost'. The task names it."), "{message}");
}
