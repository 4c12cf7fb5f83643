//! How fast the checker tries kata 1, and how long it takes to find and shrink simple mistakes. `tools/compare` runs
//! it beside Hypothesis and beside the worker in Chromium; these names are what it looks for.
//!
//! `cargo bench --workspace --profile dev --bench engine`

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use leasehold_checker::report::{Report, Verdict};
use leasehold_checker::suites;

const KATA: &str = "acquire-with-fencing";
const SOLUTION: &str = include_str!("../../exercises/01-acquire-with-fencing/solution.py");
/// Mistakes of one token each: time is not looked at, the boundary, a counter for each name.
const WRONG: [(&str, &str); 3] = [
    ("never_expires.py", include_str!("../../exercises/01-acquire-with-fencing/wrong/never_expires.py")),
    ("held_at_its_expiry.py", include_str!("../../exercises/01-acquire-with-fencing/wrong/held_at_its_expiry.py")),
    ("token_per_name.py", include_str!("../../exercises/01-acquire-with-fencing/wrong/token_per_name.py")),
];

/// The solution's whole suite, as schedules of its search a second. Its time is that of loading the file and of the
/// named tests too, so the search alone is faster than this says.
fn schedules(c: &mut Criterion) {
    let mut group = c.benchmark_group("schedules");
    group.throughput(Throughput::Elements(tried(&judged(SOLUTION, Verdict::Passed))));
    group.bench_function("solution.py", |b| b.iter(|| suites::check(KATA, SOLUTION)));
    group.finish();
}

/// From the file to the report with the shrunk failure in it, named tests included.
fn find(c: &mut Criterion) {
    let mut group = c.benchmark_group("find");
    for (file, source) in WRONG {
        let report = judged(source, Verdict::Failed);
        assert!(report.tests.last().is_some_and(|t| t.replay.is_some()), "{file}: the search finds it as well");
        group.bench_function(file, |b| b.iter(|| suites::check(KATA, source)));
    }
    group.finish();
}

/// A figure for the wrong verdict would be worth nothing.
fn judged(source: &str, verdict: Verdict) -> Report {
    let report = suites::check(KATA, source).expect("the kata is there");
    assert_eq!(report.verdict, verdict, "{:?}", report.first_failure());
    report
}

/// How many schedules the report's searches ran.
fn tried(report: &Report) -> u64 {
    report.tests.iter().filter_map(|t| t.search.as_ref()).map(|s| s.schedules).sum()
}

criterion_group!(benches, schedules, find);
criterion_main!(benches);
