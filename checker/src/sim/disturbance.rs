//! What may go wrong, and where.

use super::digest::Digest;
use crate::time::seconds;
use std::hash::Hash as _;

/// One thing that goes wrong at a choice point. Durations are virtual microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Disturbance {
    /// Another task that is ready runs first: the nth behind the one whose turn it is, from 1.
    RunNext(u8),
    /// The whole process stops for so long, before it does what it was about to do.
    Pause(u64),
    /// The process dies and starts again later, with empty memory.
    Crash,
    /// Nothing that the process sends arrives, and nothing arrives at it, for so long.
    Partition(u64),
    /// The process's wall clock steps by so much; its monotonic clock does not.
    StepWall(i64),
    /// The request is lost: the server never sees it.
    LoseRequest,
    /// The server does it, and the answer is lost.
    LoseReply,
    /// The server gets the request twice.
    Duplicate,
    /// The answer comes so much later.
    DelayReply(u64),
    /// The server restarts before the request arrives, and keeps what a real one keeps.
    RestartServer,
}

impl Disturbance {
    /// In words, for people.
    pub fn words(self) -> String {
        match self {
            Disturbance::RunNext(_) => "another task runs first".to_owned(),
            Disturbance::Pause(us) => format!("the process pauses for {}", seconds(us)),
            Disturbance::Crash => "the process crashes".to_owned(),
            Disturbance::Partition(us) => format!("the process is cut off for {}", seconds(us)),
            Disturbance::StepWall(us) => {
                let way = if us < 0 { "back" } else { "forward" };
                format!("the wall clock steps {way} by {}", seconds(us.unsigned_abs()))
            }
            Disturbance::LoseRequest => "the request is lost".to_owned(),
            Disturbance::LoseReply => "the reply is lost".to_owned(),
            Disturbance::Duplicate => "the request arrives twice".to_owned(),
            Disturbance::DelayReply(us) => format!("the reply comes {} late", seconds(us)),
            Disturbance::RestartServer => "the server restarts".to_owned(),
        }
    }

    /// Whether the two are of one kind, whatever their lengths.
    pub fn is_like(self, other: Disturbance) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// Which of them a world has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Pauses of processes that hold a lease.
    pub pauses: bool,
    /// Pauses of processes that hold none.
    pub pauses_of_waiters: bool,
    /// Crashes.
    pub crashes: bool,
    /// Partitions.
    pub partitions: bool,
    /// Steps of the wall clock.
    pub wall_steps: bool,
    /// Lost requests.
    pub lost_requests: bool,
    /// Lost replies.
    pub lost_replies: bool,
    /// Duplicated requests.
    pub duplicates: bool,
    /// Replies that come later than the call's timeout, or than a lease.
    pub delays: bool,
    /// Restarts of servers.
    pub restarts: bool,
    /// Other orders of tasks that are ready at one instant.
    pub orders: bool,
}

impl Faults {
    /// None at all.
    pub const NONE: Faults = Faults {
        pauses: false,
        pauses_of_waiters: false,
        crashes: false,
        partitions: false,
        wall_steps: false,
        lost_requests: false,
        lost_replies: false,
        duplicates: false,
        delays: false,
        restarts: false,
        orders: false,
    };
    /// Every kind.
    pub const ALL: Faults = Faults {
        pauses: true,
        pauses_of_waiters: true,
        crashes: true,
        partitions: true,
        wall_steps: true,
        lost_requests: true,
        lost_replies: true,
        duplicates: true,
        delays: true,
        restarts: true,
        orders: true,
    };
}

/// A place where the world may be disturbed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// How many points came before it in the run.
    pub index: u32,
    /// Whose process is about to act.
    pub client: usize,
    /// What it is about to do: `locks.renew` for a call, `wake` where it goes on after waiting.
    pub about: String,
    /// How often this client was about to do that before, in this run.
    pub nth: u32,
    /// Virtual time, microseconds.
    pub at_us: u64,
    /// What may happen here besides nothing.
    pub menu: Vec<Disturbance>,
    /// The clients of all tasks that could go on here, in the order of their turns.
    pub ready: Vec<usize>,
    /// How often the client's code has read its wall clock so far.
    pub wall_reads: u32,
    /// How long the client's longest lease still runs by the service's view, microseconds.
    pub left_us: Option<u64>,
    /// How many events came before it in the run.
    pub events: usize,
}

impl Point {
    /// A byte that tells this kind of place from most others: a schedule that was made for other code stands out.
    pub fn fingerprint(&self) -> u8 {
        let mut digest = Digest::default();
        (self.client as u64, &self.about).hash(&mut digest);
        (digest.value() >> 40) as u8
    }
}

/// Decides at every point.
pub trait Choose {
    /// What goes wrong here; nothing if none is given. It need not stand in the menu: a script may do more than
    /// the search tries.
    fn choose(&mut self, point: &Point) -> Option<Disturbance>;
    /// Called after each choice of nothing, once the last of the schedule's disturbances has happened, with a digest
    /// of the state: true ends the run, because from here on it is one that was seen.
    fn was_seen(&mut self, _state: &mut dyn FnMut() -> u128) -> bool {
        false
    }
}

/// Disturbs where a script says, by what is about to happen and not by number: for named tests.
pub struct Script<'a> {
    /// In the order in which they are looked for; each happens once.
    pub cues: &'a [Cue],
    done: usize,
}

/// When and how a named test disturbs the world.
#[derive(Clone, Copy, Debug)]
pub struct Cue {
    /// Whose process is about to act.
    pub client: usize,
    /// What it is about to do, such as `storage.write`.
    pub about: &'static str,
    /// Which time, from 0.
    pub nth: u32,
    /// What happens then.
    pub what: Disturbance,
}

impl<'a> Script<'a> {
    /// A script that has not begun.
    pub fn new(cues: &'a [Cue]) -> Self {
        Script { cues, done: 0 }
    }
}

impl Choose for Script<'_> {
    fn choose(&mut self, point: &Point) -> Option<Disturbance> {
        let cue = self.cues.get(self.done)?;
        let is_it = cue.client == point.client && cue.about == point.about && cue.nth <= point.nth;
        is_it.then(|| {
            self.done += 1;
            cue.what
        })
    }
}
