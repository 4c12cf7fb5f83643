//! What can be set, within which bounds, and what is said of what lies outside.

use super::Formula;
use crate::time::{SECOND_US, seconds};
use std::ops::RangeInclusive;

/// The bounds of each setting, in its unit.
pub mod bounds {
    use super::{RangeInclusive, SECOND_US};

    const HOUR_US: u64 = 3600 * SECOND_US;
    /// Of `ttl_us`.
    pub const TTL_US: RangeInclusive<u64> = 100_000..=HOUR_US;
    /// Of `interval_us`. It is also at least a tenth of the ttl.
    pub const INTERVAL_US: RangeInclusive<u64> = 10_000..=HOUR_US;
    /// Of `jitter_percent`.
    pub const JITTER_PERCENT: RangeInclusive<u32> = 0..=50;
    /// Of `pause_us`.
    pub const PAUSE_US: RangeInclusive<u64> = 0..=HOUR_US;
    /// Of `drift_ppm`.
    pub const DRIFT_PPM: RangeInclusive<i32> = -200_000..=200_000;
    /// Of `round_trip_us`. It is also at most half of the ttl.
    pub const ROUND_TRIP_US: RangeInclusive<u64> = 0..=10 * SECOND_US;
    /// Of `failure_percent`.
    pub const FAILURE_PERCENT: RangeInclusive<u32> = 0..=100;
    /// Of `timeout_us`. It is also at least two round trips.
    pub const TIMEOUT_US: RangeInclusive<u64> = 0..=HOUR_US;
    /// Of `retry_us`. With the timeout it is also at least a tenth of the interval.
    pub const RETRY_US: RangeInclusive<u64> = 0..=HOUR_US;
    /// Of `every_us` of a waiter that asks.
    pub const EVERY_US: RangeInclusive<u64> = 10_000..=HOUR_US;
}

/// A lease, its client, the client's machine and the network. Times are microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long a grant or a renewal lasts, by the service's clock.
    pub ttl_us: u64,
    /// From one renewal to the next, by the client's clock, sent to sent.
    pub interval_us: u64,
    /// Each interval is drawn evenly from `interval_us` give or take this share of it.
    pub jitter_percent: u32,
    /// The whole process stands still for so long, once a life, at a random moment. 0: never.
    pub pause_us: u64,
    /// How much the client's clock gains on the service's, in millionths. Below 0 it is slow, and its owner believes in
    /// a lease for longer than the service does.
    pub drift_ppm: i32,
    /// To the service and back.
    pub round_trip_us: u64,
    /// How many of the attempts to renew fail: the request never reaches the service.
    pub failure_percent: u32,
    /// How long the client waits for an answer before it calls the attempt failed.
    pub timeout_us: u64,
    /// From a failed attempt to the next.
    pub retry_us: u64,
    /// How the client that wants the lock next comes to hear that it is free.
    pub waiter: Waiter,
    /// Decides all that is drawn. The same settings with the same seed have the same outcome.
    pub seed: u64,
}

/// How a waiter comes to hear that a lock is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiter {
    /// It asks at fixed times.
    Asks {
        /// From one to the next, in microseconds.
        every_us: u64,
    },
    /// The service tells it when the lease is over, and then it asks.
    Woken,
}

/// One of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `ttl_us`.
    Ttl,
    /// `interval_us`.
    Interval,
    /// `jitter_percent`.
    Jitter,
    /// `pause_us`.
    Pause,
    /// `drift_ppm`.
    Drift,
    /// `round_trip_us`.
    RoundTrip,
    /// `failure_percent`.
    Failure,
    /// `timeout_us`.
    Timeout,
    /// `retry_us`.
    Retry,
    /// `waiter`.
    Waiter,
}

/// A setting that was moved, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Which.
    pub field: Field,
    /// A sentence for whoever set it.
    pub reason: String,
}

impl Default for Settings {
    fn default() -> Self {
        Settings::with_ttl(15 * SECOND_US)
    }
}

impl Settings {
    /// A usual client of a lease of this length: renewed every third of it, give or take a tenth; a failed attempt is
    /// noticed and made again within a fifteenth each.
    pub const fn with_ttl(ttl_us: u64) -> Settings {
        Settings {
            ttl_us,
            interval_us: ttl_us / 3,
            jitter_percent: 10,
            pause_us: 2 * SECOND_US,
            drift_ppm: 0,
            round_trip_us: 20_000,
            failure_percent: 2,
            timeout_us: ttl_us / 15,
            retry_us: ttl_us / 15,
            waiter: Waiter::Asks { every_us: SECOND_US },
            seed: 1,
        }
    }

    /// The nearest settings within all bounds, and what was moved. Settings that are within them come back as they are.
    pub fn clamped(&self) -> (Settings, Vec<Complaint>) {
        let (mut s, mut said) = (*self, Complaints::default());
        said.time(Field::Ttl, "A ttl", &mut s.ttl_us, &bounds::TTL_US);
        said.time(Field::Interval, "A renewal interval", &mut s.interval_us, &bounds::INTERVAL_US);
        said.at_least(Field::Interval, &mut s.interval_us, s.ttl_us.div_ceil(10), |least| {
            format!("More than ten renewals in a ttl only make load: the interval is at least {least} here.")
        });
        said.within(Field::Jitter, &mut s.jitter_percent, &bounds::JITTER_PERCENT, |ends| {
            format!("Jitter goes from {} to {} % of the interval.", ends.start(), ends.end())
        });
        said.time(Field::Pause, "A pause", &mut s.pause_us, &bounds::PAUSE_US);
        said.within(Field::Drift, &mut s.drift_ppm, &bounds::DRIFT_PPM, |ends| {
            format!("A clock gains or loses at most {} % here; real ones stay far below.", ends.end() / 10_000)
        });
        said.time(Field::RoundTrip, "A round trip", &mut s.round_trip_us, &bounds::ROUND_TRIP_US);
        said.at_most(Field::RoundTrip, &mut s.round_trip_us, s.ttl_us / 2, |most| {
            format!("A lease must outlive the call that asks for it: the round trip is at most {most} here, half of the ttl.")
        });
        said.within(Field::Failure, &mut s.failure_percent, &bounds::FAILURE_PERCENT, |ends| {
            format!("Between {} and {} % of the attempts can fail.", ends.start(), ends.end())
        });
        said.time(Field::Timeout, "A timeout", &mut s.timeout_us, &bounds::TIMEOUT_US);
        said.at_least(Field::Timeout, &mut s.timeout_us, 2 * s.round_trip_us, |least| {
            format!("Who waits less than two round trips gives up on answers that are on their way: it is at least {least} here.")
        });
        said.time(Field::Retry, "A retry delay", &mut s.retry_us, &bounds::RETRY_US);
        let least = (s.interval_us / 10).saturating_sub(s.timeout_us);
        said.at_least(Field::Retry, &mut s.retry_us, least, |least| {
            format!("Faster retries than ten in an interval make an outage worse: the delay is at least {least} here.")
        });
        if let Waiter::Asks { every_us } = &mut s.waiter {
            said.time(Field::Waiter, "The time between two asks", every_us, &bounds::EVERY_US);
        }
        (s, said.0)
    }

    /// Whether the interval is a third of the ttl, and so remains one when the ttl is moved.
    pub(super) fn renews_at_thirds(&self) -> bool {
        self.interval_us == self.ttl_us / 3
    }

    /// The same with another ttl, and with the interval that comes of it: a third stays a third, and no interval is below a
    /// tenth of the ttl.
    pub(super) fn moved_to(&self, ttl_us: u64) -> Settings {
        let own = if self.renews_at_thirds() { ttl_us / 3 } else { self.interval_us };
        Settings { ttl_us, interval_us: own.max(ttl_us.div_ceil(10)), ..*self }
    }

    /// The shortest ttl to which these settings can be moved so that [`Formula::holds`]. Even longer than one that can be set.
    pub fn least_ttl_us(&self) -> u64 {
        let holds = |ttl_us| Formula::of(&self.moved_to(ttl_us)).holds();
        // The sum grows with the ttl by seven tenths of it at most: half of it for an interval of a third with the most jitter,
        // a fifth for the drift. So there is a ttl that is long enough.
        let (mut short, mut long) = (0, self.ttl_us.max(SECOND_US));
        while !holds(long) {
            (short, long) = (long, 2 * long);
        }
        while long - short > 1 {
            let middle = u64::midpoint(short, long);
            if holds(middle) {
                long = middle;
            } else {
                short = middle;
            }
        }
        long
    }

    /// From a crash until the waiter hears of its grant, at most: the crash came right after a renewal was sent, and the
    /// lease ended right after the waiter had asked.
    pub(super) fn takeover_bound_us(&self) -> u64 {
        self.ttl_us
            + match self.waiter {
                Waiter::Asks { every_us } => every_us + self.round_trip_us,
                Waiter::Woken => 2 * self.round_trip_us,
            }
    }
}

#[derive(Default)]
struct Complaints(Vec<Complaint>);

impl Complaints {
    fn time(&mut self, field: Field, what: &str, value: &mut u64, ends: &RangeInclusive<u64>) {
        self.within(field, value, ends, |ends| {
            format!("{what} lies between {} and {} here.", seconds(*ends.start()), seconds(*ends.end()))
        });
    }

    fn within<T: Ord + Copy>(
        &mut self,
        field: Field,
        value: &mut T,
        ends: &RangeInclusive<T>,
        reason: impl Fn(&RangeInclusive<T>) -> String,
    ) {
        let near = (*value).clamp(*ends.start(), *ends.end());
        self.move_to(field, value, near, || reason(ends));
    }

    fn at_least(&mut self, field: Field, value: &mut u64, least: u64, reason: impl Fn(String) -> String) {
        self.move_to(field, value, (*value).max(least), || reason(seconds(least)));
    }

    fn at_most(&mut self, field: Field, value: &mut u64, most: u64, reason: impl Fn(String) -> String) {
        self.move_to(field, value, (*value).min(most), || reason(seconds(most)));
    }

    fn move_to<T: PartialEq>(&mut self, field: Field, value: &mut T, near: T, reason: impl Fn() -> String) {
        if *value != near {
            *value = near;
            self.0.push(Complaint { field, reason: reason() });
        }
    }
}
