//! Prints what the checker was tried with, and what came of it.
//!
//! `trust table` runs everything and prints one table; each part can be run alone. `trust hostile` runs the whole corpus,
//! `trust hostile --list` prints it as JSON (`[{name, family, kata, source, must, watcher}]`) for the test of the page.
//!
//! Exit codes: 0 all is well, 1 something is to be done, 2 wrong usage.

#![allow(clippy::print_stdout, reason = "a command prints")]

use leasehold_checker::memory::Counted;
use leasehold_trust::fuzz;
use leasehold_trust::hostile::{self, Family, Must, Program};
use leasehold_trust::{mutants, table};
use std::process::ExitCode;

/// As in the command.
const STACK: usize = 4 << 20;

/// A program of the corpus that comes here is marked wrongly: it needs the watcher.
#[global_allocator]
static MEMORY: Counted = Counted(|| std::process::abort());

const USAGE: &str = "usage: trust hostile [--list]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let rest = args.get(1..).unwrap_or_default().to_vec();
    let outcome = match *words {
        ["hostile", "--list"] => {
            println!("{}", list());
            Ok(true)
        }
        ["hostile"] => on_a_deep_stack(hostile_programs),
        ["fuzz", ..] => fuzz::command(&rest, &mut std::io::stdout()),
        ["table", ..] => on_a_deep_stack(move || table::command(&rest, &mut |line| println!("{line}"))),
        ["mutants", ..] => mutants::command(&rest, &mut std::io::stdout()),
        _ => Err(format!("a subcommand is needed.\n\n{USAGE}\n{}{}{}", mutants::USAGE, fuzz::USAGE, table::USAGE)),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("trust: {message}");
            ExitCode::from(2)
        }
    }
}

fn on_a_deep_stack(work: impl FnOnce() -> Result<bool, String> + Send + 'static) -> Result<bool, String> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).map_err(|e| e.to_string())?;
    thread.join().unwrap_or_else(|_| Err("the checker fell over".to_owned()))
}

fn hostile_programs() -> Result<bool, String> {
    let families = hostile::tally(&mut |line| println!("{line}"))?;
    println!("| hostile programs | tried | survived | slowest |\n|---|---|---|---|");
    for (name, Family { tried, survived, longest_ms }) in &families {
        println!("| {name} | {tried} | {survived} | {longest_ms} ms |");
    }
    let sum = |of: fn(&Family) -> u32| families.values().map(of).sum::<u32>();
    let (tried, survived) = (sum(|family| family.tried), sum(|family| family.survived));
    println!("| all | {tried} | {survived} | |");
    Ok(tried == survived)
}

fn list() -> String {
    let object = |program: &Program| {
        let (must, says) = match &program.must {
            Must::Fail { says, .. } => ("fail", says.as_str()),
            Must::NotPass { test } => ("not pass", test.as_str()),
            Must::Pass => ("pass", ""),
            Must::End => ("end", ""),
        };
        serde_json::json!({
            "name": program.name, "family": program.family, "kata": program.kata, "source": program.source,
            "must": must, "says": says, "watcher": program.needs_the_watcher,
        })
    };
    serde_json::Value::Array(hostile::corpus().iter().map(object).collect()).to_string()
}
