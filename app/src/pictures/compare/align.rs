//! Which event of one run answers to which of another one under the same schedule: a pure function from two traces to rows.
//!
//! Two events can share a row if the same client does the same kind of thing to the same lock, whatever came of it; so a
//! grant in one run stands beside the refusal in the other. Among all ways to do that without crossing, the one with the
//! most likeness is taken (Needleman and Wunsch 1970, without a price for gaps). Lines of code and numbers of messages say
//! nothing here. Nor do fencing tokens as numbers: one right service counts from 0, another leaves gaps. What counts of a
//! token is which ones before it are the same or greater.

use leasehold_checker::trace::{Call, Event, Happening, Reply, Trace};
use std::cmp::Ordering;
use std::mem::discriminant;

/// More events than that are not aligned, for they would take memory by the square.
const MOST: usize = 1_500;

/// Two runs, row by row.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// In the order of both runs.
    pub rows: Vec<Row>,
    /// The first row that is not [`Likeness::Same`].
    pub first: Option<usize>,
}

/// What stands side by side: events by index, at least one.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Of the first run.
    pub left: Option<usize>,
    /// Of the second.
    pub right: Option<usize>,
    /// How alike they are.
    pub likeness: Likeness,
}

/// How alike the two sides of a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// The same happens at the same time, and is judged alike.
    Same,
    /// The same happens at another time.
    Moved,
    /// Something else comes of it, or only one of them breaks a rule.
    Differs,
    /// One run has nothing like it.
    Alone,
}

/// Aligns two runs.
pub fn align(left: &Trace, right: &Trace) -> Alignment {
    let (a, b) = (Sides::of(left), Sides::of(right));
    let alike = a.iter().zip(&b).take_while(|(a, b)| a.likeness(b) == Some(Likeness::Same)).count();
    let rest = Rest::of(&a[alike..a.len().min(alike + MOST)], &b[alike..b.len().min(alike + MOST)]);
    let mut rows: Vec<Row> =
        (0..alike).map(|i| Row { left: Some(i), right: Some(i), likeness: Likeness::Same }).collect();
    rows.extend(rest.rows(alike));
    let first = rows.iter().position(|row| row.likeness != Likeness::Same);
    Alignment { rows, first }
}

/// An event as it is compared.
struct Side {
    event: Event,
    breaks: bool,
}

struct Sides;

impl Sides {
    fn of(trace: &Trace) -> Vec<Side> {
        let mut tokens = Tokens::default();
        let side = |(i, event): (usize, &Event)| {
            let mut event = Event { line: None, message: None, decided_us: None, ..event.clone() };
            tokens.rename_in(&mut event.what);
            Side { event, breaks: trace.first_bad == Some(i) }
        };
        trace.events.iter().enumerate().map(side).collect()
    }
}

impl Side {
    /// None: they can't share a row.
    fn likeness(&self, other: &Side) -> Option<Likeness> {
        let (a, b) = (&self.event, &other.event);
        if !is_kin(a, b) {
            return None;
        }
        if a.what != b.what || self.breaks != other.breaks {
            return Some(Likeness::Differs);
        }
        Some(if a.at_us == b.at_us { Likeness::Same } else { Likeness::Moved })
    }

    // At one instant of one schedule even another outcome belongs beside it.
    fn weight(&self, other: &Side) -> u16 {
        match self.likeness(other) {
            None => 0,
            Some(Likeness::Same) => 6,
            Some(Likeness::Differs) if self.event.at_us == other.event.at_us => 5,
            Some(Likeness::Moved) => 4,
            Some(_) => 2,
        }
    }
}

/// The best weight of what is left from each pair of events on.
struct Rest<'a> {
    a: &'a [Side],
    b: &'a [Side],
    best: Vec<u16>,
}

impl<'a> Rest<'a> {
    fn of(a: &'a [Side], b: &'a [Side]) -> Self {
        let wide = b.len() + 1;
        let mut best = vec![0; (a.len() + 1) * wide];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                let apart = best[(i + 1) * wide + j].max(best[i * wide + j + 1]);
                let weight = a[i].weight(&b[j]);
                let paired = if weight > 0 { weight + best[(i + 1) * wide + j + 1] } else { 0 };
                best[i * wide + j] = apart.max(paired);
            }
        }
        Rest { a, b, best }
    }

    /// `alike` events of both are in rows already.
    fn rows(&self, alike: usize) -> Vec<Row> {
        let wide = self.b.len() + 1;
        let at = |i: usize, j: usize| self.best[i * wide + j];
        let (mut i, mut j) = (0, 0);
        let mut rows = Vec::new();
        while i < self.a.len() || j < self.b.len() {
            let pair = self.a.get(i).zip(self.b.get(j));
            let weight = pair.map_or(0, |(a, b)| a.weight(b));
            let row = match pair {
                Some((a, b)) if weight > 0 && at(i, j) == weight + at(i + 1, j + 1) => {
                    Row { left: Some(i), right: Some(j), likeness: a.likeness(b).unwrap_or(Likeness::Differs) }
                }
                // What is on one side only stands in the order of time.
                Some((a, b)) => {
                    let (skip_a, skip_b) = (at(i + 1, j), at(i, j + 1));
                    let a_first = skip_a > skip_b || skip_a == skip_b && a.event.at_us <= b.event.at_us;
                    if a_first { alone(Some(i), None) } else { alone(None, Some(j)) }
                }
                None if i < self.a.len() => alone(Some(i), None),
                None => alone(None, Some(j)),
            };
            i += usize::from(row.left.is_some());
            j += usize::from(row.right.is_some());
            rows.push(Row { left: row.left.map(|i| i + alike), right: row.right.map(|j| j + alike), ..row });
        }
        rows
    }
}

fn alone(left: Option<usize>, right: Option<usize>) -> Row {
    Row { left, right, likeness: Likeness::Alone }
}

/// Whether two events are about the same thing, whatever came of it.
fn is_kin(a: &Event, b: &Event) -> bool {
    use Happening::{Answered, Believes, Called, Expired, Noted, Served, State, Wrote};
    // Tasks are named by the code, which is another one.
    if discriminant(&a.what) != discriminant(&b.what) || a.what.client() != b.what.client() || a.server() != b.server()
    {
        return false;
    }
    match (&a.what, &b.what) {
        (Called { call: a, .. }, Called { call: b, .. }) => is_same_call(a, b),
        (Answered { name: a, .. }, Answered { name: b, .. }) | (Served { name: a, .. }, Served { name: b, .. }) => {
            a == b
        }
        (Expired { name: a, .. }, Expired { name: b, .. }) | (Believes { name: a, .. }, Believes { name: b, .. }) => {
            a == b
        }
        (Wrote { resource: a, .. }, Wrote { resource: b, .. }) => a == b,
        (State { handle: a, .. }, State { handle: b, .. }) => a == b,
        (Noted { text: a, .. }, Noted { text: b, .. }) => a == b,
        _ => true,
    }
}

fn is_same_call(a: &Call, b: &Call) -> bool {
    match (a, b) {
        (Call::Acquire { name: a, .. }, Call::Acquire { name: b, .. }) => a == b,
        (Call::Release { name: a }, Call::Release { name: b }) => a == b,
        (Call::Renew { name: a, .. }, Call::Renew { name: b, .. }) => a == b,
        (Call::Write { resource: a, .. }, Call::Write { resource: b, .. }) => a == b,
        (Call::Other { to: a, .. }, Call::Other { to: b, .. }) => a == b,
        _ => false,
    }
}

/// The fencing tokens of a run, as they came up.
#[derive(Default)]
struct Tokens(Vec<String>);

impl Tokens {
    fn rename_in(&mut self, what: &mut Happening) {
        match what {
            Happening::Answered { reply: Reply::Granted { token, .. }, .. }
            | Happening::Served { reply: Reply::Granted { token, .. }, .. }
            | Happening::Expired { token, .. }
            | Happening::Believes { token: Some(token), .. }
            | Happening::Called { call: Call::Write { token, .. }, .. } => self.rename(token),
            Happening::Wrote { token, mark_before, mark_after, .. } => {
                for token in mark_before.iter_mut().chain([token]).chain(mark_after) {
                    self.rename(token);
                }
            }
            _ => {}
        }
    }

    // Its place among those that came up, and how many of the ones before it are greater.
    fn rename(&mut self, token: &mut String) {
        let at = self.0.iter().position(|known| known == token).unwrap_or_else(|| {
            self.0.push(token.clone());
            self.0.len() - 1
        });
        let greater = self.0[..at].iter().filter(|before| in_order(before, token) == Ordering::Greater).count();
        *token = [at.to_string(), greater.to_string()].join(" after ");
    }
}

/// Decimal integers of any length.
fn in_order(a: &str, b: &str) -> Ordering {
    let size = |text: &str| text.trim_start_matches('-').len();
    match (a.starts_with('-'), b.starts_with('-')) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => size(a).cmp(&size(b)).then_with(|| a.cmp(b)),
        (true, true) => size(b).cmp(&size(a)).then_with(|| b.cmp(a)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Likeness::{Alone, Differs, Moved, Same};

    const S: u64 = 1_000_000;

    fn asks(at: u64, client: usize) -> Event {
        Event::at(at * S, Happening::Called { client, call: Call::Acquire { name: "job".into(), ttl_us: 10 * S } })
    }

    fn hears(at: u64, client: usize, token: Option<&str>) -> Event {
        let reply = match token {
            Some(token) => Reply::Granted { token: token.into(), expires_us: (at + 10) * S },
            None => Reply::Refused,
        };
        Event::at(at * S, Happening::Answered { client, name: "job".into(), reply })
    }

    fn over(at: u64, client: usize, token: &str) -> Event {
        Event::at(at * S, Happening::Expired { client, name: "job".into(), token: token.into() })
    }

    fn trace(events: &[Event]) -> Trace {
        Trace { clients: vec!["A".into(), "B".into()], events: events.to_vec(), ..Trace::default() }
    }

    /// Rows as `0=0`, `1~1` (moved), `2≠2`, `3 -`, `- 3`.
    fn rows(left: &[Event], right: &[Event]) -> String {
        told(&align(&trace(left), &trace(right)))
    }

    fn told(alignment: &Alignment) -> String {
        let number = |event: Option<usize>| event.map_or("-".to_owned(), |i| i.to_string());
        let sign = |likeness| match likeness {
            Same => "=",
            Moved => "~",
            Differs => "≠",
            Alone => " ",
        };
        let row = |row: &Row| [&number(row.left), sign(row.likeness), &number(row.right)].concat();
        alignment.rows.iter().map(row).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_run_is_the_same_as_itself_whatever_its_lines_and_token_numbers_are() {
        let left = [asks(0, 0), hears(0, 0, Some("1")), over(10, 0, "1"), asks(10, 1), hears(10, 1, Some("2"))];
        let mut right = [asks(0, 0), hears(0, 0, Some("7")), over(10, 0, "7"), asks(10, 1), hears(10, 1, Some("9"))];
        right[1].line = Some(4);
        assert_eq!(rows(&left, &right), "0=0, 1=1, 2=2, 3=3, 4=4");
        assert_eq!(align(&trace(&left), &trace(&right)).first, None);
        assert_eq!(align(&Trace::default(), &Trace::default()), Alignment::default());
    }

    #[test]
    fn a_grant_stands_beside_the_refusal_of_the_same_call() {
        let before = [asks(0, 0), hears(0, 0, Some("1")), asks(5, 1)];
        let left = [&before[..], &[hears(5, 1, Some("2"))]].concat();
        let right = [&before[..], &[hears(5, 1, None), over(10, 0, "1")]].concat();
        assert_eq!(rows(&left, &right), "0=0, 1=1, 2=2, 3≠3, - 4");
        assert_eq!(align(&trace(&left), &trace(&right)).first, Some(3));
    }

    #[test]
    fn tokens_that_do_not_grow_or_come_twice_are_a_difference() {
        let run = |second: &str| [hears(0, 0, Some("5")), hears(20, 1, Some(second))];
        assert_eq!(rows(&run("6"), &run("100")), "0=0, 1=1");
        for other in ["5", "4", "-6"] {
            assert_eq!(rows(&run("6"), &run(other)), "0=0, 1≠1", "{other}");
        }
        assert_eq!(in_order("10", "9"), Ordering::Greater);
        assert_eq!(in_order("-10", "-9"), Ordering::Less);
    }

    #[test]
    fn what_only_one_run_has_stands_alone_in_the_order_of_time() {
        let left = [asks(0, 0), hears(0, 0, Some("1")), over(10, 0, "1"), asks(20, 1)];
        let right = [asks(0, 0), hears(0, 0, Some("1")), asks(5, 0), hears(5, 0, None), asks(20, 1)];
        assert_eq!(rows(&left, &right), "0=0, 1=1, - 2, - 3, 2 -, 3=4");
    }

    #[test]
    fn the_same_at_another_time_has_moved() {
        let left = [asks(0, 0), hears(1, 0, Some("1")), asks(9, 1)];
        let right = [asks(0, 0), hears(1, 0, Some("1")), asks(12, 1)];
        assert_eq!(rows(&left, &right), "0=0, 1=1, 2~2");
    }

    #[test]
    fn an_outcome_at_its_own_time_is_worth_more_than_a_like_one_later() {
        let left = [asks(0, 1), hears(0, 1, None), asks(5, 1), hears(5, 1, Some("1"))];
        let right = [asks(0, 1), hears(0, 1, Some("1"))];
        assert_eq!(rows(&left, &right), "0=0, 1≠1, 2 -, 3 -");
    }

    #[test]
    fn a_verdict_on_one_side_only_is_a_difference() {
        let events = [asks(0, 0), hears(0, 0, Some("1"))];
        let broken = Trace { first_bad: Some(1), ..trace(&events) };
        assert_eq!(told(&align(&broken, &trace(&events))), "0=0, 1≠1");
        assert_eq!(told(&align(&broken, &broken)), "0=0, 1=1");
    }

    #[test]
    fn every_event_has_one_row_and_none_cross() {
        let mut below = crate::noise::below(1);
        for _ in 0..300 {
            let mut run = || {
                let mut at = 0;
                let mut event = |_| {
                    at += below(3) as u64;
                    let client = below(2);
                    match below(4) {
                        0 => asks(at, client),
                        1 => over(at, client, "1"),
                        n => hears(at, client, (n == 2).then_some("1")),
                    }
                };
                (0..9).map(&mut event).collect::<Vec<_>>()
            };
            let (left, right) = (run(), run());
            let alignment = align(&trace(&left), &trace(&right));
            let lefts: Vec<usize> = alignment.rows.iter().filter_map(|row| row.left).collect();
            let rights: Vec<usize> = alignment.rows.iter().filter_map(|row| row.right).collect();
            assert_eq!(lefts, (0..left.len()).collect::<Vec<_>>());
            assert_eq!(rights, (0..right.len()).collect::<Vec<_>>());
            assert!(alignment.rows.iter().all(|row| row.left.is_some() || row.right.is_some()));
        }
    }
}
