//! Not a kata: worlds in which a person breaks a lock by hand. A level (`exercises/levels`) holds a program, says what may
//! go wrong and how much of it, and which rule is to be broken; the person places disturbances on the timeline. The engine
//! runs the program with them, judges, and says how short an attack can be. The program is written as in
//! [`super::stories`], but `believes` takes whether it holds the lock and the token.
//!
//! ```
//! let level = r#"{"slug": "x", "allowed": ["pause"], "most": 1, "world": "open", "breaks": "overlap",
//!     "source": "async def client(number, believes): pass"}"#;
//! let order = format!(r#"{{"level": {level}, "moves": []}}"#);
//! let answer = leasehold_checker::suites::attack::answer(&order, leasehold_checker::suites::attack::attack);
//! assert!(answer.starts_with(r#"{"attack":{"trace":"#), "{answer}");
//! ```

mod place;
mod words;

pub use words::Choice;

use crate::explore::replay::{BadReplay, Course, Replay};
use crate::explore::rounds::{Follow, Rounds};
use crate::model::lock_service::LockService;
use crate::model::storage_gate::StorageGate;
use crate::python::{self, Driver, Problem, Program, Python};
use crate::sim::disturbance::Choose;
use crate::sim::property::Property;
use crate::sim::rules::{NoOverlap, NoStaleWrite, OnlyOwnRelease};
use crate::sim::server::Server;
use crate::sim::servers::{LockServer, NodeServer, StorageServer};
use crate::sim::world::{self, Cast, Ended, Namespaces, Settings, Stage};
use crate::trace::Trace;
use place::{Placing, Wanted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How many clients there are.
const CLIENTS: usize = 2;

/// A search ends after so many schedules, whatever its bound: somebody waits for it.
const MOST_SCHEDULES: u64 = 20_000;

/// What the page asks for. Fields that are not here are left alone, so that a level can be sent as it is kept.
#[derive(Clone, Debug, Deserialize)]
pub struct Order {
    /// The level.
    pub level: Level,
    /// What is placed.
    #[serde(default)]
    pub moves: Vec<Move>,
    /// Instead of moves: the replay string of a run.
    #[serde(default)]
    pub replay: Option<String>,
}

/// A level, as far as the engine is concerned.
#[derive(Clone, Debug, Deserialize)]
pub struct Level {
    /// Its name in replay strings.
    pub slug: String,
    /// What the adversary may do: kinds of disturbance.
    pub allowed: Vec<String>,
    /// At most so many disturbances.
    pub most: u32,
    /// The servers: `open` (a lock service and a storage without a gate), `gated` (the storage has one) or `node` (one store
    /// that keeps whatever text it is given under the lock's name, and the open storage).
    pub world: String,
    /// The rule to break: `overlap`, `stale write` or `release by another`.
    pub breaks: String,
    /// The program.
    pub source: String,
}

/// One disturbance that a person placed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Where, as [`Place::point`].
    pub point: String,
    /// What, as [`Choice::id`].
    pub option: String,
}

/// One run under attack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attack {
    /// What happened.
    pub trace: Trace,
    /// The rule that was broken, if one was; the trace's first bad event broke it.
    pub broken: Option<Broken>,
    /// Where something may be placed in this run, in order.
    pub points: Vec<Place>,
    /// What was placed and happened, in order.
    pub placed: Vec<Placed>,
    /// What was placed and did not happen.
    pub misfits: Vec<Misfit>,
    /// The run as a replay string.
    pub replay: String,
    /// What a search found; none for a run of a person's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// Its name: the level's, or `code` where the program itself failed.
    pub rule: String,
    /// What happened, and the rule against it.
    pub message: String,
}

/// A place where something may go wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Its name, which it mostly keeps when other moves change the run: `A/storage.write/1`.
    pub point: String,
    /// The event of the trace before which it stands.
    pub event: usize,
    /// Virtual microseconds.
    pub at_us: u64,
    /// Whose process is about to act.
    pub client: usize,
    /// What it is about to do, in words.
    pub what: String,
    /// What may go wrong.
    pub options: Vec<Choice>,
}

/// A move that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Placed {
    /// See [`Move::point`].
    pub point: String,
    /// See [`Move::option`].
    pub option: String,
    /// See [`Choice::kind`].
    pub kind: &'static str,
    /// Whose process it befell.
    pub client: usize,
    /// Virtual microseconds.
    pub at_us: u64,
    /// The event of the trace that shows it.
    pub event: usize,
    /// In words.
    pub label: String,
}

/// A move that did not happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Misfit {
    /// See [`Move::point`].
    pub point: String,
    /// See [`Move::option`].
    pub option: String,
    /// Why not, in a sentence.
    pub message: String,
}

impl Misfit {
    fn new(of: &Move, message: impl Into<String>) -> Self {
        Misfit { point: of.point.clone(), option: of.option.clone(), message: message.into() }
    }
}

/// How far a search for a shortest attack went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Search {
    /// Whether there is an attack. The run that is shown is a shortest one then, and the undisturbed one otherwise.
    pub found: bool,
    /// No schedule with up to so many disturbances breaks the rule; none if an undisturbed run does.
    pub complete_to: Option<u32>,
    /// How many schedules were tried.
    pub schedules: u64,
    /// The level's bound.
    pub most: u32,
}

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The order can't be read.
    #[error("the level can't be read: {0}")]
    Unreadable(String),
    /// The level names something that is not there.
    #[error("the level names the {0} {1:?}, which is not there")]
    Unknown(&'static str, String),
    /// The program does not load.
    #[error("the program does not load: {0}")]
    Load(#[from] Problem),
    /// The replay string can't be used.
    #[error(transparent)]
    Replay(#[from] BadReplay),
}

/// The answer to an order as JSON, `{"attack": Attack}` or `{"attack": {"error": "a sentence"}}`; `act` is [`attack`] or
/// [`shortest`].
pub fn answer(order: &str, act: fn(&Order) -> Result<Attack, Refused>) -> String {
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Outcome {
        Run(Box<Attack>),
        Refused { error: String },
    }
    #[derive(Serialize)]
    struct Answer {
        attack: Outcome,
    }
    let order = serde_json::from_str(order).map_err(|e| Refused::Unreadable(e.to_string()));
    let attack = match order.and_then(|order| act(&order)) {
        Ok(attack) => Outcome::Run(Box::new(attack)),
        Err(error) => Outcome::Refused { error: error.to_string() },
    };
    serde_json::to_string(&Answer { attack }).expect("an attack holds nothing that JSON can't say")
}

/// Runs the level's program with what was placed. Moves that don't fit, and those beyond the level's number, are left out
/// and told.
///
/// # Errors
/// The level, its program or the replay string can't be used.
pub fn attack(order: &Order) -> Result<Attack, Refused> {
    enter(&order.level, |py, arena| {
        let Some(string) = &order.replay else {
            let (within, beyond) = order.moves.split_at(order.moves.len().min(order.level.most as usize));
            let mut attack = arena.show(py, Wanted::Moves(within));
            let most = order.level.most;
            let message = format!("This level allows {most} at most.");
            attack.misfits.extend(beyond.iter().map(|m| Misfit::new(m, message.clone())));
            return Ok(attack);
        };
        let Replay::Course(course) = Replay::decode(string, &order.level.slug)? else {
            return Err(BadReplay::Damaged("a level has no operations to go through").into());
        };
        let attack = arena.show(py, Wanted::Course(&course));
        if attack.placed.len() == course.taken.len() {
            return Ok(attack);
        }
        Err(BadReplay::NoLongerFits("not all that it places can be placed".to_owned()).into())
    })
}

/// Looks for an attack with as few disturbances as there are, up to the level's number, and shows it.
///
/// # Errors
/// The level or its program can't be used.
pub fn shortest(order: &Order) -> Result<Attack, Refused> {
    enter(&order.level, |py, arena| {
        let (course, search) = py.quietly(|| arena.search(py, order.level.most));
        let attack = arena.show(py, Wanted::Course(&course.unwrap_or_default()));
        Ok(Attack { search: Some(search), ..attack })
    })
}

/// Sets up a level's world.
fn enter<T>(level: &Level, act: impl FnOnce(&Python<'_>, &mut Arena<'_>) -> Result<T, Refused>) -> Result<T, Refused> {
    let unknown = |what, name: &String| Refused::Unknown(what, name.clone());
    let servers = servers(&level.world).ok_or_else(|| unknown("world", &level.world))?;
    let property = rule(&level.breaks).ok_or_else(|| unknown("rule", &level.breaks))?;
    let faults = words::faults(&level.allowed).map_err(|kind| Refused::Unknown("disturbance", kind))?;
    let settings = Settings { clients: CLIENTS, faults, ..Settings::DEFAULT };
    python::enter(|py| {
        super::begin(py);
        let program = py.compile(&level.source)?;
        program.run(py)?.get(py, "client")?;
        let driver = py.run_driver(include_str!("attack/driver.py"))?;
        let namespaces = Namespaces::default();
        act(py, &mut Arena { level, program, driver, servers, property, settings, namespaces })
    })
}

/// A sentence that goes on after a colon.
fn lowered(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

type Servers = fn() -> Vec<Box<dyn Server>>;
type Rule = fn() -> Box<dyn Property>;

fn servers(world: &str) -> Option<Servers> {
    Some(match world {
        "open" => || stage(LockServer::new(LockService::new(7)), StorageGate::without_gate()),
        "gated" => || stage(LockServer::new(LockService::new(7)), StorageGate::default()),
        "node" => || stage(NodeServer::new("locks"), StorageGate::without_gate()),
        _ => return None,
    })
}

fn stage(locks: impl Server + 'static, gate: StorageGate) -> Vec<Box<dyn Server>> {
    vec![Box::new(locks), Box::new(StorageServer::new(gate))]
}

fn rule(breaks: &str) -> Option<Rule> {
    Some(match breaks {
        "overlap" => || Box::<NoOverlap>::default(),
        "stale write" => || Box::<NoStaleWrite>::default(),
        "release by another" => || Box::<OnlyOwnRelease>::default(),
        _ => return None,
    })
}

/// A level's world, ready for runs.
struct Arena<'a> {
    level: &'a Level,
    program: Program,
    driver: Driver,
    servers: Servers,
    property: Rule,
    settings: Settings,
    namespaces: Namespaces,
}

impl Arena<'_> {
    fn run(&mut self, py: &Python<'_>, choose: &mut dyn Choose, trace: Option<&mut Trace>) -> Ended {
        let cast = Cast { program: &self.program, driver: &self.driver, start: "play" };
        let stage = Stage { servers: (self.servers)(), properties: vec![(self.property)()] };
        world::run(py, &self.settings, &cast, stage, &mut self.namespaces, choose, trace)
    }

    fn show(&mut self, py: &Python<'_>, wanted: Wanted<'_>) -> Attack {
        let mut placing = Placing::new(wanted);
        let mut trace = Trace::default();
        let Ended { breach, taken, .. } = self.run(py, &mut placing, Some(&mut trace));
        trace.clients = (0..CLIENTS).map(|client| words::letter(client).to_owned()).collect();
        if let Some(breach) = &breach {
            trace.first_bad = trace.events.len().checked_sub(1);
            trace.witnesses.clone_from(&breach.witnesses);
        }
        placing.settle(&trace.events);
        let misfits = placing.misfits(breach.is_some());
        let Placing { points, placed, .. } = placing;
        let sentence = (self.property)().sentence();
        let broken = breach.map(|b| {
            // The rule is named as one: it stands as it is when it holds.
            let message = match b.message.strip_suffix(sentence) {
                Some(happened) => format!("{happened}That breaks the rule: {}", lowered(sentence)),
                None => b.message,
            };
            Broken { rule: b.rule.into_owned(), message }
        });
        let replay = Replay::Course(Course { world: 0, taken }).encode(&self.level.slug);
        Attack { trace, broken, points, placed, misfits, replay, search: None }
    }

    /// Rounds by the number of disturbances; the first attack, if there is one.
    fn search(&mut self, py: &Python<'_>, most: u32) -> (Option<Course>, Search) {
        let mut rounds = Rounds::new(1, most);
        let mut seen = BTreeSet::new();
        let mut search = Search { found: false, complete_to: None, schedules: 0, most };
        while let Some(course) = rounds.next_course() {
            // The round before was tried in full.
            search.complete_to = rounds.round().checked_sub(1);
            if search.schedules == MOST_SCHEDULES {
                return (None, search);
            }
            search.schedules += 1;
            let mut follow = Follow::exploring(&course, &mut seen);
            let Ended { breach, wall_reads, .. } = self.run(py, &mut follow, None);
            if breach.is_some_and(|b| b.rule == self.level.breaks) {
                search.found = true;
                return (Some(course), search);
            }
            rounds.extend(&course, &follow.into_offered(&wall_reads));
        }
        search.complete_to = Some(most);
        (None, search)
    }
}
