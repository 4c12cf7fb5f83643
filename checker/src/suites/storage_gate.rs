//! Kata 2: `FencedStore(db)` with `async write(resource, token, value)` and `async read(resource)`.
//!
//! What the task leaves open is allowed in every reading: how the rows look, whether a call that could not finish is
//! tried again inside or passed to the caller, whether a greater token whose write failed counts as seen.

mod ledger;

use super::Suite;
use super::runner::{self, Kata, Options, Test};
use super::worlds::{self, Plan, Reach, Scenario, WorldHunt, WorldLab, cue};
use crate::explore::replay::{BadReplay, Replay};
use crate::model::lock_service::LockService;
use crate::python::{Problem, Program, Python};
use crate::sim::disturbance::{Disturbance, Faults};
use crate::sim::property::Property;
use crate::sim::server::Server;
use crate::sim::servers::{DatabaseServer, LockServer};
use crate::sim::world::Settings;
use crate::time::SECOND_US;
use ledger::{Ledger, NothingLeftOpen};

/// The suite.
pub const SUITE: Suite =
    runner::suite::<StorageGate>("FencedStore: writes with fencing tokens over a database with row locks", "");

/// The kata.
pub struct StorageGate;

const SETTINGS: Settings = Settings {
    clients: 2,
    horizon_us: 120 * SECOND_US,
    // There are no leases here. A pause is twice this: long enough for all that the other client does.
    ttl_us: SECOND_US,
    // Other orders of tasks would find nothing that a pause does not, and a pause tells the better story.
    faults: Faults { pauses_of_waiters: true, lost_requests: true, lost_replies: true, ..Faults::NONE },
    ..Settings::DEFAULT
};

const ONE: Settings = Settings { clients: 1, ..SETTINGS };

const BACK: usize = 1;
const SAME: usize = 2;
const STALE: usize = 3;
const UNMOVED: usize = 4;
const RESOURCES: usize = 5;
const AGAIN: usize = 6;
const NEW_A_FIRST: usize = 7;
const NEW_B_FIRST: usize = 8;
const OLD_A_FIRST: usize = 9;
const OLD_B_FIRST: usize = 10;
const ALONE: usize = 11;
const AFTER: usize = 12;
const HALF: usize = 13;
const EQUAL_TOKENS: usize = 14;
const TAKEN_OVER: usize = 15;

static SCENARIOS: [Scenario; 16] = [
    strict("A writes twice with token 1 and B once with token 2, at the same time", "rivals", SETTINGS),
    world("one client writes and reads", "back", ONE),
    world("A and then B write several times with one token", "same", SETTINGS),
    world("A writes with token 9, B with 10, then A again with 9", "stale", SETTINGS),
    world("one client writes with token 5 and then with smaller ones", "unmoved", ONE),
    world("one client writes to two resources", "resources", ONE),
    world("A writes with token 2 and starts again; B writes late with token 1", "again", SETTINGS),
    world("A with token 1, then B with 2, write a new resource, a little apart", "new_a_first", SETTINGS),
    world("B with token 2, then A with 1, write a new resource, a little apart", "new_b_first", SETTINGS),
    world("A with token 2, then B with 3, write an old resource, a little apart", "old_a_first", SETTINGS),
    world("B with token 3, then A with 2, write an old resource, a little apart", "old_b_first", SETTINGS),
    world("one client writes, and tries again what did not finish", "alone", ONE),
    strict("A is rejected or cut short, and B writes soon after", "after", SETTINGS),
    world("B crashes while it writes with token 2, then A writes with token 1", "half", SETTINGS),
    world("A and B write with one token, a little apart", "equal_tokens", SETTINGS),
    Scenario {
        servers: with_locks,
        ..world("A takes a lock and writes; B takes it over and writes", "taken_over", SETTINGS)
    },
];

/// The worlds that the search goes through: the first one.
const SEARCHED: usize = 1;

const fn world(about: &'static str, start: &'static str, settings: Settings) -> Scenario {
    Scenario { about, start, settings, servers, properties: of_calls }
}

/// One that looks at the transactions as well.
const fn strict(about: &'static str, start: &'static str, settings: Settings) -> Scenario {
    Scenario { about, start, settings, servers, properties: of_calls_and_transactions }
}

fn servers() -> Vec<Box<dyn Server>> {
    vec![Box::<DatabaseServer>::default()]
}

fn with_locks() -> Vec<Box<dyn Server>> {
    vec![Box::<DatabaseServer>::default(), Box::new(LockServer::new(LockService::new(7)))]
}

fn of_calls() -> Vec<Box<dyn Property>> {
    vec![Box::<Ledger>::default()]
}

fn of_calls_and_transactions() -> Vec<Box<dyn Property>> {
    vec![Box::<Ledger>::default(), Box::<NothingLeftOpen>::default()]
}

impl Kata for StorageGate {
    const SLUG: &'static str = "storage-gate";
    const SEARCH: &'static str = "no_few_disturbances_break_it";
    const LOADED: &'static str = "The file loads and defines FencedStore.";
    const TICKS: u64 = 2_500_000;
    type Trial = WorldLab;
    type Hunt = WorldHunt;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        let module = program.run(py)?;
        runner::offers_methods(py, program, &module, "FencedStore", &["write", "read"])
    }

    fn trial(py: &Python<'_>, program: Program) -> WorldLab {
        let mut lab = WorldLab::new(py, program, include_str!("storage_gate/driver.py"), &SCENARIOS);
        // The numbers of transactions tell almost all states apart: one schedule in twenty would be cut short.
        lab.uses_seen = false;
        lab
    }

    fn tests() -> Vec<Test<Plan>> {
        worlds::tests(TESTS, |world| world)
    }

    fn hunt(_: &Python<'_>, _: &mut WorldLab, options: &Options) -> WorldHunt {
        WorldHunt::new(SEARCHED, Reach { bound: 2, most: 2_000, drawn: 200 }, options)
    }

    fn schedule(replay: Replay) -> Result<Plan, BadReplay> {
        worlds::plan(replay, &SCENARIOS)
    }
}

const BEGIN: &str = "database.begin";
const COMMIT: &str = "database.commit";
const LOCK: &str = "database.get_for_update";
const PUT: &str = "database.put";
const INSERT: &str = "database.insert";
const ROLLBACK: &str = "database.rollback";

/// The named tests.
const TESTS: &[worlds::Named<usize>] = &[
    (
        "what_is_written_can_be_read",
        "A write that is accepted stores its value, and read() gives the last one; before the first it gives None.",
        &[(BACK, &[])],
    ),
    (
        "an_equal_token_is_accepted",
        "The same holder writes again, with the same token: accepted, and the last value stays.",
        &[(SAME, &[]), (EQUAL_TOKENS, &[])],
    ),
    (
        "a_smaller_token_is_rejected",
        "Once a greater token was accepted, a write with a smaller one raises StaleFencingToken.",
        // First the whole story, of which only the end is the learner's: pause, expiry, takeover, and a late write.
        &[(TAKEN_OVER, &[cue(0, "wake", 0, Disturbance::Pause(20 * SECOND_US))]), (STALE, &[])],
    ),
    (
        "a_rejected_write_changes_nothing",
        "A write that is rejected leaves value and mark as they were.",
        &[(UNMOVED, &[])],
    ),
    (
        "each_resource_has_its_own_mark",
        "A token that one resource has seen means nothing to another.",
        &[(RESOURCES, &[])],
    ),
    (
        "the_mark_survives_a_restart",
        "A new FencedStore, in this process, after a restart or in another one, rejects what the old one would have \
         rejected.",
        &[(AGAIN, &[cue(0, "wake", 0, Disturbance::Crash)]), (AGAIN, &[])],
    ),
    (
        "value_and_mark_are_stored_in_one_step",
        "A writer that dies on its way leaves both or neither: a value that can be read is guarded by its token.",
        &[
            (HALF, &[cue(1, COMMIT, 0, Disturbance::Crash)]),
            (HALF, &[cue(1, COMMIT, 1, Disturbance::Crash)]),
            (HALF, &[cue(1, COMMIT, 2, Disturbance::Crash)]),
            (HALF, &[cue(1, BEGIN, 1, Disturbance::Crash)]),
            (HALF, &[cue(1, BEGIN, 2, Disturbance::Crash)]),
            (HALF, &[cue(1, PUT, 0, Disturbance::Crash)]),
            (HALF, &[cue(1, PUT, 1, Disturbance::Crash)]),
            (HALF, &[cue(1, INSERT, 0, Disturbance::Crash)]),
            (HALF, &[cue(1, INSERT, 1, Disturbance::Crash)]),
        ],
    ),
    (
        "two_first_writes_do_not_overtake_each_other",
        "Of two writers of a new resource at about the same time, the one with the smaller token does not overwrite \
         the other.",
        &[(NEW_A_FIRST, &[]), (NEW_B_FIRST, &[])],
    ),
    (
        "two_later_writes_do_not_overtake_each_other",
        "Of two writers at about the same time, the one with the smaller token does not overwrite the other.",
        &[(OLD_A_FIRST, &[]), (OLD_B_FIRST, &[])],
    ),
    (
        "a_write_that_did_not_finish_can_be_tried_again",
        "If a request or a reply is lost, write() does not claim to have stored, and the same token is accepted again.",
        &[
            (ALONE, &[cue(0, COMMIT, 0, Disturbance::LoseReply)]),
            (ALONE, &[cue(0, COMMIT, 0, Disturbance::LoseRequest)]),
            (ALONE, &[cue(0, COMMIT, 2, Disturbance::LoseReply)]),
            (ALONE, &[cue(0, COMMIT, 2, Disturbance::LoseRequest)]),
            (ALONE, &[cue(0, BEGIN, 0, Disturbance::LoseReply)]),
            (ALONE, &[cue(0, INSERT, 0, Disturbance::LoseReply)]),
            (ALONE, &[cue(0, PUT, 0, Disturbance::LoseReply)]),
            (ALONE, &[cue(0, LOCK, 0, Disturbance::LoseReply)]),
            (ALONE, &[cue(0, COMMIT, 0, Disturbance::RestartServer)]),
            (ALONE, &[cue(0, COMMIT, 2, Disturbance::RestartServer)]),
            (ALONE, &[cue(0, COMMIT, 0, Disturbance::LoseRequest), cue(0, ROLLBACK, 0, Disturbance::RestartServer)]),
        ],
    ),
    (
        "every_transaction_is_ended",
        "However write() and read() end, each transaction that they began is committed or rolled back, so that the next \
         writer need not wait for its locks.",
        &[
            (AFTER, &[]),
            (AFTER, &[cue(0, LOCK, 2, Disturbance::LoseReply)]),
            (AFTER, &[cue(0, PUT, 0, Disturbance::LoseReply)]),
            (AFTER, &[cue(0, INSERT, 0, Disturbance::LoseReply)]),
        ],
    ),
];
