//! Kata 6: `Acquirer(service, clock, base_s, cap_s)` with `async acquire(name, ttl, wait_s=0)`.
//!
//! What the task leaves open is allowed in every reading: where chance comes from, what becomes of a grant that came too
//! late (it may be released before acquire() ends, or left to run out), whether a try is made once more when a pause outlasted the deadline,
//! whether a try that raised counts for the back-off.

mod properties;

use super::Suite;
use super::runner::{self, Kata, Options, Test};
use super::worlds::{self, Plan, Reach, Scenario, WorldHunt, WorldLab};
use crate::explore::replay::{BadReplay, Replay};
use crate::model::lock_service::LockService;
use crate::python::{Problem, Program, Python};
use crate::sim::disturbance::Disturbance::{DelayReply, LoseReply, LoseRequest, Partition, Pause, StepWall};
use crate::sim::disturbance::{Cue, Disturbance, Faults};
use crate::sim::property::Property;
use crate::sim::server::Server;
use crate::sim::servers::LockServer;
use crate::sim::world::{Settings, TICK_US};
use crate::time::SECOND_US;
use properties::{MeetsDeadlines, NoHerd, Spread, Waits};

/// The suite.
pub const SUITE: Suite = runner::suite::<RetryWithJitter>("Acquirer: waits for a lock, for as long as it is told", "");

/// The kata.
pub struct RetryWithJitter;

const TTL_US: u64 = 4 * SECOND_US;

/// A waits; B holds the lock from before the beginning, and its process does nothing.
const SETTINGS: Settings = Settings {
    clients: 2,
    horizon_us: 120 * SECOND_US,
    ttl_us: TTL_US,
    faults: Faults {
        pauses: true,
        pauses_of_waiters: true,
        wall_steps: true,
        lost_requests: true,
        lost_replies: true,
        delays: true,
        ..Faults::NONE
    },
    ..Settings::DEFAULT
};

const fn scenario(about: &'static str, start: &'static str, servers: fn() -> Vec<Box<dyn Server>>) -> Scenario {
    Scenario { about, start, settings: SETTINGS, servers, properties: waits }
}

const ONE: usize = 0;
const LONG_BUDGET: usize = 1;
const AT_ONCE: usize = 2;
const HELD: usize = 3;
const FREED_AT_THE_END: usize = 4;
const FREED_LATE: usize = 5;
const NO_BUDGET: usize = 6;
const SPREAD: usize = 7;
const HERD: usize = 8;
const OVERFLOW: usize = 9;
const SHORT_TTL: usize = 10;
const IN_TURN: usize = 11;
const CANCELLED: usize = 12;
const NO_TTL: usize = 13;
const FREE: usize = 14;
const LOW_CAP: usize = 15;
const DEFAULTS: usize = 16;
const SIDE_BY_SIDE: usize = 17;
const SAME_NAME: usize = 18;
const SAME_CALL: usize = 19;
const SHORT_TTL_AT_ONCE: usize = 20;
const LATE_BESIDE: usize = 21;

static SCENARIOS: [Scenario; 22] = [
    scenario("one client waits up to 4 s for a lock that is free after 2.5 s", "one", held_for_a_while),
    scenario("one client waits up to 12 s for a free lock", "long_budget", free),
    scenario("one client asks with wait_s 0", "at_once", held),
    scenario("one client waits for a lock that stays held", "held", held),
    scenario("one client waits for a lock that is free at its very deadline", "freed_at_the_end", held_for_a_while),
    scenario("one client waits up to 30 s for a lock that is free after 2.5 s", "freed_late", held_for_a_while),
    scenario("one client asks with a wait_s that is no budget", "no_budget", held),
    Scenario {
        // Who sleeps in many short pieces is right, too.
        settings: Settings { clients: 3, most_steps: 60_000, ..SETTINGS },
        properties: spread,
        ..scenario("two clients have sixteen waiters each, all for locks that stay held", "spread", held)
    },
    Scenario {
        settings: Settings { clients: 5, ..SETTINGS },
        properties: herd,
        ..scenario("twenty waiters in four processes begin at one instant", "herd", held)
    },
    scenario("one client tries more than a thousand times", "overflow", held),
    scenario("one client asks for leases of half a second", "short_ttl", free),
    scenario("one client waits for one lock after the other", "in_turn", held),
    scenario("one client's waiters are cancelled", "cancelled", held_for_a_while),
    scenario("one client asks with a ttl that is none", "no_ttl", free),
    scenario("one client waits for a free lock", "free", free),
    scenario("one client waits with a cap that is less than the base", "low_cap", held),
    Scenario {
        settings: Settings { most_steps: 60_000, ..SETTINGS },
        properties: spread,
        ..scenario("one client has sixteen waiters and says nothing of their pauses", "defaults", held)
    },
    scenario("one Acquirer serves tasks with other locks, budgets and ttls at once", "side_by_side", held),
    scenario("one Acquirer serves tasks that want the same lock at once", "same_name", held),
    Scenario {
        properties: Vec::new,
        ..scenario("one Acquirer is called three times at once with the same arguments", "same_call", free)
    },
    scenario("one client asks with wait_s 0 for leases of half a second", "short_ttl_at_once", free),
    scenario("one Acquirer is called while a try of another call is late", "late_beside", free),
];

/// The worlds that the search goes through: the first two.
const SEARCHED: usize = 2;

/// What the driver's clients wait for, besides `job`.
const MANY: usize = 16;

/// The locks are B's for so long.
fn servers_held_for(us: u64) -> Vec<Box<dyn Server>> {
    let mut service = LockService::new(7);
    for name in std::iter::once("job".to_owned()).chain((0..MANY).map(|n| format!("job {n}"))) {
        // The names differ and nobody else has asked yet: each is granted.
        let _ = service.acquire(0, &name, "B", us);
    }
    vec![Box::new(LockServer::new(service))]
}

fn held() -> Vec<Box<dyn Server>> {
    servers_held_for(SETTINGS.horizon_us)
}

fn held_for_a_while() -> Vec<Box<dyn Server>> {
    servers_held_for(5 * SECOND_US / 2)
}

fn free() -> Vec<Box<dyn Server>> {
    vec![Box::new(LockServer::new(LockService::new(7)))]
}

fn waits() -> Vec<Box<dyn Property>> {
    vec![Box::<Waits>::default()]
}

fn spread() -> Vec<Box<dyn Property>> {
    vec![Box::<Waits>::default(), Box::<Spread>::default()]
}

fn herd() -> Vec<Box<dyn Property>> {
    vec![Box::<NoHerd>::default(), Box::<MeetsDeadlines>::default()]
}

impl Kata for RetryWithJitter {
    const SLUG: &'static str = "retry-with-jitter";
    const SEARCH: &'static str = "no_few_disturbances_break_it";
    const LOADED: &'static str = "The file loads and defines Acquirer.";
    const TICKS: u64 = 2_500_000;
    type Trial = WorldLab;
    type Hunt = WorldHunt;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        let module = program.run(py)?;
        runner::offers_methods(py, program, &module, "Acquirer", &["acquire"])
    }

    fn trial(py: &Python<'_>, program: Program) -> WorldLab {
        WorldLab::new(py, program, include_str!("retry_with_jitter/driver.py"), &SCENARIOS)
    }

    fn tests() -> Vec<Test<Plan>> {
        worlds::tests(TESTS, |world| world)
    }

    fn hunt(_: &Python<'_>, _: &mut WorldLab, options: &Options) -> WorldHunt {
        WorldHunt::new(SEARCHED, Reach { bound: 2, most: 3_000, drawn: 200 }, options)
    }

    fn schedule(replay: Replay) -> Result<Plan, BadReplay> {
        worlds::plan(replay, &SCENARIOS)
    }
}

const HALF: u64 = SECOND_US / 2;
const HOUR: i64 = 3600 * SECOND_US as i64;

/// Something goes wrong with A's nth try, from 0.
const fn attempt(nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about: "locks.acquire", nth, what }
}

/// Something happens where A goes on after sleeping, the nth time, from 0.
const fn wake(nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about: "wake", nth, what }
}

/// The service is out of a client's reach for a while, from its first try on.
const fn away(client: usize) -> Cue {
    Cue { client, about: "locks.acquire", nth: 0, what: Partition(3 * SECOND_US) }
}

/// An answer that is so late that it comes so many ticks after its try was sent.
const fn answer_after(ticks: u64) -> Disturbance {
    DelayReply((ticks - 2) * TICK_US)
}

/// The named tests.
const TESTS: &[worlds::Named<usize>] = &[
    (
        "a_free_lock_is_taken_at_the_first_try",
        "The first try comes at once, and its grant is returned.",
        &[(FREE, &[]), (FREE, &[attempt(0, DelayReply(HALF))])],
    ),
    (
        "without_a_budget_there_is_one_try",
        "wait_s 0, which it is if nothing else is said, means one try, whatever comes of it.",
        &[(AT_ONCE, &[]), (AT_ONCE, &[attempt(0, LoseRequest)]), (AT_ONCE, &[attempt(1, LoseReply)])],
    ),
    (
        "a_budget_that_is_none_is_refused",
        "A wait_s that is no finite number from 0 on is a ValueError, before anything is asked: no wait is without a bound.",
        &[(NO_BUDGET, &[])],
    ),
    (
        "the_wait_ends_with_a_last_try_at_the_deadline",
        "No sleep goes past the deadline, no try begins after it, and one is made at it.",
        &[
            (HELD, &[]),
            (HELD, &[attempt(0, DelayReply(HALF))]),
            (HELD, &[attempt(1, LoseRequest)]),
            (FREED_AT_THE_END, &[]),
            (HERD, &[]),
            (ONE, &[wake(1, Pause(2 * TTL_US))]),
            (ONE, &[wake(1, Pause(SECOND_US))]),
        ],
    ),
    (
        "a_lock_that_becomes_free_is_taken",
        "A waiter whose budget is not used up goes on trying, and gets the lock soon after it is free.",
        &[(FREED_LATE, &[]), (ONE, &[])],
    ),
    (
        "transport_errors_spend_the_budget",
        "A try without an answer is a failed try like a refusal: the wait goes on, and at its end None is returned.",
        &[
            (ONE, &[attempt(0, LoseRequest)]),
            (ONE, &[attempt(1, LoseReply)]),
            (ONE, &[attempt(0, Partition(30 * SECOND_US))]),
            (FREED_LATE, &[attempt(0, Partition(6 * SECOND_US))]),
            (HELD, &[attempt(0, LoseRequest), attempt(1, LoseRequest)]),
        ],
    ),
    (
        "a_grant_whose_answer_was_lost_is_waited_out",
        "After a lost answer the service may hold the lock for this very waiter: it is refused until that lease is over, \
         and goes on trying within its budget.",
        &[
            (LONG_BUDGET, &[attempt(0, LoseReply)]),
            (LONG_BUDGET, &[attempt(0, DelayReply(2 * TTL_US))]),
            (LONG_BUDGET, &[attempt(0, LoseRequest), attempt(1, LoseReply)]),
            (FREE, &[attempt(0, LoseReply)]),
        ],
    ),
    (
        "a_grant_that_came_too_late_is_not_returned",
        "A grant is returned only while it runs for sure, by the monotonic clock and counted from before the try was sent.",
        &[
            (SHORT_TTL, &[attempt(0, answer_after(31))]),
            (SHORT_TTL, &[attempt(0, answer_after(32))]),
            (SHORT_TTL, &[attempt(0, answer_after(40))]),
            (LONG_BUDGET, &[attempt(0, Pause(5 * SECOND_US))]),
            (SHORT_TTL_AT_ONCE, &[]),
            (SHORT_TTL_AT_ONCE, &[attempt(0, answer_after(31))]),
            (SHORT_TTL_AT_ONCE, &[attempt(0, answer_after(32))]),
        ],
    ),
    (
        "pauses_are_drawn_between_nothing_and_all",
        "After the nth failed try, from 0, the pause is uniform(0, min(cap_s, base_s * 2**n)): drawn anew each time, by each \
         waiter for itself.",
        &[(SPREAD, &[]), (LOW_CAP, &[]), (DEFAULTS, &[])],
    ),
    (
        "twenty_waiters_are_no_herd",
        "Waiters that began at one instant do not ask again at one instant.",
        &[(HERD, &[]), (HERD, &[away(0), away(2), away(3), away(4)])],
    ),
    (
        "each_call_counts_its_own_tries",
        "Back-off begins anew with each call of acquire(): how often another one has tried means nothing.",
        &[(IN_TURN, &[])],
    ),
    (
        "calls_beside_each_other_do_not_mix",
        "One Acquirer serves many tasks at once, with the same name, too: each call has its own budget, ttl, tries and back-off.",
        &[(SIDE_BY_SIDE, &[]), (SAME_NAME, &[]), (SAME_CALL, &[]), (LATE_BESIDE, &[attempt(0, answer_after(40))])],
    ),
    (
        "a_long_wait_does_not_overflow",
        "However often it has tried, a waiter goes on: 2**n grows beyond what a float holds.",
        &[(OVERFLOW, &[])],
    ),
    (
        "the_wall_clock_does_not_matter",
        "The budget is counted on the monotonic clock; the wall clock may step either way.",
        &[
            (ONE, &[wake(0, StepWall(HOUR))]),
            (HELD, &[wake(1, StepWall(-HOUR))]),
            (FREE, &[attempt(0, StepWall(HOUR))]),
        ],
    ),
    (
        "a_cancelled_waiter_leaves_nothing",
        "When its task is cancelled, acquire() lets Cancelled pass, and nobody goes on trying.",
        &[(CANCELLED, &[]), (CANCELLED, &[attempt(0, DelayReply(HALF))]), (CANCELLED, &[attempt(1, LoseRequest)])],
    ),
    (
        "other_exceptions_pass_at_once",
        "What is neither a refusal nor a lost message will not get better: it reaches the caller at once.",
        &[(NO_TTL, &[])],
    ),
];
