//! What the synchronous katas share: their cast, a process for every run, and the search through sequences of calls.
//!
//! Times are ticks ([`TICK_US`]), because schedules count in them.

pub mod script;

use super::runner::{self, Options, Show};
use crate::breach::Breach;
use crate::explore::replay::{Op, Replay, Schedule, TICK_US};
use crate::explore::sequences::{self, Every, Model};
use crate::python::{Arg, Module, Problem, Program, Python};
use crate::report::Bound;
use crate::time::{as_float_seconds, seconds};
use crate::trace::{Event, Happening, LOCK_SERVICE, STORAGE, Trace};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// Names of the clients, as the timeline shows them.
pub const CLIENTS: [&str; 3] = ["A", "B", "C"];
/// What the learner's code gets as `client_id`: one is the beginning of another, as in real fleets.
pub const CLIENT_IDS: [&str; 3] = ["client-1", "client-10", "client-2"];
/// Names of the first locks (and of the resources that they guard).
const NAMES: [&str; 8] = ["job", "report", "cache", "jobs", "Job", "job:1", "client-1", "client-10"];
/// How many locks a schedule may name.
pub const MOST_LOCKS: u8 = 250;
/// Ticks in a second.
pub const SECOND: u32 = 64;

/// The name of a lock; none is another's.
pub fn lock_name(name: u8) -> Cow<'static, str> {
    NAMES.get(usize::from(name)).map_or_else(|| format!("lock-{name}").into(), |n| (*n).into())
}

/// A client's letter.
pub fn who(client: u8) -> &'static str {
    CLIENTS[usize::from(client) % CLIENTS.len()]
}

/// A client's `client_id`.
pub fn id(client: u8) -> &'static str {
    CLIENT_IDS[usize::from(client) % CLIENT_IDS.len()]
}

/// Ticks as microseconds.
pub fn us(ticks: u32) -> u64 {
    u64::from(ticks) * TICK_US
}

/// Ticks for people: `12.5 s`.
pub fn at(ticks: u32) -> String {
    seconds(us(ticks))
}

/// Something that happens, with the server that it concerns: there are the learner's lock service and our storage.
pub fn event(ticks: u32, what: Happening) -> Event {
    let event = Event::at(us(ticks), what);
    match event.what {
        Happening::Called { .. } | Happening::Answered { .. } | Happening::Expired { .. } => {
            event.with_server(LOCK_SERVICE)
        }
        Happening::Wrote { .. } => event.with_server(STORAGE),
        _ => event,
    }
}

/// How much a schedule has to tell to somebody who watches it: 0 unless somebody takes a lock over from a client that was
/// granted it and did not release, more if that client was paused, and still more if it writes afterwards. Renewals are
/// left out of account: what is sought is one good story among hundreds.
fn telling(schedule: &Schedule) -> u8 {
    let mut now = 0_u32;
    let mut leases: BTreeMap<u8, (u8, u32)> = BTreeMap::new();
    let mut overtaken: BTreeMap<(u8, u8), bool> = BTreeMap::new();
    let (mut paused, mut found) = ([false; CLIENTS.len()], 0);
    for op in &schedule.0 {
        match *op {
            Op::Wait { ticks } => now = now.saturating_add(ticks),
            Op::Pause { client, .. } => paused[usize::from(client) % CLIENTS.len()] = true,
            Op::Acquire { client, name, ttl } => {
                let before = leases.get(&name).copied();
                if before.is_some_and(|(_, expiry)| now < expiry) {
                    continue;
                }
                leases.insert(name, (client, now.saturating_add(ttl)));
                overtaken.remove(&(client, name));
                if let Some((other, _)) = before.filter(|(other, _)| *other != client) {
                    overtaken.insert((other, name), false);
                    found = found.max(1 + u8::from(paused[usize::from(other) % CLIENTS.len()]));
                }
            }
            Op::Release { client, name } => {
                if leases.get(&name).is_some_and(|(holder, _)| *holder == client) {
                    leases.remove(&name);
                }
            }
            Op::Write { client, name } => {
                // The gate turns the old holder away once the new one has written.
                if overtaken.get(&(client, name)) == Some(&true) {
                    found = found.max(3 + u8::from(paused[usize::from(client) % CLIENTS.len()]));
                }
                overtaken
                    .iter_mut()
                    .filter(|((who, lock), _)| *who != client && *lock == name)
                    .for_each(|(_, w)| *w = true);
            }
            Op::Wake { .. } | Op::Act { .. } => {}
        }
    }
    found
}

/// A ttl is a number: whole ones come to some clients as an int, to others as a float.
pub fn seconds_for(client: u8, ttl: u32) -> Arg<'static> {
    if ttl.is_multiple_of(SECOND) && client % 2 == 1 {
        Arg::Int(i64::from(ttl / SECOND))
    } else {
        Arg::Float(as_float_seconds(us(ttl)))
    }
}

/// The names of those who take part in a schedule, two at least.
fn cast(schedule: &Schedule) -> Vec<String> {
    let clients = schedule.0.iter().filter_map(client_of).max().map_or(0, usize::from);
    CLIENTS[..=clients.clamp(1, 2)].iter().map(|c| (*c).to_owned()).collect()
}

fn client_of(op: &Op) -> Option<u8> {
    match op {
        Op::Acquire { client, .. }
        | Op::Release { client, .. }
        | Op::Pause { client, .. }
        | Op::Wake { client }
        | Op::Write { client, .. }
        | Op::Act { client, .. } => Some(*client),
        Op::Wait { .. } => None,
    }
}

/// A schedule and which answers are judged of it.
#[derive(Clone, Debug)]
pub struct Tried<J> {
    /// What happens.
    pub schedule: Schedule,
    /// Which answers count.
    pub judged: J,
}

/// The learner's program, and the process that its last run left.
pub struct Processes {
    program: Program,
    last: Option<Module>,
    /// Set once a run was seen to depend on another in a way that the module did not show.
    always_fresh: bool,
}

impl Processes {
    /// For a program that loads.
    pub fn new(program: Program) -> Self {
        Processes { program, last: None, always_fresh: false }
    }

    /// A process for the next run: the last one, if what it left behind is nothing.
    pub fn take(&mut self, py: &Python<'_>) -> Result<Module, Breach> {
        py.collect_what_piled_up();
        let last = self.last.take().filter(|m| !self.always_fresh && m.is_untouched(py));
        last.map_or_else(|| self.program.run(py).map_err(Breach::from), Ok)
    }

    /// Gives it back.
    pub fn put(&mut self, module: Module) {
        self.last = Some(module);
    }

    /// The next run starts from the file.
    pub fn forget(&mut self) {
        self.last = None;
    }
}

/// What runs one schedule on an object of the learner's class and holds its answers against the rules.
pub trait Judge: 'static {
    /// Which answers are judged; all of them by default.
    type Judged: Copy + Default;

    /// Runs one schedule, with a trace if it is to be looked at.
    ///
    /// # Errors
    /// The rule that was broken.
    fn judge(
        processes: &mut Processes,
        py: &Python<'_>,
        tried: &Tried<Self::Judged>,
        trace: Option<&mut Trace>,
    ) -> Result<(), Breach>;
}

/// The learner's program, ready for run after run.
pub struct Lab<J>(Processes, PhantomData<J>);

impl<J: Judge> Lab<J> {
    /// For a program that loads.
    pub fn new(program: Program) -> Self {
        Lab(Processes::new(program), PhantomData)
    }

    /// How far to search. A file that keeps state outside the class's objects has to be run anew for every schedule: for
    /// those there is another bound, and fewer are drawn.
    pub fn lengths(&mut self, py: &Python<'_>, lengths: Lengths, when_reloaded: u32, options: &Options) -> Lengths {
        let probe = Schedule(vec![Op::Acquire { client: 0, name: 0, ttl: 10 * SECOND }]);
        let probe = Tried { schedule: probe, judged: J::Judged::default() };
        // Only for what it leaves behind.
        let _ = py.quietly(|| J::judge(&mut self.0, py, &probe, None));
        let Processes { last, always_fresh, .. } = &self.0;
        let is_reloaded = *always_fresh || last.as_ref().is_none_or(|m| !m.is_untouched(py));
        let (bound, drawn) =
            if is_reloaded { (when_reloaded, lengths.drawn / 3) } else { (lengths.bound, lengths.drawn) };
        Lengths { bound: options.bound.unwrap_or(bound), drawn, ..lengths }
    }
}

impl<J: Judge> runner::Trial for Lab<J> {
    type Schedule = Tried<J::Judged>;
    type Observed = ();

    fn run(&mut self, py: &Python<'_>, tried: &Self::Schedule, show: Show<'_>) -> (Option<Breach>, ()) {
        let Show::Trace(trace) = show else { return (J::judge(&mut self.0, py, tried, None).err(), ()) };
        let result = J::judge(&mut self.0, py, tried, Some(trace));
        trace.clients = cast(&tried.schedule);
        (result.err(), ())
    }

    fn forget(&mut self) {
        self.0.forget();
    }

    fn start_fresh_always(&mut self) {
        self.0.always_fresh = true;
    }

    fn starts_fresh_always(&self) -> bool {
        self.0.always_fresh
    }

    fn telling(&self, tried: &Self::Schedule, (): &()) -> u8 {
        telling(&tried.schedule)
    }

    fn replay(&self, tried: &Self::Schedule, (): &()) -> Replay {
        Replay::Sequence(tried.schedule.clone())
    }
}

/// Looks whether an object of the class can be made with a clock and has the methods that the task names.
///
/// # Errors
/// What is missing, or what the file raised.
pub fn load(py: &Python<'_>, program: &Program, class: &str, methods: &[&'static str]) -> Result<(), Problem> {
    let object = program.run(py)?.get(py, class)?.call(py, &[Arg::Object(&py.clock())])?;
    runner::has_methods(py, &object, class, methods)
}

/// How far a search through sequences goes.
#[derive(Clone, Copy)]
pub struct Lengths {
    /// Every schedule of up to this many operations is tried.
    pub bound: u32,
    /// How many longer ones are drawn,
    pub drawn: u64,
    /// and how long they are.
    pub drawn_length: usize,
}

/// All short schedules, then longer ones by seed.
pub struct Hunt<M> {
    /// Where the short schedules of a length start.
    start: fn(u32) -> M,
    /// Where the drawn ones start.
    drawn_from: fn() -> M,
    /// What was tried, in words: the bound, how many were drawn, how many there were in all.
    praise: fn(u32, u64, u64) -> String,
    lengths: Lengths,
    complete_to: u32,
    every: Option<Every<M>>,
    /// Seeds that are still to be drawn from.
    seeds: std::ops::Range<u64>,
}

impl<M: Model> Hunt<M> {
    /// From its beginning; draws from `seed` on.
    pub fn new(
        start: fn(u32) -> M,
        drawn_from: fn() -> M,
        praise: fn(u32, u64, u64) -> String,
        lengths: Lengths,
        seed: u64,
    ) -> Self {
        let seeds = seed..seed.saturating_add(lengths.drawn);
        Hunt { start, drawn_from, praise, lengths, complete_to: 0, every: None, seeds }
    }
}

impl<M, J, L> runner::Hunt<L> for Hunt<M>
where
    M: Model,
    J: Copy + Default,
    L: runner::Trial<Schedule = Tried<J>>,
{
    fn next(&mut self) -> Option<Tried<J>> {
        let tried = |schedule| Some(Tried { schedule, judged: J::default() });
        while self.complete_to < self.lengths.bound {
            let length = self.complete_to + 1;
            let every = self.every.get_or_insert_with(|| Every::new(&(self.start)(length), length as usize));
            if let Some(schedule) = every.next() {
                return tried(schedule);
            }
            self.every = None;
            self.complete_to = length;
        }
        let seed = self.seeds.next()?;
        tried(sequences::drawn(&(self.drawn_from)(), self.lengths.drawn_length, seed))
    }

    fn by(&self) -> Bound {
        Bound::Operations
    }

    fn reached(&self) -> (u32, u32) {
        (self.lengths.bound, self.complete_to)
    }

    fn praise(&self, schedules: u64) -> String {
        (self.praise)(self.lengths.bound, self.lengths.drawn, schedules)
    }

    fn so_far(&self, schedules: u64) -> String {
        format!(
            "Every schedule of up to {} operations was tried, {schedules} schedules in all, and none breaks a rule.",
            self.complete_to
        )
    }

    fn shrink(&self, tried: Tried<J>, fails: &mut dyn FnMut(&Tried<J>) -> Option<Tried<J>>) -> Tried<J> {
        if tried.schedule.0.len() <= self.lengths.bound as usize {
            return tried;
        }
        let judged = tried.judged;
        let schedule = sequences::shrink(tried.schedule, |schedule| {
            fails(&Tried { schedule: schedule.clone(), judged }).is_some()
        });
        Tried { schedule, judged }
    }
}

#[cfg(test)]
mod tests {
    use super::script::{A, B, JOB, acquire, pause, release, wait, wake, write};
    use super::*;

    fn told(ops: &[Op]) -> u8 {
        telling(&Schedule(ops.to_vec()))
    }

    #[test]
    fn a_pause_a_takeover_and_a_stale_write_tell_most() {
        let takeover = [acquire(A, JOB, 80), wait(80), acquire(B, JOB, 80)];
        let with_pause = [acquire(A, JOB, 80), pause(A, 96), wait(80), acquire(B, JOB, 80)];
        let mut story = with_pause.to_vec();
        story.extend([write(B, JOB), wait(16), wake(A), write(A, JOB)]);
        assert_eq!([told(&takeover), told(&with_pause), told(&story)], [1, 2, 4]);
        assert_eq!(told(&[acquire(A, JOB, 80), release(A, JOB), acquire(B, JOB, 80)]), 0);
        assert_eq!(told(&[acquire(A, JOB, 80), wait(79), acquire(B, JOB, 80)]), 0, "it is refused");
    }
}
