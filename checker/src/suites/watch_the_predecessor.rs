//! Kata 8: `QueueLock(service, clock, session, name)` with `async acquire(wait_s)` and `async release()`.
//!
//! What the task leaves open is allowed in every reading: whether one watch is set on two places or two watches on one
//! each, whether they are set before or after the look, which of a session's places is taken after a lost answer, whether
//! there is a last look when the budget is used up, how long after 5 seconds a waiter looks again, and whether cleaning up
//! after giving up is done in a task of its own.

mod properties;

use super::Suite;
use super::runner::{self, Kata, Options, Test};
use super::worlds::{self, Plan, Reach, Scenario, WorldHunt, WorldLab, cue};
use crate::explore::replay::{BadReplay, Replay};
use crate::python::{Problem, Program, Python};
use crate::sim::disturbance::Disturbance::{
    Crash, DelayReply, LoseReply, LoseRequest, Partition, Pause, RestartServer, StepWall,
};
use crate::sim::disturbance::Faults;
use crate::sim::property::Property;
use crate::sim::server::Server;
use crate::sim::servers::CoordinatorServer;
use crate::sim::world::Settings;
use crate::time::SECOND_US;
use properties::{
    KeepsItsPlace, Must, NoHerd, NoNeedlessEnd, NoPolling, NothingLeft, OnlyOnesOwn, OnlyTheFirst, Prompt,
};

/// The suite.
pub const SUITE: Suite =
    runner::suite::<WatchThePredecessor>("QueueLock: waits in line for a lock, without polling and without a herd", "");

/// The kata.
pub struct WatchThePredecessor;

const SETTINGS: Settings = Settings {
    clients: 2,
    horizon_us: 200 * SECOND_US,
    ttl_us: 10 * SECOND_US,
    faults: Faults {
        pauses: true,
        crashes: true,
        partitions: true,
        lost_requests: true,
        lost_replies: true,
        restarts: true,
        wall_steps: true,
        ..Faults::NONE
    },
    ..Settings::DEFAULT
};

const fn world(about: &'static str, start: &'static str, clients: usize) -> Scenario {
    Scenario { about, start, settings: Settings { clients, ..SETTINGS }, servers, properties }
}

const ALONE: usize = 2;
const LINE: usize = 3;
const HERD: usize = 4;
const LONG: usize = 5;
const MIDDLE: usize = 6;
const ALL_LEAVE: usize = 7;
const CRASH: usize = 8;
const GAP: usize = 9;
const DEAD: usize = 10;
const DEAD_ALONE: usize = 11;
const STALE: usize = 12;
const BUDGETS: usize = 13;
const HUNDRED: usize = 14;
const AGAIN: usize = 15;
const LATE_RELEASE: usize = 16;
const EARLY_RELEASE: usize = 17;
const LOST: usize = 18;
const BRIEF: usize = 19;
const CUT_OFF: usize = 20;
const TWO_NAMES: usize = 21;
const OUT_OF_REACH: usize = 22;

static SCENARIOS: [Scenario; 23] = [
    world("A holds the lock; B waits for it", "pair", 2),
    world("A holds the lock, B gives up behind it, C waits behind both", "trio", 3),
    world("one client takes the lock and gives it back, five times", "alone", 1),
    world("four clients come one after the other", "line", 4),
    world("six clients wait for A's lock", "herd", 7),
    world("A holds the lock for a minute; B waits", "long_wait", 2),
    world("A holds the lock; B gives up; C stands behind B", "middle", 3),
    world("A holds the lock; B and C give up at one instant; D stands behind them", "all_leave", 4),
    world("A takes the lock, B and C wait; one of them crashes for good", "crash", 3),
    world("A gives the lock back while B is on its way into the queue", "gap", 2),
    world("the sessions of B and C end while they wait; A works on, and D waits behind them", "dead", 4),
    world("B's session ends just when A gives the lock back", "dead_alone", 2),
    world("B asks with a session that is over", "stale", 2),
    world("A holds the lock; B tries with several budgets", "budgets", 2),
    world("A holds the lock; B and C ask fifty times each, and give up each time", "hundred", 3),
    world("A crashes and comes back while its old session still runs", "again", 2),
    world("A's session is over when it gives the lock back; B holds it by now", "late_release", 3),
    world("B calls release() without a lock", "early_release", 2),
    world("A holds the lock for 5 s; B waits", "lost", 2),
    world("A holds the lock; B waits for 2 s; C stands behind B", "brief", 3),
    world("A gives the lock back, B gives up and C waits; sessions last long", "cut_off", 3),
    world("A and B use two locks", "two_names", 2),
    // What is left behind then is nobody's fault.
    Scenario { properties: Vec::new, ..world("A gives the lock back and reaches nobody", "out_of_reach", 1) },
];

/// The worlds that the search goes through: the first ones.
const SEARCHED: usize = 2;

fn servers() -> Vec<Box<dyn Server>> {
    vec![Box::<CoordinatorServer>::default()]
}

fn properties() -> Vec<Box<dyn Property>> {
    vec![
        Box::<OnlyTheFirst>::default(),
        Box::<NoHerd>::default(),
        Box::<OnlyOnesOwn>::default(),
        Box::<NoNeedlessEnd>::default(),
        Box::<KeepsItsPlace>::default(),
        Box::<NoPolling>::default(),
        Box::<NothingLeft>::default(),
        Box::new(Prompt::new(Must::Fail)),
        Box::new(Prompt::new(Must::Grant)),
        Box::new(Prompt::new(Must::End)),
    ]
}

impl Kata for WatchThePredecessor {
    const SLUG: &'static str = "watch-the-predecessor";
    const SEARCH: &'static str = "no_few_disturbances_break_it";
    const LOADED: &'static str = "The file loads and defines QueueLock.";
    const TICKS: u64 = 2_500_000;
    type Trial = WorldLab;
    type Hunt = WorldHunt;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        let module = program.run(py)?;
        runner::offers_methods(py, program, &module, "QueueLock", &["acquire", "release"])
    }

    fn trial(py: &Python<'_>, program: Program) -> WorldLab {
        let mut lab = WorldLab::new(py, program, include_str!("watch_the_predecessor/driver.py"), &SCENARIOS);
        // Nearly every disturbance moves time or numbers: hardly two states are alike, and looking costs.
        lab.uses_seen = false;
        lab
    }

    fn tests() -> Vec<Test<Plan>> {
        worlds::tests(TESTS, |world| world)
    }

    fn hunt(_: &Python<'_>, _: &mut WorldLab, options: &Options) -> WorldHunt {
        WorldHunt::new(SEARCHED, Reach { bound: 1, most: 2_000, drawn: 120 }, options)
    }

    fn schedule(replay: Replay) -> Result<Plan, BadReplay> {
        worlds::plan(replay, &SCENARIOS)
    }
}

const WAKE: &str = "wake";
const APPEND: &str = "coordinator.append";
const PLACES: &str = "coordinator.places";
const WATCH: &str = "coordinator.watch";
const UNWATCH: &str = "coordinator.unwatch";
const REMOVE: &str = "coordinator.remove";
const KEEP_ALIVE: &str = "coordinator.keep_alive";

const HOUR: i64 = 3600 * SECOND_US as i64;

/// The named tests.
const TESTS: &[worlds::Named<usize>] = &[
    (
        "a_free_lock_is_taken",
        "Whoever finds nobody in line has the lock, and after release() it can be taken again.",
        &[(ALONE, &[])],
    ),
    (
        "waiters_are_served_in_line",
        "Each release lets the next one in, in the order in which they came.",
        &[(LINE, &[])],
    ),
    (
        "a_release_wakes_one_waiter",
        "However many wait, a place that goes wakes at most the one behind it.",
        &[(HERD, &[]), (HERD, &[cue(0, WAKE, 1, Crash)])],
    ),
    (
        "waiting_is_not_polling",
        "While nothing changes before it, a waiter leaves the service alone, but for a look every 5 to 10 seconds.",
        &[(LONG, &[])],
    ),
    (
        "a_waiter_keeps_its_place",
        "However long it waits, a waiter does not leave the queue to come back: it would stand last.",
        &[(LONG, &[])],
    ),
    (
        "a_predecessor_that_gave_up_is_no_release",
        "When the place before yours goes, look again: perhaps others still stand before you.",
        &[(MIDDLE, &[]), (ALL_LEAVE, &[]), (BRIEF, &[])],
    ),
    (
        "a_change_between_look_and_watch_is_seen",
        "A place that goes after the look and before the watch wakes nobody; the waiter must notice it all the same.",
        &[
            (GAP, &[]),
            (LOST, &[cue(1, WATCH, 0, Pause(6 * SECOND_US))]),
            (LOST, &[cue(1, WATCH, 1, Pause(6 * SECOND_US))]),
            (MIDDLE, &[cue(2, WATCH, 0, Pause(2 * SECOND_US))]),
        ],
    ),
    (
        "a_crashed_predecessor_lets_the_next_in",
        "The place of a process that died goes with its session, and whoever stands behind it is woken.",
        &[
            (CRASH, &[cue(0, WAKE, 1, Crash)]),
            (CRASH, &[cue(1, WAKE, 1, Crash)]),
            (CRASH, &[cue(1, PLACES, 0, Crash)]),
            (CRASH, &[cue(1, WATCH, 0, Crash)]),
        ],
    ),
    (
        "a_waiter_whose_session_is_over_fails_at_once",
        "It raises SessionLost when its session is over, and does not wait until those before it have gone.",
        &[(DEAD, &[]), (STALE, &[])],
    ),
    (
        "a_session_that_is_over_owns_nothing",
        "A waiter whose session ended while it waited is not told that it has the lock, even when nobody is left before \
         it.",
        &[
            (DEAD_ALONE, &[]),
            (LOST, &[cue(1, WAKE, 1, Pause(20 * SECOND_US))]),
            (LOST, &[cue(1, WAKE, 2, Pause(20 * SECOND_US))]),
            (LOST, &[cue(1, PLACES, 0, Pause(20 * SECOND_US))]),
            (LOST, &[cue(1, WATCH, 0, Pause(20 * SECOND_US))]),
        ],
    ),
    (
        "a_place_of_an_earlier_session_is_not_ones_own",
        "A process that starts again finds the place of its earlier session still in line; that is another's, and it \
         waits behind it.",
        &[(AGAIN, &[cue(0, WAKE, 1, Crash)]), (AGAIN, &[cue(1, WAKE, 1, Crash)])],
    ),
    (
        "the_wait_ends_with_its_budget",
        "After wait_s acquire() returns None, not before and not much later; with 0 it tries once.",
        &[
            (BUDGETS, &[]),
            (BUDGETS, &[cue(1, PLACES, 2, LoseReply)]),
            (BUDGETS, &[cue(1, WATCH, 1, LoseRequest)]),
            (BUDGETS, &[cue(1, PLACES, 3, Partition(5 * SECOND_US))]),
            (BUDGETS, &[cue(1, PLACES, 4, DelayReply(SECOND_US / 2))]),
        ],
    ),
    (
        "nothing_is_left_of_a_hundred_waiters_that_gave_up",
        "Places and watches of waiters that gave up are gone.",
        &[(HUNDRED, &[])],
    ),
    (
        "a_lost_answer_leaves_no_place_behind",
        "A place may have been taken although no answer came: it is found and used, or removed.",
        &[
            (ALONE, &[cue(0, APPEND, 0, LoseReply)]),
            (LOST, &[cue(0, APPEND, 0, LoseReply)]),
            (LOST, &[cue(1, APPEND, 0, LoseReply)]),
            (LOST, &[cue(1, APPEND, 0, DelayReply(2 * SECOND_US))]),
            (BRIEF, &[cue(1, APPEND, 0, LoseReply)]),
            (BUDGETS, &[cue(1, APPEND, 0, LoseReply)]),
            (BUDGETS, &[cue(1, APPEND, 1, LoseReply)]),
            (BRIEF, &[cue(1, REMOVE, 0, LoseReply)]),
        ],
    ),
    (
        "a_lost_request_is_made_again",
        "A TransportError is no reason to end: there is budget, and what must be removed must be removed.",
        &[
            (LOST, &[cue(1, APPEND, 0, LoseRequest)]),
            (LOST, &[cue(1, PLACES, 0, LoseRequest)]),
            (LOST, &[cue(1, PLACES, 1, LoseReply)]),
            (
                LOST,
                &[
                    cue(1, PLACES, 0, LoseReply),
                    cue(1, PLACES, 1, LoseRequest),
                    cue(1, PLACES, 2, LoseReply),
                    cue(1, PLACES, 3, LoseRequest),
                ],
            ),
            (LOST, &[cue(1, WATCH, 0, LoseRequest)]),
            (LOST, &[cue(1, WATCH, 0, LoseReply)]),
            (LOST, &[cue(1, UNWATCH, 0, LoseRequest)]),
            (LOST, &[cue(0, REMOVE, 0, LoseRequest)]),
            (LOST, &[cue(0, REMOVE, 0, LoseRequest), cue(0, REMOVE, 1, LoseRequest)]),
            (LOST, &[cue(0, REMOVE, 0, Partition(4 * SECOND_US))]),
            (BRIEF, &[cue(1, REMOVE, 0, LoseRequest)]),
            (BRIEF, &[cue(1, UNWATCH, 0, LoseRequest)]),
            (CUT_OFF, &[cue(0, REMOVE, 0, Partition(8 * SECOND_US))]),
            (CUT_OFF, &[cue(0, REMOVE, 0, Partition(25 * SECOND_US))]),
            (CUT_OFF, &[cue(1, REMOVE, 0, Partition(8 * SECOND_US))]),
            (CUT_OFF, &[cue(1, REMOVE, 0, Partition(25 * SECOND_US))]),
            (CUT_OFF, &[cue(1, WATCH, 0, Partition(25 * SECOND_US))]),
        ],
    ),
    (
        "a_message_that_is_lost_costs_ten_seconds_at_most",
        "When the watch's message does not come, a look at the queue after 10 seconds at most finds what it was to tell.",
        &[
            (LOST, &[cue(0, REMOVE, 0, RestartServer)]),
            (LOST, &[cue(0, KEEP_ALIVE, 0, RestartServer)]),
            (LOST, &[cue(1, KEEP_ALIVE, 0, Partition(4 * SECOND_US))]),
        ],
    ),
    (
        "release_removes_only_ones_own_place",
        "When release() returns, this session's place is gone; it does nothing when there is none any more.",
        &[
            (ALONE, &[]),
            (LATE_RELEASE, &[]),
            (EARLY_RELEASE, &[]),
            (LATE_RELEASE, &[cue(0, REMOVE, 0, LoseReply)]),
            (LOST, &[cue(0, REMOVE, 0, LoseReply)]),
            (OUT_OF_REACH, &[cue(0, WAKE, 1, Partition(150 * SECOND_US))]),
        ],
    ),
    (
        "each_lock_has_its_own_queue",
        "The queue has the name of the lock: locks with other names have nothing to do with each other.",
        &[(TWO_NAMES, &[])],
    ),
    (
        "the_wall_clock_does_not_matter",
        "Budgets, looks and cleaning up are counted on the monotonic clock; the wall clock may step either way.",
        &[
            (BUDGETS, &[cue(1, WATCH, 1, StepWall(HOUR))]),
            (BUDGETS, &[cue(1, WATCH, 1, StepWall(-HOUR))]),
            (LOST, &[cue(1, WATCH, 0, StepWall(HOUR))]),
            (BRIEF, &[cue(1, PLACES, 0, StepWall(-HOUR))]),
            // While it cleans up.
            (CUT_OFF, &[cue(0, REMOVE, 0, Partition(8 * SECOND_US)), cue(0, KEEP_ALIVE, 1, StepWall(HOUR))]),
        ],
    ),
];
