//! The search through worlds: what it finds, that it finds the least, and that what it found comes back.

use leasehold_checker::explore::replay::{Course, Replay};
use leasehold_checker::report::{Bound, Outcome, TestReport, Verdict};
use leasehold_checker::suites::{self, Options};
use leasehold_checker::{python, trace::Happening};

const KATA: &str = "renewal-daemon";
const RIGHT: &str = include_str!("../../exercises/05-renewal-daemon/solution.py");

/// The solution with one place changed.
fn but(place: &str, instead: &str) -> String {
    assert!(RIGHT.contains(place), "the solution has no {place}");
    RIGHT.replacen(place, instead, 1)
}

/// Does not look at the deadline before an attempt: one pause breaks it.
fn never_looks() -> String {
    but(
        "            if not self.is_held():\n                return self._lose()\n",
        "            if self._state != 'held':\n                return\n",
    )
}

/// Nobody watches the deadline while a renewal is under way: that takes a pause and a lost message.
fn nobody_watches() -> String {
    but("        spawn(self._watch_deadline())\n", "")
}

fn searched(source: &str, options: &Options) -> TestReport {
    let report = suites::check_with(KATA, source, options, &mut |_, _| ()).expect("the kata is there");
    report.tests.last().expect("the search is the last test").clone()
}

fn disturbances(test: &TestReport) -> usize {
    match Replay::decode(test.replay.as_deref().expect("a failure has a replay string"), KATA) {
        Ok(Replay::Course(Course { taken, .. })) => taken.len(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_right_renewer_passes_and_the_verdict_says_how_far_it_was_searched() {
    let report = suites::check(KATA, RIGHT).expect("the kata is there");
    assert_eq!(report.verdict, Verdict::Passed, "{:?}", report.first_failure());
    let search = report.tests.last().and_then(|t| t.search.clone()).expect("a search");
    assert_eq!((search.by, search.complete_to, search.complete), (Bound::Disturbances, 2, true));
}

#[test]
fn a_bound_that_is_asked_for_is_searched_in_full() {
    let test = searched(RIGHT, &Options { bound: Some(3), ..Options::default() });
    let search = test.search.expect("a search");
    assert!(search.complete && search.complete_to == 3 && search.schedules > 5_000, "{search:?}");
    assert_eq!(test.outcome, Outcome::Passed, "{}", test.message);
}

#[test]
fn the_first_failure_has_the_fewest_disturbances() {
    let options = Options { bound: Some(2), ..Options::default() };
    let one = searched(&never_looks(), &options);
    assert_eq!((one.outcome, disturbances(&one)), (Outcome::Failed, 1), "{}", one.message);
    let two = searched(&nobody_watches(), &options);
    assert_eq!((two.outcome, disturbances(&two)), (Outcome::Failed, 2), "{}", two.message);
    // Complete to 1 means just that: none of the schedules with one disturbance breaks it.
    assert_eq!(
        searched(&nobody_watches(), &Options { bound: Some(1), ..Options::default() }).search.map(|s| s.complete_to),
        Some(1)
    );
}

#[test]
fn a_failure_comes_with_its_first_bad_event_its_witnesses_and_the_line_that_acted() {
    let source = never_looks();
    let test = searched(&source, &Options::default());
    let trace = test.trace.expect("a timeline");
    let bad = &trace.events[trace.first_bad.expect("a bad event")];
    assert!(matches!(bad.what, Happening::Called { .. }), "{bad:?}");
    let line = test.line.expect("a line");
    assert!(source.lines().nth(line as usize - 1).is_some_and(|l| l.contains(".renew(")), "line {line}");
    assert!(matches!(trace.events[trace.witnesses[0]].what, Happening::Expired { .. }));
}

#[test]
fn a_replay_string_brings_back_the_very_trace() {
    for source in [never_looks(), nobody_watches()] {
        let found = searched(&source, &Options { bound: Some(2), ..Options::default() });
        let again = suites::replay(KATA, &source, found.replay.as_deref().expect("a string")).expect("it fits");
        assert_eq!(again.trace, found.trace);
        assert_eq!((again.outcome, &again.message, &again.replay), (found.outcome, &found.message, &found.replay));
    }
}

#[test]
fn a_replay_string_that_no_longer_fits_says_where() {
    let found = searched(&nobody_watches(), &Options { bound: Some(2), ..Options::default() });
    let string = found.replay.expect("a string");
    // This one never renews, so the moment at which a renewal was lost does not come.
    let idle = but("            await self._clock.sleep(wait * random.uniform(0.9, 1.1))\n", "            return\n");
    let error = suites::replay(KATA, &idle, &string).expect_err("it does not fit").to_string();
    assert!(error.starts_with("the replay string no longer fits this code:"), "{error}");
    // A string of another version of this program, of another kata, and a damaged one are told as such.
    let told = |string: &str| suites::replay(KATA, RIGHT, string).expect_err("it can't be used").to_string();
    assert!(told(&string[..string.len() - 3]).contains("damaged"));
    assert!(told("AhRhY3F1aXJlLXdpdGgtZmVuY2luZw").contains("version 2"));
    let other = Replay::Course(Course::default()).encode("storage-gate");
    assert!(told(&other).contains("belongs to another kata, storage-gate"));
    let worldless = Replay::Course(Course { world: 99, taken: Vec::new() }).encode(KATA);
    assert!(told(&worldless).contains("names a world that this kata has not"));
}

#[test]
fn a_drawn_failure_is_cut_down_and_another_seed_draws_others() {
    // Beyond the bound only drawn schedules can find it.
    let found =
        (0..20).map(|n| searched(&nobody_watches(), &Options { bound: Some(1), seed: n * 1000, ..Options::default() }));
    let failed: Vec<TestReport> = found.filter(|t| t.outcome == Outcome::Failed).collect();
    assert!(!failed.is_empty(), "200 drawn schedules a seed, 20 seeds, and none found it");
    // Two are the least. There may be stories with three from which none can be left out.
    assert_eq!(failed.iter().map(disturbances).min(), Some(2));
    assert!(failed.iter().all(|t| disturbances(t) <= 3));
}

#[test]
fn a_deeper_search_runs_in_parts_and_tells_how_far_it_is() {
    let options = Options { bound: Some(2), ..Options::default() };
    let mut deeper = suites::deeper(KATA, &nobody_watches(), &options).expect("it loads");
    let mut parts = 0;
    let report = loop {
        if let Some(report) = python::enter(|py| deeper.step(py, 20)) {
            break report;
        }
        parts += 1;
        let (reached, left) = deeper.progress();
        assert!(reached.schedules >= parts * 20 || left.is_none(), "{reached:?}");
        assert!(parts < 1_000);
    };
    assert!(parts > 1);
    assert_eq!(report, searched(&nobody_watches(), &options));
}

#[test]
fn state_kept_outside_the_renewer_is_not_seen_by_the_next_schedule() {
    let counting = format!(
        "count = []\n{}",
        but(
            "        self._on_lost = on_lost\n",
            "        self._on_lost = on_lost\n        count.append(1)\n        assert len(count) == 1\n"
        )
    );
    let test = searched(&counting, &Options::default());
    assert_eq!(test.outcome, Outcome::Passed, "{}", test.message);
}
