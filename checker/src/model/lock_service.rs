//! A right lock service: one that no client of it can blame.
//!
//! A lock is a lease. Each grant of one has a fencing token, which grows with every grant of any name and goes to the
//! storage, and an ownership token, which is random, has no order and guards renewal and release. Asking again for a
//! lock that one holds is refused like any other asking: re-entrancy belongs to the client.
//!
//! After a lease that ran out, the service may refuse new grants for a while, the lock-delay, because the holder may
//! still be at work (Burrows, "The Chubby lock service", 2006; Consul has it too). After a release it never does.
//!
//! A watch tells that a lock *became* free. It is set in one step with a look at the lock, as ZooKeeper's `exists`
//! does it, so that nobody has to look first and watch afterwards.
//!
//! ```
//! use leasehold_checker::model::lock_service::{LockService, Refused};
//! let mut service = LockService::new(1);
//! let first = service.acquire(0, "job", "A", 10).expect("the lock is free");
//! assert_eq!(service.acquire(9, "job", "B", 10), Err(Refused::Held { until_us: 10 }));
//! let second = service.acquire(10, "job", "B", 10).expect("at its very expiry the lease is gone");
//! assert!(second.fencing > first.fencing);
//! assert!(!service.release(11, "job", &first.ownership));
//! assert!(service.release(11, "job", &second.ownership));
//! ```

pub use super::watches::Wake;
use super::watches::Watches;
use crate::random::split_mix;
use std::collections::BTreeMap;

/// The service's state. Times are virtual microseconds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LockService {
    random: u64,
    last_fencing: u64,
    lock_delay_us: u64,
    wake: Wake,
    /// The grants that did not end yet, by name.
    grants: BTreeMap<String, Grant>,
    /// Until when names whose lease ran out are not granted. No name is in both maps.
    delayed: BTreeMap<String, u64>,
    watches: Watches,
    /// What ended during other calls and was not reported yet.
    ended: Vec<Ended>,
}

/// A lease that was given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grant {
    /// The lock's name.
    pub name: String,
    /// Who asked for it, in the asker's own words.
    pub owner: String,
    /// Proves that a renewal or a release is about this grant: 16 hex digits, random, without an order, never the same
    /// for two grants.
    pub ownership: String,
    /// Goes with every write to the storage: greater than that of every grant before, of whatever name.
    pub fencing: u64,
    /// When it was given.
    pub granted_us: u64,
    /// When it ends by itself. At this very instant it is gone.
    pub expires_us: u64,
    /// The length that was last asked for, by the grant or by a renewal.
    pub ttl_us: u64,
}

/// Why a lock was not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// Somebody holds it.
    Held {
        /// When that lease ends, if it is neither renewed nor released.
        until_us: u64,
    },
    /// A lease ran out, and the lock-delay is not over.
    Delayed {
        /// When it is over.
        until_us: u64,
    },
    /// A lease of no length was asked for, which would be over when it begins.
    ZeroTtl,
}

impl Refused {
    /// When what stands in the way will end, if nothing else happens; none if it never will. A lock-delay may follow on
    /// a lease.
    pub fn until_us(self) -> Option<u64> {
        match self {
            Refused::Held { until_us } | Refused::Delayed { until_us } => Some(until_us),
            Refused::ZeroTtl => None,
        }
    }
}

/// Something that ended by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// A lease ran out, at its `expires_us`.
    Lease(Grant),
    /// A lock-delay is over that somebody watched. One that nobody watches ends without a word.
    LockDelay {
        /// The lock's name.
        name: String,
        /// When it ended.
        at_us: u64,
    },
}

impl LockService {
    /// A service without grants. The seed decides its ownership tokens, nothing else.
    pub fn new(seed: u64) -> Self {
        LockService {
            random: seed,
            last_fencing: 0,
            lock_delay_us: 0,
            wake: Wake::All,
            grants: BTreeMap::new(),
            delayed: BTreeMap::new(),
            watches: Watches::default(),
            ended: Vec::new(),
        }
    }

    /// The same service with a lock-delay.
    pub fn with_lock_delay(self, lock_delay_us: u64) -> Self {
        LockService { lock_delay_us, ..self }
    }

    /// The same service with another way to wake watchers; without this it wakes all.
    pub fn with_wake(self, wake: Wake) -> Self {
        LockService { wake, ..self }
    }

    /// Asks for a lock. A refusal changes nothing and spends no token.
    pub fn acquire(&mut self, now_us: u64, name: &str, owner: &str, ttl_us: u64) -> Result<Grant, Refused> {
        self.end_what_is_due(now_us);
        if ttl_us == 0 {
            return Err(Refused::ZeroTtl);
        }
        if let Some(grant) = self.grants.get(name) {
            return Err(Refused::Held { until_us: grant.expires_us });
        }
        if let Some(until_us) = self.delayed.get(name) {
            return Err(Refused::Delayed { until_us: *until_us });
        }
        // The generator goes through all 64-bit numbers before it repeats one: two grants never share a token.
        let (random, drawn) = split_mix(self.random);
        self.random = random;
        self.last_fencing += 1;
        let grant = Grant {
            name: name.to_owned(),
            owner: owner.to_owned(),
            ownership: format!("{drawn:016x}"),
            fencing: self.last_fencing,
            granted_us: now_us,
            expires_us: now_us.saturating_add(ttl_us),
            ttl_us,
        };
        self.grants.insert(name.to_owned(), grant.clone());
        Ok(grant)
    }

    /// Makes a lease end `ttl_us` from now, sooner or later than before, and gives the new end. Only the very grant
    /// that runs can be renewed: one that is over is not revived. A length of zero is refused, as in `acquire`.
    pub fn renew(&mut self, now_us: u64, name: &str, ownership: &str, ttl_us: u64) -> Option<u64> {
        self.end_what_is_due(now_us);
        let grant = self.grants.get_mut(name).filter(|g| g.ownership == ownership && ttl_us > 0)?;
        grant.expires_us = now_us.saturating_add(ttl_us);
        grant.ttl_us = ttl_us;
        Some(grant.expires_us)
    }

    /// Ends a grant if it is the one that runs, and frees the lock at once; whether it was. Comparing and deleting
    /// are one step.
    pub fn release(&mut self, now_us: u64, name: &str, ownership: &str) -> bool {
        self.end_what_is_due(now_us);
        if self.grants.get(name).is_none_or(|g| g.ownership != ownership) {
            return false;
        }
        self.grants.remove(name);
        self.watches.fire(name, self.wake);
        true
    }

    /// The grant of a lock that runs at this instant.
    pub fn holder(&self, now_us: u64, name: &str) -> Option<&Grant> {
        self.grants.get(name).filter(|g| now_us < g.expires_us)
    }

    /// All grants that run at this instant, by name.
    pub fn grants(&self, now_us: u64) -> impl Iterator<Item = &Grant> {
        self.grants.values().filter(move |g| now_us < g.expires_us)
    }

    /// Sets a watch that fires the next time the lock becomes free: by release at once, by expiry at the end of the
    /// lock-delay. Says whether the lock is taken now (held or delayed). If it is not, the watch stays, but waits for a
    /// later holder: whoever wants the lock should ask for it.
    pub fn watch(&mut self, now_us: u64, name: &str, watcher: u64) -> bool {
        self.end_what_is_due(now_us);
        self.watches.add(name, watcher);
        self.grants.contains_key(name) || self.delayed.contains_key(name)
    }

    /// Takes a watch back; whether there was one that had not fired. One that fired is a message under way.
    pub fn unwatch(&mut self, name: &str, watcher: u64) -> bool {
        self.watches.remove(name, watcher)
    }

    /// How many watch a lock.
    pub fn watchers(&self, name: &str) -> usize {
        self.watches.count(name)
    }

    /// The watches that fired since the last time, as name and watcher, in the order in which they fired: by instant,
    /// then by name, then by the age of the watch.
    pub fn take_fired(&mut self) -> Vec<(String, u64)> {
        self.watches.take_fired()
    }

    /// When `expire` will next have something to do or to report: the end of a lease, or of a lock-delay that
    /// somebody watches. Never before now.
    pub fn next_expiry(&self, now_us: u64) -> Option<u64> {
        if !self.ended.is_empty() {
            return Some(now_us);
        }
        let leases = self.grants.values().map(|g| g.expires_us);
        let delays = self.delayed.iter().filter(|(name, _)| self.watches.count(name) > 0).map(|(_, until)| *until);
        leases.chain(delays).min().map(|at| at.max(now_us))
    }

    /// Ends what is due, fires the watches of the locks that became free, and reports what ended since the last time,
    /// by instant and then by name.
    pub fn expire(&mut self, now_us: u64) -> Vec<Ended> {
        self.end_what_is_due(now_us);
        std::mem::take(&mut self.ended)
    }

    /// The service stops and starts again. It kept its grants, lock-delays and counters on a disk; its connections, and
    /// with them watches and messages under way, are gone.
    pub fn restart(&mut self) {
        self.watches.clear();
    }

    fn end_what_is_due(&mut self, now_us: u64) {
        while let Some((at_us, name)) = self.next_end().filter(|(at_us, _)| *at_us <= now_us) {
            if let Some(grant) = self.grants.remove(&name) {
                self.ended.push(Ended::Lease(grant));
                if self.lock_delay_us > 0 {
                    self.delayed.insert(name, at_us.saturating_add(self.lock_delay_us));
                    continue;
                }
            } else {
                self.delayed.remove(&name);
                if self.watches.count(&name) > 0 {
                    self.ended.push(Ended::LockDelay { name: name.clone(), at_us });
                }
            }
            self.watches.fire(&name, self.wake);
        }
    }

    /// The first lease or lock-delay to end, watched or not.
    fn next_end(&self) -> Option<(u64, String)> {
        let leases = self.grants.iter().map(|(name, g)| (g.expires_us, name));
        let delays = self.delayed.iter().map(|(name, until)| (*until, name));
        leases.chain(delays).min().map(|(at, name)| (at, name.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: [u64; 0] = [];

    const TTL: u64 = 10;

    fn service() -> LockService {
        LockService::new(7)
    }

    fn acquire(service: &mut LockService, now: u64, name: &str) -> Grant {
        service.acquire(now, name, "A", TTL).unwrap()
    }

    fn fired(service: &mut LockService) -> Vec<u64> {
        service.take_fired().into_iter().map(|(_, watcher)| watcher).collect()
    }

    #[test]
    fn a_lease_is_gone_at_its_very_expiry() {
        let mut service = service();
        let grant = acquire(&mut service, 5, "job");
        assert_eq!((grant.granted_us, grant.expires_us, grant.ttl_us), (5, 15, 10));
        assert_eq!(service.holder(14, "job"), Some(&grant));
        assert_eq!(service.holder(15, "job"), None);
        assert_eq!(service.acquire(14, "job", "B", TTL), Err(Refused::Held { until_us: 15 }));
        assert!(service.acquire(15, "job", "B", TTL).is_ok());
    }

    #[test]
    fn the_holder_itself_is_refused_too_and_a_refusal_changes_nothing() {
        let mut service = service();
        acquire(&mut service, 0, "job");
        let before = service.clone();
        let refused = service.acquire(1, "job", "A", TTL).unwrap_err();
        assert_eq!(refused.until_us(), Some(10));
        assert_eq!(service, before);
    }

    #[test]
    fn a_lease_of_no_length_is_refused() {
        let mut service = service();
        let before = service.clone();
        assert_eq!(service.acquire(0, "job", "A", 0), Err(Refused::ZeroTtl));
        assert_eq!(Refused::ZeroTtl.until_us(), None);
        assert_eq!(service, before);
    }

    #[test]
    fn fencing_tokens_grow_over_release_expiry_restart_and_names() {
        let mut service = service();
        let first = acquire(&mut service, 0, "job");
        service.release(1, "job", &first.ownership);
        let second = acquire(&mut service, 1, "job");
        let third = acquire(&mut service, 1, "report");
        service.restart();
        let fourth = acquire(&mut service, 11, "job");
        let tokens = [first.fencing, second.fencing, third.fencing, fourth.fencing];
        assert!(tokens.is_sorted_by(|a, b| a < b), "{tokens:?}");
    }

    #[test]
    fn ownership_tokens_are_16_hex_digits_each_its_own_and_decided_by_the_seed() {
        let mut service = service();
        let (one, other) = (acquire(&mut service, 0, "job"), acquire(&mut service, 0, "report"));
        for grant in [&one, &other] {
            assert!(grant.ownership.len() == 16 && grant.ownership.chars().all(|c| c.is_ascii_hexdigit()));
        }
        assert_ne!(one.ownership, other.ownership);
        assert_eq!(acquire(&mut LockService::new(7), 0, "x").ownership, one.ownership);
        assert_ne!(acquire(&mut LockService::new(8), 0, "x").ownership, one.ownership);
    }

    #[test]
    fn a_renewal_sets_the_end_and_does_not_add() {
        let mut service = service();
        let grant = acquire(&mut service, 0, "job");
        assert_eq!(service.renew(4, "job", &grant.ownership, TTL), Some(14));
        assert_eq!(service.renew(4, "job", &grant.ownership, TTL), Some(14));
        assert_eq!(service.renew(4, "job", &grant.ownership, 1), Some(5));
        let held = service.holder(4, "job").unwrap();
        assert_eq!((held.fencing, held.granted_us, held.ttl_us), (grant.fencing, 0, 1));
        assert_eq!(service.holder(5, "job"), None);
    }

    #[test]
    fn a_renewal_revives_nothing() {
        let mut service = service();
        let grant = acquire(&mut service, 0, "job");
        assert_eq!(service.renew(10, "job", &grant.ownership, TTL), None);
        assert_eq!(service.renew(9, "report", &grant.ownership, TTL), None);
        assert_eq!(service.holder(10, "job"), None);
    }

    #[test]
    fn a_renewal_to_no_length_is_refused_and_the_lease_goes_on() {
        let mut service = service();
        let grant = acquire(&mut service, 0, "job");
        assert_eq!(service.renew(1, "job", &grant.ownership, 0), None);
        assert_eq!(service.holder(9, "job"), Some(&grant));
    }

    #[test]
    fn an_old_ownership_token_of_the_same_owner_changes_nothing() {
        let mut service = service();
        let old = acquire(&mut service, 0, "job");
        let new = acquire(&mut service, 10, "job");
        service.expire(11);
        let before = service.clone();
        assert!(!service.release(11, "job", &old.ownership));
        assert_eq!(service.renew(11, "job", &old.ownership, TTL), None);
        assert_eq!(service, before);
        assert!(service.release(11, "job", &new.ownership));
        assert!(!service.release(11, "job", &new.ownership));
    }

    #[test]
    fn a_release_at_the_very_expiry_is_too_late() {
        let mut service = service().with_lock_delay(5);
        let grant = acquire(&mut service, 0, "job");
        assert!(!service.release(10, "job", &grant.ownership));
        assert_eq!(service.acquire(10, "job", "B", TTL), Err(Refused::Delayed { until_us: 15 }));
    }

    #[test]
    fn the_lock_delay_follows_an_expiry_and_not_a_release() {
        let mut service = service().with_lock_delay(5);
        let grant = acquire(&mut service, 0, "job");
        assert!(service.release(9, "job", &grant.ownership));
        acquire(&mut service, 9, "job");
        // Nobody looked at 19: the delay counts from the expiry all the same.
        assert_eq!(service.acquire(23, "job", "B", TTL), Err(Refused::Delayed { until_us: 24 }));
        assert!(service.acquire(24, "job", "B", TTL).is_ok());
        assert!(service.acquire(24, "report", "B", TTL).is_ok());
    }

    #[test]
    fn a_release_wakes_watchers_at_once_and_a_failed_one_does_not() {
        let mut service = service();
        let grant = acquire(&mut service, 0, "job");
        assert!(service.watch(1, "job", 1));
        assert!(service.watch(1, "job", 2));
        service.release(2, "job", "wrong");
        assert_eq!(fired(&mut service), NOBODY);
        service.release(2, "job", &grant.ownership);
        assert_eq!(fired(&mut service), [1, 2]);
        assert_eq!((service.watchers("job"), fired(&mut service)), (0, NOBODY.to_vec()));
    }

    #[test]
    fn an_expiry_wakes_watchers_when_it_is_performed() {
        let mut service = service();
        let grant = acquire(&mut service, 0, "job");
        service.watch(1, "job", 1);
        assert_eq!(service.next_expiry(1), Some(10));
        assert_eq!(service.expire(9), []);
        assert_eq!(fired(&mut service), NOBODY);
        assert_eq!(service.expire(10), [Ended::Lease(grant)]);
        assert_eq!(fired(&mut service), [1]);
        assert_eq!((service.next_expiry(10), service.expire(10)), (None, vec![]));
    }

    #[test]
    fn watchers_wait_for_the_end_of_the_lock_delay() {
        let mut service = service().with_lock_delay(5);
        acquire(&mut service, 0, "job");
        service.watch(1, "job", 1);
        assert_eq!(service.expire(10).len(), 1);
        assert_eq!((fired(&mut service), service.next_expiry(10)), (NOBODY.to_vec(), Some(15)));
        assert_eq!(service.expire(15), [Ended::LockDelay { name: "job".to_owned(), at_us: 15 }]);
        assert_eq!(fired(&mut service), [1]);
    }

    #[test]
    fn a_lock_delay_that_nobody_watches_is_no_event_and_leaves_no_trace() {
        let mut service = service().with_lock_delay(5);
        acquire(&mut service, 0, "job");
        service.expire(10);
        assert_eq!(service.next_expiry(10), None);
        assert!(service.watch(14, "job", 1), "a delayed lock is taken");
        assert!(service.unwatch("job", 1));
        assert_eq!(service.expire(15), []);
        assert!(service.delayed.is_empty());
        assert!(!service.watch(15, "job", 1));
    }

    #[test]
    fn a_caller_that_is_late_changes_no_answer() {
        let mut service = service();
        let grant = acquire(&mut service, 0, "job");
        service.watch(0, "job", 1);
        let second = acquire(&mut service, 12, "job");
        assert_eq!(fired(&mut service), [1]);
        assert_eq!(service.next_expiry(12), Some(12), "there is something to report");
        assert_eq!(service.expire(12), [Ended::Lease(grant)]);
        assert_eq!(service.holder(12, "job"), Some(&second));
    }

    #[test]
    fn ends_are_reported_by_instant_and_then_by_name() {
        let mut service = service();
        for (now, name) in [(1, "a"), (1, "c"), (1, "b"), (0, "d")] {
            acquire(&mut service, now, name);
            service.watch(now, name, 9);
        }
        service.expire(20);
        let names: Vec<String> = service.take_fired().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["d", "a", "b", "c"]);
    }

    #[test]
    fn only_the_first_watcher_is_woken_where_one_is_enough() {
        let mut service = service().with_wake(Wake::First);
        let grant = acquire(&mut service, 0, "job");
        service.watch(1, "job", 2);
        service.watch(1, "job", 1);
        service.release(2, "job", &grant.ownership);
        assert_eq!((fired(&mut service), service.watchers("job")), (vec![2], 1));
    }

    #[test]
    fn a_watch_on_a_free_lock_waits_for_a_later_holder() {
        let mut service = service();
        assert!(!service.watch(0, "job", 1));
        let grant = acquire(&mut service, 0, "job");
        assert_eq!(fired(&mut service), NOBODY);
        service.release(1, "job", &grant.ownership);
        assert_eq!(fired(&mut service), [1]);
    }

    #[test]
    fn a_restart_keeps_grants_and_counters_and_loses_watches() {
        let mut service = service().with_lock_delay(5);
        let grant = acquire(&mut service, 0, "job");
        acquire(&mut service, 0, "report");
        service.watch(0, "job", 1);
        service.watch(0, "report", 1);
        service.restart();
        assert_eq!((service.watchers("job"), service.holder(1, "job")), (0, Some(&grant)));
        assert!(service.release(1, "job", &grant.ownership));
        service.expire(10);
        service.restart();
        assert_eq!(service.acquire(14, "report", "B", TTL), Err(Refused::Delayed { until_us: 15 }));
        assert_eq!(fired(&mut service), NOBODY);
    }

    #[test]
    fn a_lease_that_would_end_after_all_time_ends_at_its_end() {
        let mut service = service();
        assert_eq!(service.acquire(5, "job", "A", u64::MAX).unwrap().expires_us, u64::MAX);
    }
}
