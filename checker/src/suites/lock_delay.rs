//! Kata 13: kata 3's `LockService` with a lock-delay, `LockService(clock, lock_delay=15)`.
//!
//! Answers are held against kata 3's reference, which knows of lock-delays; what is allowed there is allowed here. Two
//! things are the kata's own choice, since real services differ in them: the delay is refused to everybody, the last holder
//! included (Consul; Chubby lets that one in), and a release that comes too late does not end it.

mod scripts;

use super::Suite;
use super::compare_and_delete::judge::{DELAY, DelayingService, Tried, Verdicts};
use super::compare_and_delete::rules::{Rules, verb};
use super::runner::{self, Kata, Options, Test};
use super::sequential::{self, CLIENTS, Hunt, Lab, Lengths, MOST_LOCKS, script};
use crate::explore::replay::{BadReplay, Op, Replay};
use crate::python::{Problem, Program, Python};

/// The suite.
pub const SUITE: Suite = runner::suite::<LockDelay>(
    "LockService with a lock-delay: after a lease that ran out, nobody gets the lock for a while",
    "In the timelines client-1 is A, client-10 is B, client-2 is C.",
);

/// Every schedule of up to this many operations is tried.
const BOUND: u32 = 5;
/// The same where the file keeps state outside the service and so must be run anew for every schedule.
const BOUND_WHEN_RELOADED: u32 = 3;
/// Schedules of up to this length have a second lock to choose.
const TWO_LOCKS: u32 = 4;
/// How many longer schedules are drawn, and how long they are.
const DRAWN: u64 = 150;
const DRAWN_LENGTH: usize = 18;

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
        sequential::load(py, program, "LockService", &["acquire", "renew", "release"])
    }

    fn trial(_: &Python<'_>, program: Program) -> Lab<DelayingService> {
        Lab::new(program)
    }

    fn tests() -> Vec<Test<Tried>> {
        script::tests(scripts::TESTS)
    }

    fn hunt(py: &Python<'_>, trial: &mut Lab<DelayingService>, options: &Options) -> Hunt<Rules> {
        let lengths = Lengths { bound: BOUND, drawn: DRAWN, drawn_length: DRAWN_LENGTH };
        let lengths = trial.lengths(py, lengths, BOUND_WHEN_RELOADED, options);
        Hunt::new(start, more_choices, praise, lengths, options.seed)
    }

    fn schedule(replay: Replay) -> Result<Tried, BadReplay> {
        let is_known =
            |op: &Op| !matches!(op, Op::Act { verb, what, .. } if *verb > verb::ANOTHER_MADE || *what >= MOST_LOCKS);
        match replay {
            Replay::Sequence(schedule)
                if schedule.stays_within(CLIENTS.len() as u8, MOST_LOCKS) && schedule.0.iter().all(is_known) =>
            {
                Ok(Tried { schedule, judged: Verdicts::All })
            }
            Replay::Sequence(_) => {
                Err(BadReplay::Damaged("it names a client, a lock or a call that this kata has not"))
            }
            Replay::Course(_) => Err(BadReplay::Damaged("this kata has no world in which it could happen")),
        }
    }
}

fn start(length: u32) -> Rules {
    Rules::of(2, if length <= TWO_LOCKS { 2 } else { 1 }).with_lock_delay(DELAY)
}

fn more_choices() -> Rules {
    Rules::of(3, 2).with_more_choices().with_lock_delay(DELAY)
}

fn praise(bound: u32, drawn: u64, schedules: u64) -> String {
    let locks =
        if bound <= TWO_LOCKS { "two locks".to_owned() } else { format!("one lock, up to {TWO_LOCKS} on two locks,") };
    format!(
        "Every schedule of up to {bound} operations by two clients on {locks} was tried, and {drawn} longer ones by three \
         clients: {schedules} in all, with a lock-delay of 5 s, and none breaks a rule."
    )
}
