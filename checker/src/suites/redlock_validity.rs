//! Kata 10: `Redlock(nodes, clock, drift_factor)` with `async acquire(name, ttl)` and `async release(lease)`.
//!
//! What the task leaves open is allowed in every reading: nodes asked one after the other, in any order, or all at once;
//! going on as soon as a majority has granted, or is out of reach, or waiting for all; `valid_until` counted from before the
//! first request, or from the request to the node that completes a majority; a few milliseconds of additional caution; release
//! of nodes that refused; what `release` does for a lease whose time is over; any class of lease.

mod properties;

use super::Suite;
use super::runner::{self, Kata, Options, Test};
use super::worlds::{self, Plan, Reach, Scenario, WorldHunt, WorldLab};
use crate::explore::replay::{BadReplay, Replay};
use crate::python::{Problem, Program, Python};
use crate::sim::disturbance::Disturbance::{DelayReply, LoseReply, LoseRequest, Pause, RestartServer, StepWall};
use crate::sim::disturbance::{Cue, Disturbance, Faults};
use crate::sim::property::Property;
use crate::sim::server::Server;
use crate::sim::servers::NodeServer;
use crate::sim::world::Settings;
use crate::time::SECOND_US;
use properties::{CallsReturn, MajorityHolds, OneBeliever, OwnTokens};

/// The suite.
pub const SUITE: Suite = runner::suite::<RedlockValidity>("Redlock: a lock that the majority of n nodes makes", "");

/// The kata.
pub struct RedlockValidity;

const TTL_US: u64 = 10 * SECOND_US;
const TIMEOUT_US: u64 = SECOND_US / 2;

const SETTINGS: Settings = Settings {
    clients: 1,
    timeout_us: TIMEOUT_US,
    horizon_us: 200 * SECOND_US,
    ttl_us: TTL_US,
    // Of a lost request or a late reply a client knows no more than of a lost reply. Named tests have those.
    faults: Faults { pauses: true, wall_steps: true, lost_replies: true, ..Faults::NONE },
    ..Settings::DEFAULT
};
const PAIR: Settings = Settings { clients: 2, faults: Faults { pauses: true, ..Faults::NONE }, ..SETTINGS };

/// The client's clock runs slow and those of the nodes run fast, or one of them: together just within the drift of 2 %.
const SLOW_PPM: i64 = -9_000;
const SLOW: Settings = Settings { drift_ppm: [SLOW_PPM, 0, 0, 0], ..SETTINGS };
const FAST_PPM: i64 = 10_000;

type Servers = fn() -> Vec<Box<dyn Server>>;

const fn scenario(about: &'static str, start: &'static str, settings: Settings, servers: Servers) -> Scenario {
    Scenario { about, start, settings, servers, properties }
}

const ONE: usize = 0;
const DUEL: usize = 1;
const SIZE_1: usize = 2;
const SIZE_3: usize = 3;
const SIZE_4: usize = 4;
const SIZE_5: usize = 5;
const ONE_DOWN_OF_3: usize = 6;
const LAST_DOWN_OF_3: usize = 7;
const TWO_DOWN_OF_5: usize = 8;
const ONE_DOWN_OF_4: usize = 9;
const NONE_OF_1: usize = 10;
const TWO_DOWN_OF_3: usize = 11;
const TWO_DOWN_OF_4: usize = 12;
const THREE_DOWN_OF_5: usize = 13;
const SPLIT: usize = 14;
const SHORT: usize = 15;
const TRIES: usize = 16;
const OLD: usize = 17;
const TWO_NAMES: usize = 18;
const SAME_MOMENT: usize = 19;
const DRIFT: usize = 20;
const RESTARTED: usize = 21;

static SCENARIOS: [Scenario; 22] = [
    scenario("one client wants the lock, on three nodes", "one", SETTINGS, three),
    scenario("two clients want the lock at the same moment, on three nodes", "duel", PAIR, three),
    scenario("one client and one node", "alone_1", SETTINGS, || nodes(1, &[])),
    scenario("one client and three nodes", "alone_3", SETTINGS, three),
    scenario("one client and four nodes", "alone_4", SETTINGS, || nodes(4, &[])),
    scenario("one client and five nodes", "alone_5", SETTINGS, || nodes(5, &[])),
    scenario("the first of three nodes is down", "alone_3", SETTINGS, || nodes(3, &[0])),
    scenario("the last of three nodes is down", "alone_3", SETTINGS, || nodes(3, &[2])),
    scenario("two of five nodes are down", "alone_5", SETTINGS, || nodes(5, &[1, 3])),
    scenario("one of four nodes is down", "alone_4", SETTINGS, || nodes(4, &[1])),
    scenario("the only node is down", "alone_1", SETTINGS, || nodes(1, &[0])),
    scenario("two of three nodes are down", "alone_3", SETTINGS, || nodes(3, &[0, 2])),
    scenario("two of four nodes are down", "alone_4", SETTINGS, || nodes(4, &[1, 2])),
    scenario("three of five nodes are down", "alone_5", SETTINGS, || nodes(5, &[0, 1, 4])),
    scenario("two clients ask four nodes from both ends", "split", PAIR, || nodes(4, &[])),
    scenario("one client takes leases that are hardly longer than a round trip", "short", SETTINGS, three),
    scenario("one client tries until it has the lock; the last of three nodes is down", "tries", SETTINGS, || {
        nodes(3, &[2])
    }),
    scenario("one client releases an old lease while it holds a new one", "old", SETTINGS, three),
    scenario("two tasks of one process take a lock each", "two_names", SETTINGS, three),
    scenario(
        "three clients take a lock each, at the same moment",
        "same_moment",
        Settings { clients: 3, ..SETTINGS },
        three,
    ),
    Scenario {
        properties: by_a_slow_clock,
        ..scenario("the client's clock runs slow and those of the nodes run fast", "alone_5", SLOW, || {
            (0..5).map(|i| Box::new(NodeServer::new(NODES[i]).with_fast_clock(FAST_PPM)) as Box<dyn Server>).collect()
        })
    },
    // Where nodes forget, two clients may believe at once, and their code can't help it.
    Scenario {
        properties: || vec![Box::<OwnTokens>::default(), Box::<CallsReturn>::default()],
        ..scenario("a node restarts and has kept nothing", "restarted", PAIR, || {
            (0..3).map(|i| Box::new(NodeServer::new(NODES[i]).forgetful()) as Box<dyn Server>).collect()
        })
    },
];

/// The worlds that the search goes through: the first.
const SEARCHED: usize = 2;

const NODES: [&str; 5] = ["node-1", "node-2", "node-3", "node-4", "node-5"];

/// So many nodes, of which these are down.
fn nodes(count: usize, down: &[usize]) -> Vec<Box<dyn Server>> {
    let node = |i: usize| {
        let node = NodeServer::new(NODES[i]);
        Box::new(if down.contains(&i) { node.down() } else { node }) as Box<dyn Server>
    };
    (0..count).map(node).collect()
}

fn three() -> Vec<Box<dyn Server>> {
    nodes(3, &[])
}

fn properties() -> Vec<Box<dyn Property>> {
    held_against(0)
}

fn by_a_slow_clock() -> Vec<Box<dyn Property>> {
    held_against(SLOW_PPM)
}

/// What must hold, where the clients' clocks run fast by so much.
fn held_against(fast_ppm: i64) -> Vec<Box<dyn Property>> {
    vec![
        Box::new(OneBeliever::new(fast_ppm)),
        Box::new(MajorityHolds::new(fast_ppm)),
        Box::<OwnTokens>::default(),
        Box::<CallsReturn>::default(),
    ]
}

impl Kata for RedlockValidity {
    const SLUG: &'static str = "redlock-validity";
    const SEARCH: &'static str = "no_few_disturbances_break_it";
    const LOADED: &'static str = "The file loads and defines Redlock.";
    const TICKS: u64 = 2_500_000;
    type Trial = WorldLab;
    type Hunt = WorldHunt;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        let module = program.run(py)?;
        runner::offers_methods(py, program, &module, "Redlock", &["acquire", "release"])
    }

    fn trial(py: &Python<'_>, program: Program) -> WorldLab {
        WorldLab::new(py, program, include_str!("redlock_validity/driver.py"), &SCENARIOS)
    }

    fn tests() -> Vec<Test<Plan>> {
        worlds::tests(TESTS, |world| world)
    }

    fn hunt(_: &Python<'_>, _: &mut WorldLab, options: &Options) -> WorldHunt {
        WorldHunt::new(SEARCHED, Reach { bound: 2, most: 1_000, drawn: 100 }, options)
    }

    fn schedule(replay: Replay) -> Result<Plan, BadReplay> {
        worlds::plan(replay, &SCENARIOS)
    }
}

/// Something happens to A's nth call of this kind, from 0.
const fn a(about: &'static str, nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about, nth, what }
}

const ASK_1: &str = "node-1.acquire";
const ASK_2: &str = "node-2.acquire";
const ASK_3: &str = "node-3.acquire";
const FREE_1: &str = "node-1.release";
const FREE_2: &str = "node-2.release";
const FREE_3: &str = "node-3.release";
const SLOWLY: Disturbance = DelayReply(TIMEOUT_US / 2);
/// The node did it, and its answer comes when the caller has given up.
const TOO_LATE: Disturbance = DelayReply(2 * TTL_US);
const HOUR: i64 = 3600 * SECOND_US as i64;

/// A pause of so many tenths of a second before the second of two nodes is asked; the third is down.
const fn pause(tenths: u64) -> [Cue; 1] {
    [a(ASK_2, 0, Pause(tenths * SECOND_US / 10))]
}

/// The named tests.
const TESTS: &[worlds::Named<usize>] = &[
    (
        "a_free_lock_is_granted_by_nodes_that_work",
        "Where nothing goes wrong the lock is granted, for ttl less the drift, and can be taken again once it was released.",
        &[(SIZE_3, &[]), (SIZE_5, &[]), (SIZE_1, &[]), (SIZE_4, &[])],
    ),
    (
        "a_majority_is_enough",
        "A minority of nodes that are down keeps nobody from the lock: the silence of a node is no error.",
        &[(ONE_DOWN_OF_3, &[]), (LAST_DOWN_OF_3, &[]), (TWO_DOWN_OF_5, &[]), (ONE_DOWN_OF_4, &[])],
    ),
    (
        "less_than_a_majority_is_not_enough",
        "More than half of all nodes must grant, also of an even number: 3 of 4, and not of those that answered.",
        &[(TWO_DOWN_OF_4, &[]), (TWO_DOWN_OF_3, &[]), (THREE_DOWN_OF_5, &[]), (NONE_OF_1, &[]), (SPLIT, &[])],
    ),
    (
        "the_time_that_asking_took_is_lost",
        "The lease counts from before the first request, however slow the answers are.",
        &[
            (ONE_DOWN_OF_3, &[a(ASK_2, 0, SLOWLY)]),
            (LAST_DOWN_OF_3, &[a(ASK_1, 0, SLOWLY)]),
            (LAST_DOWN_OF_3, &[a(ASK_2, 0, SLOWLY)]),
            (LAST_DOWN_OF_3, &pause(50)),
        ],
    ),
    (
        "the_drift_is_taken_off",
        "Clocks do not run alike: the client stops to believe before the first node of its majority forgets.",
        &[(DRIFT, &[]), (LAST_DOWN_OF_3, &pause(92)), (LAST_DOWN_OF_3, &pause(97))],
    ),
    (
        "without_usable_time_the_grant_is_void",
        "When ttl - (t2 - t1) - drift is not positive, acquire() gives None and releases all nodes.",
        &[
            (LAST_DOWN_OF_3, &pause(94)),
            (LAST_DOWN_OF_3, &pause(99)),
            (LAST_DOWN_OF_3, &pause(100)),
            (LAST_DOWN_OF_3, &pause(300)),
            (SHORT, &[]),
            (SHORT, &[a(ASK_2, 8, SLOWLY)]),
        ],
    ),
    (
        "on_failure_all_nodes_are_released",
        "An attempt that fails leaves nothing behind, also at nodes that did not answer and may have granted.",
        &[
            (TRIES, &[a(ASK_1, 0, LoseReply), a(ASK_2, 0, LoseRequest)]),
            (TRIES, &[a(ASK_1, 0, TOO_LATE), a(ASK_2, 0, TOO_LATE)]),
            (TRIES, &[a(ASK_1, 0, LoseRequest)]),
            (TRIES, &[a(ASK_2, 0, LoseReply), a(FREE_1, 0, LoseReply)]),
            (TWO_DOWN_OF_3, &[a(ASK_2, 0, LoseReply)]),
            (TWO_DOWN_OF_4, &[]),
            (DUEL, &[]),
            (SPLIT, &[]),
        ],
    ),
    (
        "own_leftovers_count_for_nothing",
        "A token that an earlier attempt left on a node is in one's own way. It is neither a grant nor an error.",
        &[
            (TRIES, &[a(ASK_1, 0, LoseReply), a(ASK_2, 0, LoseRequest), a(FREE_1, 0, LoseRequest)]),
            (TRIES, &[a(ASK_2, 0, LoseReply), a(FREE_1, 0, LoseRequest)]),
            (TRIES, &[a(ASK_2, 0, LoseRequest), a(FREE_1, 0, LoseRequest)]),
            (
                ONE,
                &[
                    a(ASK_1, 0, LoseReply),
                    a(ASK_2, 0, LoseRequest),
                    a(ASK_3, 0, LoseRequest),
                    a(FREE_1, 0, LoseRequest),
                ],
            ),
        ],
    ),
    (
        "each_attempt_has_its_own_token",
        "Ownership tokens are random and new for each acquire(): an old lease's release frees nothing of a new one.",
        &[(SAME_MOMENT, &[]), (OLD, &[]), (TRIES, &[a(ASK_1, 0, LoseRequest)])],
    ),
    (
        "release_goes_to_all_nodes",
        "release() asks every node that may keep the token, whatever it answered to acquire() and whatever others answer now.",
        &[
            (SIZE_5, &[]),
            (ONE_DOWN_OF_3, &[]),
            (ONE, &[a(ASK_1, 0, LoseReply)]),
            (ONE, &[a(ASK_3, 0, LoseReply)]),
            (ONE, &[a(ASK_2, 0, TOO_LATE)]),
            (ONE, &[a(FREE_1, 0, LoseRequest)]),
            (ONE, &[a(FREE_1, 0, LoseReply), a(FREE_2, 0, LoseReply), a(FREE_3, 0, LoseReply)]),
            (ONE, &[a(FREE_1, 0, Pause(3 * TTL_US))]),
            (OLD, &[]),
        ],
    ),
    (
        "locks_of_other_names_are_left_alone",
        "Tasks may use one Redlock at once, for different names.",
        &[(TWO_NAMES, &[]), (TWO_NAMES, &[a(ASK_1, 1, SLOWLY)])],
    ),
    (
        "a_node_that_forgot_is_no_error",
        "A node that restarts empty says False to a release. That is no error: the other nodes are released all the same.",
        &[
            (RESTARTED, &[Cue { client: 1, about: ASK_1, nth: 0, what: RestartServer }]),
            (RESTARTED, &[Cue { client: 1, about: ASK_2, nth: 0, what: RestartServer }]),
        ],
    ),
    (
        "the_wall_clock_does_not_matter",
        "Times come from the monotonic clock; the wall clock may step either way.",
        &[
            (ONE, &[a(ASK_2, 0, StepWall(-HOUR))]),
            (ONE, &[a(ASK_2, 0, StepWall(HOUR))]),
            (LAST_DOWN_OF_3, &[a(ASK_2, 0, StepWall(-HOUR)), a(ASK_2, 1, StepWall(HOUR))]),
        ],
    ),
    (
        "two_clients_never_hold_it_at_once",
        "While one client believes, no other is given the lock, however long the holder was paused.",
        &[
            (DUEL, &[]),
            (DUEL, &[a(ASK_2, 0, Pause(TTL_US))]),
            (DUEL, &[a(FREE_1, 0, Pause(TTL_US))]),
            (DUEL, &[a(FREE_2, 0, Pause(3 * TTL_US))]),
            (SPLIT, &[a(ASK_2, 0, SLOWLY)]),
        ],
    ),
];
