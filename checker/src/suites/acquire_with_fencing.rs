//! Kata 1: `LockManager(clock)` with `acquire(name, client_id, ttl) -> int or None` and `release(name, client_id)`.
//!
//! Every test is a handful of schedules run against the learner's manager and, beside it, against the reference
//! [`Rules`]; the run ends at the first answer that the rules do not allow. What the task leaves open is allowed in
//! every reading: which integers the tokens are and how far apart, whether a refusal spends one, what `release` says
//! of one's own lease that is over.

mod judge;
mod rules;
mod scripts;

use super::Suite;
use super::runner::{self, Kata, Options, Show, Test, Trial as _};
use super::sequential::{self, CLIENTS, Hunt, Lab, Lengths, MOST_LOCKS, script};
use crate::explore::replay::{BadReplay, Replay};
use crate::explore::sequences;
use crate::python::{Problem, Program, Python};
use judge::{Manager, Tried, Verdicts};
use rules::Rules;

/// The suite.
pub const SUITE: Suite = runner::suite::<AcquireWithFencing>(
    "LockManager: acquire and release with fencing tokens",
    "In the timelines client-1 is A, client-10 is B, client-2 is C.",
);

/// Every schedule of up to this many operations is tried.
const BOUND: u32 = 4;
/// The same where the file keeps state outside the manager and so must be run anew for every schedule.
const BOUND_WHEN_RELOADED: u32 = 3;
/// How many longer schedules are drawn, and how long they are.
const DRAWN: u64 = 150;
const DRAWN_LENGTH: usize = 16;

/// The kata.
pub struct AcquireWithFencing;

impl Kata for AcquireWithFencing {
    const SLUG: &'static str = "acquire-with-fencing";
    const SEARCH: &'static str = "no_short_schedule_breaks_it";
    const LOADED: &'static str = "The file loads and LockManager(clock) can be made.";
    const TICKS: u64 = 2_500_000;
    type Trial = Lab<Manager>;
    type Hunt = Hunt<Rules>;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        sequential::load(py, program, "LockManager", &["acquire", "release"])
    }

    fn trial(_: &Python<'_>, program: Program) -> Lab<Manager> {
        Lab::new(program)
    }

    fn tests() -> Vec<Test<Tried>> {
        script::tests(scripts::TESTS)
    }

    fn hunt(py: &Python<'_>, trial: &mut Lab<Manager>, options: &Options) -> Hunt<Rules> {
        let lengths = Lengths { bound: BOUND, drawn: DRAWN, drawn_length: DRAWN_LENGTH };
        let lengths = trial.lengths(py, lengths, BOUND_WHEN_RELOADED, options);
        Hunt::new(start, more_clients, praise, lengths, options.seed)
    }

    fn schedule(replay: Replay) -> Result<Tried, BadReplay> {
        match replay {
            Replay::Sequence(schedule) if schedule.stays_within(CLIENTS.len() as u8, MOST_LOCKS) => {
                Ok(Tried { schedule, judged: Verdicts::All })
            }
            Replay::Sequence(_) => Err(BadReplay::Damaged("it names a client or a lock that this kata has not")),
            Replay::Course(_) => Err(BadReplay::Damaged("this kata has no world in which it could happen")),
        }
    }
}

/// Runs `count` drawn schedules of 16 operations on a file that loads, from `seed` on, and counts those that break
/// nothing. For benches: no named tests, no short schedules.
///
/// # Errors
/// The file does not load.
pub fn run_drawn(source: &str, count: u64, seed: u64) -> Result<u64, Problem> {
    crate::python::enter(|py| {
        let program = py.compile(source)?;
        AcquireWithFencing::load(py, &program)?;
        let mut lab = Lab::<Manager>::new(program);
        let start = Rules::default().with_more_clients();
        py.give_suite_budget(u64::MAX);
        let fine = (seed..seed + count).filter(|seed| {
            let schedule = sequences::drawn(&start, DRAWN_LENGTH, *seed);
            lab.run(py, &Tried { schedule, judged: Verdicts::All }, Show::Nothing).0.is_none()
        });
        Ok(py.quietly(|| fine.count() as u64))
    })
}

/// Whatever their length, the short schedules start with two clients and two locks.
fn start(_: u32) -> Rules {
    Rules::default()
}

fn more_clients() -> Rules {
    Rules::default().with_more_clients()
}

fn praise(bound: u32, drawn: u64, schedules: u64) -> String {
    format!(
        "Every schedule of up to {bound} operations by two clients on two locks was tried, and {drawn} longer ones by three \
         clients on three locks: {schedules} in all, and none breaks a rule."
    )
}
