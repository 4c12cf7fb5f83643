//! Where everything of a trace goes in its diagram: a pure function from [`Trace`] to shapes. Units are CSS pixels
//! at full size; x to the right, y down.
//!
//! Time goes down, an event has a row, and a row has its words in one line right of the lanes, so that nothing is ever
//! written over what is drawn. Rows of one instant stand close; where time passes between two, there is a gap of one fixed
//! size with a break mark that says how much, so that an idle hour costs what an idle second costs. What a message needs on
//! its way is less than that. What only follows from
//! an event shares its row, and so do repeats ([`fold`]).
//!
//! A lease is drawn twice. In its server's lane it ends when it ends. In its client's lane it goes on as long as the client
//! believes in it: where the two part ([`BarKind::Belief`] turns into [`BarKind::FalseBelief`]) is where locks go wrong.

mod arrows;
mod bars;
mod beliefs;
mod fold;
mod lanes;
mod leases;
pub mod measure;
mod points;
mod rows;
mod servers;
mod signs;
mod slots;
pub mod times;
mod words;

#[cfg(test)]
mod boxes;
#[cfg(test)]
mod tests;

pub use lanes::HEAD;
pub use words::{NO_ANSWER, broken};

use beliefs::{beliefs, rivalries};
use fold::{Fold, folds};
use leasehold_checker::trace::{Call, Event, Happening, STORAGE, Trace};
use leases::{leases, lock};
use measure::{shortened, width};
use rows::{Grid, grid, groups};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use words::{Teller, acting_server};

/// Size of the words of a row.
pub const TEXT: i32 = 12;
/// Size of times and of lines over rows.
pub const SMALL: i32 = 11;
/// Size of the words in a coin.
pub const COIN: i32 = 10;
/// From the picture's edge to what is written in it.
const MARGIN: i32 = 8;

/// A whole diagram.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Full width.
    pub width: i32,
    /// Full height, without the lanes' heads.
    pub height: i32,
    /// Where the lanes begin: left of it are the times.
    pub times: i32,
    /// Where the words begin: left of it are the lanes.
    pub words: i32,
    /// From left to right: the clients, then the servers that occur.
    pub lanes: Vec<Lane>,
    /// What lasts, in the order in which it begins.
    pub bars: Vec<Bar>,
    /// Where several clients believe that they hold the same lock.
    pub rivals: Vec<Rivals>,
    /// Messages.
    pub arrows: Vec<Arrow>,
    /// Where time passes and nothing happens.
    pub breaks: Vec<Break>,
    /// What happens, in order.
    pub rows: Vec<Row>,
    /// Where it is said that the run went on, if it did.
    pub cut: Option<i32>,
    /// What needs to be explained.
    pub legend: Vec<Sign>,
    row_of: Vec<usize>,
}

/// One vertical line with a name over it, and the room that belongs to it.
#[derive(Debug, PartialEq, Eq)]
pub struct Lane {
    /// Where its line is.
    pub x: i32,
    /// Where its room begins.
    pub left: i32,
    /// Where its room ends.
    pub right: i32,
    /// Whose it is.
    pub name: String,
    /// What stands over it, in one or two lines.
    pub head: Vec<String>,
    /// What it is.
    pub kind: LaneKind,
    /// The lines of its tasks, where it has several.
    pub threads: Vec<Thread>,
}

/// One task of a process.
#[derive(Debug, PartialEq, Eq)]
pub struct Thread {
    /// Where its line is.
    pub x: i32,
    /// Its name.
    pub name: String,
}

/// What a lane belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaneKind {
    /// A client's process.
    #[default]
    Client,
    /// The lock service, a node, a cache, a database.
    Server,
    /// The storage with its gate.
    Storage,
}

/// Something that lasts, drawn down a lane.
#[derive(Debug, PartialEq, Eq)]
pub struct Bar {
    /// What it is.
    pub kind: BarKind,
    /// Its left edge.
    pub left: i32,
    /// Its right edge.
    pub right: i32,
    /// Where it begins.
    pub from: i32,
    /// Where it ends.
    pub to: i32,
    /// Goes on when the trace ends.
    pub open: bool,
    /// Its end is the end of its time.
    pub tick: bool,
    /// Words beside it.
    pub tag: Option<Tag>,
}

/// What a bar shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BarKind {
    /// A lease, beside its server's line.
    Lease,
    /// A client believes that it holds the lock, and does.
    Belief,
    /// A client believes that it holds the lock, and does not.
    FalseBelief,
    /// What a client's own clock gives it.
    Validity,
    /// A client's process stands still.
    Pause,
    /// A client is cut off from all servers.
    Cut,
    /// A client's process is dead.
    Down,
    /// The high-water mark of a resource.
    Mark,
}

/// A few words beside a bar.
#[derive(Debug, PartialEq, Eq)]
pub struct Tag {
    /// Where they begin.
    pub x: i32,
    /// Their base line.
    pub y: i32,
    /// Whose, and which token.
    pub words: String,
}

/// Where several clients believe at once.
#[derive(Debug, PartialEq, Eq)]
pub struct Rivals {
    /// The left edge of the first client's lane.
    pub left: i32,
    /// The right edge of the last one's.
    pub right: i32,
    /// Where it begins.
    pub from: i32,
    /// Where it ends.
    pub to: i32,
}

/// A message.
#[derive(Debug, PartialEq, Eq)]
pub struct Arrow {
    /// What it carries.
    pub kind: ArrowKind,
    /// Where it begins, x and y.
    pub from: (i32, i32),
    /// Where it ends.
    pub to: (i32, i32),
    /// How it ends.
    pub tip: Tip,
}

/// What an arrow carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowKind {
    /// A client's call.
    Call,
    /// The same call once more.
    Again,
    /// A write.
    Write,
    /// A grant.
    Grant,
    /// Any other answer.
    Answer,
    /// The answer to a write: the verdict stands at the storage already.
    Receipt,
    /// The call ended in an exception or in something that is no answer.
    Broken,
}

/// How an arrow ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tip {
    /// It arrives.
    Head,
    /// It is lost there.
    Lost,
    /// Nothing tells what became of it.
    Open,
}

/// A gap in which time passes.
#[derive(Debug, PartialEq, Eq)]
pub struct Break {
    /// Its middle.
    pub y: i32,
    /// How much time, such as "+9 s".
    pub elapsed: String,
    /// The same to the microsecond.
    pub exact: String,
}

/// One event, or several that share its place.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Upper edge.
    pub top: i32,
    /// Lower edge.
    pub bottom: i32,
    /// Where its arrows begin or end and its words stand.
    pub y: i32,
    /// Its events.
    pub events: Range<usize>,
    /// The virtual time, where it is not that of the row above.
    pub time: Option<Time>,
    /// Whether it breaks the rule, or shows why.
    pub mark: Option<Mark>,
    /// Lines over it.
    pub captions: Vec<Caption>,
    /// What it says.
    pub words: Words,
    /// Signs in lanes: which, and where.
    pub signs: Vec<(Sign, i32)>,
    /// The token that a write carries, and the middle of the place where it sets out.
    pub coin: Option<(i32, String)>,
}

/// A moment in virtual time.
#[derive(Debug, PartialEq, Eq)]
pub struct Time {
    /// Short.
    pub shown: String,
    /// To the microsecond.
    pub exact: String,
}

/// What a row says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Who acts.
    pub actor: String,
    /// What that is.
    pub kind: LaneKind,
    /// What it does, shortened to the room there is.
    pub text: String,
    /// All of the row's events as sentences.
    pub full: String,
}

/// Why a row stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The first event that broke a rule.
    Bad,
    /// An event that makes the bad one bad.
    Witness,
}

/// A line over a row.
#[derive(Debug, PartialEq, Eq)]
pub struct Caption {
    /// What it is about.
    pub kind: CaptionKind,
    /// Its base line.
    pub y: i32,
    /// What it says.
    pub words: String,
}

/// What a line over a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptionKind {
    /// A rule is broken.
    Bad,
    /// This makes it so.
    Witness,
    /// From here on several clients believe at once.
    Rivals,
}

/// What is drawn with a form of its own. The first ones are explained below the picture, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// A lease.
    Lease,
    /// A true belief.
    Belief,
    /// A false one.
    FalseBelief,
    /// The end by the client's own clock.
    Validity,
    /// Several believe at once.
    Rivals,
    /// A pause.
    Pause,
    /// Cut off from the servers.
    Cut,
    /// A dead process.
    Down,
    /// The gate's high-water mark.
    Mark,
    /// The gate let a write through.
    Accepted,
    /// The gate turned it away.
    Rejected,
    /// A message that was lost.
    Lost,
    /// No answer came.
    Unknown,
    /// Many times the same.
    Repeats,
    /// Anything else.
    Dot,
    /// A message that arrives twice.
    Twice,
    /// A late answer.
    Late,
    /// A pause begins.
    Pauses,
    /// A pause ends.
    Wakes,
    /// A process dies.
    Crashes,
    /// A process or a server starts again.
    Restarts,
    /// A cut begins.
    IsCut,
    /// A cut ends.
    IsJoined,
    /// A wall clock steps back.
    ClockBack,
    /// A wall clock steps forward.
    ClockForward,
    /// A task runs out of turn.
    First,
    /// A state that no handle may come to.
    Forbidden,
}

impl Layout {
    /// The row of an event, as an index.
    pub fn row_of(&self, event: usize) -> usize {
        self.row_of.get(event).copied().unwrap_or(0)
    }

    /// The event to go to from a place in the picture: the marked one of its row, or the row's first.
    pub fn event_at(&self, y: i32) -> Option<usize> {
        self.rows.get(self.rows.partition_point(|row| row.bottom <= y)).map(|row| row.events.start)
    }
}

/// Lays out a trace as wide as the page always has room for.
pub fn layout(trace: &Trace) -> Layout {
    layout_in(trace, 0)
}

/// Lays out a trace where there are so many pixels for it. What is more than usual goes to the words, of which fewer are cut.
pub fn layout_in(trace: &Trace, room: i32) -> Layout {
    let (leases, beliefs) = (leases(trace), beliefs(trace));
    let rivalries = rivalries(&beliefs);
    let has_locks = has_locks(trace);
    let folds = folds(trace);
    let groups = groups(trace, &folds);
    let teller = Teller::new(trace, has_locks);

    let mut captions: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for rivalry in &rivalries {
        let rows = (Some(rivalry.span.from), rivalry.span.to);
        let row = |point: Option<points::Point>| point.and_then(|point| groups.row_of.get(point.event()));
        // What begins and ends in one row can't be seen.
        if row(rows.0) != row(rows.1) {
            let words = teller.rivals(rivalry);
            captions.entry(*row(rows.0).unwrap_or(&0)).or_default().push(words);
        }
    }
    let of_fold = groups.folds.clone();
    let mut grid = grid(trace, groups, captions);

    let plans = bars::plan(trace, &leases, &beliefs, has_locks);
    let shown = grid.rows.iter().filter_map(|row| row.time.as_ref()).map(|time| width(&time.shown, SMALL));
    // A break's sign stands before its words.
    let passed = grid.breaks.iter().map(|gap| width(&gap.elapsed, SMALL) + 19);
    let times = 2 * MARGIN + shown.chain(passed).max().unwrap_or(0);
    let (lanes, words, width) = lanes::lanes(trace, &plans.beside, times, room);
    let room = width - words - MARGIN;
    fill(&mut grid, trace, &lanes, &teller, &of_fold, &folds, room);

    let repeats: BTreeSet<i32> =
        grid.rows.iter().zip(&of_fold).filter(|(_, fold)| fold.is_some()).map(|(row, _)| row.y).collect();
    let arrows = arrows::arrows(trace, &grid, &lanes, &repeats);
    let bars = plans.bars(trace, &grid, &lanes);
    let rivals = bars::rivals(trace, &rivalries, &grid, &lanes);
    let legend = signs::legend(&bars, &arrows, &rivals, &grid.rows);
    let cut = trace.cut.then_some(grid.end + 14);
    let height = cut.map_or(grid.end, |y| y + 4) + rows::EDGE;
    let Grid { rows, breaks, row_of, .. } = grid;
    Layout { width, height, times, words, lanes, bars, rivals, arrows, breaks, rows, cut, legend, row_of }
}

// Words and signs of the rows.
fn fill(
    grid: &mut Grid,
    trace: &Trace,
    lanes: &[Lane],
    teller: &Teller<'_>,
    of_fold: &[Option<usize>],
    folds: &[Fold],
    room: i32,
) {
    for (row, fold) in grid.rows.iter_mut().zip(of_fold) {
        for caption in &mut row.captions {
            caption.words = shortened(&caption.words, SMALL, room);
        }
        match fold.map(|fold| &folds[fold]) {
            Some(fold) => {
                row.words = repeated(trace, teller, fold, room);
                row.signs = signs::repeats(trace, row.events.clone(), lanes);
            }
            None => {
                row.words = said(trace, teller, row.events.clone(), room);
                let event = &trace.events[row.events.start];
                row.signs = signs::signs(event, lanes, trace.clients.len());
                row.coin = signs::coin(event, lanes);
            }
        }
    }
}

fn said(trace: &Trace, teller: &Teller<'_>, events: Range<usize>, room: i32) -> Words {
    let of_row = &trace.events[events];
    let first = &of_row[0];
    let mut text = teller.words(first);
    for addition in teller.additions(of_row) {
        text.push_str(" · ");
        text.push_str(&addition);
    }
    let full: Vec<String> = of_row.iter().map(|event| event.text(&trace.clients)).collect();
    let kind = kind_of(first);
    let actor = shortened(&teller.actor(first), TEXT, room / 2);
    let text = shortened(&text, TEXT, room - width(&actor, TEXT) - 6);
    Words { actor, kind, text, full: full.join("; ") }
}

// A row for many times the same: how often, what, and how far apart.
fn repeated(trace: &Trace, teller: &Teller<'_>, fold: &Fold, room: i32) -> Words {
    let Range { start, end } = fold.events;
    let events = &trace.events;
    let first = &events[start];
    let every = match events[start + (fold.times - 1) * fold.pattern].at_us.saturating_sub(first.at_us)
        / (fold.times as u64 - 1)
    {
        0 => String::new(),
        us => [", every ", &times::moment(us)].concat(),
    };
    let actor = [&fold.times.to_string(), " ×"].concat();
    let what = [&teller.actor(first), " ", &teller.words(first)].concat();
    let left = room - width(&actor, TEXT) - 6;
    let text = [&shortened(&what, TEXT, left - width(&every, TEXT)), every.as_str()].concat();
    let until = times::moment(events[end - 1].at_us);
    let full = [&actor, " the same as before, until ", &until].concat();
    Words { actor, kind: kind_of(first), text, full }
}

fn kind_of(event: &Event) -> LaneKind {
    match acting_server(event) {
        None => LaneKind::Client,
        Some(STORAGE) => LaneKind::Storage,
        Some(_) => LaneKind::Server,
    }
}

// Whether the trace is about several locks.
fn has_locks(trace: &Trace) -> bool {
    let mut names = trace.events.iter().filter_map(|event| match &event.what {
        Happening::Called { call, .. } => match call {
            Call::Acquire { name, .. } | Call::Renew { name, .. } | Call::Release { name } => Some(lock(name)),
            Call::Write { resource, .. } => Some(resource.as_str()),
            Call::Other { .. } => None,
        },
        Happening::Believes { name, .. } => Some(lock(name)),
        Happening::Wrote { resource, .. } => Some(resource.as_str()),
        _ => None,
    });
    names.next().is_some_and(|first| names.any(|name| name != first))
}
