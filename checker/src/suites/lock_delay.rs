//! Kata 13: kata 3's `LockService` with a lock-delay, `LockService(clock, lock_delay=15)`.
//!
//! Answers are held against kata 3's reference, which knows of lock-delays; what is allowed there is allowed here. Two
//! things are the kata's own choice, since real services differ in them: the delay is refused to everybody, the last holder
//! included (Consul; Chubby lets that one in), and a release that comes too late does not end it.

mod scripts;

use super::Suite;
use super::compare_and_delete;
use super::compare_and_delete::judge::{DELAY, DelayingService, Tried};
use super::compare_and_delete::rules::{Rules, verb};
use super::runner::{self, Kata, Options, Test};
use super::sequential::{Hunt, Lab, script};
use crate::explore::replay::{BadReplay, Replay};
use crate::python::{Problem, Program, Python};

/// The suite.
pub const SUITE: Suite = runner::suite::<LockDelay>(
    "LockService with a lock-delay: after a lease that ran out, nobody gets the lock for a while",
    "In the timelines client-1 is A, client-10 is B, client-2 is C.",
);

/// The kata.
pub struct LockDelay;

impl Kata for LockDelay {
    const SLUG: &'static str = "lock-delay";
    const SEARCH: &'static str = "no_short_schedule_breaks_it";
    const LOADED: &'static str = "The file loads and LockService(clock) can be made.";
    const TICKS: u64 = 6_000_000;
    type Trial = Lab<DelayingService>;
    type Hunt = Hunt<Rules>;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        compare_and_delete::load(py, program)
    }

    fn trial(_: &Python<'_>, program: Program) -> Lab<DelayingService> {
        Lab::new(program)
    }

    fn tests() -> Vec<Test<Tried>> {
        script::tests(scripts::TESTS)
    }

    fn hunt(py: &Python<'_>, trial: &mut Lab<DelayingService>, options: &Options) -> Hunt<Rules> {
        let lengths = compare_and_delete::lengths(py, trial, options);
        Hunt::new(start, more_choices, praise, lengths, options.seed)
    }

    fn schedule(replay: Replay) -> Result<Tried, BadReplay> {
        compare_and_delete::schedule(replay, verb::ANOTHER_MADE)
    }
}

fn start(length: u32) -> Rules {
    compare_and_delete::start(length).with_lock_delay(DELAY)
}

fn more_choices() -> Rules {
    compare_and_delete::more_choices().with_lock_delay(DELAY)
}

fn praise(bound: u32, drawn: u64, schedules: u64) -> String {
    compare_and_delete::praise_with(bound, drawn, schedules, ", with a lock-delay of 5 s")
}
