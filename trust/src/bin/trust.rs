//! Prints what the checker was tried with, and what came of it.
//!
//! `trust hostile` runs the whole corpus, `trust hostile --list` prints it as JSON (`[{name, family, kata, source, must,
//! watcher}]`) for the test of the page.
//!
//! Exit codes: 0 all is well, 1 something is to be done, 2 wrong usage.

#![allow(clippy::print_stdout, reason = "a command prints")]

use leasehold_checker::memory::Counted;
use leasehold_trust::fuzz;
use leasehold_trust::hostile::{self, Beside, Must, Program};
use leasehold_trust::mutants;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// The bound of the design: one whole run of hostile code.
const LONGEST_MS: u128 = 2_000;

/// As in the command.
const STACK: usize = 4 << 20;

/// A program of the corpus that comes here is marked wrongly: it needs the watcher.
#[global_allocator]
static MEMORY: Counted = Counted(|| std::process::abort());

const USAGE: &str = "usage: trust hostile [--list]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match *words {
        ["hostile", "--list"] => {
            println!("{}", list());
            Ok(true)
        }
        ["hostile"] => on_a_deep_stack(hostile_programs),
        ["fuzz", ..] => fuzz::command(&args[1..], &mut std::io::stdout()),
        ["mutants", ..] => mutants::command(&args[1..], &mut std::io::stdout()),
        _ => Err(format!("a subcommand is needed.\n\n{USAGE}\n{}{}", mutants::USAGE, fuzz::USAGE)),
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

fn on_a_deep_stack(work: fn() -> Result<bool, String>) -> Result<bool, String> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).map_err(|e| e.to_string())?;
    thread.join().unwrap_or_else(|_| Err("the checker fell over".to_owned()))
}

#[derive(Default)]
struct Row {
    tried: u32,
    survived: u32,
    slow: u32,
    longest_ms: u128,
}

fn hostile_programs() -> Result<bool, String> {
    let command = Beside::command()?;
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    hostile::try_all(&hostile::corpus(), &command, |program, outcome| {
        let row = rows.entry(program.family).or_default();
        let ms = outcome.took.as_millis();
        row.tried += 1;
        row.survived += u32::from(outcome.wrong.is_none());
        row.slow += u32::from(ms > LONGEST_MS);
        row.longest_ms = row.longest_ms.max(ms);
        if let Some(wrong) = &outcome.wrong {
            println!("✗ {} ({}): {wrong}", program.name, program.family);
        }
        if ms > LONGEST_MS {
            println!("· {} ({}): {ms} ms", program.name, program.family);
        }
    });
    println!("| hostile programs | tried | survived | slowest |\n|---|---|---|---|");
    let mut all = Row::default();
    for (family, Row { tried, survived, slow, longest_ms }) in rows {
        println!("| {family} | {tried} | {survived} | {longest_ms} ms |");
        let longest_ms = all.longest_ms.max(longest_ms);
        all = Row { tried: all.tried + tried, survived: all.survived + survived, slow: all.slow + slow, longest_ms };
    }
    println!("| all | {} | {} | {} ms |", all.tried, all.survived, all.longest_ms);
    Ok(all.survived == all.tried)
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
