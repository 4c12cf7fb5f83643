//! Right solutions of very different make (`trust/right/SLUG/*.py`). They were written from a kata's chapter and starter
//! alone, without a look at its suite: data structures, control flow and whatever the task leaves open differ from file to
//! file. One that fails is a false alarm, the worst bug that a suite can have.

use leasehold_checker::suites;
use std::fs;
use std::path::Path;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The name of its file.
    pub name: String,
    /// The whole file.
    pub source: String,
}

/// Those of a kata, in the order of their names.
///
/// # Errors
/// What can't be read, in a sentence.
pub fn solutions(slug: &str) -> Result<Vec<Solution>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("right").join(slug);
    let wrong = |e: std::io::Error| format!("right/{slug}: {e}");
    let mut solutions = Vec::new();
    for entry in fs::read_dir(&folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.extension().is_some_and(|extension| extension == "py") {
            let name = path.file_name().unwrap_or_default().display().to_string();
            solutions.push(Solution { name, source: fs::read_to_string(&path).map_err(wrong)? });
        }
    }
    solutions.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(solutions)
}

/// What the suite of a kata has against a right solution; nothing if it passes.
pub fn alarm(slug: &str, Solution { name, source }: &Solution) -> Option<String> {
    let Some(report) = suites::check(slug, source) else { return Some(format!("{slug}: no suite")) };
    if report.tests.len() < 2 {
        return Some(format!("{slug}/{name}: nothing was tested"));
    }
    let test = report.first_failure()?;
    let line = test.line.map(|line| format!(", line {line}")).unwrap_or_default();
    let replay = test.replay.as_deref().unwrap_or("none");
    Some(format!("{slug}/{name}{line}: {}: {}\n  replay {replay}", test.name, test.message))
}
