//! How fast the checker tries kata 1, and how long it takes to find and shrink simple mistakes. `tools/compare` runs
//! it beside Hypothesis and beside the worker in Chromium; these names are what it looks for.
//!
//! `cargo bench --workspace --profile dev --bench engine`

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use leasehold_checker::python;
use leasehold_checker::report::{Outcome, Report, Verdict};
use leasehold_checker::suites::acquire_with_fencing::run_drawn;
use leasehold_checker::suites::{self, Options};

const KATA: &str = "acquire-with-fencing";
const SOLUTION: &str = include_str!("../../exercises/01-acquire-with-fencing/solution.py");
const RENEWAL: &str = "renewal-daemon";
const RENEWER: &str = include_str!("../../exercises/05-renewal-daemon/solution.py");
/// Mistakes of one token each: time is not looked at, the boundary, a counter for each name.
const WRONG: [(&str, &str); 3] = [
    ("never_expires.py", include_str!("../../exercises/01-acquire-with-fencing/wrong/never_expires.py")),
    ("held_at_its_expiry.py", include_str!("../../exercises/01-acquire-with-fencing/wrong/held_at_its_expiry.py")),
    ("token_per_name.py", include_str!("../../exercises/01-acquire-with-fencing/wrong/token_per_name.py")),
];

/// As long as those that Hypothesis makes: 16 operations, drawn while they run.
const DRAWN: u64 = 500;

/// Schedules a second. "drawn" is what is compared with Hypothesis: schedules as long as its own, and nothing else but
/// loading the file once.
fn schedules(c: &mut Criterion) {
    let mut group = c.benchmark_group("schedules");
    group.throughput(Throughput::Elements(DRAWN));
    group.bench_function("drawn", |b| {
        b.iter(|| assert_eq!(run_drawn(SOLUTION, DRAWN, 0).expect("it loads"), DRAWN));
    });
    group.finish();
    let mut group = c.benchmark_group("suite");
    judged(SOLUTION, Verdict::Passed);
    group.bench_function("solution.py", |b| b.iter(|| suites::check(KATA, SOLUTION)));
    group.finish();
}

/// How schedules and time grow with the bound: by operations for kata 1, by disturbances for a renewal daemon in two
/// worlds, one of them with two clients.
fn growth(c: &mut Criterion) {
    for (kata, source, bounds) in [(KATA, SOLUTION, 3..=5), (RENEWAL, RENEWER, 0..=2)] {
        let mut group = c.benchmark_group(format!("growth of {kata}"));
        group.sample_size(10);
        for bound in bounds {
            let options = Options { bound: Some(bound), ..Options::default() };
            let schedules = searched(kata, source, &options);
            group.throughput(Throughput::Elements(schedules));
            group.bench_function(format!("{bound}, {schedules} schedules"), |b| {
                b.iter(|| searched(kata, source, &options));
            });
        }
        group.finish();
    }
}

/// The search alone; how many schedules it ran.
fn searched(kata: &str, source: &str, options: &Options) -> u64 {
    let mut search = suites::deeper(kata, source, options).expect("it loads");
    loop {
        if let Some(report) = python::enter(|py| search.step(py, 1_000)) {
            assert_eq!(report.outcome, Outcome::Passed, "{}", report.message);
            return report.search.map_or(0, |s| s.schedules);
        }
    }
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

criterion_group!(benches, schedules, growth, find);
criterion_main!(benches);
