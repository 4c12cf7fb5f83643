//! Kata 7: `LockRegistry(service)` with `async acquire(name, ttl, owner, on_lost=None)` and `lost(name, fencing_token)`,
//! and the handles that it gives, with `fencing_token`, `is_held()` and `async release(owner)`.
//!
//! What the task leaves open is allowed in every reading: what becomes of another owner who asks while a call is under
//! way (refused at once or when it ended), of one's own task whose call failed (the same answer, or a try of its own), of
//! those who ask while the last release is under way, whether a TransportError of a release passes, what release() says
//! of a handle that is over, whether the last release calls the service itself or leaves that to a task, which does so
//! before time moves on. A process has one registry, so it may as well keep its tables on the class. The driver's desk
//! judges; only what never ends, or not in time, is a property.

mod properties;

use super::Suite;
use super::runner::{self, Kata, Options, Test};
use super::worlds::{self, Plan, Reach, Scenario, WorldHunt, WorldLab};
use crate::explore::replay::{BadReplay, Replay};
use crate::model::lock_service::LockService;
use crate::python::{Problem, Program, Python};
use crate::sim::disturbance::Disturbance::{DelayReply, LoseReply, LoseRequest};
use crate::sim::disturbance::{Cue, Disturbance, Faults};
use crate::sim::property::Property;
use crate::sim::server::Server;
use crate::sim::servers::LockServer;
use crate::sim::world::Settings;
use crate::time::SECOND_US;
use properties::{CallsEnd, GivenBack};

/// The suite.
pub const SUITE: Suite =
    runner::suite::<ReentrantHandle>("LockRegistry: re-entrant handles over a lock service that knows of none", "");

/// The kata.
pub struct ReentrantHandle;

const TTL_US: u64 = 8 * SECOND_US;

const SETTINGS: Settings = Settings {
    clients: 1,
    horizon_us: 120 * SECOND_US,
    ttl_us: TTL_US,
    faults: Faults { lost_requests: true, lost_replies: true, delays: true, orders: true, ..Faults::NONE },
    ..Settings::DEFAULT
};

const fn scenario(about: &'static str, start: &'static str) -> Scenario {
    Scenario { about, start, settings: SETTINGS, servers, properties }
}

const NESTED: usize = 1;
const IN_AND_OUT: usize = 2;
const LONG_NEST: usize = 3;
const ANOTHER_OWNER: usize = 4;
const ANOTHER_PROCESS: usize = 5;
const BY_ANOTHER: usize = 6;
const TWICE: usize = 7;
const LOSS: usize = 8;
const LOSS_OF_OTHERS: usize = 9;
const AFTER_LOSS: usize = 10;
const RELEASED_THEN_LOST: usize = 11;
const TROUBLED: usize = 12;
const ONE_OWNER: usize = 13;
const ONE_OWNER_FAILS: usize = 14;
const TWO_OWNERS: usize = 15;
const WHILE_IT_GOES: usize = 16;
const LOST_WHILE_IT_GOES: usize = 17;
const FAILED: usize = 18;
const SLOW_NEIGHBOUR: usize = 19;
const CANCELLED: usize = 20;
const TWICE_AT_ONCE: usize = 21;
const LOST_WHILE_ASKING: usize = 22;
const RENEWED: usize = 23;
const SHARED_CALLBACK: usize = 24;
const LOST_AS_IT_CAME: usize = 25;
const RELEASE_CANCELLED: usize = 26;
const BAD_REQUEST: usize = 27;
const WAITERS_CANCELLED: usize = 28;

static SCENARIOS: [Scenario; 29] = [
    scenario("two tasks of one owner and one of another want the same lock", "crowd"),
    scenario("one owner goes three deep, and gives back in three orders", "nested"),
    scenario("one owner goes inside and out again", "in_and_out"),
    scenario("one owner goes inside shortly before the lease is over", "long_nest"),
    scenario("another owner asks again and again", "another_owner"),
    Scenario {
        settings: Settings { clients: 2, ..SETTINGS },
        ..scenario("another process holds the lock, for an owner of the same name", "another_process")
    },
    scenario("another owner gives back what is not its own", "by_another"),
    scenario("handles are given back twice", "twice"),
    scenario("a grant with four handles is lost", "loss"),
    scenario("other grants are lost", "loss_of_others"),
    scenario("a lost lock is taken again, and the old handles are given back", "after_loss"),
    scenario("an old grant's loss comes when there is a new one", "released_then_lost"),
    scenario("the application's on_lost raises, and does more", "troubled"),
    scenario("three tasks of one owner ask at once", "one_owner"),
    scenario("three tasks of one owner ask at once, and the call fails", "one_owner_fails"),
    scenario("two owners ask at once", "two_owners"),
    scenario("the last release is under way when others ask", "while_it_goes"),
    scenario("the last release is under way when the loss is told", "lost_while_it_goes"),
    scenario("one owner's call fails, and it tries again", "failed"),
    scenario("a call about another name takes its time", "slow_neighbour"),
    scenario("the task whose call is under way is cancelled", "cancelled"),
    scenario("two tasks release one handle at the same time", "twice_at_once"),
    scenario("an old grant's loss comes while a call is under way", "lost_while_asking"),
    scenario("the application renews the grant beyond its ttl", "renewed"),
    scenario("three handles share one on_lost", "shared_callback"),
    scenario("a grant is lost as soon as its first holder has it", "lost_as_it_came"),
    scenario("the task whose last release is under way is cancelled", "release_cancelled"),
    scenario("the service can make nothing of the ttl", "bad_request"),
    scenario("tasks that wait for another's call are cancelled", "waiters_cancelled"),
];

/// The worlds that the search goes through: the first.
const SEARCHED: usize = 1;

fn servers() -> Vec<Box<dyn Server>> {
    vec![Box::new(LockServer::new(LockService::new(7)))]
}

fn properties() -> Vec<Box<dyn Property>> {
    vec![Box::<CallsEnd>::default(), Box::<GivenBack>::default()]
}

impl Kata for ReentrantHandle {
    const SLUG: &'static str = "reentrant-handle";
    const SEARCH: &'static str = "no_few_disturbances_break_it";
    const LOADED: &'static str = "The file loads and defines LockRegistry.";
    const TICKS: u64 = 2_500_000;
    type Trial = WorldLab;
    type Hunt = WorldHunt;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        let module = program.run(py)?;
        runner::offers_methods(py, program, &module, "LockRegistry", &["acquire", "lost"])
    }

    fn trial(py: &Python<'_>, program: Program) -> WorldLab {
        WorldLab::new(py, program, include_str!("reentrant_handle/driver.py"), &SCENARIOS)
    }

    fn tests() -> Vec<Test<Plan>> {
        worlds::tests(TESTS, |world| world)
    }

    fn hunt(_: &Python<'_>, _: &mut WorldLab, options: &Options) -> WorldHunt {
        WorldHunt::new(SEARCHED, Reach { bound: 3, most: 2_000, drawn: 100 }, options)
    }

    fn schedule(replay: Replay) -> Result<Plan, BadReplay> {
        worlds::plan(replay, &SCENARIOS)
    }
}

/// Something goes wrong with the nth acquire of the service, from 0.
const fn acquire(nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about: "locks.acquire", nth, what }
}

/// Something goes wrong with the nth release, from 0.
const fn release(nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about: "locks.release", nth, what }
}

const HALF: u64 = SECOND_US / 2;
/// An answer that comes just before the call would end without one.
const LONG: u64 = 9 * SECOND_US / 10;

/// The named tests.
const TESTS: &[worlds::Named<usize>] = &[
    (
        "a_reentrant_acquire_gets_the_same_grant",
        "An owner that holds the lock gets a further handle at once, with the same fencing token and without a call.",
        &[(NESTED, &[]), (RENEWED, &[])],
    ),
    (
        "only_the_last_release_calls_the_service",
        "The lock is given back when as many handles were released as were given, in whatever order.",
        &[(NESTED, &[]), (IN_AND_OUT, &[])],
    ),
    (
        "a_reentrant_acquire_does_not_lengthen_the_lease",
        "Going inside is no renewal: the lease ends when it would have ended.",
        &[(LONG_NEST, &[])],
    ),
    (
        "another_owner_is_refused",
        "In the same process, too, another owner gets None at once, until the last handle was released.",
        &[(ANOTHER_OWNER, &[])],
    ),
    (
        "another_process_is_refused",
        "Owners belong to a process: one of the same name in another process is another one.",
        &[(ANOTHER_PROCESS, &[])],
    ),
    (
        "a_release_by_another_raises_and_changes_nothing",
        "Whoever is not the handle's owner gets a RuntimeError, and neither the count nor the lock changes.",
        &[(BY_ANOTHER, &[])],
    ),
    (
        "a_second_release_of_a_handle_does_nothing",
        "Each handle counts once, however often it is released.",
        &[(TWICE, &[]), (TWICE_AT_ONCE, &[]), (TWICE_AT_ONCE, &[release(0, LoseRequest)])],
    ),
    (
        "a_loss_reaches_every_nested_holder_once",
        "When the grant is lost, each handle that is still held is lost, and its on_lost is called exactly once.",
        &[(LOSS, &[]), (SHARED_CALLBACK, &[])],
    ),
    (
        "a_loss_is_of_one_grant",
        "lost() is about the grant with this name and this token, and touches no other.",
        &[(LOSS_OF_OTHERS, &[]), (RELEASED_THEN_LOST, &[]), (LOST_WHILE_ASKING, &[])],
    ),
    (
        "handles_of_a_lost_grant_do_not_touch_the_next_one",
        "After a loss the same owner takes the lock again: the count begins anew, and old handles mean nothing to it.",
        &[(AFTER_LOSS, &[])],
    ),
    (
        "what_on_lost_does_keeps_nobody_from_being_told",
        "An on_lost may raise, call lost() again, release its handle or take the lock anew: all others are told as well.",
        &[(TROUBLED, &[])],
    ),
    (
        "tasks_of_one_owner_share_a_call_under_way",
        "A task whose owner's call is under way waits for it and gets a handle of the same grant, if that still runs.",
        &[
            (ONE_OWNER, &[]),
            (ONE_OWNER, &[acquire(0, DelayReply(HALF))]),
            (ONE_OWNER, &[acquire(0, DelayReply(LONG))]),
            (LOST_AS_IT_CAME, &[]),
            (ONE_OWNER_FAILS, &[acquire(0, LoseRequest)]),
            (ONE_OWNER_FAILS, &[acquire(0, LoseReply)]),
        ],
    ),
    (
        "two_owners_that_race_do_not_mix",
        "When two owners ask at once, one gets the lock and the other None, and each has its turn.",
        &[
            (TWO_OWNERS, &[]),
            (TWO_OWNERS, &[acquire(0, DelayReply(HALF))]),
            (TWO_OWNERS, &[acquire(0, LoseRequest)]),
            (TWO_OWNERS, &[release(0, LoseRequest)]),
        ],
    ),
    (
        "nobody_joins_a_grant_that_is_given_back",
        "From the last release on, the grant is over: who asks while that call is under way does not get a handle of it.",
        &[
            (WHILE_IT_GOES, &[]),
            (WHILE_IT_GOES, &[release(0, DelayReply(HALF))]),
            (WHILE_IT_GOES, &[release(0, LoseRequest)]),
            (WHILE_IT_GOES, &[release(0, LoseReply)]),
            (LOST_WHILE_IT_GOES, &[]),
            (LOST_WHILE_IT_GOES, &[release(0, LoseRequest)]),
            (RELEASE_CANCELLED, &[]),
            (RELEASE_CANCELLED, &[release(0, LoseRequest)]),
        ],
    ),
    (
        "a_failed_acquire_leaves_nothing_behind",
        "An exception of the service passes; after it, as after a refusal, the next acquire() asks anew.",
        &[
            (FAILED, &[]),
            (FAILED, &[acquire(0, LoseRequest)]),
            (FAILED, &[acquire(0, LoseReply)]),
            (FAILED, &[acquire(0, LoseReply), acquire(1, LoseRequest)]),
            (FAILED, &[release(0, LoseRequest)]),
            (BAD_REQUEST, &[]),
        ],
    ),
    (
        "names_do_not_wait_for_each_other",
        "What is held is settled at once, however long a call about another name takes.",
        &[(SLOW_NEIGHBOUR, &[acquire(1, DelayReply(HALF))]), (SLOW_NEIGHBOUR, &[acquire(1, LoseRequest)])],
    ),
    (
        "a_cancelled_call_leaves_nobody_waiting",
        "When a task whose call is under way is cancelled, or one that waits for that call, all others go on.",
        &[
            (CANCELLED, &[]),
            (WAITERS_CANCELLED, &[]),
            (WAITERS_CANCELLED, &[acquire(0, DelayReply(HALF))]),
            (WAITERS_CANCELLED, &[acquire(0, LoseRequest)]),
        ],
    ),
];
