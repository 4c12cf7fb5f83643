//! What came of the corpus, by family.

use super::{Beside, Outcome, Program, corpus, try_all};
use std::collections::BTreeMap;

/// The bound of the design: one whole run of hostile code.
const LONGEST_MS: u128 = 2_000;

/// A family's row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Family {
    /// How many programs were tried.
    pub tried: u32,
    /// How many of them came to what they must.
    pub survived: u32,
    /// How long the slowest took.
    pub longest_ms: u128,
}

/// The families' names, in order.
pub fn families() -> Vec<&'static str> {
    let mut names: Vec<&str> = corpus().iter().map(|program| program.family).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Runs all of it; `say` hears of each program that came to something else (`✗`) or took long (`·`).
///
/// # Errors
/// The command that the watched ones need is not built.
pub fn tally(say: &mut dyn FnMut(&str)) -> Result<BTreeMap<&'static str, Family>, String> {
    let command = Beside::command()?;
    let mut families: BTreeMap<&str, Family> = BTreeMap::new();
    try_all(&corpus(), &command, |program, outcome| {
        families.entry(program.family).or_default().add(outcome);
        told(program, outcome, say);
    });
    Ok(families)
}

impl Family {
    fn add(&mut self, outcome: &Outcome) {
        self.tried += 1;
        self.survived += u32::from(outcome.wrong.is_none());
        self.longest_ms = self.longest_ms.max(outcome.took.as_millis());
    }
}

fn told(Program { name, family, .. }: &Program, outcome: &Outcome, say: &mut dyn FnMut(&str)) {
    let ms = outcome.took.as_millis();
    if let Some(wrong) = &outcome.wrong {
        say(&format!("✗ {name} ({family}): {wrong}"));
    }
    if ms > LONGEST_MS {
        say(&format!("· {name} ({family}): {ms} ms"));
    }
}
