//! Prints what the checker was tried with, and what came of it.
//!
//! Exit codes: 0 all is well, 1 something is to be done, 2 wrong usage.

use leasehold_trust::mutants;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.split_first() {
        Some((word, rest)) if word == "mutants" => mutants::command(rest, &mut std::io::stdout()),
        _ => Err(format!("a subcommand is needed.\n\n{}", mutants::USAGE)),
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
