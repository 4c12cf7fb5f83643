//! What clients take for true: that they hold a lock, and until when by their own clocks.
//!
//! Where anybody in the trace says what it believes, only that counts. Elsewhere a client believes in a grant from hearing
//! of it until it gives it back or hears that it is over. A crash ends all beliefs.

use super::leases::{Lease, lock};
use super::points::{Point, Span, covered, rest};
use super::servers::{is_node, server_of};
use leasehold_checker::time::SECOND_US;
use leasehold_checker::trace::{Call, Event, Happening, Reply, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// A client believes that it holds a lock.
#[derive(Debug)]
pub struct Belief<'a> {
    /// Who believes.
    pub client: usize,
    /// Which lock.
    pub name: &'a str,
    /// Which grant, where that is known.
    pub token: Option<&'a str>,
    /// How long.
    pub span: Span,
    /// Until when its own clock gives it the lock: what it asked for, counted from when it asked.
    pub deadline_us: Option<u64>,
}

/// All beliefs, in the order in which they begin.
pub fn beliefs(trace: &Trace) -> Vec<Belief<'_>> {
    let mut minds = Minds::new(trace);
    let is_told = trace.events.iter().any(|event| {
        matches!(event.what, Happening::Believes { .. } | Happening::State { .. })
            || event.server().is_some_and(is_node)
    });
    for (i, event) in trace.events.iter().enumerate() {
        minds.learn(event);
        match &event.what {
            Happening::Believes { client, name, token, holds: true } => {
                minds.begin(i, *client, name, token.as_deref());
            }
            Happening::Believes { client, name, holds: false, .. } => minds.end(i, *client, Some(name)),
            Happening::Crashed { client } => minds.end(i, *client, None),
            Happening::Answered { client, name, reply: Reply::Granted { token, .. } } if !is_told => {
                minds.begin(i, *client, name, Some(token));
            }
            Happening::Answered { client, name, reply: Reply::NotRenewed } if !is_told => {
                minds.end(i, *client, Some(name));
            }
            Happening::Called { client, call: Call::Release { name } } if !is_told => {
                minds.end(i, *client, Some(name));
            }
            _ => {}
        }
        minds.hear(event);
    }
    minds.all
}

struct Minds<'a> {
    trace: &'a Trace,
    all: Vec<Belief<'a>>,
    /// Those that go on, as indices.
    open: BTreeMap<(usize, &'a str), usize>,
    /// When each call was decided on and for how long it asks, in microseconds; by message, or by client where there are
    /// no messages.
    asked: BTreeMap<Result<u32, usize>, (u64, u64)>,
    /// The end of the last grant or renewal that each client heard of, by its own clock.
    heard: BTreeMap<(usize, &'a str), u64>,
    /// The end that a client's code told itself.
    said: BTreeMap<usize, u64>,
}

impl<'a> Minds<'a> {
    fn new(trace: &'a Trace) -> Self {
        Minds {
            trace,
            all: Vec::new(),
            open: BTreeMap::new(),
            asked: BTreeMap::new(),
            heard: BTreeMap::new(),
            said: BTreeMap::new(),
        }
    }

    fn begin(&mut self, at: usize, client: usize, name: &'a str, token: Option<&'a str>) {
        let from = Point::of(&self.trace.events, at);
        if let Some(belief) = self.open.get(&(client, name)).map(|open| &mut self.all[*open]) {
            if belief.token == token {
                return;
            }
            belief.span.to = Some(from);
        }
        let deadline_us = self.heard.get(&(client, name)).or(self.said.get(&client)).copied();
        self.open.insert((client, name), self.all.len());
        self.all.push(Belief { client, name, token, span: Span { from, to: None }, deadline_us });
    }

    // Of one lock, or of all that the client believes in.
    fn end(&mut self, at: usize, client: usize, name: Option<&str>) {
        let to = Some(Point::of(&self.trace.events, at));
        let all = &mut self.all;
        self.open.retain(|(who, what), belief| {
            let ends = *who == client && name.is_none_or(|name| name == *what);
            if ends {
                all[*belief].span.to = to;
            }
            !ends
        });
    }

    // What must be known before an event is looked at: deadlines.
    fn learn(&mut self, event: &'a Event) {
        match &event.what {
            Happening::Called { client, call: Call::Acquire { ttl_us, .. } | Call::Renew { ttl_us, .. } } => {
                let asked = (event.decided_us.unwrap_or(event.at_us), *ttl_us);
                self.asked.insert(event.message.ok_or(*client), asked);
            }
            Happening::Answered { client, name, reply: Reply::Granted { .. } | Reply::Renewed { .. } } => {
                if let Some((at_us, ttl_us)) = self.asked.get(&event.message.ok_or(*client)) {
                    self.heard.insert((*client, name), at_us.saturating_add(*ttl_us));
                }
            }
            Happening::Noted { client, text } => {
                self.said.extend(said_end(text).map(|end| (*client, end)));
            }
            _ => {}
        }
    }

    // A renewal moves the deadline of who believes already, unless it comes too late for that.
    fn hear(&mut self, event: &'a Event) {
        let Happening::Answered { client, name, reply: Reply::Renewed { .. } } = &event.what else { return };
        let key = (*client, name.as_str());
        if let (Some(belief), Some(heard)) = (self.open.get(&key), self.heard.get(&key)) {
            let deadline = &mut self.all[*belief].deadline_us;
            if deadline.is_none_or(|before| before > event.at_us) {
                *deadline = Some(*heard);
            }
        }
    }
}

// `… a lease, valid until 9.800 s`: the end of a lease as a client's code works it out.
fn said_end(text: &str) -> Option<u64> {
    let (_, end) = text.rsplit_once("until ")?;
    let (whole, fraction) = end.strip_suffix(" s")?.split_once('.').unwrap_or((end.strip_suffix(" s")?, ""));
    let micros = [fraction, "000000"].concat().get(..6)?.parse::<u64>().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(SECOND_US)?.checked_add(micros)
}

/// The parts of a belief that are true and those that are not. All of it is true where nobody's grants tell.
pub struct Truths<'a> {
    /// Leases by client and lock.
    leases: BTreeMap<(usize, &'a str), Vec<&'a Lease<'a>>>,
    /// How many grants make a holder: more than half of the nodes, where there are several.
    quorum: usize,
}

impl<'a> Truths<'a> {
    /// Of these leases.
    pub fn of(trace: &Trace, leases: &'a [Lease<'a>]) -> Self {
        let nodes: BTreeSet<&str> =
            trace.events.iter().filter_map(server_of).filter(|server| is_node(server)).collect();
        let mut by_lock: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for lease in leases {
            by_lock.entry((lease.client, lock(lease.name))).or_default().push(lease);
        }
        Truths { leases: by_lock, quorum: if nodes.is_empty() { 1 } else { nodes.len() / 2 + 1 } }
    }

    /// First what is true, then what is not.
    pub fn split(&self, belief: &Belief<'_>) -> (Vec<Span>, Vec<Span>) {
        let all = belief.span;
        let Some(leases) = self.leases.get(&(belief.client, lock(belief.name))) else { return (vec![all], Vec::new()) };
        let is_this = |lease: &&&Lease<'_>| belief.token.is_none_or(|token| token == lease.token);
        let of_token: Vec<Span> = leases.iter().filter(is_this).map(|lease| lease.span).collect();
        let spans = if of_token.is_empty() { leases.iter().map(|lease| lease.span).collect() } else { of_token };
        let truly = covered(all, &spans, self.quorum);
        let falsely = rest(all, &truly);
        (truly, falsely)
    }
}

/// Where several clients believe at once that they hold the same lock.
#[derive(Debug)]
pub struct Rivalry<'a> {
    /// Which lock.
    pub name: &'a str,
    /// Who they are, by index.
    pub clients: Vec<usize>,
    /// How long.
    pub span: Span,
}

/// All of them.
pub fn rivalries<'a>(beliefs: &[Belief<'a>]) -> Vec<Rivalry<'a>> {
    let mut edges: Vec<(&'a str, Point, bool, usize)> = Vec::new();
    for belief in beliefs {
        edges.push((lock(belief.name), belief.span.from, true, belief.client));
        edges.extend(belief.span.to.map(|to| (lock(belief.name), to, false, belief.client)));
    }
    edges.sort_by_key(|(name, at, begins, client)| (*name, *at, *begins, *client));
    let mut out: Vec<Rivalry<'a>> = Vec::new();
    let mut believe: Vec<usize> = Vec::new();
    let mut of = "";
    let mut is_open = false;
    for (name, at, begins, client) in edges {
        if name != of {
            (of, is_open) = (name, false);
            believe.clear();
        }
        if begins {
            believe.push(client);
        } else if let Some(place) = believe.iter().position(|who| *who == client) {
            believe.swap_remove(place);
        }
        let mut clients = believe.clone();
        clients.sort_unstable();
        clients.dedup();
        match (is_open, clients.len() > 1) {
            (false, true) => out.push(Rivalry { name, clients, span: Span { from: at, to: None } }),
            (true, true) => {
                let known = out.last_mut().map(|last| &mut last.clients);
                known.into_iter().for_each(|known| {
                    known.extend(&clients);
                    known.sort_unstable();
                    known.dedup();
                });
            }
            (true, false) => out.iter_mut().last().into_iter().for_each(|last| last.span.to = Some(at)),
            (false, false) => {}
        }
        is_open = believe.iter().any(|who| *who != believe[0]);
    }
    out.sort_by_key(|rivalry| rivalry.span.from);
    out
}
