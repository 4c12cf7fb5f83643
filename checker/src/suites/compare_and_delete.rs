//! Kata 3: `LockService(clock)` with `acquire(name, client_id, ttl) -> Grant or None`, `renew(name, ownership_token, ttl)`
//! and `release(name, ownership_token)`.
//!
//! As in kata 1, every answer is held against the reference [`Rules`]. What the task leaves open is allowed in every
//! reading: what class a grant is of and whether a renewal touches it, which integers fencing tokens are and how far
//! apart, how an ownership token looks, any truthy or falsy answer of `renew` and `release`, and whether a call with a
//! ttl that is none is refused or raises where it would be refused anyway.

pub(super) mod judge;
pub(super) mod rules;
pub(super) mod scripts;

use super::Suite;
use super::runner::{self, Kata, Options, Test};
use super::sequential::{self, CLIENTS, Hunt, Judge, Lab, Lengths, MOST_LOCKS, script};
use crate::explore::replay::{BadReplay, Op, Replay};
use crate::python::{Problem, Program, Python};
use judge::{Service, Tried, Verdicts};
use rules::{Rules, verb};

/// The suite.
pub const SUITE: Suite = runner::suite::<CompareAndDelete>(
    "LockService: grants with two tokens; renew and release compare before they act",
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
pub struct CompareAndDelete;

impl Kata for CompareAndDelete {
    const SLUG: &'static str = "compare-and-delete";
    const SEARCH: &'static str = "no_short_schedule_breaks_it";
    const LOADED: &'static str = "The file loads and LockService(clock) can be made.";
    const TICKS: u64 = 6_000_000;
    type Trial = Lab<Service>;
    type Hunt = Hunt<Rules>;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        load(py, program)
    }

    fn trial(_: &Python<'_>, program: Program) -> Lab<Service> {
        Lab::new(program)
    }

    fn tests() -> Vec<Test<Tried>> {
        script::tests(scripts::TESTS)
    }

    fn hunt(py: &Python<'_>, trial: &mut Lab<Service>, options: &Options) -> Hunt<Rules> {
        Hunt::new(start, more_choices, praise, lengths(py, trial, options), options.seed)
    }

    fn schedule(replay: Replay) -> Result<Tried, BadReplay> {
        schedule(replay, verb::ELSEWHERE)
    }
}

/// What this kata and kata 13, which goes on from it, ask of a file.
pub(super) fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
    sequential::load(py, program, "LockService", &["acquire", "renew", "release"])
}

/// How far both search.
pub(super) fn lengths<J: Judge>(py: &Python<'_>, trial: &mut Lab<J>, options: &Options) -> Lengths {
    let lengths = Lengths { bound: BOUND, drawn: DRAWN, drawn_length: DRAWN_LENGTH };
    trial.lengths(py, lengths, BOUND_WHEN_RELOADED, options)
}

/// The schedule of a replay string, in which no verb of the kata's own is greater than `last`.
pub(super) fn schedule(replay: Replay, last: u8) -> Result<Tried, BadReplay> {
    let is_known = |op: &Op| !matches!(op, Op::Act { verb, what, .. } if *verb > last || *what >= MOST_LOCKS);
    match replay {
        Replay::Sequence(schedule)
            if schedule.stays_within(CLIENTS.len() as u8, MOST_LOCKS) && schedule.0.iter().all(is_known) =>
        {
            Ok(Tried { schedule, judged: Verdicts::All })
        }
        Replay::Sequence(_) => Err(BadReplay::Damaged("it names a client, a lock or a call that this kata has not")),
        Replay::Course(_) => Err(BadReplay::Damaged("this kata has no world in which it could happen")),
    }
}

/// Where the short schedules of a length start.
pub(super) fn start(length: u32) -> Rules {
    Rules::of(2, if length <= TWO_LOCKS { 2 } else { 1 })
}

/// Where the drawn ones start.
pub(super) fn more_choices() -> Rules {
    Rules::of(3, 2).with_more_choices()
}

fn praise(bound: u32, drawn: u64, schedules: u64) -> String {
    praise_with(bound, drawn, schedules, "")
}

/// What was tried, in words, and with what (`, with a lock-delay of 5 s`).
pub(super) fn praise_with(bound: u32, drawn: u64, schedules: u64, with: &str) -> String {
    let locks =
        if bound <= TWO_LOCKS { "two locks".to_owned() } else { format!("one lock, up to {TWO_LOCKS} on two locks,") };
    format!(
        "Every schedule of up to {bound} operations by two clients on {locks} was tried, and {drawn} longer ones by three \
         clients: {schedules} in all{with}, and none breaks a rule."
    )
}
