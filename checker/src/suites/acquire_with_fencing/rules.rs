//! The reference: who holds what, and until when. Times are ticks ([`crate::explore::replay::TICK_US`]).

use crate::explore::replay::Op;
use crate::explore::sequences::Model;
use crate::suites::sequential::SECOND;

/// A running lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Who holds it.
    pub client: u8,
    /// The tick at which it is over.
    pub expiry: u32,
}

/// Why a lock is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Free {
    /// Nobody ever held it.
    #[default]
    Never,
    /// Its holder released it.
    Released(u8),
    /// Its lease is over.
    Over(Lease),
}

#[derive(Clone, Copy, Debug, Default)]
struct Lock {
    lease: Option<Lease>,
    free: Free,
}

/// The state of the lock service as it must be.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Now, in ticks.
    pub now: u32,
    locks: Vec<Lock>,
    waited: bool,
    more: bool,
}

impl Rules {
    /// The lease that runs on a lock. At its expiry it is over.
    pub fn lease(&self, name: u8) -> Option<Lease> {
        self.lock(name).lease.filter(|l| self.now < l.expiry)
    }

    /// Why the lock is free, if it is.
    pub fn why_free(&self, name: u8) -> Free {
        let lock = self.lock(name);
        lock.lease.map_or(lock.free, Free::Over)
    }

    /// The same with a third client and a third lock to choose.
    pub fn with_more_clients(&self) -> Self {
        Rules { more: true, ..self.clone() }
    }

    /// Leases that end after `from` and not after `to`, in order of time, with their locks.
    pub fn ending(&self, from: u32, to: u32) -> Vec<(u8, Lease)> {
        let mut ending: Vec<(u8, Lease)> = (0u8..)
            .zip(&self.locks)
            .filter_map(|(name, lock)| Some((name, lock.lease?)))
            .filter(|(_, lease)| from < lease.expiry && lease.expiry <= to)
            .collect();
        ending.sort_by_key(|(_, lease)| lease.expiry);
        ending
    }

    fn touched(&self, name: u8) -> bool {
        let lock = self.lock(name);
        lock.lease.is_some() || lock.free != Free::Never
    }

    fn lock(&self, name: u8) -> Lock {
        self.locks.get(usize::from(name)).copied().unwrap_or_default()
    }

    fn set(&mut self, name: u8, lock: Lock) {
        let at = usize::from(name);
        if self.locks.len() <= at {
            self.locks.resize(at + 1, Lock::default());
        }
        self.locks[at] = lock;
    }
}

/// The two lengths of leases that the complete search uses, one each for even and odd clients, so that they end apart.
const TTL: [u32; 2] = [10 * SECOND, 5 * SECOND / 2];
/// The lengths that the drawn schedules use, whoever asks.
const TTLS: [u32; 4] = [10 * SECOND, 5 * SECOND / 2, SECOND / 2, 100 * SECOND];

impl Model for Rules {
    fn choices(&self, last: bool) -> Vec<Op> {
        let (clients, names) = if self.more { (3, 3) } else { (2, 2) };
        let mut ops = Vec::with_capacity(64);
        // Until a lock was asked for, it is the next one by another name.
        for name in (0..names).filter(|n| *n == 0 || self.touched(*n - 1)) {
            for client in 0..clients {
                if self.more {
                    ops.extend(TTLS.map(|ttl| Op::Acquire { client, name, ttl }));
                } else {
                    ops.push(Op::Acquire { client, name, ttl: TTL[usize::from(client % 2)] });
                }
            }
            if self.touched(name) {
                ops.extend((0..clients).map(|client| Op::Release { client, name }));
            }
        }
        if !last && !self.waited {
            let mut waits = vec![SECOND];
            for lease in self.locks.iter().filter_map(|l| l.lease).filter(|l| l.expiry > self.now) {
                let rest = lease.expiry - self.now;
                waits.extend([rest - 1, rest, rest + 1]);
            }
            waits.sort_unstable();
            waits.dedup();
            ops.extend(waits.into_iter().filter(|t| *t > 0).map(|ticks| Op::Wait { ticks }));
        }
        ops
    }

    fn apply(&mut self, op: Op) {
        self.waited = matches!(op, Op::Wait { .. });
        match op {
            Op::Acquire { client, name, ttl } => {
                if self.lease(name).is_none() {
                    let lease = Lease { client, expiry: self.now.saturating_add(ttl) };
                    self.set(name, Lock { lease: Some(lease), ..self.lock(name) });
                }
            }
            Op::Release { client, name } => {
                if self.lease(name).is_some_and(|l| l.client == client) {
                    self.set(name, Lock { lease: None, free: Free::Released(client) });
                }
            }
            Op::Wait { ticks } => self.now = self.now.saturating_add(ticks),
            Op::Pause { .. } | Op::Wake { .. } | Op::Write { .. } | Op::Act { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACQUIRE: Op = Op::Acquire { client: 0, name: 0, ttl: 80 };

    #[test]
    fn a_lease_is_gone_at_its_very_expiry() {
        let mut rules = Rules::default();
        rules.apply(ACQUIRE);
        rules.apply(Op::Wait { ticks: 79 });
        assert!(rules.lease(0).is_some());
        rules.apply(Op::Wait { ticks: 1 });
        assert_eq!(rules.lease(0), None);
        assert!(matches!(rules.why_free(0), Free::Over(l) if l.expiry == 80));
    }

    #[test]
    fn a_refused_acquire_and_a_release_by_another_change_nothing() {
        let mut rules = Rules::default();
        rules.apply(ACQUIRE);
        let lease = rules.lease(0);
        rules.apply(Op::Acquire { client: 1, name: 0, ttl: 500 });
        rules.apply(Op::Acquire { client: 0, name: 0, ttl: 500 });
        rules.apply(Op::Release { client: 1, name: 0 });
        assert_eq!(rules.lease(0), lease);
        rules.apply(Op::Release { client: 0, name: 0 });
        assert_eq!(rules.why_free(0), Free::Released(0));
    }

    #[test]
    fn the_search_meets_both_sides_of_every_boundary() {
        let mut rules = Rules::default();
        rules.apply(ACQUIRE);
        let choices = rules.choices(false);
        for ticks in [79, 80, 81] {
            assert!(choices.contains(&Op::Wait { ticks }), "{ticks}");
        }
    }
}
