//! The report on a run that had to be ended from outside, because its code could not be stopped from within.

use super::{Outcome, Report, suite};
use crate::report::TestReport;
use crate::{memory, signs};

/// Why it was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It gave no sign of life, see [`signs`].
    Silent,
    /// It asked for too much memory at once, see [`memory`].
    Memory,
    /// The stack under the interpreter ended.
    Stack,
}

/// What was known of a run when it ended.
#[derive(Debug, Default)]
pub struct Known {
    /// The tests that had ended.
    pub ended: Vec<TestReport>,
    /// The one that was under way.
    pub under_way: String,
}

impl Known {
    /// Takes in a sign. Of a test only the verdict is kept.
    pub fn hear(&mut self, sign: &signs::Sign<'_>) {
        match sign {
            signs::Sign::Alive => {}
            signs::Sign::Begins(test) => (*test).clone_into(&mut self.under_way),
            signs::Sign::Ended(test) => {
                let TestReport { name, outcome, message, line, traceback, .. } = *test;
                let blank = TestReport::blank(name, *outcome);
                let (message, traceback) = (message.clone(), traceback.clone());
                self.ended.push(TestReport { message, line: *line, traceback, ..blank });
            }
        }
    }
}

/// The report of a run of `kata` that was ended: its tests up to the one that was under way, which was stopped at about
/// `line`.
pub fn report(kata: &str, known: Known, line: Option<u32>, reason: Reason) -> Report {
    let Known { ended: mut tests, under_way } = known;
    let names = suite(kata).map(|suite| (suite.tests)()).unwrap_or_default();
    let stopped = if under_way.is_empty() { "loads" } else { under_way.as_str() };
    let message = words(line, reason);
    tests.push(TestReport { message, line, ..TestReport::blank(stopped, Outcome::Stopped) });
    let rest = names.into_iter().filter(|name| tests.iter().all(|test| test.name != *name)).collect::<Vec<_>>();
    tests.extend(rest.into_iter().map(|name| TestReport::not_run(name, "Not run: the run was ended before.")));
    Report::of(kata, tests, String::new())
}

/// What happened, where, and what to do about it.
pub fn words(line: Option<u32>, reason: Reason) -> String {
    let place = line.map_or_else(String::new, |line| {
        format!(
            " The last call or loop round before that began at line {line}; look there, and at what comes after it."
        )
    });
    match reason {
        Reason::Silent => format!(
            "The code was stopped: it was busy inside one of Python's own functions and came to no end.{place} Is there \
             a number that grows with every multiplication, a regular expression that backtracks for ever, or a text or \
             a list of millions of parts?"
        ),
        Reason::Stack => format!(
            "The code was stopped: calls or objects in it were nested too deep.{place} Is there a list of lists of lists \
             without end, or a function that leads to itself?"
        ),
        Reason::Memory => format!(
            "The code was stopped: it used too much memory, more than {} MB at once.{place} Is there a list, a text or a \
             number that grows without end, or one that is made far too large at once?",
            memory::MOST_AT_ONCE >> 20
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_ended_has_a_report_of_all_its_tests() {
        let mut known = Known::default();
        let passed = TestReport::passed("loads", "It loads.", None);
        known.hear(&signs::Sign::Begins("loads"));
        known.hear(&signs::Sign::Ended(&passed));
        let names = (suite("acquire-with-fencing").expect("it is there").tests)();
        known.hear(&signs::Sign::Begins(names[3]));
        known.hear(&signs::Sign::Alive);
        let report = report("acquire-with-fencing", known, Some(7), Reason::Silent);
        assert_eq!(report.tests.len(), names.len());
        let failure = report.first_failure().expect("one was stopped");
        assert_eq!((failure.name.as_str(), failure.outcome, failure.line), (names[3], Outcome::Stopped, Some(7)));
        assert!(failure.message.contains("began at line 7"), "{}", failure.message);
        assert_eq!(report.tests.iter().filter(|t| t.outcome == Outcome::NotRun).count(), report.tests.len() - 2);
    }

    #[test]
    fn memory_is_named_where_it_was_the_reason_and_no_line_is_made_up() {
        let words = words(None, Reason::Memory);
        assert!(words.contains("used too much memory") && !words.contains("line"), "{words}");
    }
}
