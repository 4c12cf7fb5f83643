//! What lasts: leases and marks beside the servers' lines, beliefs beside the clients', pauses, cuts and crashes over a
//! client's lane.

use super::beliefs::{Belief, Rivalry, Truths};
use super::lanes::{BELIEF, Beside};
use super::leases::{Lease, lock};
use super::measure::{shortened, width};
use super::points::{Point, Span};
use super::rows::Grid;
use super::servers::{is_node, server_of};
use super::slots::{Slot, Slots};
use super::{Bar, BarKind, Lane, Rivals, Tag};
use leasehold_checker::trace::{Happening, STORAGE, Trace};
use std::collections::BTreeMap;

/// Size of the words beside bars.
pub const TAG: i32 = 11;
/// Width of a lease's bar.
const LEASE: i32 = 8;
/// Width of a belief's bar.
const BELIEVED: i32 = 8;
/// Between a bar and its words, and after them.
const SPACE: i32 = 4;
/// Most room for words beside a bar.
const MOST: i32 = 62;

/// A bar before it has a place in the picture.
struct Plan {
    kind: BarKind,
    /// The client, or the server's name.
    lane: Result<usize, String>,
    span: Span,
    slot: Slot,
    tag: Option<String>,
    has_tick: bool,
}

/// All bars of a trace before the picture's lanes and rows are known.
pub struct Plans {
    plans: Vec<Plan>,
    /// Room that the bars take.
    pub beside: Beside,
}

/// Plans the bars.
pub fn plan(trace: &Trace, leases: &[Lease<'_>], beliefs: &[Belief<'_>], has_locks: bool) -> Plans {
    let mut plans = Plans { plans: Vec::new(), beside: Beside::default() };
    plans.of_servers(trace, leases, has_locks);
    plans.of_clients(trace, leases, beliefs);
    plans.of_processes(trace);
    plans
}

impl Plans {
    fn of_servers(&mut self, trace: &Trace, leases: &[Lease<'_>], has_locks: bool) {
        let mut slots: BTreeMap<&str, Slots> = BTreeMap::new();
        let mut all: Vec<Plan> = Vec::new();
        for lease in leases {
            let slot = slots.entry(lease.server).or_default().take(lease.span);
            all.push(Plan {
                kind: BarKind::Lease,
                lane: Err(lease.server.to_owned()),
                span: lease.span,
                slot,
                tag: (!slot.is_shared).then(|| tag_of(trace, lease, has_locks)),
                has_tick: lease.ran_out,
            });
        }
        for (resource, mark, span) in marks(trace) {
            let slot = slots.entry(STORAGE).or_default().take(span);
            let words = if has_locks { [resource, " ", mark].concat() } else { mark.to_owned() };
            all.push(Plan {
                kind: BarKind::Mark,
                lane: Err(STORAGE.to_owned()),
                span,
                slot,
                tag: (!slot.is_shared).then(|| shortened(&words, TAG, MOST)),
                has_tick: false,
            });
        }
        for (server, slots) in slots {
            let of_it = all.iter().filter(|plan| plan.lane.as_ref().is_err_and(|name| name == server));
            let words = of_it.filter_map(|plan| plan.tag.as_ref()).map(|tag| width(tag, TAG)).max().unwrap_or(0);
            self.beside.servers.insert(server.to_owned(), slots.count() as i32 * pitch(words));
        }
        self.plans.extend(all);
    }

    fn of_clients(&mut self, trace: &Trace, leases: &[Lease<'_>], beliefs: &[Belief<'_>]) {
        let truths = Truths::of(trace, leases);
        let mut slots: Vec<Slots> = trace.clients.iter().map(|_| Slots::default()).collect();
        for belief in beliefs {
            let Some(slots) = slots.get_mut(belief.client) else { continue };
            let slot = slots.take(belief.span);
            let plan = |kind, span, has_tick| Plan { kind, lane: Ok(belief.client), span, slot, tag: None, has_tick };
            let (truly, falsely) = truths.split(belief);
            self.plans.extend(truly.into_iter().map(|span| plan(BarKind::Belief, span, false)));
            self.plans.extend(falsely.into_iter().map(|span| plan(BarKind::FalseBelief, span, false)));
            if let Some(deadline_us) = belief.deadline_us {
                let deadline = Point::before(&trace.events, deadline_us);
                let is_reached = deadline.event() < trace.events.len() && belief.span.to.is_none_or(|to| deadline < to);
                let to = if is_reached { Some(deadline) } else { belief.span.to };
                if to.is_none_or(|to| to > belief.span.from) {
                    self.plans.push(plan(BarKind::Validity, Span { from: belief.span.from, to }, is_reached));
                }
            }
        }
        self.beside.beliefs = slots.iter().map(Slots::count).collect();
    }

    fn of_processes(&mut self, trace: &Trace) {
        let mut open: BTreeMap<(BarKind, usize), usize> = BTreeMap::new();
        for (i, event) in trace.events.iter().enumerate() {
            let here = Point::of(&trace.events, i);
            let (kind, client, begins) = match event.what {
                Happening::Paused { client, .. } => (BarKind::Pause, client, true),
                Happening::Woke { client } => (BarKind::Pause, client, false),
                Happening::Partitioned { client, .. } => (BarKind::Cut, client, true),
                Happening::Reconnected { client } => (BarKind::Cut, client, false),
                Happening::Crashed { client } => (BarKind::Down, client, true),
                Happening::Restarted { client } => (BarKind::Down, client, false),
                _ => continue,
            };
            if let Some(plan) = open.remove(&(kind, client)) {
                let span = &mut self.plans[plan].span;
                span.to = Some(span.to.map_or(here, |to| to.min(here)));
            }
            if kind == BarKind::Down && begins {
                // Who is dead is not asleep.
                if let Some(pause) = open.remove(&(BarKind::Pause, client)) {
                    self.plans[pause].span.to = Some(here);
                }
            }
            if begins && client < trace.clients.len() {
                open.insert((kind, client), self.plans.len());
                // A cut may end without an event that says so.
                let to = match event.what {
                    Happening::Partitioned { until_us, .. } => Some(Point::before(&trace.events, until_us)),
                    _ => None,
                };
                let to = to.filter(|to| to.event() < trace.events.len());
                let span = Span { from: here, to };
                self.plans.push(Plan {
                    kind,
                    lane: Ok(client),
                    span,
                    slot: Slot::default(),
                    tag: None,
                    has_tick: false,
                });
            }
        }
    }

    /// The bars in their places. Those that begin and end in one row are left out.
    pub fn bars(self, trace: &Trace, grid: &Grid, lanes: &[Lane]) -> Vec<Bar> {
        let by_name: BTreeMap<&str, &Lane> =
            lanes.iter().skip(trace.clients.len()).map(|lane| (lane.name.as_str(), lane)).collect();
        let counts: BTreeMap<&str, i32> =
            self.beside.servers.iter().map(|(name, room)| (name.as_str(), *room)).collect();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for plan in &self.plans {
            if let Err(server) = &plan.lane {
                let most = places.entry(server).or_default();
                *most = (*most).max(plan.slot.place + 1);
            }
        }
        let bar = |plan: &Plan| {
            let lane = match &plan.lane {
                Ok(client) => lanes.get(*client)?,
                Err(server) => by_name.get(server.as_str())?,
            };
            let (from, is_open) = (grid.y(trace, plan.span.from), plan.span.to.is_none());
            let to = plan.span.to.map_or(grid.end, |to| grid.y(trace, to));
            if to <= from {
                return None;
            }
            let place = plan.slot.place as i32;
            let (left, right) = match plan.kind {
                BarKind::Lease | BarKind::Mark => {
                    let pitch = counts[lane.name.as_str()] / places[lane.name.as_str()] as i32;
                    let left = lane.x + SPACE + 1 + place * pitch;
                    (left, left + LEASE)
                }
                BarKind::Belief | BarKind::FalseBelief => {
                    let right = lane.x - SPACE - 1 - place * BELIEF;
                    (right - BELIEVED, right)
                }
                BarKind::Validity => {
                    let left = lane.x - SPACE - 1 - BELIEVED - 4 - place * BELIEF;
                    (left, left + 2)
                }
                BarKind::Pause | BarKind::Down => (lane.left + 1, lane.right - 1),
                BarKind::Cut => (lane.right - 3, lane.right),
            };
            let tag = plan.tag.clone().map(|words| Tag { x: right + 3, y: from + 4, words });
            Some(Bar { kind: plan.kind, left, right, from, to, open: is_open, tick: plan.has_tick, tag })
        };
        let mut bars: Vec<Bar> = self.plans.iter().filter_map(bar).collect();
        bars.sort_by_key(|bar| (bar.from, bar.left));
        bars
    }
}

fn pitch(words: i32) -> i32 {
    LEASE + if words == 0 { SPACE } else { 3 + words + SPACE }
}

// Whose a lease is, and its token; of a node, which knows no fencing tokens, only the first.
fn tag_of(trace: &Trace, lease: &Lease<'_>, has_locks: bool) -> String {
    let who = trace.clients.get(lease.client).map_or("?", String::as_str);
    let whose = if has_locks { [who, " ", lock(lease.name)].concat() } else { who.to_owned() };
    if is_node(lease.server) {
        return shortened(&whose, TAG, MOST);
    }
    shortened(&[&whose, "·", &shortened(lease.token, TAG, 30)].concat(), TAG, MOST)
}

// The high-water mark of each resource, and from where to where it stands.
fn marks(trace: &Trace) -> Vec<(&str, &str, Span)> {
    let mut marks: Vec<(&str, &str, Span)> = Vec::new();
    let mut last: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, event) in trace.events.iter().enumerate() {
        let Happening::Wrote { resource, mark_after: Some(mark), .. } = &event.what else { continue };
        if server_of(event) != Some(STORAGE) {
            continue;
        }
        let from = Point::of(&trace.events, i);
        let before = last.get(resource.as_str()).copied();
        if before.is_some_and(|before| marks[before].1 == mark) {
            continue;
        }
        if let Some(before) = before {
            marks[before].2.to = Some(from);
        }
        last.insert(resource, marks.len());
        marks.push((resource, mark, Span { from, to: None }));
    }
    marks
}

/// Where clients believe at once: over all lanes from the first of them to the last.
pub fn rivals(trace: &Trace, rivalries: &[Rivalry<'_>], grid: &Grid, lanes: &[Lane]) -> Vec<Rivals> {
    let place = |rivalry: &Rivalry<'_>| {
        let first = lanes.get(*rivalry.clients.first()?)?;
        let last = lanes.get(*rivalry.clients.last()?)?;
        let (from, to) = (rivalry.span.from, rivalry.span.to);
        let (from, to) = (grid.y(trace, from), to.map_or(grid.end, |to| grid.y(trace, to)));
        (to > from).then_some(Rivals { left: first.left, right: last.right, from, to })
    };
    rivalries.iter().filter_map(place).collect()
}
