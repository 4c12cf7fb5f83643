//! The reference: every grant that was made, and how it ended. Times are ticks.
//!
//! A service with a lock-delay (kata 13) refuses a lock for a while after a lease of it that ran out.

use crate::explore::replay::Op;
use crate::explore::sequences::Model;
use crate::suites::sequential::SECOND;

/// What [`Op::Act`] means here. `what` is a lock; `amount` is the ttl in ticks unless it says otherwise.
pub mod verb {
    /// A client renews with the last grant that it was given.
    pub const RENEW: u8 = 0;
    /// A client renews with the grant before that.
    pub const RENEW_OLD: u8 = 1;
    /// A client releases with the grant before its last.
    pub const RELEASE_OLD: u8 = 2;
    /// A client renews with the token of its grant of another lock; `amount` is that lock.
    pub const RENEW_WITH_ANOTHERS: u8 = 3;
    /// A client releases with the token of its grant of another lock; `amount` is that lock.
    pub const RELEASE_WITH_ANOTHERS: u8 = 4;
    /// A client renews with a guess; `amount` says which.
    pub const RENEW_WITH_GUESS: u8 = 5;
    /// A client releases with a guess; `amount` says which.
    pub const RELEASE_WITH_GUESS: u8 = 6;
    /// A client asks for a lock with a ttl that is none; `amount` says which.
    pub const ACQUIRE_FOR_NONSENSE: u8 = 7;
    /// A client renews with such a ttl.
    pub const RENEW_FOR_NONSENSE: u8 = 8;
    /// All of it once more in a second service that draws other random numbers. At a schedule's end.
    pub const ELSEWHERE: u8 = 9;
    /// The service is made with a lock-delay of `amount` ticks, or with none given. At a schedule's beginning.
    pub const MADE_WITH_DELAY: u8 = 10;
    /// Another service is made with a lock-delay that is none; `amount` says which.
    pub const MADE_WITH_NONSENSE: u8 = 11;
    /// Another service is made with a lock-delay of `amount` ticks, and nobody uses it.
    pub const ANOTHER_MADE: u8 = 12;
}

/// A grant that the service made.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// To whom.
    pub client: u8,
    /// Of which lock.
    pub name: u8,
    /// When it is over, or was.
    pub expiry: u32,
    /// When it was renewed last, if it was.
    pub renewed: Option<u32>,
    /// When it was released, if it was.
    pub released: Option<u32>,
}

/// The state of the lock service as it must be.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Now, in ticks.
    pub now: u32,
    given: Vec<Given>,
    /// None where the service knows of none.
    lock_delay: Option<u32>,
    clients: u8,
    locks: u8,
    /// Whether the choices are those of drawn schedules: more lengths, and what only an intruder or a bug would ask.
    more: bool,
    waited: bool,
}

impl Rules {
    /// With so many clients and locks to choose from.
    pub fn of(clients: u8, locks: u8) -> Self {
        Rules { clients, locks, ..Rules::default() }
    }

    /// The same with a lock-delay.
    pub fn with_lock_delay(self, lock_delay: u32) -> Self {
        Rules { lock_delay: Some(lock_delay), ..self }
    }

    /// The same with more choices.
    pub fn with_more_choices(self) -> Self {
        Rules { more: true, ..self }
    }

    /// A grant by its number, counted from 0.
    pub fn given(&self, grant: usize) -> Given {
        self.given[grant]
    }

    /// The number of the next grant.
    pub fn next_grant(&self) -> usize {
        self.given.len()
    }

    /// The grant that holds a lock now.
    pub fn holder(&self, name: u8) -> Option<usize> {
        self.last_of(name).filter(|grant| self.runs(*grant))
    }

    /// The last grant of a lock, whatever became of it.
    pub fn last_of(&self, name: u8) -> Option<usize> {
        self.given.iter().rposition(|g| g.name == name)
    }

    /// A client's last grant of a lock (`age` 0), or the one before (1).
    pub fn grant_of(&self, client: u8, name: u8, age: usize) -> Option<usize> {
        let grants = self.given.iter().enumerate().rev();
        grants.filter(|(_, g)| g.client == client && g.name == name).nth(age).map(|(i, _)| i)
    }

    /// Until when a lock is refused to everybody, because its last lease ran out a short while ago.
    pub fn delayed(&self, name: u8) -> Option<u32> {
        let last = self.last_of(name).map(|grant| self.given[grant])?;
        let until = last.expiry.saturating_add(self.lock_delay?);
        (last.released.is_none() && last.expiry <= self.now && self.now < until).then_some(until)
    }

    /// The lock-delay, if the service has such a thing; it may be 0.
    pub fn lock_delay(&self) -> Option<u32> {
        self.lock_delay
    }

    /// Whether a grant holds its lock. At its expiry it is over.
    pub fn runs(&self, grant: usize) -> bool {
        let given = &self.given[grant];
        given.released.is_none() && self.now < given.expiry
    }

    /// The grants that end by themselves after now and not after `to`, in order of time.
    pub fn ending(&self, to: u32) -> Vec<usize> {
        let mut ending: Vec<usize> =
            (0..self.given.len()).filter(|g| self.runs(*g) && self.given[*g].expiry <= to).collect();
        ending.sort_by_key(|g| self.given[*g].expiry);
        ending
    }

    fn renew(&mut self, grant: Option<usize>, ttl: u32) {
        if let Some(grant) = grant.filter(|g| self.runs(*g)) {
            self.given[grant].expiry = self.now.saturating_add(ttl);
            self.given[grant].renewed = Some(self.now);
        }
    }

    fn release(&mut self, grant: Option<usize>) {
        if let Some(grant) = grant.filter(|g| self.runs(*g)) {
            self.given[grant].released = Some(self.now);
        }
    }
}

const LONG: u32 = 10 * SECOND;
const SHORT: u32 = 5 * SECOND / 2;
/// The lengths that the short schedules use, one each for even and odd clients, so that leases end apart.
const TTL: [u32; 2] = [LONG, SHORT];
/// The lengths that the drawn schedules use, whoever asks.
const TTLS: [u32; 3] = [LONG, SHORT, SECOND / 2];

impl Model for Rules {
    fn choices(&self, last: bool) -> Vec<Op> {
        let mut ops = Vec::new();
        let act = |verb, client, what, amount| Op::Act { verb, client, what, amount };
        // Until a lock was granted, it is the next one by another name.
        for name in (0..self.locks).filter(|n| *n == 0 || self.last_of(*n - 1).is_some()) {
            for client in 0..self.clients {
                let of = usize::from(client % 2);
                let all = |one: &[u32]| if self.more { TTLS.to_vec() } else { one.to_vec() };
                ops.extend(all(&TTL[of..=of]).into_iter().map(|ttl| Op::Acquire { client, name, ttl }));
                if self.more && name == 0 {
                    ops.push(act(verb::ACQUIRE_FOR_NONSENSE, client, name, self.now % 7));
                }
                if self.grant_of(client, name, 0).is_none() {
                    continue;
                }
                ops.push(Op::Release { client, name });
                // A renewal asks for the other length, so that it moves the end both ways.
                ops.extend(all(&TTL[1 - of..=1 - of]).into_iter().map(|ttl| act(verb::RENEW, client, name, ttl)));
                if self.grant_of(client, name, 1).is_some() {
                    ops.push(act(verb::RELEASE_OLD, client, name, 0));
                    ops.push(act(verb::RENEW_OLD, client, name, LONG));
                }
                if self.more {
                    let other = (name + 1) % self.locks;
                    ops.push(act(verb::RELEASE_WITH_ANOTHERS, client, other, name.into()));
                    ops.push(act(verb::RENEW_WITH_ANOTHERS, client, other, name.into()));
                    ops.push(act(verb::RENEW_FOR_NONSENSE, client, name, self.now % 7));
                }
            }
        }
        if !last && !self.waited {
            let mut waits = vec![SECOND];
            for (_, given) in (0..).zip(&self.given).filter(|(grant, _)| self.runs(*grant)) {
                let rest = given.expiry - self.now;
                waits.extend([rest - 1, rest]);
            }
            for rest in (0..self.locks).filter_map(|name| self.delayed(name)).map(|until| until - self.now) {
                waits.extend([rest - 1, rest]);
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
                if self.holder(name).is_none() && self.delayed(name).is_none() {
                    let expiry = self.now.saturating_add(ttl);
                    self.given.push(Given { client, name, expiry, renewed: None, released: None });
                }
            }
            Op::Release { client, name } => self.release(self.grant_of(client, name, 0)),
            Op::Wait { ticks } => self.now = self.now.saturating_add(ticks),
            Op::Act { verb: verb::RENEW, client, what, amount } => self.renew(self.grant_of(client, what, 0), amount),
            Op::Act { verb: verb::RENEW_OLD, client, what, amount } => {
                self.renew(self.grant_of(client, what, 1), amount);
            }
            Op::Act { verb: verb::RELEASE_OLD, client, what, .. } => self.release(self.grant_of(client, what, 1)),
            // A token of another lock, a guess, a ttl that is none: whatever was asked, nothing changes.
            Op::Act { .. } | Op::Pause { .. } | Op::Wake { .. } | Op::Write { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACQUIRE: Op = Op::Acquire { client: 0, name: 0, ttl: 80 };

    fn renew(client: u8, ttl: u32) -> Op {
        Op::Act { verb: verb::RENEW, client, what: 0, amount: ttl }
    }

    #[test]
    fn a_renewal_sets_the_end_and_does_not_add() {
        let mut rules = Rules::of(2, 1);
        for op in [ACQUIRE, Op::Wait { ticks: 30 }, renew(0, 20)] {
            rules.apply(op);
        }
        assert_eq!(rules.given(0).expiry, 50);
    }

    #[test]
    fn a_renewal_at_the_very_expiry_revives_nothing() {
        let mut rules = Rules::of(2, 1);
        for op in [ACQUIRE, Op::Wait { ticks: 80 }, renew(0, 80)] {
            rules.apply(op);
        }
        assert_eq!((rules.holder(0), rules.given(0).expiry), (None, 80));
    }

    #[test]
    fn a_lock_delay_follows_on_an_expiry_and_on_nothing_else() {
        let ask = Op::Acquire { client: 1, name: 0, ttl: 80 };
        let delaying = || Rules::of(2, 1).with_lock_delay(40);
        let mut rules = delaying();
        for op in [ACQUIRE, Op::Wait { ticks: 80 }, ask, Op::Wait { ticks: 39 }, ask] {
            rules.apply(op);
        }
        assert_eq!((rules.delayed(0), rules.next_grant()), (Some(120), 1));
        rules.apply(Op::Wait { ticks: 1 });
        rules.apply(ask);
        assert_eq!((rules.delayed(0), rules.holder(0)), (None, Some(1)));
        rules.apply(Op::Release { client: 1, name: 0 });
        assert_eq!((rules.delayed(0), rules.holder(0)), (None, None));
    }

    #[test]
    fn an_old_grant_of_the_same_client_frees_and_renews_nothing() {
        let mut rules = Rules::of(2, 1);
        let old = |verb| Op::Act { verb, client: 0, what: 0, amount: 800 };
        for op in [ACQUIRE, Op::Release { client: 0, name: 0 }, ACQUIRE, old(verb::RELEASE_OLD), old(verb::RENEW_OLD)] {
            rules.apply(op);
        }
        assert_eq!(rules.holder(0), Some(1));
        assert_eq!(rules.given(1).expiry, 80);
    }
}
