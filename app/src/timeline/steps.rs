//! Steps through a timeline.

use leasehold_checker::trace::Trace;

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// To the first event.
    First,
    /// One event back.
    Back,
    /// One event on.
    Forward,
    /// To the last event.
    Last,
    /// To the first event that broke a rule; nowhere if none did.
    Bad,
    /// To this event.
    To(usize),
}

impl Move {
    /// Where it leads from event `at`.
    pub fn from(self, at: usize, trace: &Trace) -> usize {
        let last = trace.events.len().saturating_sub(1);
        let to = match self {
            Move::First => 0,
            Move::Back => at.saturating_sub(1),
            Move::Forward => at + 1,
            Move::Last => last,
            Move::Bad => trace.first_bad.unwrap_or(at),
            Move::To(event) => event,
        };
        to.min(last)
    }

    /// What a key means while the timeline has the focus.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            "ArrowLeft" | "ArrowUp" => Some(Move::Back),
            "ArrowRight" | "ArrowDown" => Some(Move::Forward),
            "Home" => Some(Move::First),
            "End" => Some(Move::Last),
            "b" | "B" => Some(Move::Bad),
            _ => None,
        }
    }
}
