//! `trust mutants`.

use super::run::{self, Ending};
use super::tally::Tally;
use super::{Mutant, derive, listed};
use std::io::Write;
use std::num::NonZero;
use std::path::Path;

/// What the subcommand takes.
pub const USAGE: &str = "\
trust mutants [KATA] [-j N] [--every N] [--killers]
                                   run the suites on mutants of the solutions, N at a time (as many as there are cores), on
                                   every Nth of them; with --killers say which test killed each
trust mutants [KATA] --list        name the mutants
trust mutants KATA --show ID       print one
";

/// Runs the subcommand; true if there is nothing to be done.
///
/// # Errors
/// Wrong usage, an unreadable list, or output that can't be written, in a sentence.
pub fn command(args: &[String], out: &mut dyn Write) -> Result<bool, String> {
    if let [one, slug] = args
        && one == "--one"
    {
        let line = run::one(slug)?;
        return say(out, &line).map(|()| true);
    }
    let args = Args::of(args)?;
    let mut done = Done::new(out, !args.lists && args.show.is_none())?;
    for kata in leasehold_exercises::katas().iter().filter(|kata| args.kata.is_none_or(|slug| slug == kata.slug)) {
        let mutants = derive(leasehold_exercises::solution(kata.slug).unwrap_or_default());
        if args.lists {
            done.list(kata.slug, &mutants)?;
        } else if let Some(id) = args.show {
            let found = mutants.iter().find(|mutant| mutant.id == id);
            let found = found.ok_or_else(|| format!("{} has no mutant {id}", kata.slug))?;
            say(done.out, &found.source)?;
        } else {
            done.kata(kata.slug, &mutants, &args)?;
        }
    }
    done.end()
}

struct Args<'a> {
    kata: Option<&'a str>,
    lists: bool,
    show: Option<&'a str>,
    jobs: usize,
    every: usize,
    killers: bool,
}

impl<'a> Args<'a> {
    fn of(args: &'a [String]) -> Result<Self, String> {
        let jobs = std::thread::available_parallelism().map_or(1, NonZero::get);
        let mut it = Args { kata: None, lists: false, show: None, jobs, every: 1, killers: false };
        let mut words = args.iter();
        let number = |word: Option<&String>| {
            let number = word.and_then(|word| word.parse::<usize>().ok()).filter(|n| *n > 0);
            number.ok_or_else(|| format!("-j and --every take a number from 1 on.\n\n{USAGE}"))
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--list" => it.lists = true,
                "--killers" => it.killers = true,
                "--show" => it.show = words.next().map(String::as_str),
                joined if joined.starts_with("-j") && joined.len() > 2 => {
                    it.jobs = number(Some(&joined[2..].to_owned()))?
                }
                "-j" => it.jobs = number(words.next())?,
                "--every" => it.every = number(words.next())?,
                slug if it.kata.is_none() && leasehold_exercises::kata(slug).is_some() => it.kata = Some(slug),
                other => return Err(format!("there is no kata and no option {other}.\n\n{USAGE}")),
            }
        }
        match it {
            Args { kata: None, show: Some(_), .. } => Err(format!("--show takes a kata too.\n\n{USAGE}")),
            it => Ok(it),
        }
    }
}

/// What was said and found so far.
struct Done<'o> {
    out: &'o mut dyn Write,
    is_table: bool,
    whole: Tally,
}

impl<'o> Done<'o> {
    fn new(out: &'o mut dyn Write, is_table: bool) -> Result<Self, String> {
        if is_table {
            say(out, &Tally::head())?;
        }
        Ok(Done { out, is_table, whole: Tally { kata: "all".to_owned(), ..Tally::default() } })
    }

    fn list(&mut self, slug: &str, mutants: &[Mutant]) -> Result<(), String> {
        mutants.iter().try_for_each(|mutant| say(self.out, &format!("{slug} {} {}", mutant.id, mutant.change)))
    }

    fn kata(&mut self, slug: &str, mutants: &[Mutant], args: &Args<'_>) -> Result<(), String> {
        let tally = judge(&own_path()?, slug, mutants, args.every, args.jobs, |mutant, ending| {
            if args.killers {
                let _ = say(self.out, &format!("{} {:?} {}", mutant.id, ending, mutant.change));
            }
        })?;
        say(self.out, &tally.to_string())?;
        tally.findings.iter().try_for_each(|finding| say(self.out, &format!("  {finding}")))?;
        self.whole = std::mem::take(&mut self.whole).and(&tally);
        Ok(())
    }

    fn end(self) -> Result<bool, String> {
        if self.is_table {
            say(self.out, &self.whole.to_string())?;
        }
        Ok(self.whole.findings.is_empty())
    }
}

/// Runs every nth mutant of a kata and holds what became of them against its list; `hear` is told of each.
///
/// # Errors
/// The list can't be read.
pub fn judge(
    trust: &Path,
    slug: &str,
    mutants: &[Mutant],
    every: usize,
    jobs: usize,
    mut hear: impl FnMut(&Mutant, &Ending),
) -> Result<Tally, String> {
    let listed = listed::read(slug)?;
    let sample: Vec<&Mutant> = mutants.iter().step_by(every).collect();
    let endings = run::all(trust, slug, &sample, jobs);
    sample.iter().zip(&endings).for_each(|(mutant, ending)| hear(mutant, ending));
    Ok(Tally::of(slug, mutants, &sample, &endings, &listed))
}

fn own_path() -> Result<std::path::PathBuf, String> {
    std::env::current_exe().map_err(|e| format!("this command does not find itself: {e}"))
}

fn say(out: &mut dyn Write, line: &str) -> Result<(), String> {
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|e| format!("output can't be written: {e}"))
}
