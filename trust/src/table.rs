//! One table of all that the checker was tried with: `trust table`. With `--readme` it goes into README.md, between two
//! marks, so that what stands there was made by the command.

use crate::mutants::tally::Finding;
use crate::{fuzz, hostile, mutants, right};
use leasehold_checker::python;
use leasehold_exercises::{katas, solution};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the subcommand takes.
pub const USAGE: &str = "\
trust table [--readme]             run all of it, print the table, or put it into README.md; the numbers of fuzzing are ten
                                   times those of a test run
";

/// The marks in README.md.
const MARKS: [&str; 2] = ["<!-- trust -->", "<!-- /trust -->"];
/// How many times the texts of a test run are tried.
const TIMES: &str = "10";
/// What the texts are drawn from; the tests have 1.
const SEED: &str = "2";

/// The whole table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    katas: Section,
    hostile: Section,
    fuzz: Section,
    /// Whatever is to be done.
    findings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    head: &'static [&'static str],
    rows: Vec<Row>,
}

/// A row: what it is about, and a number for each column after that.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    name: String,
    counts: Vec<usize>,
}

/// Runs the subcommand; true if there is nothing to be done. `say` hears what is to be done as it is found.
///
/// # Errors
/// Wrong usage, something that can't be read or written, or a README without marks, in a sentence.
pub fn command(args: &[String], say: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let is_for_readme = match args {
        [] => false,
        [word] if word == "--readme" => true,
        _ => return Err(format!("that is nothing that a table takes.\n\n{USAGE}")),
    };
    // A README that can't take it is better known before than after half an hour.
    let readme = if is_for_readme { Some(readme()?) } else { None };
    let mut table = Table::blank();
    table.fill(say)?;
    let markdown = table.markdown();
    match readme {
        Some((path, text)) => {
            let text = replaced(&text, &markdown)?;
            std::fs::write(&path, text).map_err(|e| format!("README.md can't be written: {e}"))?;
        }
        None => say(&markdown),
    }
    Ok(table.findings.is_empty())
}

/// README.md: where it lies, and its text. It has its marks.
fn readme() -> Result<(PathBuf, String), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("README.md can't be read: {e}"))?;
    between(&text)?;
    Ok((path, text))
}

impl Table {
    /// All its rows, with nothing tried.
    pub fn blank() -> Self {
        let section = |head: &'static [&'static str], names: Vec<String>| {
            let row = |name| Row { name, counts: vec![0; head.len() - 1] };
            Section { head, rows: names.into_iter().map(row).collect() }
        };
        Table {
            katas: section(
                &["kata", "mutants", "killed", "right as well", "left", "right solutions", "passed"],
                katas().iter().map(|kata| kata.slug.to_owned()).collect(),
            ),
            hostile: section(
                &["hostile programs", "tried", "survived"],
                hostile::families().into_iter().map(str::to_owned).collect(),
            ),
            fuzz: section(&["fuzzing", "executions", "fell"], fuzz::all().iter().map(named).collect()),
            findings: Vec::new(),
        }
    }

    /// Runs everything.
    fn fill(&mut self, say: &mut dyn FnMut(&str)) -> Result<(), String> {
        self.try_hostile(say)?;
        for kata in 0..katas().len() {
            self.try_mutants(kata, say)?;
            self.try_solutions(kata, say)?;
        }
        self.try_targets(say)
    }

    fn try_hostile(&mut self, say: &mut dyn FnMut(&str)) -> Result<(), String> {
        let said = part(&["hostile"])?;
        for row in &mut self.hostile.rows {
            match said.lines().find_map(|line| numbers(line, &row.name)) {
                Some(counts) => row.counts = counts.into_iter().take(2).collect(),
                None => self.findings.push(format!("hostile programs of the family {}: no figures came", row.name)),
            }
        }
        self.findings.extend(said.lines().filter(|line| line.starts_with('✗')).map(str::to_owned));
        self.findings.iter().for_each(|finding| say(finding));
        Ok(())
    }

    fn try_mutants(&mut self, kata: usize, say: &mut dyn FnMut(&str)) -> Result<(), String> {
        let row = &mut self.katas.rows[kata];
        let derived = mutants::derive(solution(&row.name).unwrap_or_default());
        let jobs = std::thread::available_parallelism().map_or(1, NonZero::get);
        let tally = mutants::judge(&own_path()?, &row.name, &derived, 1, jobs, |_, _| ())?;
        let is_left = |finding: &&Finding| !matches!(finding, Finding::Entry(..));
        let left = tally.findings.iter().filter(is_left).count();
        row.counts[..4].copy_from_slice(&[tally.mutants, tally.killed, tally.equivalent, left]);
        for finding in &tally.findings {
            self.findings.push(format!("{}: {finding}", row.name));
            say(&format!("✗ {}: {finding}", row.name));
        }
        Ok(())
    }

    fn try_solutions(&mut self, kata: usize, say: &mut dyn FnMut(&str)) -> Result<(), String> {
        let row = &mut self.katas.rows[kata];
        for solution in right::solutions(&row.name)? {
            let alarm = right::alarm(&row.name, &solution);
            row.counts[4] += 1;
            row.counts[5] += usize::from(alarm.is_none());
            alarm.iter().for_each(|alarm| say(&format!("✗ {alarm}")));
            self.findings.extend(alarm);
            python::enter(|py| py.collect_garbage());
        }
        Ok(())
    }

    fn try_targets(&mut self, say: &mut dyn FnMut(&str)) -> Result<(), String> {
        for (row, target) in self.fuzz.rows.iter_mut().zip(fuzz::all()) {
            let said = part(&["fuzz", target.name, "--times", TIMES, "--seed", SEED])?;
            match said.lines().find_map(|line| numbers(line, target.name)).as_deref() {
                Some([tried, _, fell]) => row.counts = vec![*tried, *fell],
                _ => row.counts = vec![0, 1],
            }
            if row.counts[1] > 0 {
                self.findings.push(format!("{}: {said}", target.name));
                say(&format!("✗ {}: {said}", target.name));
            }
        }
        Ok(())
    }

    /// As Markdown: a table for the katas, one for hostile programs, one for fuzzing.
    pub fn markdown(&self) -> String {
        [&self.katas, &self.hostile, &self.fuzz].map(Section::markdown).join("\n")
    }
}

/// What `trust` says when it is called with these arguments. Some parts have a process of their own: one that brings down the
/// process is a finding, and what one leaves behind in memory does not count for the next.
fn part(args: &[&str]) -> Result<String, String> {
    let output = Command::new(own_path()?).args(args).output().map_err(|e| format!("no process could be run: {e}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn own_path() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|e| format!("this command does not find itself: {e}"))
}

/// The numbers in a line, a row of a table or not, that begins with this name; those of other columns are left out.
fn numbers(line: &str, name: &str) -> Option<Vec<usize>> {
    let rest = line.trim_start_matches('|').trim_start().strip_prefix(name)?;
    let numbers: Vec<usize> = rest.split([' ', '|']).filter_map(|word| word.parse().ok()).collect();
    (rest.starts_with(' ') && !numbers.is_empty()).then_some(numbers)
}

fn named(target: &fuzz::Target) -> String {
    format!("`{}`: {}", target.name, target.reads)
}

impl Section {
    fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let head: Vec<String> = self.head.iter().map(|cell| (*cell).to_owned()).collect();
        let rules: Vec<String> = (0..head.len()).map(|i| if i == 0 { "---" } else { "---:" }.to_owned()).collect();
        let row = |Row { name, counts }: &Row| {
            let counts = counts.iter().map(|count| grouped(*count));
            line(&std::iter::once(name.clone()).chain(counts).collect::<Vec<_>>())
        };
        let rows: String = self.rows.iter().map(row).collect();
        [line(&head), line(&rules), rows, row(&self.all())].concat()
    }

    /// The sums.
    fn all(&self) -> Row {
        let mut all = Row { name: "all".to_owned(), counts: vec![0; self.head.len() - 1] };
        for row in &self.rows {
            all.counts.iter_mut().zip(&row.counts).for_each(|(sum, count)| *sum += count);
        }
        all
    }
}

/// `1,234,567`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let three: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|part| std::str::from_utf8(part).ok()).collect();
    three.join(",")
}

/// What stands between the marks.
///
/// # Errors
/// One of them is missing.
pub fn between(readme: &str) -> Result<&str, String> {
    let [begins, ends] = MARKS;
    let rest = readme.split_once(begins).and_then(|(_, rest)| rest.split_once(ends));
    rest.map(|(table, _)| table).ok_or_else(|| format!("README.md has no marks {begins} and {ends} for the table"))
}

/// The README with another table between its marks.
///
/// # Errors
/// One of them is missing.
pub fn replaced(readme: &str, table: &str) -> Result<String, String> {
    let old = between(readme)?;
    let [begins, ends] = MARKS;
    Ok(readme.replacen(&[begins, old, ends].concat(), &[begins, "\n\n", table, "\n", ends].concat(), 1))
}

/// What a table is about, whatever its numbers: its heads, and what its rows begin with.
pub fn shape(markdown: &str) -> Vec<&str> {
    let mut shape = Vec::new();
    let mut is_inside = false;
    for line in markdown.lines().map(str::trim) {
        let is_row = line.starts_with('|');
        match (is_row, is_inside) {
            (true, false) => shape.push(line),
            (true, true) => shape.extend(line.split(" | ").next().filter(|cell| !cell.contains("---"))),
            (false, _) => {}
        }
        is_inside = is_row;
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_its_sums_and_groups_what_is_large() {
        let row = |name: &str, counts: [usize; 2]| Row { name: name.to_owned(), counts: counts.to_vec() };
        let section =
            Section { head: &["what", "tried", "fell"], rows: vec![row("a", [1_234_567, 0]), row("b", [8, 1])] };
        assert_eq!(
            section.markdown(),
            "| what | tried | fell |\n| --- | ---: | ---: |\n| a | 1,234,567 | 0 |\n| b | 8 | 1 |\n| all | 1,234,575 | 1 |\n"
        );
    }

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let readme = "# A\n<!-- trust -->\nold\n<!-- /trust -->\nthe rest\n";
        let table = Table::blank().markdown();
        let new = replaced(readme, &table).unwrap();
        assert!(
            new.starts_with("# A\n<!-- trust -->\n\n| kata |") && new.ends_with("|\n\n<!-- /trust -->\nthe rest\n")
        );
        assert_eq!(replaced(&new, &table), Ok(new.clone()));
        assert_eq!(shape(between(&new).unwrap()), shape(&table));
        assert!(replaced("# A\n<!-- trust -->\n", &table).unwrap_err().contains("marks"));
    }

    #[test]
    fn the_shape_is_heads_and_first_cells() {
        assert_eq!(
            shape("| a | b |\n|---|---|\n| x | 1 |\n\n| c | d |\n|---|---|\n"),
            ["| a | b |", "| x", "| c | d |"]
        );
    }

    #[test]
    fn figures_are_read_from_rows_and_from_columns() {
        assert_eq!(numbers("| tasks and sleeps | 32 | 31 | 1017 ms |", "tasks and sleeps"), Some(vec![32, 31, 1017]));
        assert_eq!(numbers("links                   500          2  0", "links"), Some(vec![500, 2, 0]));
        assert_eq!(numbers("sessions                500          2  0", "session"), None);
        assert_eq!(numbers("· a program (tasks): 2 ms", "tasks"), None);
    }

    #[test]
    fn wrong_usage_is_told_in_words() {
        assert!(command(&["--nothing".to_owned()], &mut |_| ()).unwrap_err().contains("trust table"));
    }
}
