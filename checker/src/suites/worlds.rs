//! Katas whose code lives in a world: scenarios, and how schedules are run, searched and shown in them.

use super::runner::{self, Options, Show, Trial};
use crate::breach::Breach;
use crate::explore::replay::{Course, Replay, Taken};
use crate::explore::rounds::{self, Drawn, Follow, Offered, Rounds};
use crate::python::{Driver, Program, Python};
use crate::report::Bound;
use crate::sim::disturbance::{Cue, Disturbance, Script};
use crate::sim::property::Property;
use crate::sim::server::Server;
use crate::sim::world::{self, CLIENTS, Cast, Ended, Namespaces, Settings, Stage};
use std::collections::BTreeSet;
use std::ops::Range;

/// A world to run the learner's code in.
pub struct Scenario {
    /// What happens in it, for people.
    pub about: &'static str,
    /// The driver's function that plays the application in each client's process.
    pub start: &'static str,
    /// What the world is like.
    pub settings: Settings,
    /// The servers in it.
    pub servers: fn() -> Vec<Box<dyn Server>>,
    /// What must hold.
    pub properties: fn() -> Vec<Box<dyn Property>>,
}

/// What is run in a world.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which of the scenarios.
    pub world: usize,
    /// What goes wrong.
    pub what: What,
}

/// Where what goes wrong comes from.
#[derive(Clone, Debug)]
pub enum What {
    /// A named test's script.
    Script(&'static [Cue]),
    /// A list.
    Course(Course),
    /// Drawn by seed, for a run of about so many choice points, so many times.
    Drawn {
        /// The seed.
        seed: u64,
        /// About how many choice points the run has.
        points: u32,
        /// How many things go wrong.
        changes: u32,
    },
}

/// What a run in a world shows.
#[derive(Debug, Default)]
pub struct Seen {
    taken: Vec<Taken>,
    offered: Offered,
    points: u32,
    events: usize,
    telling: u8,
    misfit: Option<String>,
}

/// The learner's program in the kata's worlds.
pub struct WorldLab {
    program: Program,
    driver: Driver,
    scenarios: &'static [Scenario],
    namespaces: Namespaces,
    always_fresh: bool,
    /// By scenario: states that a search has seen.
    seen: Vec<BTreeSet<u128>>,
    /// Whether searches use them.
    pub uses_seen: bool,
}

impl WorldLab {
    /// For a program that loads; `driver` is our code that plays the application.
    ///
    /// # Panics
    /// If the driver does not load: it is ours.
    pub fn new(py: &Python<'_>, program: Program, driver: &str, scenarios: &'static [Scenario]) -> Self {
        let driver = py.run_driver(driver).unwrap_or_else(|problem| panic!("the driver does not load: {problem}"));
        let seen = scenarios.iter().map(|_| BTreeSet::new()).collect();
        let namespaces = Namespaces::default();
        WorldLab { program, driver, scenarios, namespaces, always_fresh: false, seen, uses_seen: true }
    }
}

impl Trial for WorldLab {
    type Schedule = Plan;
    type Observed = Seen;

    fn run(&mut self, py: &Python<'_>, plan: &Plan, show: Show<'_>) -> (Option<Breach>, Seen) {
        if self.always_fresh {
            self.namespaces.clear();
        }
        let Some(scenario) = self.scenarios.get(plan.world) else { return (None, Seen::default()) };
        let cast = Cast { program: &self.program, driver: &self.driver, start: scenario.start };
        let is_search = matches!(show, Show::Search);
        let mut trace = match show {
            Show::Trace(trace) => Some(trace),
            _ => None,
        };
        let namespaces = &mut self.namespaces;
        let mut run = |choose: &mut dyn crate::sim::disturbance::Choose| {
            let stage = Stage { servers: (scenario.servers)(), properties: (scenario.properties)() };
            world::run(py, &scenario.settings, &cast, stage, namespaces, choose, trace.as_deref_mut())
        };
        let (ended, offered, misfit) = match &plan.what {
            What::Script(cues) => (run(&mut Script::new(cues)), Offered::new(), None),
            What::Drawn { seed, points, changes } => {
                (run(&mut Drawn::new(*seed, *points, *changes)), Offered::new(), None)
            }
            What::Course(course) => {
                let mut follow = match self.seen.get_mut(plan.world).filter(|_| is_search && self.uses_seen) {
                    Some(seen) => Follow::exploring(course, seen),
                    None => Follow::new(course),
                };
                let ended = run(&mut follow);
                let misfit = follow.misfit();
                let offered = follow.into_offered(&ended.wall_reads);
                (ended, offered, misfit)
            }
        };
        if let Some(trace) = trace {
            let clients = scenario.settings.clients.min(CLIENTS.len());
            trace.clients = CLIENTS[..clients].iter().map(|c| (*c).to_owned()).collect();
        }
        let Ended { breach, taken, points, events, telling, .. } = ended;
        (breach, Seen { taken, offered, points, events, telling, misfit })
    }

    fn forget(&mut self) {
        self.namespaces.clear();
    }

    fn start_fresh_always(&mut self) {
        self.always_fresh = true;
        self.seen.iter_mut().for_each(BTreeSet::clear);
    }

    fn starts_fresh_always(&self) -> bool {
        self.always_fresh
    }

    fn replay(&self, plan: &Plan, seen: &Seen) -> Replay {
        Replay::Course(course(plan, seen))
    }

    fn settled(&self, plan: &Plan, seen: &Seen) -> Plan {
        Plan { world: plan.world, what: What::Course(course(plan, seen)) }
    }

    fn size(&self, seen: &Seen) -> usize {
        seen.events
    }

    fn telling(&self, _: &Plan, seen: &Seen) -> u8 {
        seen.telling
    }

    fn misfit(&self, seen: &Seen) -> Option<String> {
        seen.misfit.clone()
    }
}

fn course(plan: &Plan, seen: &Seen) -> Course {
    Course { world: u32::try_from(plan.world).unwrap_or(u32::MAX), taken: seen.taken.clone() }
}

/// The plan of a replay string.
///
/// # Errors
/// The string names a world that there is not, or belongs to no world.
pub fn plan(replay: Replay, scenarios: &[Scenario]) -> Result<Plan, crate::explore::replay::BadReplay> {
    use crate::explore::replay::BadReplay;
    match replay {
        Replay::Course(course) if (course.world as usize) < scenarios.len() => {
            Ok(Plan { world: course.world as usize, what: What::Course(course) })
        }
        Replay::Course(_) => Err(BadReplay::Damaged("it names a world that this kata has not")),
        Replay::Sequence(_) => Err(BadReplay::Damaged("this kata has no operations to go through")),
    }
}

/// A named test: its name, its rule, and the worlds that it is tried in, each with what goes wrong there. A cue for a call
/// that the code does not make changes nothing.
pub type Named<W> = (&'static str, &'static str, &'static [(W, &'static [Cue])]);

/// The named tests as the runner takes them; `world` is the number of the scenario that a test names.
pub fn tests<W: Copy>(named: &[Named<W>], world: impl Fn(W) -> usize) -> Vec<runner::Test<Plan>> {
    let plan = |(name, cues): &(W, &'static [Cue])| Plan { world: world(*name), what: What::Script(cues) };
    let test = |(name, rule, runs): &Named<W>| runner::Test { name, rule, schedules: runs.iter().map(plan).collect() };
    named.iter().map(test).collect()
}

/// Something goes wrong when a client does this the nth time, from 0.
pub const fn cue(client: usize, about: &'static str, nth: u32, what: Disturbance) -> Cue {
    Cue { client, about, nth, what }
}

/// How far a suite searches its worlds by itself.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Up to so many disturbances.
    pub bound: u32,
    /// But at most so many schedules by rounds.
    pub most: u64,
    /// Then so many are drawn.
    pub drawn: u64,
}

/// Rounds by the number of disturbances, then drawn schedules.
pub struct WorldHunt {
    rounds: Rounds,
    worlds: usize,
    /// Those in which schedules are drawn.
    drawn_in: Range<usize>,
    reach: Reach,
    seed: u64,
    /// How many were given out by rounds, and how many were drawn.
    given: u64,
    drawn: u64,
    complete_to: Option<u32>,
    by_rounds: bool,
    /// How many choice points a run had, at most, by world.
    points: Vec<u32>,
}

impl WorldHunt {
    /// From the beginning. A bound that was asked for is searched however long it takes.
    pub fn new(worlds: usize, reach: Reach, options: &Options) -> Self {
        let most = if options.bound.is_some() { u64::MAX } else { reach.most };
        let reach = Reach { bound: options.bound.unwrap_or(reach.bound), most, ..reach };
        WorldHunt {
            rounds: Rounds::new(u32::try_from(worlds).unwrap_or(0), reach.bound),
            worlds,
            drawn_in: 0..worlds,
            reach,
            seed: options.seed,
            given: 0,
            drawn: 0,
            complete_to: None,
            by_rounds: true,
            points: vec![0; worlds],
        }
    }

    /// Draws in worlds of their own, which may be too large to go through by rounds.
    #[must_use]
    pub fn drawing_in(mut self, worlds: Range<usize>) -> Self {
        self.points.resize(worlds.end.max(self.worlds), 0);
        self.drawn_in = worlds;
        self
    }

    fn next_by_rounds(&mut self) -> Option<Plan> {
        if !self.by_rounds {
            return None;
        }
        if self.rounds.round_is_done() {
            // The round that is over was tried in full; does the next one fit into what is left?
            let round = self.rounds.round();
            if self.given > 0 {
                self.complete_to = Some(round);
            }
            if self.given.saturating_add(self.rounds.in_next_round() as u64) > self.reach.most {
                self.by_rounds = false;
                return None;
            }
        }
        let Some(course) = self.rounds.next_course() else {
            self.complete_to = Some(self.reach.bound);
            self.by_rounds = false;
            return None;
        };
        self.given += 1;
        Some(Plan { world: course.world as usize, what: What::Course(course) })
    }
}

impl runner::Hunt<WorldLab> for WorldHunt {
    fn next(&mut self) -> Option<Plan> {
        if let Some(plan) = self.next_by_rounds() {
            return Some(plan);
        }
        let worlds = self.drawn_in.len() as u64;
        if self.drawn >= self.reach.drawn || worlds == 0 {
            return None;
        }
        let seed = self.seed.wrapping_add(self.drawn);
        let world = self.drawn_in.start + (self.drawn % worlds) as usize;
        // Before the first run nobody knows how long one is: nothing goes wrong in it.
        let changes = match self.points[world] {
            0 => 0,
            _ => self.complete_to.unwrap_or(0) + 1 + (self.drawn / worlds % 3) as u32,
        };
        self.drawn += 1;
        Some(Plan { world, what: What::Drawn { seed, points: self.points[world], changes } })
    }

    fn ran(&mut self, plan: &Plan, seen: &Seen) {
        if let Some(points) = self.points.get_mut(plan.world) {
            *points = seen.points.max(*points);
        }
        if let What::Course(course) = &plan.what {
            self.rounds.extend(course, &seen.offered);
        }
    }

    fn by(&self) -> Bound {
        Bound::Disturbances
    }

    fn reached(&self) -> (u32, u32) {
        (self.reach.bound, self.complete_to.unwrap_or(0))
    }

    fn praise(&self, schedules: u64) -> String {
        let complete = self.complete_to.unwrap_or(0);
        let disturbances = match complete {
            0 => "without a disturbance".to_owned(),
            1 => "with up to 1 disturbance".to_owned(),
            n => format!("with up to {n} disturbances"),
        };
        let more = match self.drawn {
            0 => String::new(),
            n if self.drawn_in.start >= self.worlds => {
                let where_to = if self.drawn_in.len() == 1 { "a larger world" } else { "larger worlds" };
                format!(" {n} with more were drawn in {where_to}: a sample, not all there are.")
            }
            n => format!(" {n} with more were drawn: a sample, not all there are."),
        };
        let worlds = match self.worlds {
            1 => "one world".to_owned(),
            n => format!("{n} worlds"),
        };
        format!(
            "Every schedule {disturbances} was tried, in {worlds}: {} of them.{more} {schedules} in all, and none breaks a \
             rule.",
            self.given
        )
    }

    fn so_far(&self, schedules: u64) -> String {
        match self.complete_to {
            Some(n) => format!(
                "Every schedule with up to {n} disturbances was tried, {schedules} schedules in all, and none breaks a rule."
            ),
            None => format!("{schedules} schedules were tried and none breaks a rule."),
        }
    }

    fn shrink(&self, plan: Plan, fails: &mut dyn FnMut(&Plan) -> Option<Plan>) -> Plan {
        let Plan { world, what: What::Course(course) } = plan else { return plan };
        let course =
            rounds::shrink(course, |course| match fails(&Plan { world, what: What::Course(course.clone()) })?.what {
                What::Course(taken) => Some(taken),
                _ => None,
            });
        Plan { world, what: What::Course(course) }
    }

    fn look_further(&self) -> u64 {
        if self.by_rounds { (self.rounds.left() as u64).min(FURTHER) } else { 0 }
    }

    fn left(&self) -> Option<u64> {
        self.by_rounds.then(|| self.rounds.left() as u64)
    }
}

/// How many more schedules of the same round are tried for a shorter story.
const FURTHER: u64 = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use runner::Hunt as _;

    #[test]
    fn schedules_are_drawn_in_worlds_of_their_own_the_first_without_a_disturbance() {
        let reach = Reach { bound: 0, most: 10, drawn: 4 };
        let mut hunt = WorldHunt::new(1, reach, &Options::default()).drawing_in(2..4);
        let mut drawn = Vec::new();
        while let Some(plan) = hunt.next() {
            hunt.ran(&plan, &Seen { points: 9, ..Seen::default() });
            match plan.what {
                What::Drawn { points, changes, .. } => drawn.push((plan.world, points, changes)),
                _ => assert_eq!(plan.world, 0),
            }
        }
        assert_eq!(drawn, [(2, 0, 0), (3, 0, 0), (2, 9, 2), (3, 9, 2)]);
        assert!(hunt.praise(5).contains("drawn in larger worlds"), "{}", hunt.praise(5));
    }
}
