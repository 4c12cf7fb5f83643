//! Places in a story: at an event, or at a time between two events.

use leasehold_checker::trace::Event;

/// A place in the order of a trace, without a place in the picture yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    // Twice the event's index and one; without the one, just before that event.
    order: usize,
    at_us: u64,
}

impl Point {
    /// At event `index`.
    pub fn of(events: &[Event], index: usize) -> Self {
        Point { order: 2 * index + 1, at_us: events[index].at_us }
    }

    /// At this time, before all events of the same instant.
    pub fn before(events: &[Event], at_us: u64) -> Self {
        Point { order: 2 * events.partition_point(|event| event.at_us < at_us), at_us }
    }

    /// The event that it stands at, or before which it stands.
    pub fn event(self) -> usize {
        self.order / 2
    }

    /// Whether it stands between two events.
    pub fn is_between(self) -> bool {
        self.order.is_multiple_of(2)
    }

    /// When, in virtual microseconds.
    pub fn at_us(self) -> u64 {
        self.at_us
    }
}

/// From a place on, to another one or past the end of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub from: Point,
    /// Where it ends; none if it outlives the trace.
    pub to: Option<Point>,
}

impl Span {
    /// What both have in common.
    pub fn both(self, other: Span) -> Option<Span> {
        let to = match (self.to, other.to) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let from = self.from.max(other.from);
        to.is_none_or(|to| to > from).then_some(Span { from, to })
    }
}

/// The parts of `all` in which at least `many` of `spans` run.
pub fn covered(all: Span, spans: &[Span], many: usize) -> Vec<Span> {
    let mut edges: Vec<(Point, bool)> = Vec::new();
    for part in spans.iter().filter_map(|span| span.both(all)) {
        edges.push((part.from, true));
        edges.extend(part.to.map(|to| (to, false)));
    }
    // Where one ends as another begins, nothing is left open.
    edges.sort_by_key(|(at, begins)| (*at, !begins));
    let (mut count, mut since, mut out) = (0_usize, None, Vec::new());
    for (at, begins) in edges {
        count = if begins { count + 1 } else { count - 1 };
        match since {
            None if count >= many => since = Some(at),
            Some(from) if count < many => {
                since = None;
                out.push(Span { from, to: Some(at) });
            }
            _ => {}
        }
    }
    out.extend(since.map(|from| Span { from, to: all.to }));
    out.retain(|span| span.to.is_none_or(|to| to > span.from));
    out
}

/// The parts of `all` that are in none of `parts`, which are in order and apart.
pub fn rest(all: Span, parts: &[Span]) -> Vec<Span> {
    let mut from = all.from;
    let mut out = Vec::new();
    for part in parts {
        if part.from > from {
            out.push(Span { from, to: Some(part.from) });
        }
        let Some(to) = part.to else { return out };
        from = to;
    }
    if all.to.is_none_or(|to| to > from) {
        out.push(Span { from, to: all.to });
    }
    out
}
