//! What came of a kata's mutants: a row of the table, and what is to be done.

use super::Mutant;
use super::listed::Equivalent;
use super::run::Ending;
use std::fmt::{self, Display};

/// A kata's row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The kata's slug.
    pub kata: String,
    /// How many were run.
    pub mutants: usize,
    /// How many the suite noticed, those that had to be ended from outside among them.
    pub killed: usize,
    /// How many survived and are listed as right.
    pub equivalent: usize,
    /// What is to be done; nothing if all is well.
    pub findings: Vec<Finding>,
}

/// Something to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A mutant that passed every test and is not listed: its id and change.
    Survivor(String, String),
    /// A mutant that the checker fell over: its id and how.
    Crash(String, String),
    /// An entry of the list that is not right, and what is wrong with it.
    Entry(String, &'static str),
}

impl Tally {
    /// Holds what became of `mutants` against the list. `all` are all that the solution has, in case that only a sample was
    /// run.
    pub fn of(kata: &str, all: &[Mutant], mutants: &[&Mutant], endings: &[Ending], listed: &[Equivalent]) -> Self {
        let mut tally = Tally { kata: kata.to_owned(), mutants: mutants.len(), ..Tally::default() };
        for (mutant, ending) in mutants.iter().zip(endings) {
            let is_listed = listed.iter().any(|entry| entry.is(mutant));
            match ending {
                Ending::Killed(_) if is_listed => {
                    tally.killed += 1;
                    tally.findings.push(Finding::Entry(mutant.id.clone(), "a test kills it"));
                }
                Ending::Killed(_) | Ending::Late => tally.killed += 1,
                Ending::Survived if is_listed => tally.equivalent += 1,
                Ending::Survived => tally.findings.push(Finding::Survivor(mutant.id.clone(), mutant.change.clone())),
                Ending::Crashed(how) => tally.findings.push(Finding::Crash(mutant.id.clone(), how.clone())),
            }
        }
        tally.findings.extend(bad_entries(all, listed));
        tally
    }

    /// How many survived and nobody said why.
    pub fn survivors(&self) -> usize {
        self.findings.iter().filter(|finding| matches!(finding, Finding::Survivor(..))).count()
    }

    /// Of those that are not right, how many the suite noticed, in percent.
    pub fn score(&self) -> f64 {
        let wrong = self.mutants - self.equivalent;
        if wrong == 0 { 100.0 } else { 100.0 * self.killed as f64 / wrong as f64 }
    }

    /// Both together, under the name of the whole.
    #[must_use]
    pub fn and(mut self, other: &Tally) -> Self {
        self.mutants += other.mutants;
        self.killed += other.killed;
        self.equivalent += other.equivalent;
        self.findings.extend(other.findings.iter().cloned());
        self
    }

    /// Heads the table whose rows tallies are.
    pub fn head() -> String {
        format!(
            "{:<22} {:>7} {:>6} {:>10} {:>9} {:>7}",
            "kata", "mutants", "killed", "equivalent", "survivors", "score"
        )
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { kata, mutants, killed, equivalent, .. } = self;
        let (survivors, score) = (self.survivors(), self.score());
        write!(f, "{kata:<22} {mutants:>7} {killed:>6} {equivalent:>10} {survivors:>9} {score:>5.1} %")
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Survivor(id, change) => write!(f, "{id} survives: {change}"),
            Finding::Crash(id, how) => write!(f, "{id} brings the checker down: {how}"),
            Finding::Entry(id, what) => write!(f, "{id} is listed, but {what}"),
        }
    }
}

fn bad_entries(all: &[Mutant], listed: &[Equivalent]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (n, entry) in listed.iter().enumerate() {
        let wrong = if !all.iter().any(|mutant| entry.is(mutant)) {
            Some("there is no such mutant")
        } else if entry.why.trim().is_empty() {
            Some("without a reason")
        } else if listed[..n].iter().any(|earlier| earlier.id == entry.id) {
            Some("twice")
        } else {
            None
        };
        findings.extend(wrong.map(|wrong| Finding::Entry(entry.id.clone(), wrong)));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(id: &str) -> Mutant {
        Mutant { id: id.to_owned(), change: format!("{id} changed"), source: String::new() }
    }

    fn entry(id: &str, why: &str) -> Equivalent {
        Equivalent { id: id.to_owned(), change: format!("{id} changed"), why: why.to_owned() }
    }

    fn tally(endings: &[Ending], listed: &[Equivalent]) -> Tally {
        let all = [mutant("a"), mutant("b"), mutant("c")];
        Tally::of("kata", &all, &all.iter().collect::<Vec<_>>(), endings, listed)
    }

    #[test]
    fn a_listed_survivor_is_right_and_any_other_is_a_finding() {
        let endings = [Ending::Killed("test".to_owned()), Ending::Survived, Ending::Survived];
        let it = tally(&endings, &[entry("b", "it changes nothing")]);
        assert_eq!((it.killed, it.equivalent, it.survivors()), (1, 1, 1));
        assert_eq!(it.findings, [Finding::Survivor("c".to_owned(), "c changed".to_owned())]);
        assert!((it.score() - 50.0).abs() < f64::EPSILON);
    }

    #[test]
    fn one_that_never_ends_counts_as_killed_and_a_crash_does_not() {
        let it = tally(&[Ending::Late, Ending::Late, Ending::Crashed("how".to_owned())], &[]);
        assert_eq!((it.killed, it.findings.len()), (2, 1));
    }

    #[test]
    fn entries_are_refused_that_are_killed_unknown_unreasoned_or_come_twice() {
        let endings = [Ending::Killed("test".to_owned()), Ending::Survived, Ending::Survived];
        let listed = [entry("a", "why"), entry("b", " "), entry("c", "why"), entry("c", "why"), entry("d", "why")];
        let it = tally(&endings, &listed);
        let words: Vec<String> = it.findings.iter().map(ToString::to_string).collect();
        assert_eq!(
            words,
            [
                "a is listed, but a test kills it",
                "b is listed, but without a reason",
                "c is listed, but twice",
                "d is listed, but there is no such mutant",
            ]
        );
    }
}
