//! Mutants that survive because they are right: `trust/mutants/SLUG.toml`.

use super::Mutant;
use serde::Deserialize;
use std::path::Path;

/// A mutant that no test can tell from a right solution.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equivalent {
    /// [`Mutant::id`].
    pub id: String,
    /// [`Mutant::change`]: if the solution was edited, the id may have come to mean another one.
    pub change: String,
    /// Why it is right, in a sentence.
    pub why: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    equivalent: Vec<Equivalent>,
}

/// What is listed for a kata; nothing if there is no file.
///
/// # Errors
/// The file can't be read or is no such list, in a sentence.
pub fn read(slug: &str) -> Result<Vec<Equivalent>, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mutants").join(format!("{slug}.toml"));
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path).map_err(|e| format!("mutants/{slug}.toml can't be read: {e}"))?;
    let file: File = toml::from_str(&text).map_err(|e| format!("mutants/{slug}.toml: {e}"))?;
    Ok(file.equivalent)
}

impl Equivalent {
    /// Whether it speaks of this mutant.
    pub fn is(&self, mutant: &Mutant) -> bool {
        self.id == mutant.id && self.change == mutant.change
    }
}
