//! The corpus, run: each program comes to what it must, and the next run works.

use leasehold_trust::hostile::{Beside, Program, corpus, try_all};

/// As in the command.
const STACK: usize = 4 << 20;

#[global_allocator]
static MEMORY: leasehold_checker::memory::Counted = leasehold_checker::memory::Counted(|| std::process::abort());

/// Runs the programs that `is_chosen` chooses, and fails with the list of those that came to something else.
fn survive(is_chosen: impl Fn(usize, &Program) -> bool) {
    let chosen: Vec<Program> =
        corpus().into_iter().enumerate().filter(|(n, program)| is_chosen(*n, program)).map(|(_, p)| p).collect();
    assert!(!chosen.is_empty());
    let wrong = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let command = Beside::command().expect("cargo builds the command for a test of the workspace");
        let mut wrong = Vec::new();
        try_all(&chosen, &command, |program, outcome| {
            if let Some(problem) = &outcome.wrong {
                wrong.push(format!("{} ({}): {problem}", program.name, program.kata));
            }
        });
        wrong
    });
    let wrong = wrong.expect("a thread starts").join().expect("the checker does not panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Families that are made by rule; the bin `trust` runs all of them, the tests every fifth.
fn is_made(program: &Program) -> bool {
    ["constructs", "cheats"].contains(&program.family)
}

#[test]
fn programs_written_by_hand_and_odd_sources_end_in_words() {
    survive(|_, program| !is_made(program) && !program.needs_the_watcher);
}

#[test]
fn what_only_the_watcher_can_end_ends_in_words_too() {
    survive(|_, program| program.needs_the_watcher);
}

#[test]
fn constructs_and_bodies_end_in_words() {
    survive(|n, program| program.family == "constructs" && n % 5 == 0);
}

#[test]
fn no_cheat_makes_a_wrong_lock_pass() {
    survive(|n, program| program.family == "cheats" && n % 3 == 0);
}
