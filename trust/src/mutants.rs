//! Mutants of the katas' own solutions: does each suite notice when its solution is changed a little?
//!
//! A wrong solution that somebody thought of shows that a test can fail. What nobody thought of is found by machine: every
//! place of `solution.py` is changed in every way that [`operators`] know, and the suite is run on each. A mutant that
//! passes is either right as well, and `trust/mutants/SLUG.toml` says why ([`listed`]), or shows a hole in the suite.
//!
//! ```
//! let mutants = leasehold_trust::mutants::derive("over = expiry <= now\n");
//! let of_the_boundary = mutants.iter().find(|mutant| mutant.id == "cmp:1:15:1").unwrap();
//! assert_eq!(of_the_boundary.change, "line 1: <= → <");
//! assert_eq!(of_the_boundary.source, "over = expiry < now\n");
//! ```

mod command;
mod expressions;
pub mod listed;
mod operators;
pub mod run;
mod statements;
pub mod tally;

pub use command::{USAGE, command, judge};

use operators::Edit;
use rustpython_compiler::{CompileOpts, Mode};
use std::collections::{BTreeMap, BTreeSet};

/// A solution with one small change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// `kind:line:column:n`, the nth of its kind at this place, from 1; lines and columns count from 1 too.
    pub id: String,
    /// What was changed, in one line.
    pub change: String,
    /// The whole file.
    pub source: String,
}

/// All mutants of `source` that compile, each text once, in the order of the file; none for a file that does not parse.
pub fn derive(source: &str) -> Vec<Mutant> {
    let mut edits = operators::edits(source);
    edits.sort_by_key(|edit| edit.range.start());
    let mut texts = BTreeSet::from([source.to_owned()]);
    let mut so_far: BTreeMap<String, u32> = BTreeMap::new();
    edits.iter().filter_map(|edit| mutant(source, edit, &mut texts, &mut so_far)).collect()
}

fn mutant(
    source: &str,
    edit: &Edit,
    texts: &mut BTreeSet<String>,
    so_far: &mut BTreeMap<String, u32>,
) -> Option<Mutant> {
    let (before, after) = (&source[..edit.range.start().into()], &source[edit.range.end().into()..]);
    let (line, column) = place(before);
    let place = format!("{}:{line}:{column}", edit.kind);
    let n = so_far.entry(place.clone()).or_default();
    *n += 1;
    let id = format!("{place}:{n}");
    let text = format!("{before}{}{after}", edit.text);
    let compiles = || rustpython_compiler::compile(&text, Mode::Exec, "mutant.py", CompileOpts::default()).is_ok();
    if texts.contains(&text) || !compiles() {
        return None;
    }
    texts.insert(text.clone());
    Some(Mutant { id, change: format!("line {line}: {}", edit.words), source: text })
}

/// Line and column of what comes after `before`.
fn place(before: &str) -> (usize, usize) {
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        derive(source).into_iter().map(|mutant| mutant.source).collect()
    }

    fn changes(source: &str) -> Vec<String> {
        derive(source).into_iter().map(|mutant| mutant.change).collect()
    }

    fn check(source: &str, expected: &[&str]) {
        let made = texts(source);
        for text in expected {
            assert!(made.iter().any(|made| made == text), "{text:?} is not among {made:#?}");
        }
    }

    #[test]
    fn a_comparison_is_moved_by_its_boundary_turned_and_negated() {
        check("x = (a) < b\n", &["x = (a) <= b\n", "x = (a) > b\n", "x = (a) >= b\n"]);
        check("x = a is not None\n", &["x = a is None\n"]);
        check("x = a not in b\n", &["x = a in b\n"]);
    }

    #[test]
    fn constants_are_nudged() {
        check("x = 0\n", &["x = 1\n", "x = (-1)\n"]);
        check("x = 0.25\n", &["x = 0.5\n", "x = 0.125\n", "x = 0.0\n"]);
        check("x = True\n", &["x = False\n"]);
        check("def f(x=None):\n    pass\n", &["def f(x=False):\n    pass\n"]);
    }

    #[test]
    fn operators_and_operands_change() {
        check("x = a + b * c\n", &["x = a - b * c\n", "x = a + b / c\n"]);
        check("x += 1\n", &["x -= 1\n"]);
        check("x = a and (b or c)\n", &["x = a or (b or c)\n", "x = a\n", "x = b or c\n", "x = a and (b and c)\n"]);
        check("x = not a\n", &["x = a\n"]);
        check("x = min(a, b)\n", &["x = max(a, b)\n", "x = (a)\n", "x = (b)\n"]);
        check("f(a, b, c)\n", &["f(b, a, c)\n", "f(a, c, b)\n"]);
    }

    #[test]
    fn statements_and_what_they_give_are_dropped() {
        check(
            "def f():\n    g()\n    return x\n",
            &[
                "def f():\n    pass\n    return x\n",
                "def f():\n    g()\n    return None\n",
                "def f():\n    g()\n    pass\n",
            ],
        );
        check("while a:\n    continue\n", &["while a:\n    pass\n", "while False:\n    continue\n"]);
    }

    #[test]
    fn branches_are_forced_swapped_and_emptied() {
        check(
            "if a:\n    b()\nelse:\n    c()\n",
            &[
                "if True:\n    b()\nelse:\n    c()\n",
                "if False:\n    b()\nelse:\n    c()\n",
                "if not (a):\n    b()\nelse:\n    c()\n",
                "if a:\n    b()\nelse:\n    pass\n",
            ],
        );
    }

    #[test]
    fn statements_around_an_await_change_places() {
        let source = "async def f():\n    x = 1\n    await g(\n        y)\n";
        check(source, &["async def f():\n    await g(\n        y)\n    x = 1\n"]);
        assert!(changes("x = 1\ny = x\n").iter().all(|change| !change.contains("after")));
    }

    #[test]
    fn handlers_are_emptied_dropped_widened_and_narrowed() {
        check(
            "try:\n    f()\nexcept (A, B):\n    g()\n",
            &[
                "try:\n    f()\nexcept (A, B):\n    raise\n",
                "try:\n    f()\nexcept (A, B):\n    pass\n",
                "try:\n    f()\nexcept Exception:\n    g()\n",
                "try:\n    f()\nexcept (B):\n    g()\n",
            ],
        );
    }

    #[test]
    fn docstrings_and_messages_are_left_alone() {
        assert!(derive("\"\"\"text\"\"\"\n").is_empty());
        assert_eq!(changes("raise E(f\"{a + 1}\")\n"), ["line 1: raise E(f\"{a + 1}\") dropped"]);
    }

    #[test]
    fn every_mutant_has_its_own_id_and_text_and_none_is_the_solution() {
        for kata in leasehold_exercises::katas() {
            let source = leasehold_exercises::solution(kata.slug).unwrap();
            let mutants = derive(source);
            let ids: BTreeSet<&str> = mutants.iter().map(|m| m.id.as_str()).collect();
            let texts: BTreeSet<&str> = mutants.iter().map(|m| m.source.as_str()).collect();
            assert!(mutants.len() >= 20, "{}: {} mutants", kata.slug, mutants.len());
            assert_eq!((ids.len(), texts.len()), (mutants.len(), mutants.len()), "{}", kata.slug);
            assert!(!texts.contains(source), "{}", kata.slug);
        }
    }
}
