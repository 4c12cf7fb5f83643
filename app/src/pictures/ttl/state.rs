//! What the reader has set.

use super::{dials, text};
use leasehold_checker::sizing::{Field, Preset, Settings, Waiter};

/// What stands on the sliders, as it was asked for: what is out of bounds is moved only when it is played, and comes back when
/// there is room for it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The settings.
    pub wanted: Settings,
    /// Whether the interval follows the ttl as a third of it.
    pub third: bool,
    /// What in the address could not be read.
    pub said: Vec<String>,
    /// How often a waiter asked before it was woken.
    every: i64,
}

/// What the reader does.
#[derive(Clone, Debug)]
pub enum Change {
    /// Moves a slider.
    Dial(Field, i64),
    /// Ties the interval to the ttl, or unties it.
    Third(bool),
    /// Has waiters told, or has them ask.
    Woken(bool),
    /// Takes one of the presets.
    Preset(&'static Preset),
    /// Comes from a link or the browser's history.
    Text(String),
}

impl State {
    /// The state after a change.
    pub fn after(&self, change: Change) -> State {
        let state = self.clone();
        match change {
            Change::Dial(field, value) => state.set(field, value),
            Change::Third(third) => state.set_third(third),
            Change::Woken(woken) => state.set_woken(woken),
            Change::Preset(preset) => State::of(preset.settings),
            Change::Text(text) => State::of_text(&text),
        }
    }

    /// What the address, or a chapter, asks for.
    pub fn of_text(text: &str) -> State {
        let (wanted, said) = text::read(text);
        State { said, ..State::of(wanted) }
    }

    fn of(wanted: Settings) -> State {
        let every = match wanted.waiter {
            Waiter::Asks { .. } => wanted,
            Waiter::Woken => Settings::default(),
        };
        let third = wanted.interval_us == wanted.ttl_us / 3;
        State { wanted, third, said: Vec::new(), every: dials::value(&every, Field::Waiter) }
    }

    /// A slider was moved. What hangs on the ttl goes with it.
    fn set(mut self, field: Field, value: i64) -> State {
        let before = self.wanted;
        dials::set(&mut self.wanted, field, value);
        match field {
            Field::Ttl => {
                let (old, new) = (Settings::with_ttl(before.ttl_us), Settings::with_ttl(self.wanted.ttl_us));
                if self.third {
                    self.wanted.interval_us = new.interval_us;
                }
                if before.timeout_us == old.timeout_us {
                    self.wanted.timeout_us = new.timeout_us;
                }
                if before.retry_us == old.retry_us {
                    self.wanted.retry_us = new.retry_us;
                }
            }
            Field::Interval => self.third = false,
            Field::Waiter => self.every = value,
            _ => {}
        }
        self.said.clear();
        self
    }

    /// The interval is a third of the ttl, or stays what it is.
    fn set_third(mut self, third: bool) -> State {
        self.third = third;
        if third {
            self.wanted.interval_us = self.wanted.ttl_us / 3;
        }
        self
    }

    /// A waiter is woken, or asks as often as it did.
    fn set_woken(mut self, woken: bool) -> State {
        if woken {
            self.wanted.waiter = Waiter::Woken;
        } else {
            dials::set(&mut self.wanted, Field::Waiter, self.every);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leasehold_checker::time::SECOND_US;

    #[test]
    fn a_third_follows_the_ttl_until_the_interval_is_set() {
        let state = State::of_text("ttl=9s").set(Field::Ttl, 12_000_000);
        assert_eq!(state.wanted, Settings::with_ttl(12 * SECOND_US));
        let state = state.set(Field::Interval, 5_000_000).set(Field::Ttl, 30_000_000);
        assert_eq!((state.wanted.interval_us, state.third), (5 * SECOND_US, false));
        assert_eq!(state.set_third(true).wanted, Settings::with_ttl(30 * SECOND_US));
    }

    #[test]
    fn a_timeout_of_ones_own_stays_when_the_ttl_moves() {
        let state = State::of_text("timeout=2s").set(Field::Ttl, 30_000_000);
        assert_eq!((state.wanted.timeout_us, state.wanted.retry_us), (2 * SECOND_US, 2 * SECOND_US));
        let state = state.set(Field::Ttl, 60_000_000);
        assert_eq!(state.wanted.retry_us, 4 * SECOND_US);
    }

    #[test]
    fn a_waiter_asks_again_as_often_as_before_it_was_woken() {
        let state = State::of_text("asks=7s").set_woken(true);
        assert_eq!(state.wanted.waiter, Waiter::Woken);
        assert_eq!(state.set_woken(false).wanted.waiter, Waiter::Asks { every_us: 7 * SECOND_US });
        let woken = State::of_text("woken").set_woken(false);
        assert_eq!(woken.wanted, Settings::default());
    }

    #[test]
    fn what_is_out_of_bounds_comes_back_when_there_is_room() {
        let state = State::of_text("ttl=10s,rtt=4s").set(Field::Ttl, 2_000_000);
        assert_eq!(state.wanted.clamped().0.round_trip_us, SECOND_US);
        let state = state.set(Field::Ttl, 20_000_000);
        assert_eq!(state.wanted.clamped().0.round_trip_us, 4 * SECOND_US);
    }

    #[test]
    fn a_complaint_about_the_address_is_gone_with_the_next_move() {
        let state = State::of_text("nonsense");
        assert_eq!(state.said.len(), 1);
        assert_eq!(state.set(Field::Pause, 0).said.len(), 0);
    }
}
