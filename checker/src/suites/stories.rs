//! Not a kata: worlds for the programs of the book's own chapters, run to be looked at (`exercises/chapters`). A program
//! defines `async def client(number, believes)`, which plays client `number` and calls `believes(grant, holds)` when it
//! begins or ceases to believe that it holds a lock.

use super::Suite;
use super::runner::{self, Kata, Options, Test};
use super::worlds::{self, Plan, Reach, Scenario, WorldHunt, WorldLab, cue};
use crate::explore::replay::{BadReplay, Replay};
use crate::model::lock_service::LockService;
use crate::model::storage_gate::StorageGate;
use crate::python::{Problem, Program, Python};
use crate::sim::disturbance::{Cue, Disturbance, Faults};
use crate::sim::property::Property;
use crate::sim::rules::{NoStaleWrite, OneHolder};
use crate::sim::server::Server;
use crate::sim::servers::{LockServer, StorageServer};
use crate::sim::world::Settings;
use crate::time::SECOND_US;

/// The suite.
pub const SUITE: Suite = runner::suite::<Stories>("stories of the chapters without code", "");

/// What a program is run in.
pub struct Stories;

const SETTINGS: Settings =
    Settings { clients: 2, faults: Faults { pauses: true, ..Faults::NONE }, ..Settings::DEFAULT };

const fn scenario(about: &'static str, servers: fn() -> Vec<Box<dyn Server>>) -> Scenario {
    Scenario { about, start: "play", settings: SETTINGS, servers, properties }
}

const GATED: usize = 0;
const OPEN: usize = 1;

static SCENARIOS: [Scenario; 2] =
    [scenario("the storage looks at fencing tokens", gated), scenario("the storage takes every write", open)];

fn gated() -> Vec<Box<dyn Server>> {
    stage(StorageGate::default())
}

fn open() -> Vec<Box<dyn Server>> {
    stage(StorageGate::without_gate())
}

fn stage(gate: StorageGate) -> Vec<Box<dyn Server>> {
    vec![Box::new(LockServer::new(LockService::new(7))), Box::new(StorageServer::new(gate))]
}

fn properties() -> Vec<Box<dyn Property>> {
    vec![Box::<OneHolder>::default(), Box::<NoStaleWrite>::default()]
}

/// A's process stops for 20 s between the decision to write and the write.
const PAUSE: &[Cue] = &[cue(0, "storage.write", 0, Disturbance::Pause(20 * SECOND_US))];

/// What happens, and how it is run.
const TESTS: &[worlds::Named<usize>] = &[
    ("nothing_goes_wrong", "No process pauses and no message is lost.", &[(GATED, &[])]),
    ("a_pause_before_a_write", "A stops for 20 s just before it writes.", &[(GATED, PAUSE)]),
    ("a_pause_before_a_write_and_no_gate", "The same, and the storage takes every write.", &[(OPEN, PAUSE)]),
];

impl Kata for Stories {
    const SLUG: &'static str = "stories";
    const SEARCH: &'static str = "nothing_is_searched";
    const LOADED: &'static str = "The file loads and defines client.";
    const TICKS: u64 = 2_500_000;
    type Trial = WorldLab;
    type Hunt = WorldHunt;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        program.run(py)?.get(py, "client").map(|_| ())
    }

    fn trial(py: &Python<'_>, program: Program) -> WorldLab {
        WorldLab::new(py, program, include_str!("stories/driver.py"), &SCENARIOS)
    }

    fn tests() -> Vec<Test<Plan>> {
        worlds::tests(TESTS, |world| world)
    }

    fn hunt(_: &Python<'_>, _: &mut WorldLab, options: &Options) -> WorldHunt {
        WorldHunt::new(0, Reach { bound: 0, most: 0, drawn: 0 }, options)
    }

    fn schedule(replay: Replay) -> Result<Plan, BadReplay> {
        worlds::plan(replay, &SCENARIOS)
    }
}
