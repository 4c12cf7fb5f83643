//! `trust fuzz`.

use super::{Fall, Outcome, Target, all, catch_panics, target};
use std::io::Write;

/// What the subcommand takes.
pub const USAGE: &str = "\
trust fuzz [TARGET] [--times N] [--seed N]
                                   try half-right texts on everything that reads text from outside, N times as many as the
                                   tests do, drawn from seed N
trust fuzz --list                  name the targets
";

/// So much of a text that fell out is printed, in characters.
const MOST_SHOWN: usize = 4_000;

/// Runs the subcommand; true if nothing fell out.
///
/// # Errors
/// Wrong usage, or output that can't be written, in a sentence.
pub fn command(args: &[String], out: &mut dyn Write) -> Result<bool, String> {
    let args = Args::of(args)?;
    let mut say = |line: String| writeln!(out, "{line}").map_err(|e| format!("output can't be written: {e}"));
    if args.lists {
        all().iter().try_for_each(|target| say(format!("{:<16} {}", target.name, target.reads)))?;
        return Ok(true);
    }
    catch_panics();
    let mut is_clean = true;
    say(format!("{:<16} {:>10} {:>10}  fell", "target", "executions", "taken"))?;
    for target in all().iter().filter(|target| args.target.is_none_or(|name| name == target.name)) {
        let outcome = run(target, args.seed, args.times)?;
        let Outcome { tried, taken, fell } = outcome;
        say(format!("{:<16} {tried:>10} {taken:>10}  {}", target.name, u32::from(fell.is_some())))?;
        if let Some(Fall { text, why }) = fell {
            is_clean = false;
            let shown: String = text.chars().take(MOST_SHOWN).collect();
            say(format!("  {why}\n  {shown:?}"))?;
        }
    }
    Ok(is_clean)
}

/// Runs a target, watched. What is tried lies in a file meanwhile: if the process dies, that is all that is known.
///
/// # Errors
/// The file can't be written.
fn run(target: &'static Target, seed: u64, times: u32) -> Result<Outcome, String> {
    let place = std::env::temp_dir().join(format!("leasehold-fuzz-{}.txt", target.name));
    std::fs::write(&place, "").map_err(|e| format!("{}: {e}", place.display()))?;
    let last = place.clone();
    // The next text is written over it at once, so what can't be written is no loss.
    let outcome =
        target.run_watched(seed, target.short.saturating_mul(times), move |text| drop(std::fs::write(&last, text)));
    let _ = std::fs::remove_file(&place);
    Ok(outcome)
}

struct Args<'a> {
    target: Option<&'a str>,
    times: u32,
    seed: u64,
    lists: bool,
}

impl<'a> Args<'a> {
    fn of(args: &'a [String]) -> Result<Self, String> {
        let mut it = Args { target: None, times: 1, seed: 1, lists: false };
        let wrong = |what: String| format!("{what}\n\n{USAGE}");
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let mut number = || {
                let number = words.next().and_then(|word| word.parse::<u64>().ok());
                number.ok_or_else(|| wrong(format!("{word} takes a number.")))
            };
            match word.as_str() {
                "--list" => it.lists = true,
                "--seed" => it.seed = number()?,
                "--times" => it.times = u32::try_from(number()?).unwrap_or(u32::MAX).max(1),
                name if it.target.is_none() && target(name).is_some() => it.target = Some(name),
                other => return Err(wrong(format!("{other} is no target, and nothing else that is known here."))),
            }
        }
        Ok(it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(args: &[&str]) -> Result<String, String> {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let mut out = Vec::new();
        command(&args, &mut out).map(|_| String::from_utf8(out).unwrap())
    }

    #[test]
    fn every_target_is_listed_and_no_two_have_one_name() {
        let list = said(&["--list"]).unwrap();
        let names: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
        assert!(names.len() >= 12 && names.len() == all().len(), "{names:?}");
        assert!(names.iter().enumerate().all(|(i, name)| !names[..i].contains(name)), "{names:?}");
    }

    #[test]
    fn wrong_usage_is_told_in_words() {
        for args in [&["no-such-target"][..], &["--times"], &["--seed", "x"], &["records", "links"]] {
            assert!(said(args).unwrap_err().contains("trust fuzz"), "{args:?}");
        }
    }
}
