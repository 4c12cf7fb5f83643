//! Messages as arrows: from where one is sent to where it arrives, sloped by the time that it takes. What is lost ends on
//! its way.

use super::rows::Grid;
use super::servers::server_of;
use super::{Arrow, ArrowKind, Lane, Tip};
use leasehold_checker::trace::{Call, Event, Happening, Reply, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// Distance of an arrow's ends from the lanes' lines.
const CLEAR: i32 = 4;

/// A call under way.
#[derive(Clone, Copy, Default)]
struct Flight {
    sent: (i32, i32),
    /// Where a server has it before it.
    served: Option<(i32, i32, u64)>,
    is_write: bool,
    /// Whether there is nothing left to be drawn of its request.
    is_over: bool,
    /// Where the server's lane is.
    server: i32,
}

/// All arrows of a trace. `repeats` are the rows, by their middles, that stand for many events.
pub fn arrows(trace: &Trace, grid: &Grid, lanes: &[Lane], repeats: &BTreeSet<i32>) -> Vec<Arrow> {
    let mut drawn = Arrows {
        lanes,
        clients: trace.clients.len(),
        arrows: Vec::new(),
        flights: BTreeMap::new(),
        cut_off: BTreeSet::new(),
    };
    for (i, event) in trace.events.iter().enumerate() {
        drawn.event(event, grid.of_event(i));
    }
    let under_way: Vec<Flight> = drawn.flights.values().filter(|f| f.served.is_none() && !f.is_over).copied().collect();
    for flight in under_way {
        // Still on its way when the trace ends, or nothing tells what became of it.
        let (x, y) = flight.sent;
        drawn.part((x, y), (flight.server, y + 14), Tip::Open, flight.request());
    }
    // What goes to and fro within a row of repeats would be drawn upon itself.
    drawn.arrows.retain(|arrow| arrow.from.1 != arrow.to.1 || !repeats.contains(&arrow.to.1));
    drawn.arrows
}

struct Arrows<'a> {
    lanes: &'a [Lane],
    clients: usize,
    arrows: Vec<Arrow>,
    flights: BTreeMap<u32, Flight>,
    cut_off: BTreeSet<usize>,
}

impl Flight {
    fn request(&self) -> ArrowKind {
        if self.is_write { ArrowKind::Write } else { ArrowKind::Call }
    }
}

impl Arrows<'_> {
    fn event(&mut self, event: &Event, y: i32) {
        let Some(client) = event.what.client() else { return };
        let Some(lane) = self.lanes.get(client).filter(|_| client < self.clients) else { return };
        match event.what {
            Happening::Partitioned { .. } => {
                self.cut_off.insert(client);
            }
            Happening::Reconnected { .. } | Happening::Restarted { .. } => {
                self.cut_off.remove(&client);
            }
            _ => {}
        }
        let x = lane.of_task(event);
        let Some(server) = server_of(event).and_then(|name| self.server(name)) else { return };
        let Some(message) = event.message else { return self.at_once(event, x, server, y) };
        match &event.what {
            Happening::Called { call, .. } => {
                let is_write = matches!(call, Call::Write { .. });
                let flight = Flight { sent: (x, y), is_write, server, ..Flight::default() };
                self.flights.insert(message, flight);
            }
            Happening::Served { .. } | Happening::Wrote { .. } => self.arrives(message, event.at_us, (server, y)),
            Happening::RequestLost { .. } => {
                let wall = self.cut_off.contains(&client).then_some(lane.right - 2);
                let Some(flight) = self.flights.get_mut(&message) else { return };
                flight.is_over = true;
                let flight = *flight;
                match wall {
                    // Whoever is cut off comes no further than the wall.
                    Some(x) => self.push(flight.sent, (x, y), flight.request(), Tip::Lost),
                    None => self.part(flight.sent, (server, y), Tip::Lost, flight.request()),
                }
            }
            Happening::ReplyLost { .. } => {
                let Some(flight) = self.flights.get(&message).copied() else { return };
                let Some((at, from, _)) = flight.served else { return };
                self.part((at, from), (flight.sent.0, y), Tip::Lost, ArrowKind::Answer);
            }
            Happening::Answered { reply, .. } => self.answer(message, reply, (x, y), server),
            _ => {}
        }
    }

    fn server(&self, name: &str) -> Option<i32> {
        self.lanes[self.clients..].iter().find(|lane| lane.name == name).map(|lane| lane.x)
    }

    fn arrives(&mut self, message: u32, at_us: u64, at: (i32, i32)) {
        let Some(flight) = self.flights.get_mut(&message) else { return };
        let before = flight.served.replace((at.0, at.1, at_us));
        let flight = *flight;
        match before {
            // The server says more about the same request.
            Some((.., before_us)) if before_us == at_us => {}
            Some(_) => self.push(flight.sent, at, ArrowKind::Again, Tip::Head),
            None => self.push(flight.sent, at, flight.request(), Tip::Head),
        }
    }

    fn answer(&mut self, message: u32, reply: &Reply, at: (i32, i32), server: i32) {
        let Some(flight) = self.flights.get_mut(&message) else {
            return self.push((server, at.1), at, kind(reply), Tip::Head);
        };
        if matches!(reply, Reply::TimedOut) {
            return;
        }
        flight.is_over = true;
        let flight = *flight;
        let from = flight.served.map_or_else(
            || {
                // Nothing is told of the server: it had the request somewhere between.
                let middle = (flight.server, (flight.sent.1 + at.1) / 2);
                self.push(flight.sent, middle, flight.request(), Tip::Head);
                middle
            },
            |(x, y, _)| (x, y),
        );
        let kind = match kind(reply) {
            ArrowKind::Answer if flight.is_write => ArrowKind::Receipt,
            kind => kind,
        };
        self.push(from, at, kind, Tip::Head);
    }

    // Where calls are answered at once: level arrows.
    fn at_once(&mut self, event: &Event, x: i32, server: i32, y: i32) {
        let (client, server) = ((x, y), (server, y));
        match &event.what {
            Happening::Called { call: Call::Write { .. }, .. } | Happening::Wrote { .. } => {
                self.push(client, server, ArrowKind::Write, Tip::Head);
            }
            Happening::Called { .. } => self.push(client, server, ArrowKind::Call, Tip::Head),
            Happening::Answered { reply, .. } => self.push(server, client, kind(reply), Tip::Head),
            // A server tells a client something unasked.
            Happening::Noted { .. } => self.push(server, client, ArrowKind::Answer, Tip::Head),
            _ => {}
        }
    }

    // A message that does not get all the way.
    fn part(&mut self, from: (i32, i32), to: (i32, i32), tip: Tip, kind: ArrowKind) {
        let share = if tip == Tip::Lost { 55 } else { 40 };
        let x = from.0 + (to.0 - from.0) * share / 100;
        // As steep as if it took a row at least, so that it can be told from what arrives at once.
        let y = if to.1 > from.1 { to.1 } else { from.1 };
        self.push(from, (x, y), kind, tip);
    }

    fn push(&mut self, from: (i32, i32), to: (i32, i32), kind: ArrowKind, tip: Tip) {
        let way = (to.0 - from.0).signum();
        let clear = if tip == Tip::Head { CLEAR } else { 0 };
        let (from, to) = ((from.0 + way * CLEAR, from.1), (to.0 - way * clear, to.1));
        self.arrows.push(Arrow { kind, from, to, tip });
    }
}

fn kind(reply: &Reply) -> ArrowKind {
    match reply {
        Reply::Granted { .. } => ArrowKind::Grant,
        Reply::TimedOut | Reply::Broke { .. } => ArrowKind::Broken,
        _ => ArrowKind::Answer,
    }
}
