//! Where everything of a trace goes in its diagram: a pure function from [`Trace`] to shapes. Units are CSS pixels
//! at full size; x to the right, y down.
//!
//! Every event has a row, in the order of the trace. Rows of one instant stand close; where time passes between two,
//! there is a gap of one fixed size with a break mark that says how much, so that an idle hour costs what an idle
//! second costs.
//!
//! A lease is drawn twice. In the service's lane it ends when it ends. In its client's lane it goes on until the
//! client releases: that is what the client believes, and where the two bars part ([`BarKind::Belief`] turns into
//! [`BarKind::FalseBelief`]) is where locks go wrong.

#[cfg(test)]
mod tests;

use leasehold_checker::time::seconds;
use leasehold_checker::trace::{Call, Event, Happening, Reply, Trace};

/// Width of the column of times.
const TIMES: i32 = 58;
/// Distance of the first lane from it.
const FIRST: i32 = 34;
/// Distance of two lanes.
const LANE: i32 = 124;
/// Room for words to the right of the storage's lane.
const OUTCOMES: i32 = 84;
/// Height of a row.
const ROW: i32 = 28;
/// Height of the gap that stands for time passing.
const GAP: i32 = 18;
/// Height of the caption over a marked row.
const CAPTION: i32 = 16;
/// Space above the first row and below the last.
const EDGE: i32 = 8;
/// Distance of two lease bars that run at once.
const SLOT: i32 = 13;

/// A whole diagram.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Full width.
    pub width: i32,
    /// Full height, without the lanes' heads.
    pub height: i32,
    /// From left to right: the clients, the lock service, the storage.
    pub lanes: Vec<Lane>,
    /// What lasts: leases, beliefs, pauses. In the order in which they begin.
    pub bars: Vec<Bar>,
    /// Where time passes and nothing happens.
    pub breaks: Vec<Break>,
    /// The events, in order.
    pub rows: Vec<Row>,
}

/// One vertical line with a name over it.
#[derive(Debug, PartialEq, Eq)]
pub struct Lane {
    /// Where it stands.
    pub x: i32,
    /// What stands over it.
    pub name: String,
    /// What it is.
    pub kind: LaneKind,
}

/// What a lane belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// A client's process.
    Client,
    /// The lock service.
    Service,
    /// The storage with its gate.
    Storage,
}

/// Something that lasts, drawn down a lane.
#[derive(Debug, PartialEq, Eq)]
pub struct Bar {
    /// What it is.
    pub kind: BarKind,
    /// Its middle.
    pub x: i32,
    /// Where it begins.
    pub from: i32,
    /// Where it ends.
    pub to: i32,
    /// Goes on when the trace ends.
    pub open: bool,
    /// The fencing token, for leases.
    pub token: Option<String>,
}

/// What a bar shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarKind {
    /// A lease, in the service's lane.
    Lease,
    /// A client believes that it holds the lock, and does.
    Belief,
    /// A client believes that it holds the lock, and does not.
    FalseBelief,
    /// A client's process stands still.
    Pause,
}

/// A gap in which time passes.
#[derive(Debug, PartialEq, Eq)]
pub struct Break {
    /// Its middle.
    pub y: i32,
    /// How much time, such as "+9 s".
    pub elapsed: String,
}

/// One event.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Upper edge.
    pub top: i32,
    /// Lower edge.
    pub bottom: i32,
    /// Where its arrow or text stands.
    pub y: i32,
    /// The virtual time, where it is not that of the row above.
    pub time: Option<String>,
    /// Whether it breaks the rule, or shows why.
    pub mark: Option<Mark>,
    /// What is drawn.
    pub figure: Figure,
}

/// Why a row stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The first event that broke a rule.
    Bad,
    /// An event that makes the bad one bad.
    Witness,
}

/// What is drawn in a row.
#[derive(Debug, PartialEq, Eq)]
pub enum Figure {
    /// From lane to lane, with words over it.
    Arrow {
        /// Where it begins.
        from: i32,
        /// Where its head is.
        to: i32,
        /// What it says.
        label: String,
        /// What it carries.
        kind: ArrowKind,
    },
    /// Words beside a lane.
    Note {
        /// Where they begin.
        x: i32,
        /// What they say.
        label: String,
    },
    /// The end of a lease: a stroke across its bar, and words beside it.
    Expiry {
        /// The bar's middle.
        x: i32,
        /// What the words say.
        label: String,
    },
    /// A write: an arrow to the storage, and what the gate made of it.
    Write {
        /// Where it begins.
        from: i32,
        /// Where the storage is.
        to: i32,
        /// What it says.
        label: String,
        /// What the gate decided.
        accepted: bool,
        /// The high-water mark after it, such as "mark 2".
        high_water: String,
    },
}

/// What an arrow carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowKind {
    /// A client's call.
    Call,
    /// A grant.
    Grant,
    /// Any other answer.
    Answer,
    /// The call ended in an exception or in something that is no answer.
    Broken,
}

/// What came instead of an answer, in two words: `returned 'x'`, `raised KeyError`, or nothing at all.
pub fn broken(message: &str) -> String {
    if let Some((_, what)) = message.split_once(" returned ") {
        return format!("returned {}", what.chars().take(18).collect::<String>());
    }
    match message.split(':').next().filter(|class| !class.contains(' ')) {
        Some(class) => format!("raised {class}"),
        None => "no answer".to_owned(),
    }
}

/// Lays out a trace.
pub fn layout(trace: &Trace) -> Layout {
    let lanes = lanes(&trace.clients);
    let places = Places { lanes: &lanes, clients: trace.clients.len() };
    let (mut rows, breaks) = rows(trace);
    let end = rows.last().map_or(EDGE, |row| row.bottom);
    let claims = claims(trace, &rows);
    let leases = leases(trace, &rows, &claims, end);
    for (i, (row, event)) in rows.iter_mut().zip(&trace.events).enumerate() {
        row.figure = places.figure(event, i, &leases);
    }
    let mut bars: Vec<Bar> = leases.iter().flat_map(|lease| lease.bars(&places, end)).collect();
    bars.extend(pauses(trace, &rows, &places, end));
    // A lock that no single grant makes (a majority of nodes, a place in a line): what its holder says is all there is.
    let of_grants: Vec<&str> = trace.events.iter().filter_map(granted).map(|(_, name, ..)| name).collect();
    bars.extend(claims.iter().filter(|claim| !of_grants.contains(&claim.name)).map(|claim| Bar {
        kind: BarKind::Belief,
        x: places.client(claim.client),
        from: claim.from,
        to: claim.to.unwrap_or(end),
        open: claim.to.is_none(),
        token: None,
    }));
    bars.sort_by_key(|bar| bar.from);
    Layout { width: lanes.last().map_or(0, |lane| lane.x) + OUTCOMES, height: end + EDGE, lanes, bars, breaks, rows }
}

fn lanes(clients: &[String]) -> Vec<Lane> {
    let named = clients.iter().map(|name| (name.clone(), LaneKind::Client));
    let ours = [("lock service", LaneKind::Service), ("storage", LaneKind::Storage)];
    named
        .chain(ours.map(|(name, kind)| (name.to_owned(), kind)))
        .enumerate()
        .map(|(i, (name, kind))| Lane { x: TIMES + FIRST + LANE * i as i32, name, kind })
        .collect()
}

// Rows with their places and marks; the figures come later, when the leases' places are known.
fn rows(trace: &Trace) -> (Vec<Row>, Vec<Break>) {
    let (mut rows, mut breaks) = (Vec::new(), Vec::new());
    let mut y = EDGE;
    let mut before: Option<u64> = None;
    for (i, event) in trace.events.iter().enumerate() {
        if let Some(passed) = before.map(|t| event.at_us.saturating_sub(t)).filter(|passed| *passed > 0) {
            breaks.push(Break { y: y + GAP / 2, elapsed: format!("+{}", seconds(passed)) });
            y += GAP;
        }
        let mark = if trace.first_bad == Some(i) {
            Some(Mark::Bad)
        } else {
            trace.witnesses.contains(&i).then_some(Mark::Witness)
        };
        let caption = if mark.is_some() { CAPTION } else { 0 };
        let bottom = y + caption + ROW;
        rows.push(Row {
            top: y,
            bottom,
            y: bottom - 10,
            time: (before != Some(event.at_us)).then(|| seconds(event.at_us)),
            mark,
            figure: Figure::Note { x: 0, label: String::new() },
        });
        y = bottom;
        before = Some(event.at_us);
    }
    (rows, breaks)
}

/// One grant: how long it runs, and how long its client believes in it.
struct Lease {
    event: usize,
    client: usize,
    token: String,
    from: i32,
    /// Where it ends; none if it outlives the trace.
    over: Option<i32>,
    /// Where its client begins to believe in it; none if it never hears of it.
    believes: Option<i32>,
    /// Where the client stops believing; none if it never does.
    believed: Option<i32>,
    slot: i32,
}

/// From where on, and to where, a client says that it holds a lock.
struct Claim<'a> {
    client: usize,
    name: &'a str,
    token: Option<&'a str>,
    from: i32,
    to: Option<i32>,
}

/// What clients say themselves of what they believe. Where they do, nothing else tells it.
fn claims<'a>(trace: &'a Trace, rows: &[Row]) -> Vec<Claim<'a>> {
    let events = || trace.events.iter().zip(rows);
    let claim = |(i, (event, row)): (usize, (&'a Event, &Row))| {
        let Happening::Believes { client, name, token, holds: true } = &event.what else { return None };
        let to = events().skip(i + 1).find(|(e, _)| {
            matches!(&e.what, Happening::Believes { client: who, name: what, .. } if who == client && what == name)
        });
        Some(Claim { client: *client, name, token: token.as_deref(), from: row.y, to: to.map(|(_, row)| row.y) })
    };
    events().enumerate().filter_map(claim).collect()
}

fn leases(trace: &Trace, rows: &[Row], claims: &[Claim<'_>], end: i32) -> Vec<Lease> {
    let mut leases: Vec<Lease> = Vec::new();
    for (i, event) in trace.events.iter().enumerate() {
        let Some((client, name, token, expires_us)) = granted(event) else { continue };
        let later = || trace.events.iter().zip(rows).skip(i + 1);
        // Where the service told of the end it is known; elsewhere it follows from the clock and from renewals.
        let told = later().find_map(|(e, row)| match &e.what {
            Happening::Expired { token: over, name: what, .. } if over == token && what == name => Some(row.y),
            _ => None,
        });
        let renewed = later().filter_map(|(e, _)| match &e.what {
            Happening::Served { client: who, name: what, reply: Reply::Renewed { expires_us } }
                if *who == client && what == name =>
            {
                Some(*expires_us)
            }
            // Where a call is answered at once, the answer is the decision.
            Happening::Answered { client: who, name: what, reply: Reply::Renewed { expires_us } }
                if e.message.is_none() && *who == client && what == name =>
            {
                Some(*expires_us)
            }
            _ => None,
        });
        let expires_us = renewed.max().unwrap_or(expires_us).max(expires_us);
        let by_time = told.or_else(|| later().find(|(e, _)| e.at_us >= expires_us).map(|(_, row)| row.top));
        let by_release = later().find(|(e, _)| ends(e, client, name, true)).map(|(_, row)| row.y);
        let over = [by_time, by_release].into_iter().flatten().min();
        // The client hears of this very grant after the service has decided it.
        let is_heard = |e: &Event| e.message.is_some() && e.message == event.message;
        let from = rows[i].y;
        let (believes, believed) = if claims.iter().any(|claim| claim.client == client) {
            let is_this = |c: &&Claim<'_>| {
                c.client == client && c.name == name && c.from >= from && c.token.is_none_or(|t| t == token)
            };
            let claim = claims.iter().find(is_this);
            (claim.map(|claim| claim.from), claim.and_then(|claim| claim.to))
        } else {
            let heard = later().find(|(e, _)| is_heard(e)).map(|(_, row)| row.y);
            let believed = later().find(|(e, _)| ends(e, client, name, false) && !is_heard(e)).map(|(_, row)| row.y);
            (if event.message.is_some() { heard } else { Some(from) }, believed)
        };
        let taken: Vec<i32> = leases.iter().filter(|l| l.over.unwrap_or(end) > from).map(|l| l.slot).collect();
        let slot = (0..).find(|slot| !taken.contains(slot)).unwrap_or(0);
        leases.push(Lease { event: i, client, token: token.to_owned(), from, over, believes, believed, slot });
    }
    leases
}

// The client, name, token and expiry of a grant: where the service decides it, or, where a call is answered at once,
// with the answer.
fn granted(event: &Event) -> Option<(usize, &str, &str, u64)> {
    let (client, name, reply) = match &event.what {
        Happening::Served { client, name, reply } => (client, name, reply),
        Happening::Answered { client, name, reply } if event.message.is_none() => (client, name, reply),
        _ => return None,
    };
    let Reply::Granted { token, expires_us } = reply else { return None };
    Some((*client, name, token, *expires_us))
}

// Does this event end the lease (or only the belief) of `client` on `name`?
fn ends(event: &Event, client: usize, name: &str, truly: bool) -> bool {
    let (who, what, reply) = match &event.what {
        Happening::Believes { client: who, name: what, holds: false, .. } => {
            return !truly && *who == client && what == name;
        }
        Happening::Served { client, name, reply } if truly => (client, name, reply),
        Happening::Answered { client, name, reply } if !truly || event.message.is_none() => (client, name, reply),
        _ => return false,
    };
    *who == client
        && what == name
        && match reply {
            Reply::Released => true,
            Reply::NotReleased | Reply::NotRenewed | Reply::Granted { .. } => !truly,
            _ => false,
        }
}

impl Lease {
    fn bars(&self, places: &Places, end: i32) -> Vec<Bar> {
        let bar = |kind, x, from, to: Option<i32>| Bar {
            kind,
            x,
            from,
            to: to.unwrap_or(end),
            open: to.is_none(),
            token: (kind == BarKind::Lease).then(|| self.token.clone()),
        };
        let mut bars = vec![bar(BarKind::Lease, self.x(places), self.from, self.over)];
        let Some(believes) = self.believes else { return bars };
        let client = places.client(self.client);
        let true_end = match (self.over, self.believed) {
            (Some(over), Some(believed)) => Some(over.min(believed)),
            (over, believed) => over.or(believed),
        };
        if true_end.is_none_or(|end| end > believes) {
            bars.push(bar(BarKind::Belief, client, believes, true_end));
        }
        if let Some(over) = self.over.filter(|over| self.believed.is_none_or(|believed| believed > *over)) {
            bars.push(bar(BarKind::FalseBelief, client, over.max(believes), self.believed));
        }
        bars
    }

    fn x(&self, places: &Places) -> i32 {
        places.service() + SLOT * self.slot
    }
}

fn pauses(trace: &Trace, rows: &[Row], places: &Places, end: i32) -> Vec<Bar> {
    let rows = || trace.events.iter().zip(rows);
    let mut bars = Vec::new();
    for (i, (event, row)) in rows().enumerate() {
        let Happening::Paused { client, .. } = event.what else { continue };
        let woke = rows()
            .skip(i + 1)
            .find(|(e, _)| matches!(e.what, Happening::Woke { client: who } if who == client))
            .map(|(_, row)| row.y);
        bars.push(Bar {
            kind: BarKind::Pause,
            x: places.client(client),
            from: row.y,
            to: woke.unwrap_or(end),
            open: woke.is_none(),
            token: None,
        });
    }
    bars
}

/// The lanes, by what they belong to.
struct Places<'a> {
    lanes: &'a [Lane],
    clients: usize,
}

impl Places<'_> {
    fn client(&self, index: usize) -> i32 {
        // A client that is not there is drawn in the first lane rather than nowhere.
        self.lanes.get(index).filter(|_| index < self.clients).or(self.lanes.first()).map_or(0, |lane| lane.x)
    }

    fn service(&self) -> i32 {
        self.lanes[self.clients].x
    }

    fn storage(&self) -> i32 {
        self.lanes[self.clients + 1].x
    }

    fn figure(&self, event: &Event, index: usize, leases: &[Lease]) -> Figure {
        match &event.what {
            Happening::Called { client, call } => Figure::Arrow {
                from: self.client(*client),
                to: if matches!(call, Call::Write { .. }) { self.storage() } else { self.service() },
                label: call_label(call),
                kind: ArrowKind::Call,
            },
            Happening::Answered { client, reply, .. } => {
                let (label, kind) = reply_label(reply);
                let x = match reply {
                    Reply::Written | Reply::Stale => self.storage(),
                    _ => leases.iter().find(|l| l.event == index).map_or(self.service(), |l| l.x(self)),
                };
                Figure::Arrow { from: x, to: self.client(*client), label, kind }
            }
            Happening::Served { reply, .. } => {
                let x = leases.iter().find(|l| l.event == index).map_or(self.service(), |l| l.x(self));
                Figure::Note { x: x + 16, label: reply_label(reply).0 }
            }
            Happening::ServerRestarted { .. } => Figure::Note { x: self.service() + 16, label: "restarts".to_owned() },
            Happening::Paused { client, until_us } => {
                Figure::Note { x: self.client(*client) + 16, label: format!("pauses until {}", seconds(*until_us)) }
            }
            Happening::Woke { client } => Figure::Note { x: self.client(*client) + 16, label: "wakes".to_owned() },
            Happening::Expired { client, token, .. } => {
                let lease = leases.iter().rfind(|l| l.event < index && l.client == *client && l.token == *token);
                let x = lease.map_or(self.service(), |l| l.x(self));
                Figure::Expiry { x, label: format!("lease {token} is over") }
            }
            Happening::Wrote { client, resource, token, accepted, mark_after, .. } => Figure::Write {
                from: self.client(*client),
                to: self.storage(),
                label: format!("write {resource}, token {token}"),
                accepted: *accepted,
                high_water: mark_after.as_ref().map_or_else(|| "no mark".to_owned(), |mark| format!("mark {mark}")),
            },
            Happening::RequestLost { client } => self.beside(*client, "request lost"),
            Happening::ReplyLost { client } => self.beside(*client, "reply lost"),
            Happening::Duplicated { client } => self.beside(*client, "request sent twice"),
            Happening::Delayed { client, by_us } => self.beside(*client, format!("reply {} late", seconds(*by_us))),
            Happening::Crashed { client } => self.beside(*client, "crashes"),
            Happening::Restarted { client } => self.beside(*client, "starts again"),
            Happening::Partitioned { client, until_us } => {
                self.beside(*client, format!("cut off until {}", seconds(*until_us)))
            }
            Happening::Reconnected { client } => self.beside(*client, "connected again"),
            Happening::ClockStepped { client, by_us } => {
                let way = if *by_us < 0 { "back" } else { "forward" };
                self.beside(*client, format!("wall clock {way} {}", seconds(by_us.unsigned_abs())))
            }
            Happening::RanFirst { client } => self.beside(*client, "runs first"),
            Happening::Believes { client, name, holds, .. } => {
                self.beside(*client, format!("{} {name}", if *holds { "holds" } else { "gave up" }))
            }
            Happening::State { client, to, .. } => self.beside(*client, to.as_str()),
            Happening::Noted { client, text } => self.beside(*client, text.as_str()),
        }
    }

    fn beside(&self, client: usize, label: impl Into<String>) -> Figure {
        Figure::Note { x: self.client(client) + 16, label: label.into() }
    }
}

fn call_label(call: &Call) -> String {
    match call {
        Call::Acquire { name, ttl_us } => format!("acquire {name}, {}", seconds(*ttl_us)),
        Call::Release { name } => format!("release {name}"),
        Call::Renew { name, .. } => format!("renew {name}"),
        Call::Write { resource, token } => format!("write {resource}, token {token}"),
        Call::Other { text, .. } => text.clone(),
    }
}

fn reply_label(reply: &Reply) -> (String, ArrowKind) {
    match reply {
        Reply::Granted { token, .. } => (format!("granted, token {token}"), ArrowKind::Grant),
        Reply::Refused => ("refused".to_owned(), ArrowKind::Answer),
        Reply::Released => ("released".to_owned(), ArrowKind::Answer),
        Reply::NotReleased => ("not released".to_owned(), ArrowKind::Answer),
        Reply::Renewed { .. } => ("renewed".to_owned(), ArrowKind::Answer),
        Reply::NotRenewed => ("not renewed".to_owned(), ArrowKind::Answer),
        Reply::Written => ("written".to_owned(), ArrowKind::Answer),
        Reply::Stale => ("rejected".to_owned(), ArrowKind::Answer),
        Reply::Other { text } => (text.clone(), ArrowKind::Answer),
        Reply::TimedOut => ("no answer in time".to_owned(), ArrowKind::Broken),
        Reply::Broke { message } => (broken(message), ArrowKind::Broken),
    }
}
