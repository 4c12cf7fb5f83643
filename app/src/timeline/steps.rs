//! Steps through a timeline, and the keys for them.

use crate::keys::{self, PLAYER};
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

    /// The step that a key means where nothing else wants it.
    pub fn of_key(key: &str) -> Option<Self> {
        match pressed(key, Focus::Player)? {
            Press::Go(to) => Some(to),
            _ => None,
        }
    }

    /// Where a story opens: where it goes wrong, or, if it does not, at its start.
    pub fn opening(trace: &Trace) -> usize {
        Move::Bad.from(0, trace)
    }
}

/// What a key asks of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// A step.
    Go(Move),
    /// To play, or to stop playing.
    Play,
    /// To play faster.
    Faster,
    /// To play slower.
    Slower,
}

/// What inside a player has the focus, as far as it wants keys for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// Nothing that does.
    Player,
    /// A button or a link, which Space and Enter press.
    Button,
    /// A slider, which arrows, Home and End move.
    Slider,
    /// Any other field: all keys are its own.
    Field,
}

impl Focus {
    /// By the name of the element, and the type of an input.
    pub fn of(tag: &str, kind: Option<&str>) -> Self {
        match tag.to_ascii_lowercase().as_str() {
            "button" | "a" | "summary" => Focus::Button,
            "input" if kind == Some("range") => Focus::Slider,
            "input" | "select" | "textarea" => Focus::Field,
            _ => Focus::Player,
        }
    }
}

/// What a key means while the player has the focus, or something in it.
pub fn pressed(key: &str, focus: Focus) -> Option<Press> {
    let press = keys::find(PLAYER, key)?;
    let taken = match focus {
        Focus::Player => false,
        Focus::Button => press == Press::Play,
        Focus::Slider => matches!(press, Press::Go(to) if to != Move::Bad),
        Focus::Field => true,
    };
    (!taken).then_some(press)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::fixtures;

    #[test]
    fn a_story_opens_where_it_breaks_or_at_its_start() {
        assert_eq!(Move::opening(&fixtures::takeover()), 8);
        assert_eq!(Move::opening(&fixtures::fenced()), 0);
    }

    #[test]
    fn no_step_leaves_the_story() {
        let trace = fixtures::takeover();
        assert_eq!(Move::Back.from(0, &trace), 0);
        assert_eq!(Move::Forward.from(8, &trace), 8);
        assert_eq!(Move::To(99).from(0, &trace), 8);
        assert_eq!(Move::Last.from(3, &Trace::default()), 0);
    }

    #[test]
    fn keys_belong_to_what_has_the_focus_first() {
        assert_eq!(pressed(" ", Focus::of("SECTION", None)), Some(Press::Play));
        assert_eq!(pressed(" ", Focus::of("BUTTON", None)), None);
        assert_eq!(pressed("ArrowRight", Focus::Button), Some(Press::Go(Move::Forward)));
        let slider = Focus::of("INPUT", Some("range"));
        assert_eq!(pressed("Home", slider), None);
        assert_eq!(pressed("B", slider), Some(Press::Go(Move::Bad)));
        assert_eq!(pressed(" ", slider), Some(Press::Play));
        for key in ["b", "+", " ", "End"] {
            assert_eq!(pressed(key, Focus::of("SELECT", None)), None);
            assert_eq!(pressed(key, Focus::of("INPUT", Some("text"))), None);
        }
        assert_eq!(pressed("x", Focus::Player), None);
    }
}
