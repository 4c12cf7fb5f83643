//! One life of one client with one lease: it acquires, renews, pauses once, and is done when its work is.
//!
//! The client keeps to the rules of the renewal kata: it counts from the moment at which it sent what succeeded, looks
//! at its own clock before each attempt, tries again after a failed one, and gives up when its deadline passes or the
//! service says no. Nothing of it runs while its process is paused. Times are the service's microseconds since the
//! acquire was sent.

use super::{Cause, INTERVALS_PER_LIFE, Settings, Waiter};
use crate::random::split_mix;

/// How long the work of a life takes, its pause not counted.
pub(super) fn length_us(s: &Settings) -> u64 {
    INTERVALS_PER_LIFE * s.interval_us
}

/// How many of these failed.
pub(super) fn failed(attempts: &[Attempt]) -> usize {
    attempts.iter().filter(|attempt| attempt.fate == Fate::Failed).count()
}

/// What chance decides in a life before it begins. What it decides on the way hangs on the number of the attempt alone,
/// so that two settings differ only where they must.
pub(super) struct Life {
    seed: u64,
    /// When the pause begins, if one comes.
    pub pause_at: u64,
    /// When the holder dies, in the life that is played for the takeover.
    crash_at: u64,
    /// When the waiter's first request reaches the service, if it asks.
    pub first_ask: u64,
}

/// Which disturbances there are.
#[derive(Clone, Copy)]
pub(super) struct With {
    pause: bool,
    failures: bool,
    drift: bool,
}

impl With {
    pub(super) const ALL: With = With { pause: true, failures: true, drift: true };
    const NONE: With = With { pause: false, failures: false, drift: false };
}

/// An attempt to renew.
#[derive(Clone, Copy)]
pub(super) struct Attempt {
    pub sent: u64,
    /// When the client knows what became of it, if it still cares.
    pub heard: u64,
    pub fate: Fate,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The lease runs until then.
    Renewed(u64),
    /// It was over when the request came.
    Rejected,
    /// The request was lost.
    Failed,
}

/// How a life went.
#[derive(Clone, Copy)]
pub(super) struct Played {
    /// When the client stopped: its work was done, it knew of its loss, or it died.
    pub stopped: u64,
    /// When the service's last lease for it ends, if nobody releases.
    pub lease_end: u64,
    /// If it was lost.
    pub loss: Option<Loss>,
}

/// A lease lost while its holder lived.
#[derive(Clone, Copy)]
pub(super) struct Loss {
    /// When the lease is over for the service.
    pub lease_end: u64,
    /// When its holder knows.
    pub noticed: u64,
}

impl Loss {
    pub(super) fn unaware_us(&self) -> u64 {
        self.noticed.saturating_sub(self.lease_end)
    }

    fn at(&self) -> u64 {
        self.noticed.min(self.lease_end)
    }
}

impl Played {
    pub(super) fn held_us(&self) -> u64 {
        self.stopped.min(self.lease_end)
    }
}

impl Life {
    pub(super) fn draw(s: &Settings, number: u32) -> Life {
        let (state, seed) = split_mix(s.seed ^ (u64::from(number) << 32));
        let (state, pause) = split_mix(state);
        let (state, crash) = split_mix(state);
        let (_, ask) = split_mix(state);
        let every = match s.waiter {
            Waiter::Asks { every_us } => every_us,
            Waiter::Woken => 0,
        };
        Life {
            seed,
            pause_at: s.round_trip_us + whole_ms(part(length_us(s), pause)),
            crash_at: s.round_trip_us + part(length_us(s), crash),
            first_ask: whole_ms(part(every, ask)),
        }
    }

    /// When the work is done, if it is not lost.
    pub(super) fn end(&self, s: &Settings) -> u64 {
        s.round_trip_us + length_us(s) + s.pause_us
    }

    /// Plays the life to its end; `attempts` is emptied and filled.
    pub(super) fn play(&self, s: &Settings, with: With, attempts: &mut Vec<Attempt>) -> Played {
        let s = with.applied(s);
        let end = self.end(&s);
        let mut played = self.renew_until(&s, end, attempts);
        // Its clock is slow, or the answer did not come yet: it releases what was over.
        let in_time = |attempt: &&Attempt| attempt.sent + s.round_trip_us / 2 < end;
        let at_end = attempts.iter().filter(in_time).filter_map(Attempt::renewed_until).next_back();
        let at_end = at_end.unwrap_or(s.round_trip_us / 2 + s.ttl_us);
        if played.loss.is_none() && at_end <= end {
            played.loss = Some(Loss { lease_end: at_end, noticed: end });
        }
        played
    }

    /// What lost this life.
    pub(super) fn cause(&self, s: &Settings, room: &mut Vec<Attempt>) -> Cause {
        let mut lost_at = |with| self.play(s, with, room).loss.map(|loss| loss.at());
        if lost_at(With::NONE).is_some() {
            return Cause::Interval;
        }
        let alone = [
            (Cause::Pause, s.pause_us > 0, With { pause: true, ..With::NONE }),
            (Cause::Failures, s.failure_percent > 0, With { failures: true, ..With::NONE }),
            (Cause::Drift, s.drift_ppm != 0, With { drift: true, ..With::NONE }),
        ];
        let lost = alone.into_iter().filter(|(_, there, _)| *there);
        let lost = lost.filter_map(|(cause, _, with)| Some((lost_at(with)?, cause)));
        lost.min_by_key(|(at, _)| *at).map_or(Cause::Together, |(_, cause)| cause)
    }

    /// The holder dies at a random moment: how long until the waiter hears that the lock is its own? None if it had
    /// lost it before.
    pub(super) fn takeover_us(&self, s: &Settings, room: &mut Vec<Attempt>) -> Option<u64> {
        let calm = With { pause: false, ..With::ALL }.applied(s);
        let played = self.renew_until(&calm, self.crash_at, room);
        if played.loss.is_some() || played.lease_end <= self.crash_at {
            return None;
        }
        let back = s.round_trip_us - s.round_trip_us / 2;
        Some(self.granted_at(s, played.lease_end) + back - self.crash_at)
    }

    /// When the service grants the lock to the waiter, if it is free from `free` on.
    pub(super) fn granted_at(&self, s: &Settings, free: u64) -> u64 {
        match s.waiter {
            Waiter::Asks { every_us } => {
                self.first_ask + free.saturating_sub(self.first_ask).div_ceil(every_us) * every_us
            }
            Waiter::Woken => free + s.round_trip_us,
        }
    }

    fn renew_until(&self, s: &Settings, end: u64, attempts: &mut Vec<Attempt>) -> Played {
        let (out, ttl) = (s.round_trip_us / 2, by_client(s, s.ttl_us));
        let awake = |at| self.awake(s, at);
        attempts.clear();
        // When what last succeeded was sent, the next attempt, and the lease's end at the service.
        let (mut success, mut next, mut lease_end) = (0, self.interval_us(s, 0).max(s.round_trip_us), out + s.ttl_us);
        loop {
            let (sent, deadline) = (awake(next), awake(success + ttl));
            if sent.min(deadline) >= end {
                return Played { stopped: end, lease_end, loss: None };
            }
            let lost = |lease_end, noticed| {
                let loss = Loss { lease_end, noticed };
                Played { stopped: noticed, lease_end, loss: Some(loss) }
            };
            if deadline <= sent {
                return lost(lease_end, deadline);
            }
            let number = attempts.len() as u64;
            if self.fails(s, number) {
                let heard = awake(sent + by_client(s, s.timeout_us));
                attempts.push(Attempt { sent, heard, fate: Fate::Failed });
                next = heard + by_client(s, s.retry_us);
                continue;
            }
            let heard = awake(sent + s.round_trip_us);
            let in_time = sent + out < lease_end;
            if in_time {
                lease_end = sent + out + s.ttl_us;
            }
            let fate = if in_time { Fate::Renewed(lease_end) } else { Fate::Rejected };
            attempts.push(Attempt { sent, heard, fate });
            if heard.min(deadline) >= end {
                return Played { stopped: end, lease_end, loss: None };
            }
            if deadline <= heard || !in_time {
                return lost(lease_end, deadline.min(heard));
            }
            success = sent;
            next = heard.max(sent + self.interval_us(s, number + 1));
        }
    }

    /// The moment at which a process does what it would do at `at`: then, or when it wakes.
    fn awake(&self, s: &Settings, at: u64) -> u64 {
        let wakes = self.pause_at + s.pause_us;
        if (self.pause_at..wakes).contains(&at) { wakes } else { at }
    }

    /// The interval that leads to this attempt. What is drawn or stretched is whole milliseconds, for whoever reads it.
    fn interval_us(&self, s: &Settings, number: u64) -> u64 {
        let jitter = u64::from(s.jitter_percent);
        if jitter == 0 && s.drift_ppm == 0 {
            return s.interval_us;
        }
        let (shortest, span) = (s.interval_us * (100 - jitter) / 100, s.interval_us * 2 * jitter / 100);
        whole_ms(by_client(s, shortest + ((span * (self.drawn(number) >> 32)) >> 32)))
    }

    fn fails(&self, s: &Settings, number: u64) -> bool {
        ((self.drawn(number) & 0xFFFF_FFFF) * 100) >> 32 < u64::from(s.failure_percent)
    }

    /// Upper half for the interval that leads to an attempt, lower half for its fate.
    fn drawn(&self, number: u64) -> u64 {
        split_mix(self.seed.wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15))).1
    }
}

impl With {
    fn applied(self, s: &Settings) -> Settings {
        Settings {
            pause_us: if self.pause { s.pause_us } else { 0 },
            failure_percent: if self.failures { s.failure_percent } else { 0 },
            drift_ppm: if self.drift { s.drift_ppm } else { 0 },
            ..*s
        }
    }
}

impl Attempt {
    fn renewed_until(&self) -> Option<u64> {
        match self.fate {
            Fate::Renewed(until) => Some(until),
            Fate::Rejected | Fate::Failed => None,
        }
    }
}

/// How long it is for the service when the client's clock has gone on by `us`.
fn by_client(s: &Settings, us: u64) -> u64 {
    if s.drift_ppm == 0 { us } else { us * 1_000_000 / (1_000_000 + i64::from(s.drift_ppm)) as u64 }
}

/// An even draw from `0..of`.
fn part(of: u64, drawn: u64) -> u64 {
    ((u128::from(of) * u128::from(drawn)) >> 64) as u64
}

fn whole_ms(us: u64) -> u64 {
    us / 1_000 * 1_000
}
