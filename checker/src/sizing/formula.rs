//! The sizing rule, term by term.

use super::Settings;

/// `ttl > renewal interval + pause margin + drift`, with at least three renewal intervals in a ttl.
///
/// Beside the three there is a term for the round trip, which is small in a data centre and not between continents: a
/// renewal that is sent in time must also be answered in time. With it the rule is exact in one direction: where
/// [`Formula::covers`], no life is lost to a pause of that length, if no renewal fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The left side, in microseconds as all others.
    pub ttl_us: u64,
    /// The longest interval that the jitter allows; at least a round trip, for the next renewal waits for the last one.
    pub interval_us: u64,
    /// The pause that is allowed for.
    pub pause_us: u64,
    /// How far the two clocks part in one ttl, whichever is the faster.
    pub drift_us: u64,
    /// A renewal on its way and back.
    pub round_trip_us: u64,
    /// Whether three planned intervals fit into the ttl, so that one failed attempt can be made good.
    pub three_intervals: bool,
}

impl Formula {
    pub(super) fn of(s: &Settings) -> Formula {
        Formula {
            ttl_us: s.ttl_us,
            interval_us: (s.interval_us * u64::from(100 + s.jitter_percent) / 100).max(s.round_trip_us),
            pause_us: s.pause_us,
            drift_us: (s.ttl_us * u64::from(s.drift_ppm.unsigned_abs())).div_ceil(1_000_000),
            round_trip_us: s.round_trip_us,
            three_intervals: 3 * s.interval_us <= s.ttl_us,
        }
    }

    /// The right side.
    pub fn sum_us(&self) -> u64 {
        self.interval_us + self.pause_us + self.drift_us + self.round_trip_us
    }

    /// Whether the ttl is longer than the sum.
    pub fn covers(&self) -> bool {
        self.ttl_us > self.sum_us()
    }

    /// Whether both halves of the rule hold.
    pub fn holds(&self) -> bool {
        self.covers() && self.three_intervals
    }

    /// By how much the ttl is longer than the sum; below 0 if it is shorter.
    pub fn spare_us(&self) -> i64 {
        self.ttl_us as i64 - self.sum_us() as i64
    }
}
