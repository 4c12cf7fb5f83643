//! Sentences for people, made from what the report says in names and numbers.

use crate::protocol::Report;
use crate::storage::Standing;
use leasehold_checker::report::{Bound, Outcome, Search};

/// A test's name as a sentence: `tokens_grow_over_release` is "Tokens grow over release".
pub fn sentence(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// How a test ended, in a word or two.
pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Error => "error",
        Outcome::Stopped => "stopped",
        Outcome::NotRun => "not run",
    }
}

/// How far a search went that ended as `outcome` says.
pub fn coverage(search: &Search, outcome: Outcome) -> String {
    let Search { bound, by, complete, schedules, .. } = search;
    let (count, plural) = (grouped(*schedules), plural(*schedules));
    let what = up_to(*bound, *by);
    match (complete, outcome) {
        (true, _) => format!("Every schedule {what} was tried, and longer ones: {count} in all."),
        (false, Outcome::Failed) => format!("Found after {count} schedule{plural}, shortest first."),
        (false, _) => format!("{count} schedule{plural} tried; the search ended before all {what} were."),
    }
}

/// How far a search under way has come.
pub fn reached(search: &Search) -> String {
    let Search { by, complete_to, schedules, .. } = search;
    let tried = format!("{} schedule{} tried", grouped(*schedules), plural(*schedules));
    match complete_to {
        0 => tried,
        _ => format!("{tried}; all {}", up_to(*complete_to, *by)),
    }
}

/// What a bound counts, with the number: "1 operation".
pub fn counted(bound: u32, by: Bound) -> String {
    let what = match by {
        Bound::Operations => "operation",
        Bound::Disturbances => "disturbance",
    };
    format!("{bound} {what}{}", plural(bound.into()))
}

fn up_to(bound: u32, by: Bound) -> String {
    let of = match by {
        Bound::Operations => "of",
        Bound::Disturbances => "with",
    };
    format!("{of} up to {}", counted(bound, by))
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A figure beside its meter: "Wrong locks caught: 12 of 30".
pub fn share(words: &str, value: u32, most: u32) -> String {
    format!("{words}: {value} of {most}")
}

/// How many tests passed.
pub fn passed(report: &Report) -> usize {
    report.tests.iter().filter(|t| t.outcome == Outcome::Passed).count()
}

/// How far somebody has come with all katas.
pub fn of_katas(solved: usize, all: usize) -> String {
    format!("{solved} of {all} katas solved.")
}

/// How a kata stands, with a sign, so that nothing is said by colour alone.
pub fn standing(standing: Standing) -> String {
    match standing {
        Standing::NotBegun => "○ not begun".to_owned(),
        Standing::Begun(_, 0) => "◐ begun".to_owned(),
        Standing::Begun(passed, of) => format!("◐ {passed} of {of} tests"),
        Standing::Solved(of) => format!("✓ solved, {of} tests"),
    }
}

/// The verdict on the whole file, in a few words.
pub fn score(report: &Report) -> String {
    let all = report.tests.len();
    let passed = passed(report);
    let loaded = report.tests.iter().skip(1).any(|t| t.outcome != Outcome::NotRun);
    match passed {
        _ if all == 0 => "No tests were run.".to_owned(),
        0 if all > 1 && !loaded => "Your file did not load.".to_owned(),
        _ if passed == all => format!("All {all} tests passed."),
        _ => format!("{passed} of {all} tests passed."),
    }
}

/// The same with what to look at first.
pub fn verdict(report: &Report) -> String {
    let score = score(report);
    match report.first_failure() {
        None => score,
        Some(first) if first.message.is_empty() => format!("{score} First to look at: {}.", sentence(&first.name)),
        Some(first) => format!("{score} {}: {}", sentence(&first.name), headline(&first.message)),
    }
}

/// The first line of a message.
fn headline(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

/// 12345 as "12,345".
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A text with the parts between backticks told apart: every second one is code.
pub fn parts(text: &str) -> impl Iterator<Item = (bool, &str)> {
    text.split('`').enumerate().map(|(i, part)| (i % 2 == 1, part)).filter(|(_, part)| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_between_backticks_is_told_apart() {
        let told: Vec<_> = parts("set `lost` then, `a`").collect();
        assert_eq!(told, [(false, "set "), (true, "lost"), (false, " then, "), (true, "a")]);
    }

    #[test]
    fn names_become_sentences() {
        assert_eq!(sentence("a_stale_write_after_takeover_is_rejected"), "A stale write after takeover is rejected");
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn coverage_says_what_was_and_was_not_tried() {
        let mut search = Search { bound: 5, by: Bound::Operations, complete: true, complete_to: 5, schedules: 20_480 };
        let says = |search: &Search, outcome| coverage(search, outcome);
        assert_eq!(
            says(&search, Outcome::Passed),
            "Every schedule of up to 5 operations was tried, and longer ones: 20,480 in all."
        );
        search.complete = false;
        assert_eq!(says(&search, Outcome::Failed), "Found after 20,480 schedules, shortest first.");
        search.schedules = 1;
        assert_eq!(
            says(&search, Outcome::Stopped),
            "1 schedule tried; the search ended before all of up to 5 operations were."
        );
    }

    #[test]
    fn a_search_under_way_claims_only_what_it_has_completed() {
        let mut search = Search { bound: 5, by: Bound::Operations, complete: false, complete_to: 0, schedules: 1 };
        assert_eq!(reached(&search), "1 schedule tried");
        (search.complete_to, search.schedules) = (4, 12_500);
        assert_eq!(reached(&search), "12,500 schedules tried; all of up to 4 operations");
        (search.complete_to, search.by) = (1, Bound::Disturbances);
        assert_eq!(reached(&search), "12,500 schedules tried; all with up to 1 disturbance");
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
