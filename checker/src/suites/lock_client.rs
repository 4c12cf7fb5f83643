//! Kata 12: `LockClient(service, clock)` with `async acquire(name, ttl_s, wait_s, reentrant, on_lost)` and
//! `on_release(name, callback)`, and the handles that it gives.
//!
//! What the task leaves open is allowed in every reading: all that kata 5 leaves open about renewal, how many tasks a client
//! runs, whether the nth try is counted from 0 or from 1, whether a handle that is released at its deadline is told of the
//! loss, whether a service is told of what is lost, and what becomes of an exception that on_lost raises.

mod properties;

use super::Suite;
use super::renewal_daemon::properties::{Jitter, Pace};
use super::runner::{self, Kata, Options, Test};
use super::worlds::{self, Plan, Reach, Scenario, WorldHunt, WorldLab};
use crate::explore::replay::{BadReplay, Replay};
use crate::model::lock_service::LockService;
use crate::model::storage_gate::StorageGate;
use crate::python::{Problem, Program, Python};
use crate::sim::disturbance::Disturbance::{
    DelayReply, Duplicate, LoseReply, LoseRequest, Partition, Pause, RestartServer, StepWall,
};
use crate::sim::disturbance::{Cue, Disturbance, Faults};
use crate::sim::property::Property;
use crate::sim::server::Server;
use crate::sim::servers::{LockServer, StorageServer};
use crate::sim::world::{Settings, TICK_US};
use crate::time::SECOND_US;
use properties::{BacksOff, CallsReturn, KeptOrTold, ToldFree};

/// The suite.
pub const SUITE: Suite =
    runner::suite::<LockClient>("LockClient: takes, keeps and gives back locks, for all tasks of a process", "");

/// The kata.
pub struct LockClient;

const TTL_US: u64 = 10 * SECOND_US;

const CALM: Settings = Settings { clients: 1, horizon_us: 120 * SECOND_US, ttl_us: TTL_US, ..Settings::DEFAULT };
const PAIR: Settings = Settings { clients: 2, ..CALM };

/// A pause is measured by the ttl.
const SHORT_LEASES: Settings =
    Settings { clients: 2, horizon_us: 60 * SECOND_US, ttl_us: 6 * SECOND_US, faults: Faults::ALL, ..CALM };

const fn scenario(about: &'static str, start: &'static str, settings: Settings) -> Scenario {
    Scenario { about, start, settings, servers, properties }
}

/// One that is about waiting only: what becomes of the lease is for others.
const fn waits(about: &'static str, start: &'static str, settings: Settings) -> Scenario {
    Scenario { properties: calls_return, ..scenario(about, start, settings) }
}

const CROWD: usize = 1;
const ONE: usize = 2;
const ALONE: usize = 3;
const LONG: usize = 4;
const ODD: usize = 5;
const PACE: usize = 6;
const JITTER: usize = 7;
const SHORT: usize = 8;
const FREED: usize = 9;
const UNDER_WAY: usize = 10;
const FREED_UNDER_WAY: usize = 11;
const WAIT_IN_VAIN: usize = 12;
const WAIT_AND_HAVE: usize = 13;
const HERD: usize = 14;
const BOUNDS: usize = 15;
const UNLUCKY: usize = 16;
const IMPATIENT: usize = 17;
const TOO_LATE: usize = 18;
const CANCELLED: usize = 19;
const NEST: usize = 20;
const NEST_FOR_LONG: usize = 21;
const STRANGERS: usize = 22;
const THIEF: usize = 23;
const TELL_ALL: usize = 24;
const ONE_RAISES: usize = 25;
const AGAIN: usize = 26;
const BRINK: usize = 27;
const BODIES: usize = 28;
const LISTEN: usize = 29;
const NO_LONGER: usize = 30;
const LISTEN_FOR_LONG: usize = 31;
const OUT_OF_LUCK: usize = 32;
const BRINK_RELEASE: usize = 33;
const ONE_NESTS: usize = 34;
const TWO_NAMES: usize = 35;
const BODIES_THAT_RAISE: usize = 36;
const JUST_TOLD: usize = 37;
const LISTEN_BRIEFLY: usize = 38;
const LATE_WRITE: usize = 39;
const AS_WRITTEN: usize = 40;
const HURRY: usize = 41;
const TO_THE_DEADLINE: usize = 42;
const JUST_FREED: usize = 43;
const LISTEN_LATE: usize = 44;

static SCENARIOS: [Scenario; 45] = [
    scenario("A takes the lock and nests; B waits for it", "rivals", SHORT_LEASES),
    Scenario {
        properties: in_a_crowd,
        ..scenario(
            "three clients with two tasks each want two locks",
            "crowd",
            Settings { clients: 3, faults: Faults::ALL, ..CALM },
        )
    },
    scenario("one client holds the lock for 14 s", "one", CALM),
    waits("one client takes free locks", "alone", CALM),
    scenario("one client holds the lock for a hundred ttl", "long", Settings { horizon_us: 1_100 * SECOND_US, ..CALM }),
    scenario("one client holds two locks with other ttl", "odd", CALM),
    Scenario {
        properties: pace,
        ..scenario(
            "one client holds the lock for thirty ttl",
            "thirty",
            Settings { horizon_us: 400 * SECOND_US, ..CALM },
        )
    },
    Scenario {
        properties: jitter,
        ..scenario(
            "two clients hold a lock each for thirty ttl",
            "thirty",
            Settings { horizon_us: 400 * SECOND_US, ..PAIR },
        )
    },
    scenario("one client releases before the first renewal", "short", CALM),
    scenario("an operator frees the lock of a client that works", "freed", CALM),
    scenario("the last release comes while a renewal is under way", "release_under_way", CALM),
    scenario("the same, and the renewal will be rejected", "release_under_way_freed", CALM),
    waits("A holds the lock; B waits for 3 s, and not at all", "wait_in_vain", PAIR),
    waits("A holds the lock for 5 s; B waits for it", "wait_and_have", PAIR),
    Scenario {
        properties: backs_off,
        ..scenario("A holds the lock and seven others wait in vain", "herd", Settings { clients: 8, ..CALM })
    },
    waits("one client asks for waits without an end", "bounds", CALM),
    waits("one client asks for a free lock and has bad luck", "unlucky", CALM),
    waits("one client tries once for a free lock", "impatient", CALM),
    waits("one client takes a lock for half a second", "too_late", CALM),
    waits("A holds the lock; a task of B that waits for it is cancelled", "cancelled", PAIR),
    scenario("one task takes a lock three times over, and releases in different orders", "nest", CALM),
    scenario("the inner of two handles is held for three ttl more", "nest_for_long", CALM),
    scenario("another task and another client of the process ask for the lock", "strangers", CALM),
    scenario("another task releases what it does not hold", "thief", CALM),
    scenario("a grant with several handles is lost", "tell_all", CALM),
    scenario(
        "the same, and each on_lost raises",
        "tell_all_though_one_raises",
        Settings { tasks_may_fail: true, ..CALM },
    ),
    scenario("the lock is lost and taken anew by the same task", "again", CALM),
    scenario("the same at the very deadline", "brink", CALM),
    scenario("async with bodies end well, badly and cancelled", "bodies", CALM),
    Scenario { properties: at_once, ..scenario("A holds the lock; B asks when it is free", "listen", PAIR) },
    Scenario { properties: at_once, ..scenario("B asks when the lock is free, and then no longer", "no_longer", PAIR) },
    Scenario {
        properties: soon,
        ..scenario("B asks when the lock is free, and watches get lost", "listen_for_long", PAIR)
    },
    waits("one client waits 5 s and all messages get lost", "out_of_luck", CALM),
    scenario("one of two handles is released at the very deadline", "brink_release", CALM),
    scenario("one client holds the lock twice over for 14 s", "one_nests", CALM),
    scenario("one task holds a lock and takes another one", "two_names", CALM),
    scenario("async with bodies raise all sorts of exceptions", "bodies_that_raise", CALM),
    Scenario {
        properties: at_once,
        ..scenario("the lock is free; B asks when it is, and a moment later no longer", "just_told", PAIR)
    },
    Scenario {
        properties: soon,
        ..scenario("the lock is held for 6 s; B asks when it is free, and watches get lost", "listen_briefly", PAIR)
    },
    scenario("two clients take the lock and write, one after the other", "late_write", PAIR),
    waits("one client says nothing of how it asks", "as_written", CALM),
    scenario(
        "one client holds the lock for thirty ttl, and a renewal fails",
        "thirty_and_a_failure",
        Settings { horizon_us: 400 * SECOND_US, ..CALM },
    ),
    scenario("one client looks at 2 s, and then for long", "to_the_deadline", CALM),
    Scenario {
        properties: at_once,
        ..scenario("A gives the lock back; B, which asked when it is free, no longer wants to know", "just_freed", PAIR)
    },
    Scenario {
        properties: soon,
        ..scenario("the lock is held for 4 s; B asks shortly before, and its watch gets lost", "listen_late", PAIR)
    },
];

/// The worlds that the search goes through by rounds: the first, which is small and has all that can go wrong.
const SEARCHED: usize = 1;

fn servers() -> Vec<Box<dyn Server>> {
    vec![Box::new(LockServer::new(LockService::new(7))), Box::new(StorageServer::new(StorageGate::default()))]
}

fn properties() -> Vec<Box<dyn Property>> {
    vec![Box::<KeptOrTold>::default(), Box::<CallsReturn>::default()]
}

fn calls_return() -> Vec<Box<dyn Property>> {
    vec![Box::<CallsReturn>::default()]
}

fn pace() -> Vec<Box<dyn Property>> {
    vec![Box::<Pace>::default()]
}

fn jitter() -> Vec<Box<dyn Property>> {
    vec![Box::<Jitter>::default()]
}

fn backs_off() -> Vec<Box<dyn Property>> {
    vec![Box::<CallsReturn>::default(), Box::<BacksOff>::default()]
}

fn told_free(within_us: u64) -> Vec<Box<dyn Property>> {
    vec![Box::<CallsReturn>::default(), Box::new(ToldFree::new(within_us))]
}

fn at_once() -> Vec<Box<dyn Property>> {
    told_free(10 * TICK_US)
}

/// After one lost watch: the wait for it, and one call that gets lost as well.
fn soon() -> Vec<Box<dyn Property>> {
    told_free(7 * SECOND_US)
}

/// After several.
fn in_a_crowd() -> Vec<Box<dyn Property>> {
    let mut all = properties();
    all.push(Box::new(ToldFree::new(40 * SECOND_US)));
    all
}

impl Kata for LockClient {
    const SLUG: &'static str = "lock-client";
    const SEARCH: &'static str = "no_few_disturbances_break_it";
    const LOADED: &'static str = "The file loads and defines LockClient.";
    const TICKS: u64 = 2_500_000;
    type Trial = WorldLab;
    type Hunt = WorldHunt;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        let module = program.run(py)?;
        runner::offers_methods(py, program, &module, "LockClient", &["acquire", "on_release"])
    }

    fn trial(py: &Python<'_>, program: Program) -> WorldLab {
        WorldLab::new(py, program, include_str!("lock_client/driver.py"), &SCENARIOS)
    }

    fn tests() -> Vec<Test<Plan>> {
        worlds::tests(TESTS, |world| world)
    }

    fn hunt(_: &Python<'_>, _: &mut WorldLab, options: &Options) -> WorldHunt {
        WorldHunt::new(SEARCHED, Reach { bound: 2, most: 600, drawn: 48 }, options).drawing_in(CROWD..CROWD + 1)
    }

    fn schedule(replay: Replay) -> Result<Plan, BadReplay> {
        worlds::plan(replay, &SCENARIOS)
    }
}

const HALF: u64 = SECOND_US / 2;
const HOUR: i64 = 3600 * SECOND_US as i64;
/// Slow, but in time.
const SLOW: Disturbance = DelayReply(9 * SECOND_US / 10);
/// Until long after all that a kata's run does.
const CUT_OFF: Disturbance = Partition(3 * TTL_US);

/// Something goes wrong with the first client's nth call, from 0.
const fn renewal(nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about: "locks.renew", nth, what }
}

const fn acquire(nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about: "locks.acquire", nth, what }
}

const fn release(nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about: "locks.release", nth, what }
}

/// Something goes wrong with the second client's nth watch.
const fn watch(nth: u32, what: Disturbance) -> Cue {
    Cue { client: 1, about: "locks.watch", nth, what }
}

/// The service restarts when the first client asks it something, the nth time.
const fn restart(nth: u32) -> Cue {
    Cue { client: 0, about: "locks.watchers", nth, what: RestartServer }
}

/// Something happens where a task of the first client's goes on after sleeping, the nth time, from 0.
const fn wake(nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about: "wake", nth, what }
}

/// The second renewal goes out so many quarters of a second late, and then something happens to it: see kata 5.
const fn late_renewal(quarters: u64, what: Disturbance) -> [Cue; 2] {
    [renewal(1, Pause(quarters * SECOND_US / 4)), renewal(1, what)]
}

/// More tries than fit into a wait of 5 s.
const ALL_LOST: [Cue; 12] = {
    let mut cues = [acquire(0, LoseRequest); 12];
    let mut nth = 0;
    while nth < 12 {
        cues[nth].nth = nth as u32;
        nth += 1;
    }
    cues
};

/// The named tests.
const TESTS: &[worlds::Named<usize>] = &[
    (
        "a_free_lock_is_granted_with_its_fencing_token",
        "One try gets a free lock: a held handle with the lock's name and the grant's fencing token, which the storage takes.",
        &[(ALONE, &[])],
    ),
    (
        "a_wait_ends_with_a_last_try",
        "wait_s is kept to the tick: never longer, one more try at its end, and 0 is one try.",
        &[(WAIT_IN_VAIN, &[]), (WAIT_AND_HAVE, &[]), (AS_WRITTEN, &[])],
    ),
    (
        "there_is_no_waiting_for_ever",
        "A wait_s that is no number of seconds from 0 on raises ValueError, before anything is asked.",
        &[(BOUNDS, &[])],
    ),
    (
        "waiters_are_spread_by_chance",
        "Pauses between tries grow up to a cap and are drawn with full jitter.",
        &[(HERD, &[])],
    ),
    (
        "a_lost_message_is_a_try_in_vain",
        "A TransportError spends the wait like a refusal, and never comes out of acquire().",
        &[
            (UNLUCKY, &[acquire(0, LoseRequest)]),
            (UNLUCKY, &[acquire(0, LoseReply)]),
            (UNLUCKY, &[acquire(0, DelayReply(2 * TTL_US))]),
            (UNLUCKY, &[acquire(0, LoseRequest), acquire(1, LoseRequest), acquire(2, LoseRequest)]),
            (UNLUCKY, &[acquire(0, Duplicate)]),
            (UNLUCKY, &[acquire(0, RestartServer)]),
            (IMPATIENT, &[acquire(0, LoseRequest)]),
            (IMPATIENT, &[acquire(0, LoseReply)]),
            (OUT_OF_LUCK, &ALL_LOST),
        ],
    ),
    (
        "a_grant_that_comes_too_late_is_given_back",
        "A grant whose deadline has passed when its answer comes is not held: it is released, and the try was in vain.",
        &[
            (TOO_LATE, &[acquire(0, SLOW)]),
            (TOO_LATE, &[acquire(1, SLOW)]),
            // The answer comes at the very deadline.
            (TOO_LATE, &[acquire(0, DelayReply(HALF - 2 * TICK_US))]),
            (TOO_LATE, &[acquire(0, Pause(3 * SECOND_US))]),
            (TOO_LATE, &[acquire(0, Pause(3 * SECOND_US)), release(0, LoseReply)]),
            (UNLUCKY, &[acquire(0, Pause(12 * SECOND_US))]),
            (IMPATIENT, &[acquire(0, Pause(2 * TTL_US))]),
        ],
    ),
    (
        "nothing_goes_on_for_a_cancelled_waiter",
        "When the task that waits is cancelled, no try and no renewal follows, wherever it stood.",
        &[(CANCELLED, &[])],
    ),
    (
        "a_healthy_lease_never_dies_over_100_ttl",
        "As long as renewals succeed, the lease goes on: each one moves the deadline.",
        &[(LONG, &[])],
    ),
    ("a_fractional_ttl_is_kept", "Whatever the ttl is, the lease is kept by it.", &[(ODD, &[])]),
    (
        "renewals_come_about_every_third_of_the_ttl",
        "Between two renewals pass a third of the ttl, give or take a tenth of it.",
        &[(PACE, &[]), (HURRY, &[renewal(0, LoseRequest)]), (HURRY, &[renewal(1, LoseReply)])],
    ),
    (
        "renewals_are_spread_by_chance",
        "The pause is drawn anew each time, so that renewers which began together do not go on together.",
        &[(JITTER, &[])],
    ),
    (
        "one_failed_attempt_is_survived",
        "A renewal whose request or reply is lost is tried again before the deadline.",
        &[
            (ONE, &[renewal(0, LoseRequest)]),
            (ONE, &[renewal(2, LoseRequest)]),
            (ONE, &[renewal(0, LoseReply)]),
            (ONE, &[renewal(1, DelayReply(2 * TTL_US))]),
            (ONE, &[renewal(1, DelayReply(HALF))]),
            (ONE, &[renewal(0, LoseRequest), renewal(2, LoseReply)]),
        ],
    ),
    (
        "a_rejected_renewal_is_a_loss_at_once",
        "When the service says that the grant is over, on_lost is called then, not at the deadline.",
        &[(FREED, &[]), (FREED, &[renewal(1, DelayReply(HALF))]), (FREED, &[renewal(1, LoseReply)])],
    ),
    (
        "a_lease_that_can_not_be_renewed_is_lost_at_its_deadline",
        "When no renewal gets through, the lease is lost at the latest when its deadline passes, counted from when the \
         last request that succeeded was sent.",
        &[
            (ONE, &[renewal(0, CUT_OFF)]),
            (ONE, &[renewal(1, CUT_OFF)]),
            (ONE, &[renewal(0, SLOW), renewal(1, CUT_OFF)]),
            (ONE, &[acquire(0, SLOW), renewal(0, CUT_OFF)]),
        ],
    ),
    (
        "the_deadline_holds_while_a_renewal_is_under_way",
        "Lost at the latest when the deadline passes, also while an answer is still to come; and then for good.",
        &[
            (ONE, &late_renewal(22, LoseRequest)),
            (ONE, &late_renewal(24, LoseRequest)),
            (ONE, &late_renewal(26, LoseRequest)),
            (ONE, &late_renewal(28, LoseRequest)),
            (ONE, &late_renewal(23, DelayReply(HALF))),
            (ONE, &late_renewal(24, DelayReply(HALF))),
            (ONE, &late_renewal(25, DelayReply(HALF))),
            (ONE, &late_renewal(26, DelayReply(HALF))),
            (ONE, &late_renewal(27, DelayReply(HALF))),
        ],
    ),
    (
        "a_pause_past_the_ttl_is_a_loss",
        "After a pause that outlasts the lease it is lost, without asking: is_held() says so at once, on_lost is called.",
        &[
            // The whole story: pause, expiry, takeover, and a write that comes too late.
            (LATE_WRITE, &[Cue { client: 0, about: "storage.write", nth: 0, what: Pause(2 * TTL_US) }]),
            (TO_THE_DEADLINE, &[wake(0, Pause(TTL_US - 2 * SECOND_US))]),
            (ONE, &[wake(0, Pause(TTL_US))]),
            (ONE, &[wake(1, Pause(TTL_US))]),
            (ONE, &[wake(2, Pause(TTL_US))]),
            (ONE, &[wake(3, Pause(3 * TTL_US))]),
            (ONE, &[renewal(1, Pause(3 * TTL_US))]),
        ],
    ),
    (
        "the_wall_clock_does_not_matter",
        "Deadlines come from the monotonic clock; the wall clock may step either way.",
        &[
            (ONE, &[wake(0, StepWall(HOUR))]),
            (ONE, &[wake(1, StepWall(-HOUR))]),
            (ONE, &[wake(1, StepWall(-HOUR)), renewal(1, CUT_OFF)]),
            (WAIT_AND_HAVE, &[Cue { client: 1, about: "wake", nth: 1, what: StepWall(-HOUR) }]),
            (WAIT_AND_HAVE, &[Cue { client: 1, about: "wake", nth: 1, what: StepWall(HOUR) }]),
        ],
    ),
    (
        "nothing_renews_after_the_last_release",
        "The last release ends the renewals, also when one is under way, whose outcome changes nothing any more.",
        &[
            (SHORT, &[]),
            (ONE, &[]),
            (UNDER_WAY, &[]),
            (UNDER_WAY, &[renewal(1, LoseRequest)]),
            (UNDER_WAY, &[renewal(1, LoseReply)]),
            (UNDER_WAY, &[renewal(1, DelayReply(HALF))]),
            (FREED_UNDER_WAY, &[]),
            (FREED_UNDER_WAY, &[renewal(1, DelayReply(HALF))]),
        ],
    ),
    (
        "a_release_that_fails_is_a_release",
        "release() raises no TransportError, and the handle is Released whatever becomes of the call.",
        &[
            (ONE, &[release(0, LoseRequest)]),
            (ONE, &[release(0, LoseReply)]),
            (ONE, &[release(0, LoseReply), release(1, LoseReply), release(2, LoseReply)]),
            (ONE, &[release(0, Partition(5 * SECOND_US))]),
        ],
    ),
    (
        "only_the_last_release_frees_the_lock",
        "Handles of one grant may be released in any order, each once: the service is told with the last one.",
        &[(NEST, &[]), (NEST_FOR_LONG, &[])],
    ),
    (
        "only_the_holders_own_task_nests",
        "Another task, another client and the holder without reentrant are refused while the lock is held; a task that \
         holds one lock can take another.",
        &[(STRANGERS, &[]), (TWO_NAMES, &[])],
    ),
    (
        "a_strangers_release_changes_nothing",
        "A release by another task than the owner raises RuntimeError and changes nothing.",
        &[(THIEF, &[])],
    ),
    (
        "a_loss_reaches_every_nested_handle_once",
        "Each handle that is held when the grant is lost is told, once, also if another one's on_lost raises; a released one \
         is not.",
        &[
            (TELL_ALL, &[]),
            (ONE_RAISES, &[]),
            (TELL_ALL, &[renewal(1, LoseReply)]),
            (BRINK_RELEASE, &[]),
            (ONE_NESTS, &[]),
            (ONE_NESTS, &[renewal(1, CUT_OFF)]),
            (ONE_NESTS, &[wake(1, Pause(TTL_US))]),
        ],
    ),
    (
        "a_lost_grant_gives_way_to_a_new_one",
        "Who lost the lock can have it anew, with a new token; handles of the old grant neither count nor touch the new one.",
        &[(AGAIN, &[]), (BRINK, &[])],
    ),
    (
        "a_body_that_ends_releases",
        "async with releases however its body ends, and the body's exception comes out as it is.",
        &[
            (BODIES, &[]),
            (BODIES, &[release(1, LoseRequest)]),
            (BODIES, &[release(0, LoseReply)]),
            (BODIES, &[release(1, Partition(4 * SECOND_US))]),
            (BODIES, &[release(2, LoseReply)]),
            (BODIES_THAT_RAISE, &[]),
        ],
    ),
    (
        "on_release_tells_when_the_lock_is_free",
        "The callback is called once, when the lock is free, at once if it is free already.",
        &[(LISTEN, &[]), (LISTEN, &[release(0, LoseRequest)])],
    ),
    (
        "a_cancelled_on_release_leaves_no_watch",
        "After cancel() the callback is not called, and its watch is taken back, also one whose request is under way.",
        &[(NO_LONGER, &[]), (JUST_TOLD, &[]), (JUST_FREED, &[])],
    ),
    (
        "a_lost_watch_is_asked_for_again",
        "A watch of which nothing is heard for WATCH_S seconds is left anew: it may have been lost.",
        &[
            (LISTEN_FOR_LONG, &[]),
            (LISTEN_FOR_LONG, &[restart(1)]),
            (LISTEN_FOR_LONG, &[restart(8)]),
            (LISTEN_FOR_LONG, &[restart(9)]),
            (LISTEN_FOR_LONG, &[watch(0, LoseRequest)]),
            (LISTEN_FOR_LONG, &[watch(0, LoseReply)]),
            (LISTEN_BRIEFLY, &[restart(1)]),
            (LISTEN_LATE, &[restart(0)]),
        ],
    ),
];
