//! Rows from top to bottom, and where each event and each moment stands in them.

use super::fold::Fold;
use super::points::Point;
use super::times::{elapsed, finer, moment};
use super::{Break, Caption, CaptionKind, Mark, Row, Time, Words};
use leasehold_checker::time::seconds;
use leasehold_checker::trace::{Event, Happening, Trace};
use std::collections::BTreeMap;
use std::ops::Range;

/// Height of a row.
const ROW: i32 = 22;
/// Height of the gap that stands for time passing.
const GAP: i32 = 20;
/// Height of a gap that only a message on its way makes.
const STEP: i32 = 7;
/// From so much time on a gap says how much, in microseconds.
const LONG_US: u64 = 100_000;
/// Height of a line over a row.
const CAPTION: i32 = 17;
/// Space above the first row and below the last.
pub const EDGE: i32 = 8;

/// Which events share a row.
#[derive(Debug)]
pub struct Groups {
    /// The rows' events.
    pub rows: Vec<Range<usize>>,
    /// For each row the repeat that it stands for, as an index.
    pub folds: Vec<Option<usize>>,
    /// For each event its row.
    pub row_of: Vec<usize>,
}

/// Puts events into rows: one for each, but for repeats, and for what follows at once from the event before.
pub fn groups(trace: &Trace, folds: &[Fold]) -> Groups {
    let mut groups = Groups { rows: Vec::new(), folds: Vec::new(), row_of: Vec::with_capacity(trace.events.len()) };
    let mut ahead = folds.iter().enumerate().peekable();
    let mut at = 0;
    while at < trace.events.len() {
        let fold = ahead.next_if(|(_, fold)| fold.events.start == at);
        let mut end = fold.map_or(at + 1, |(_, fold)| fold.events.end);
        if fold.is_none() {
            let next = ahead.peek().map_or(trace.events.len(), |(_, fold)| fold.events.start);
            while end < next && follows(trace, at, end) {
                end += 1;
            }
        }
        groups.row_of.extend((at..end).map(|_| groups.rows.len()));
        groups.rows.push(at..end);
        groups.folds.push(fold.map(|(i, _)| i));
        at = end;
    }
    groups
}

// What a client believes and how its handle stands follow from what it has just heard or done.
fn follows(trace: &Trace, first: usize, next: usize) -> bool {
    let (first, event) = (&trace.events[first], &trace.events[next]);
    let is_marked = trace.first_bad == Some(next) || trace.witnesses.contains(&next);
    let is_follower = |event: &Event| matches!(event.what, Happening::Believes { .. } | Happening::State { .. });
    let is_leader = matches!(first.what, Happening::Answered { .. } | Happening::Noted { .. }) || is_follower(first);
    is_follower(event)
        && is_leader
        && !is_marked
        && event.at_us == first.at_us
        && event.what.client() == first.what.client()
}

/// Rows in their places.
#[derive(Debug)]
pub struct Grid {
    /// The rows, without words.
    pub rows: Vec<Row>,
    /// The gaps between them.
    pub breaks: Vec<Break>,
    /// For each event its row.
    pub row_of: Vec<usize>,
    /// Where the last row ends.
    pub end: i32,
}

/// Places the rows. `captions` are the lines over them, by row.
pub fn grid(trace: &Trace, groups: Groups, mut captions: BTreeMap<usize, Vec<String>>) -> Grid {
    let (mut rows, mut breaks) = (Vec::new(), Vec::new());
    let mut y = EDGE;
    let mut before: Option<u64> = None;
    let mut last = String::new();
    for (i, events) in groups.rows.into_iter().enumerate() {
        let at_us = trace.events[events.start].at_us;
        if let Some(passed) = before.map(|t| at_us.saturating_sub(t)).filter(|passed| *passed > 0) {
            if passed < LONG_US {
                y += STEP;
            } else {
                breaks.push(Break { y: y + GAP / 2, elapsed: elapsed(passed), exact: seconds(passed) });
                y += GAP;
            }
        }
        let mark = mark(trace, &events);
        let top = y;
        let mut over: Vec<Caption> = Vec::new();
        let rivals = captions.remove(&i).unwrap_or_default();
        let of_mark = mark.map(|mark| match mark {
            Mark::Bad => (CaptionKind::Bad, "✗ here it breaks".to_owned()),
            Mark::Witness => (CaptionKind::Witness, "◆ because of this".to_owned()),
        });
        let lines = rivals.into_iter().map(|words| (CaptionKind::Rivals, words)).chain(of_mark);
        for (kind, words) in lines {
            y += CAPTION;
            over.push(Caption { kind, y: y - 4, words });
        }
        let bottom = y + ROW;
        let time = (before != Some(at_us)).then(|| {
            let shown = Some(moment(at_us)).filter(|shown| *shown != last).unwrap_or_else(|| finer(at_us));
            Time { shown, exact: seconds(at_us) }
        });
        last = moment(at_us);
        before = Some(trace.events[events.end - 1].at_us);
        rows.push(Row {
            top,
            bottom,
            y: y + ROW / 2,
            events,
            time,
            mark,
            captions: over,
            words: Words::default(),
            signs: Vec::new(),
            coin: None,
        });
        y = bottom;
    }
    Grid { rows, breaks, row_of: groups.row_of, end: y }
}

fn mark(trace: &Trace, events: &Range<usize>) -> Option<Mark> {
    if trace.first_bad.is_some_and(|bad| events.contains(&bad)) {
        return Some(Mark::Bad);
    }
    trace.witnesses.iter().any(|witness| events.contains(witness)).then_some(Mark::Witness)
}

impl Grid {
    /// Where an event's row has its middle.
    pub fn of_event(&self, event: usize) -> i32 {
        self.row_of.get(event).and_then(|row| self.rows.get(*row)).map_or(self.end, |row| row.y)
    }

    /// Where a point is: at its event, or as far into a gap as its time is.
    pub fn y(&self, trace: &Trace, point: Point) -> i32 {
        let event = point.event();
        if !point.is_between() {
            return self.of_event(event);
        }
        let Some(below) = self.row_of.get(event).map(|row| &self.rows[*row]) else { return self.end };
        let Some(above) = event.checked_sub(1).map(|before| &self.rows[self.row_of[before]]) else { return below.top };
        if below.events == above.events {
            return below.y;
        }
        let (from, to) = (trace.events[event - 1].at_us, trace.events[event].at_us);
        let gap = i64::from(below.top - above.bottom);
        let into = gap as i128 * i128::from(point.at_us().saturating_sub(from)) / i128::from((to - from).max(1));
        above.bottom + into as i32
    }
}
