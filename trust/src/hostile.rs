//! Hostile programs: those written by hand (`trust/hostile/*.py`), and families made from constructs and bodies, from
//! cheats and wrong locks, from odd sources. What each must end in stands in its [`Must`].

mod cheats;
mod families;
mod hand;
mod run;
mod sources;
mod tally;

pub use run::{Beside, Outcome, judge_here, try_all};
pub use tally::{Family, families, tally};

/// One program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Says where it comes from.
    pub name: String,
    /// What kind of hostility it is.
    pub family: &'static str,
    /// The kata that it runs on, a slug.
    pub kata: &'static str,
    /// The whole file, as bytes are read from it.
    pub source: String,
    /// What must come of it.
    pub must: Must,
    /// Whether only the watcher can end it: then it gets a process of its own.
    pub needs_the_watcher: bool,
}

/// What must come of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Must {
    /// A failed verdict that says something, with a line where `line` is set, and these words.
    Fail {
        /// Whether the first failure must name the learner's line.
        line: bool,
        /// What must stand in its message; may be empty.
        says: String,
    },
    /// It is attached to a wrong lock: this test must not pass.
    NotPass {
        /// The test that kills the lock.
        test: String,
    },
    /// It does no harm: the lock under it is right, and must pass.
    Pass,
    /// Any verdict, if only there is one: the hostile part may be swallowed where Python itself swallows it.
    End,
}

/// All of them.
pub fn corpus() -> Vec<Program> {
    let mut all = hand::programs();
    all.extend(families::programs());
    all.extend(cheats::programs());
    all.extend(sources::programs());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_many_and_no_two_of_one_name() {
        let all = corpus();
        let names: BTreeSet<&str> = all.iter().map(|program| program.name.as_str()).collect();
        assert!(all.len() >= 150, "{}", all.len());
        assert_eq!(names.len(), all.len());
        let families: BTreeSet<&str> = all.iter().map(|program| program.family).collect();
        assert!(families.len() >= 10, "{families:?}");
    }
}
