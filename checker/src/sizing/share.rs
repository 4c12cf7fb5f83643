//! Counts of a sample, and how sure they are.

/// What lost a life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Nothing went wrong at all: the renewals come too late for the ttl.
    Interval,
    /// The pause.
    Pause,
    /// Renewals that failed.
    Failures,
    /// The clocks' drift.
    Drift,
    /// Two or three of these, none of which would have lost it alone.
    Together,
}

impl Cause {
    /// All of them, in the order in which they are told.
    pub const ALL: [Cause; 5] = [Cause::Interval, Cause::Pause, Cause::Failures, Cause::Drift, Cause::Together];

    /// What stands beside its count.
    pub fn words(self) -> &'static str {
        match self {
            Cause::Interval => "renewed too late from the start",
            Cause::Pause => "the pause",
            Cause::Failures => "failed renewals",
            Cause::Drift => "clock drift",
            Cause::Together => "several together, none alone",
        }
    }
}

/// How many lives were lost, and what to. Each lost life has one cause: what loses that very life when nothing else
/// goes wrong, and of several such causes the one that loses it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Losses {
    /// The sum of the others.
    pub all: Share,
    /// By [`Cause::Interval`].
    pub interval: Share,
    /// By [`Cause::Pause`].
    pub pause: Share,
    /// By [`Cause::Failures`].
    pub failures: Share,
    /// By [`Cause::Drift`].
    pub drift: Share,
    /// By [`Cause::Together`].
    pub together: Share,
}

impl Losses {
    pub(super) fn of(lives: u32) -> Losses {
        let none = Share { count: 0, of: lives };
        Losses { all: none, interval: none, pause: none, failures: none, drift: none, together: none }
    }

    pub(super) fn count(&mut self, cause: Cause) {
        self.all.count += 1;
        match cause {
            Cause::Interval => self.interval.count += 1,
            Cause::Pause => self.pause.count += 1,
            Cause::Failures => self.failures.count += 1,
            Cause::Drift => self.drift.count += 1,
            Cause::Together => self.together.count += 1,
        }
    }

    /// How many were lost to this cause.
    pub fn by(&self, cause: Cause) -> Share {
        match cause {
            Cause::Interval => self.interval,
            Cause::Pause => self.pause,
            Cause::Failures => self.failures,
            Cause::Drift => self.drift,
            Cause::Together => self.together,
        }
    }
}

/// So many of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// How many.
    pub count: u32,
    /// Of how many.
    pub of: u32,
}

impl Share {
    /// From 0 to 1.
    pub fn share(&self) -> f64 {
        f64::from(self.count) / f64::from(self.of.max(1))
    }

    /// Where the true share lies with 95 % confidence, from 0 to 1: Wilson's score interval (Wilson 1927), which is
    /// honest about none of a sample too.
    pub fn interval(&self) -> (f64, f64) {
        const Z: f64 = 1.96;
        let (n, p) = (f64::from(self.of.max(1)), self.share());
        let middle = p + Z * Z / (2.0 * n);
        let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        let low = if self.count == 0 { 0.0 } else { (middle - half) / scale };
        let high = if self.count == self.of { 1.0 } else { (middle + half) / scale };
        (low, high)
    }
}

/// How long something took, over a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Half of them took no longer, in microseconds.
    pub median_us: u64,
    /// The longest, in microseconds.
    pub worst_us: u64,
}

impl Spread {
    pub(super) fn of(mut times: Vec<u64>) -> Option<Spread> {
        times.sort_unstable();
        let worst_us = *times.last()?;
        Some(Spread { median_us: times[(times.len() - 1) / 2], worst_us })
    }
}
