//! The models under random sequences of operations, against invariants that are written without a look at how the
//! models work: as plain as they can be, and slow.
//!
//! The sequences are drawn from fixed seeds, so that a run repeats. Times are small numbers, so that they meet the
//! boundaries often, and the waits aim at them: just before, at, just after.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::any::Any;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How many sequences each model gets, and how long they are at most.
const SEQUENCES: u32 = 2000;
const OPERATIONS: usize = 60;

/// Runs a check over sequences of operations. It fails by panicking; the shortest sequence found is printed.
fn check<S: Debug, O: Debug>(
    set_up: impl Strategy<Value = S>,
    operation: impl Strategy<Value = O>,
    holds: impl Fn(S, Vec<O>),
) {
    let config = Config { cases: SEQUENCES, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let sequences = (set_up, prop::collection::vec(operation, 1..OPERATIONS));
    // Without its feature `std`, which would change features of the interpreter's dependencies and have it compiled a
    // second time, proptest does not catch panics itself.
    let result = runner.run(&sequences, |(set_up, operations)| {
        catch_unwind(AssertUnwindSafe(|| holds(set_up, operations)))
            .map_err(|panic| TestCaseError::fail(message(panic.as_ref())))
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    literal.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// A wait: to the next instant at which something ends by itself, or so far.
#[derive(Clone, Copy, Debug)]
enum Wait {
    JustBefore,
    At,
    JustAfter,
    For(u64),
}

impl Wait {
    fn any() -> impl Strategy<Value = Wait> {
        prop_oneof![Just(Wait::JustBefore), Just(Wait::At), Just(Wait::JustAfter), (1u64..12).prop_map(Wait::For)]
    }

    /// The instant that it ends.
    fn from(self, now: u64, next: Option<u64>) -> u64 {
        let next = next.unwrap_or(now);
        match self {
            Wait::JustBefore => next.saturating_sub(1).max(now),
            Wait::At => next,
            Wait::JustAfter => next + 1,
            Wait::For(us) => now + us,
        }
    }
}

mod lock_service {
    use super::*;
    use leasehold_checker::model::lock_service::{Ended, Grant, LockService, Refused, Wake};

    const NAMES: [&str; 3] = ["job", "report", "jobs"];
    const OWNERS: [&str; 3] = ["A", "B", "C"];

    #[derive(Clone, Debug)]
    enum Op {
        Acquire {
            name: usize,
            owner: usize,
            ttl: u64,
        },
        /// With the ownership token of a past or present grant, counted from the last.
        Renew {
            name: usize,
            back: usize,
            ttl: u64,
        },
        Release {
            name: usize,
            back: usize,
        },
        Watch {
            name: usize,
            watcher: u64,
        },
        Unwatch {
            name: usize,
            watcher: u64,
        },
        Wait(Wait),
        Expire,
        Restart,
    }

    fn operation() -> impl Strategy<Value = Op> {
        let (name, back, watcher) = (0..NAMES.len(), 0usize..4, 0u64..4);
        prop_oneof![
            6 => (name.clone(), 0..OWNERS.len(), 0u64..8)
                .prop_map(|(name, owner, ttl)| Op::Acquire { name, owner, ttl }),
            3 => (name.clone(), back.clone(), 0u64..8).prop_map(|(name, back, ttl)| Op::Renew { name, back, ttl }),
            2 => (name.clone(), back).prop_map(|(name, back)| Op::Release { name, back }),
            4 => (name.clone(), watcher.clone()).prop_map(|(name, watcher)| Op::Watch { name, watcher }),
            1 => (name, watcher).prop_map(|(name, watcher)| Op::Unwatch { name, watcher }),
            5 => Wait::any().prop_map(Op::Wait),
            2 => Just(Op::Expire),
            1 => Just(Op::Restart),
        ]
    }

    /// All that ever was granted: nothing is taken away from it.
    struct Lease {
        grant: Grant,
        expires: u64,
        released: bool,
    }

    /// What must be so, told from the history of grants.
    struct History {
        now: u64,
        delay: u64,
        wake: Wake,
        leases: Vec<Lease>,
        /// Name and watcher, the oldest watch first.
        watches: Vec<(usize, u64)>,
        to_fire: Vec<(String, u64)>,
    }

    impl History {
        fn live(&self, name: usize, at: u64) -> Vec<usize> {
            let live = |l: &Lease| l.grant.name == NAMES[name] && !l.released && at < l.expires;
            (0..self.leases.len()).filter(|i| live(&self.leases[*i])).collect()
        }

        /// The end of the lock-delay that a name is in.
        fn delayed(&self, name: usize, at: u64) -> Option<u64> {
            let ran_out = |l: &&Lease| l.grant.name == NAMES[name] && !l.released && l.expires <= at;
            let until = self.leases.iter().filter(ran_out).map(|l| l.expires + self.delay).max()?;
            (at < until).then_some(until)
        }

        fn taken(&self, name: usize, at: u64) -> bool {
            !self.live(name, at).is_empty() || self.delayed(name, at).is_some()
        }

        fn check_holders(&self, service: &LockService) {
            for (i, name) in NAMES.iter().enumerate() {
                let live: Vec<_> = self.live(i, self.now).iter().map(|l| &self.leases[*l]).collect();
                assert!(live.len() < 2, "two leases at once");
                let live = live.first().map(|l| (l.grant.fencing, l.expires));
                assert_eq!(service.holder(self.now, name).map(|g| (g.fencing, g.expires_us)), live);
            }
        }

        fn fire(&mut self, name: usize) {
            let mut told = 0;
            let (to_fire, wake) = (&mut self.to_fire, self.wake);
            self.watches.retain(|(watched, watcher)| {
                let tell = *watched == name && (wake == Wake::All || told == 0);
                if tell {
                    told += 1;
                    to_fire.push((NAMES[name].to_owned(), *watcher));
                }
                !tell
            });
        }

        /// Time passes instant by instant, and names that become free tell their watchers.
        fn pass(&mut self, to: u64) {
            while self.now < to {
                let mut freed: Vec<usize> = (0..NAMES.len())
                    .filter(|name| self.taken(*name, self.now) && !self.taken(*name, self.now + 1))
                    .collect();
                freed.sort_by_key(|name| NAMES[*name]);
                self.now += 1;
                for name in freed {
                    self.fire(name);
                }
            }
        }
    }

    fn holds(seed: u64, delay: u64, wake: Wake, operations: Vec<Op>) {
        let mut service = LockService::new(seed).with_lock_delay(delay).with_wake(wake);
        let mut history = History { now: 0, delay, wake, leases: vec![], watches: vec![], to_fire: vec![] };
        let mut reported: Vec<Grant> = vec![];
        for operation in operations {
            let now = history.now;
            match operation {
                Op::Acquire { name, owner, ttl } => {
                    let live = history.live(name, now);
                    let delayed = history.delayed(name, now);
                    match service.acquire(now, NAMES[name], OWNERS[owner], ttl) {
                        Ok(grant) => {
                            assert!(ttl > 0 && live.is_empty() && delayed.is_none(), "granted a second time");
                            for lease in &history.leases {
                                assert!(lease.grant.fencing < grant.fencing, "the token does not grow");
                                assert_ne!(lease.grant.ownership, grant.ownership);
                            }
                            assert_eq!((grant.name.as_str(), grant.owner.as_str()), (NAMES[name], OWNERS[owner]));
                            assert_eq!((grant.granted_us, grant.expires_us, grant.ttl_us), (now, now + ttl, ttl));
                            history.leases.push(Lease { grant, expires: now + ttl, released: false });
                        }
                        Err(Refused::ZeroTtl) => assert_eq!(ttl, 0),
                        Err(Refused::Held { until_us }) => {
                            assert_eq!(live.len(), 1, "refused though free");
                            assert_eq!(history.leases[live[0]].expires, until_us);
                        }
                        Err(Refused::Delayed { until_us }) => {
                            assert!(live.is_empty());
                            assert_eq!(delayed, Some(until_us), "refused though the delay is over");
                        }
                    }
                }
                Op::Renew { name, back, ttl } => {
                    let Some(at) = history.leases.len().checked_sub(back + 1) else { continue };
                    let ownership = history.leases[at].grant.ownership.clone();
                    let valid = ttl > 0 && history.live(name, now).contains(&at);
                    let before = service.clone();
                    let renewed = service.renew(now, NAMES[name], &ownership, ttl);
                    assert_eq!(renewed, valid.then_some(now + ttl));
                    if valid {
                        history.leases[at].expires = now + ttl;
                    } else {
                        assert!(same(&service, &before, now), "a refused renewal changed something");
                    }
                }
                Op::Release { name, back } => {
                    let Some(at) = history.leases.len().checked_sub(back + 1) else { continue };
                    let ownership = history.leases[at].grant.ownership.clone();
                    let valid = history.live(name, now).contains(&at);
                    let before = service.clone();
                    assert_eq!(service.release(now, NAMES[name], &ownership), valid);
                    if valid {
                        history.leases[at].released = true;
                        history.fire(name);
                    } else {
                        assert!(same(&service, &before, now), "a refused release changed something");
                    }
                }
                Op::Watch { name, watcher } => {
                    assert_eq!(service.watch(now, NAMES[name], watcher), history.taken(name, now));
                    if !history.watches.contains(&(name, watcher)) {
                        history.watches.push((name, watcher));
                    }
                }
                Op::Unwatch { name, watcher } => {
                    // Else the model, which was not told the time, may still have the watch.
                    reported.extend(leases(service.expire(now)));
                    let there = history.watches.contains(&(name, watcher));
                    assert_eq!(service.unwatch(NAMES[name], watcher), there);
                    history.watches.retain(|watch| *watch != (name, watcher));
                }
                Op::Wait(wait) => {
                    let to = wait.from(now, service.next_expiry(now));
                    history.pass(to);
                    // Who looks sees at once that a lease is over; messages come when the model is told the time.
                    history.check_holders(&service);
                    continue;
                }
                Op::Expire => reported.extend(leases(service.expire(now))),
                Op::Restart => {
                    reported.extend(leases(service.expire(now)));
                    service.take_fired();
                    history.to_fire.clear();
                    history.watches.clear();
                    service.restart();
                }
            }
            assert_eq!(service.take_fired(), std::mem::take(&mut history.to_fire), "watches");
            history.check_holders(&service);
            for (i, name) in NAMES.iter().enumerate() {
                assert_eq!(service.watchers(name), history.watches.iter().filter(|(w, _)| *w == i).count());
            }
        }
        let end = history.now + 100;
        reported.extend(leases(service.expire(end)));
        assert_eq!(service.next_expiry(end), None);
        // Each lease that was not released ended by itself, was reported once, and in order.
        let mut ran_out: Vec<(u64, &str, u64)> = (history.leases.iter().filter(|l| !l.released))
            .map(|l| (l.expires, l.grant.name.as_str(), l.grant.fencing))
            .collect();
        ran_out.sort_unstable();
        let reported: Vec<_> = reported.iter().map(|g| (g.expires_us, g.name.as_str(), g.fencing)).collect();
        assert_eq!(reported, ran_out);
    }

    /// Whether two services are the same but for what either did not do yet though it is due.
    fn same(one: &LockService, other: &LockService, now: u64) -> bool {
        let settled = |service: &LockService| {
            let mut service = service.clone();
            (service.expire(now), service)
        };
        settled(one) == settled(other)
    }

    fn leases(ended: Vec<Ended>) -> Vec<Grant> {
        let lease = |ended| match ended {
            Ended::Lease(grant) => Some(grant),
            Ended::LockDelay { .. } => None,
        };
        ended.into_iter().filter_map(lease).collect()
    }

    #[test]
    fn a_lock_service_answers_as_the_history_of_its_grants_says() {
        let wake = prop_oneof![Just(Wake::All), Just(Wake::First)];
        let delay = prop_oneof![Just(0), 1u64..6];
        check((any::<u64>(), delay, wake), operation(), |(seed, delay, wake), ops| holds(seed, delay, wake, ops));
    }

    #[test]
    fn something_to_do_is_never_missed_by_who_asks_when() {
        check(Just(()), operation(), |(), operations| {
            let mut service = LockService::new(1).with_lock_delay(3);
            let mut now = 0;
            for operation in operations {
                match operation {
                    Op::Acquire { name, owner, ttl } => {
                        let _ = service.acquire(now, NAMES[name], OWNERS[owner], ttl);
                    }
                    Op::Watch { name, watcher } => {
                        service.watch(now, NAMES[name], watcher);
                    }
                    Op::Wait(wait) => {
                        let to = wait.from(now, service.next_expiry(now));
                        while let Some(next) = service.next_expiry(now).filter(|next| *next <= to) {
                            // Until then nothing ends; then something does.
                            if next > now {
                                assert_eq!(service.clone().expire(next - 1), []);
                            }
                            now = next;
                            assert_ne!(service.expire(now), []);
                        }
                        now = to;
                        assert_eq!(service.expire(now), []);
                    }
                    _ => {}
                }
            }
        });
    }
}

mod storage_gate {
    use super::*;
    use leasehold_checker::model::data::Data;
    use leasehold_checker::model::storage_gate::{Stale, StorageGate, Written};

    const RESOURCES: [&str; 2] = ["job", "report"];

    fn operation() -> impl Strategy<Value = (usize, i128)> {
        let token = prop_oneof![8 => -1i128..5, 1 => Just(i128::MIN), 1 => Just(i128::MAX), 1 => Just(1 << 64)];
        (0..RESOURCES.len(), token)
    }

    #[test]
    fn the_stored_value_belongs_to_the_greatest_token_let_through() {
        check(Just(()), operation(), |(), writes| {
            let mut gate = StorageGate::default();
            // Resource, token and value of each write that was let through.
            let mut passed: Vec<(usize, i128, i64)> = vec![];
            for (value, (resource, token)) in (0..).zip(writes) {
                let tokens = passed.iter().filter(|p| p.0 == resource).map(|p| p.1);
                let greatest = tokens.max();
                let before = gate.clone();
                match gate.write(RESOURCES[resource], token, value) {
                    Ok(Written { mark_before, mark_after }) => {
                        assert_eq!((mark_before, mark_after), (greatest, token));
                        assert!(greatest.is_none_or(|g| g <= token), "a stale write was let through");
                        passed.push((resource, token, value));
                    }
                    Err(Stale { mark }) => {
                        assert_eq!(Some(mark), greatest);
                        assert!(token < mark, "a write was turned away that is not stale");
                        assert_eq!(gate, before);
                    }
                }
                for (i, name) in RESOURCES.iter().enumerate() {
                    // The last among equals: `max_by_key` takes the last one.
                    let best = passed.iter().filter(|p| p.0 == i).max_by_key(|p| p.1);
                    assert_eq!(gate.read(name), best.map(|p| Data::Int(p.2)).as_ref());
                    assert_eq!(gate.mark(name), best.map(|p| p.1));
                }
            }
        });
    }

    #[test]
    fn without_a_gate_the_last_write_wins_and_the_mark_is_still_the_greatest_token() {
        check(Just(()), operation(), |(), writes| {
            let mut gate = StorageGate::without_gate();
            let mut tokens: [Vec<i128>; 2] = Default::default();
            for (value, (resource, token)) in (0..).zip(writes) {
                let mark_before = tokens[resource].iter().copied().max();
                tokens[resource].push(token);
                let mark_after = tokens[resource].iter().copied().max().expect("there is one");
                let name = RESOURCES[resource];
                assert_eq!(gate.write(name, token, value), Ok(Written { mark_before, mark_after }));
                assert_eq!((gate.read(name), gate.mark(name)), (Some(&Data::Int(value)), Some(mark_after)));
            }
        });
    }
}

mod cache {
    use super::*;
    use leasehold_checker::model::cache::{ABSENT, Cache, Entry, Write};
    use std::collections::{BTreeMap, BTreeSet};

    const KEYS: [&str; 3] = ["a", "b", "c"];
    const CLIENTS: usize = 3;

    #[derive(Clone, Copy, Debug)]
    enum Change {
        Put,
        PutFor(u64),
        Delete,
    }

    #[derive(Clone, Debug)]
    enum Op {
        Read {
            client: usize,
        },
        /// Checks some keys of the client's last snapshot, and changes some.
        Commit {
            client: usize,
            checks: Vec<usize>,
            changes: Vec<(usize, Change)>,
        },
        Evict {
            key: usize,
        },
        Watch {
            key: usize,
            watcher: u64,
        },
        Unwatch {
            key: usize,
            watcher: u64,
        },
        Wait(Wait),
        Expire,
        Restart,
    }

    fn operation() -> impl Strategy<Value = Op> {
        let (key, client, watcher) = (0..KEYS.len(), 0..CLIENTS, 0u64..3);
        let change = prop_oneof![
            2 => Just(Change::Put),
            3 => (0u64..8).prop_map(Change::PutFor),
            1 => Just(Change::Delete)
        ];
        let checks = prop::collection::vec(key.clone(), 0..3);
        let changes = prop::collection::vec((key.clone(), change), 0..4);
        prop_oneof![
            4 => client.clone().prop_map(|client| Op::Read { client }),
            6 => (client, checks, changes)
                .prop_map(|(client, checks, changes)| Op::Commit { client, checks, changes }),
            1 => key.clone().prop_map(|key| Op::Evict { key }),
            3 => (key.clone(), watcher.clone()).prop_map(|(key, watcher)| Op::Watch { key, watcher }),
            1 => (key, watcher).prop_map(|(key, watcher)| Op::Unwatch { key, watcher }),
            4 => Wait::any().prop_map(Op::Wait),
            1 => Just(Op::Expire),
            1 => Just(Op::Restart),
        ]
    }

    /// A map, as naive as can be. A value is a number that no two writes share.
    #[derive(Default)]
    struct Naive {
        now: u64,
        /// Value and end.
        map: BTreeMap<usize, (i64, Option<u64>)>,
        writes: i64,
        watches: Vec<(usize, u64)>,
        to_fire: Vec<(String, u64)>,
    }

    impl Naive {
        fn fire(&mut self, key: usize) {
            let fires = self.watches.extract_if(.., |(watched, _)| *watched == key);
            self.to_fire.extend(fires.map(|(_, watcher)| (KEYS[key].to_owned(), watcher)));
        }

        fn remove(&mut self, key: usize) -> bool {
            let there = self.map.remove(&key).is_some();
            if there {
                self.fire(key);
            }
            there
        }

        fn end(&mut self) {
            for key in 0..KEYS.len() {
                if self.map.get(&key).is_some_and(|(_, end)| end.is_some_and(|end| end <= self.now)) {
                    self.remove(key);
                }
            }
        }

        fn pass(&mut self, to: u64) {
            self.end();
            while self.now < to {
                self.now += 1;
                self.end();
            }
        }
    }

    fn holds(operations: Vec<Op>) {
        let mut cache = Cache::default();
        let mut naive = Naive::default();
        let mut snapshots: Vec<Vec<Entry>> = vec![cache.read(0, &KEYS); CLIENTS];
        // The values that were current when each snapshot was taken.
        let mut seen: Vec<BTreeMap<usize, i64>> = vec![BTreeMap::new(); CLIENTS];
        let mut versions: BTreeMap<i64, u64> = BTreeMap::new();
        let current = |naive: &Naive| naive.map.iter().map(|(key, (value, _))| (*key, *value)).collect();
        for operation in operations {
            let now = naive.now;
            match operation {
                Op::Read { client } => {
                    naive.end();
                    snapshots[client] = cache.read(now, &KEYS);
                    seen[client] = current(&naive);
                }
                Op::Commit { client, checks, changes } => {
                    naive.end();
                    let mut before = cache.clone();
                    let values: BTreeMap<usize, i64> = current(&naive);
                    let valid = checks.iter().all(|key| seen[client].get(key) == values.get(key));
                    let checks: Vec<_> =
                        checks.into_iter().map(|key| (KEYS[key], snapshots[client][key].version)).collect();
                    let first = naive.writes;
                    let writes: Vec<Write> = (first + 1..)
                        .zip(&changes)
                        .map(|(value, (key, change))| match change {
                            Change::Put => Write::put(KEYS[*key], value),
                            Change::PutFor(ttl) => Write::put_for(KEYS[*key], value, *ttl),
                            Change::Delete => Write::delete(KEYS[*key]),
                        })
                        .collect();
                    assert_eq!(cache.commit(now, &checks, &writes), valid);
                    if !valid {
                        assert_eq!(cache.expire(now), before.expire(now));
                        assert_eq!(cache, before, "a failed commit changed something");
                        continue;
                    }
                    for (key, change) in changes {
                        naive.writes += 1;
                        let end = match change {
                            Change::Put => None,
                            Change::PutFor(ttl) => Some(now + ttl),
                            Change::Delete => {
                                naive.remove(key);
                                continue;
                            }
                        };
                        naive.map.insert(key, (naive.writes, end));
                        naive.fire(key);
                    }
                }
                Op::Evict { key } => {
                    naive.end();
                    assert_eq!(cache.evict(now, KEYS[key]), naive.remove(key));
                }
                Op::Watch { key, watcher } => {
                    naive.end();
                    let version = cache.watch(now, KEYS[key], watcher);
                    assert_eq!(version, cache.read(now, &[KEYS[key]])[0].version);
                    if !naive.watches.contains(&(key, watcher)) {
                        naive.watches.push((key, watcher));
                    }
                }
                Op::Unwatch { key, watcher } => {
                    naive.end();
                    cache.expire(now);
                    let there = naive.watches.contains(&(key, watcher));
                    assert_eq!(cache.unwatch(KEYS[key], watcher), there);
                    naive.watches.retain(|watch| *watch != (key, watcher));
                }
                Op::Wait(wait) => {
                    let to = wait.from(now, cache.next_expiry(now));
                    naive.pass(to);
                    assert_eq!(value_of(&cache.read(to, &KEYS)), current(&naive));
                    continue;
                }
                Op::Expire => {
                    naive.end();
                    cache.expire(now);
                }
                Op::Restart => {
                    naive.end();
                    cache.expire(now);
                    naive.watches.clear();
                    naive.to_fire.clear();
                    cache.restart();
                }
            }
            // A key put for no time is still in the naive map; the model does not show it.
            naive.end();
            cache.expire(now);
            assert_eq!(cache.take_fired(), std::mem::take(&mut naive.to_fire), "watches");
            let entries = cache.read(now, &KEYS);
            assert_eq!(value_of(&entries), current(&naive));
            for (key, entry) in entries.iter().enumerate() {
                let Some((value, _)) = naive.map.get(&key) else {
                    assert_eq!(entry.version, ABSENT);
                    continue;
                };
                assert_ne!(entry.version, ABSENT);
                assert_eq!(*versions.entry(*value).or_insert(entry.version), entry.version, "a version changed");
            }
            let distinct: BTreeSet<u64> = versions.values().copied().collect();
            assert_eq!(distinct.len(), versions.len(), "a version was used twice");
            for (i, key) in KEYS.iter().enumerate() {
                assert_eq!(cache.watchers(key), naive.watches.iter().filter(|(k, _)| *k == i).count());
            }
        }
    }

    fn value_of(entries: &[Entry]) -> BTreeMap<usize, i64> {
        use leasehold_checker::model::data::Data;
        let value = |(key, entry): (usize, &Entry)| match entry.value {
            None => None,
            Some(Data::Int(value)) => Some((key, value)),
            ref other => panic!("nobody wrote {other:?}"),
        };
        entries.iter().enumerate().filter_map(value).collect()
    }

    #[test]
    fn a_cache_is_a_map_whose_commits_happen_one_after_the_other() {
        check(Just(()), operation(), |(), operations| holds(operations));
    }
}

mod row_store {
    use super::*;
    use leasehold_checker::model::data::Data;
    use leasehold_checker::model::row_store::{Failure, Outcome, RowStore, Step, TxId};
    use std::collections::BTreeMap;

    const ROWS: [&str; 3] = ["a", "b", "c"];
    const CLIENTS: usize = 4;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum What {
        GetForUpdate,
        Put,
        Insert,
        Delete,
    }

    #[derive(Clone, Debug)]
    enum Op {
        Get { client: usize, row: usize },
        Do { client: usize, row: usize, what: What },
        Commit { client: usize },
        Rollback { client: usize },
        Restart,
    }

    fn operation() -> impl Strategy<Value = Op> {
        let (client, row) = (0..CLIENTS, 0..ROWS.len());
        let what = prop_oneof![Just(What::GetForUpdate), Just(What::Put), Just(What::Insert), Just(What::Delete)];
        prop_oneof![
            50 => (client.clone(), row.clone(), what).prop_map(|(client, row, what)| Op::Do { client, row, what }),
            10 => (client.clone(), row).prop_map(|(client, row)| Op::Get { client, row }),
            15 => client.clone().prop_map(|client| Op::Commit { client }),
            5 => client.prop_map(|client| Op::Rollback { client }),
            1 => Just(Op::Restart),
        ]
    }

    /// A client's transaction: all that it did, in order.
    #[derive(Clone, Debug)]
    struct Client {
        id: TxId,
        /// Row and value of each write that was done; none is a delete.
        writes: Vec<(usize, Option<i64>)>,
        /// The rows that it must have locked.
        locked: Vec<usize>,
        /// What it waits for, with the value that it would write.
        waits: Option<(usize, What, i64)>,
    }

    struct World {
        store: RowStore,
        clients: Vec<Option<Client>>,
        /// A replay of the writes of those transactions that were committed, in the order of their commits.
        replay: BTreeMap<usize, i64>,
        /// Clients in the order in which they began to wait.
        waiting: Vec<usize>,
        next_value: i64,
    }

    impl World {
        /// The client's transaction; it begins one if there is none.
        fn client(&mut self, client: usize) -> &mut Client {
            let store = &mut self.store;
            self.clients[client].get_or_insert_with(|| Client {
                id: store.begin(),
                writes: vec![],
                locked: vec![],
                waits: None,
            })
        }

        fn open(&self, client: usize) -> &Client {
            self.clients[client].as_ref().expect("its transaction is open")
        }

        /// What the transaction must see in a row.
        fn view(&self, client: usize, row: usize) -> Option<i64> {
            let own = self.open(client).writes.iter().rfind(|(written, _)| *written == row);
            own.map_or_else(|| self.replay.get(&row).copied(), |(_, value)| *value)
        }

        fn holder(&self, row: usize) -> Option<usize> {
            let holds = |c: &Option<Client>| c.as_ref().is_some_and(|c| c.locked.contains(&row));
            let holders: Vec<usize> = (0..CLIENTS).filter(|i| holds(&self.clients[*i])).collect();
            assert!(holders.len() < 2, "two transactions have locked {}", ROWS[row]);
            holders.first().copied()
        }

        /// Whether the client waits, itself or by way of others, for `to`.
        fn waits_for(&self, client: usize, to: usize) -> bool {
            let mut at = client;
            for _ in 0..=CLIENTS {
                if at == to {
                    return true;
                }
                let Some((row, ..)) = self.open(at).waits else { return false };
                at = self.holder(row).expect("who waits, waits for somebody");
            }
            panic!("a deadlock was left standing");
        }

        /// An operation is done with this outcome: is that right, and what follows?
        fn done(&mut self, client: usize, row: usize, what: What, value: i64, outcome: &Outcome) {
            let seen = self.view(client, row);
            let other = self.holder(row).filter(|holder| *holder != client);
            if let Some(other) = other {
                // Only a duplicate needs no lock, and only of a row that is there however the other one ends.
                assert_eq!((what, outcome), (What::Insert, &Outcome::Failed(Failure::Duplicate)));
                assert!(self.replay.contains_key(&row) && self.view(other, row).is_some());
                return;
            }
            let (expected, writes, locks) = match (what, seen) {
                (What::GetForUpdate, seen) => (Outcome::Read(seen.map(Data::Int)), None, seen.is_some()),
                (What::Insert, Some(_)) => (Outcome::Failed(Failure::Duplicate), None, false),
                (What::Put | What::Insert, _) => (Outcome::Written, Some(Some(value)), true),
                (What::Delete, None) => (Outcome::Deleted(false), None, false),
                (What::Delete, Some(_)) => (Outcome::Deleted(true), Some(None), true),
            };
            assert_eq!(outcome, &expected);
            let client = self.clients[client].as_mut().expect("its transaction is open");
            client.writes.extend(writes.map(|written| (row, written)));
            if locks && !client.locked.contains(&row) {
                client.locked.push(row);
            }
        }

        fn act(&mut self, client: usize, row: usize, what: What) {
            let id = self.client(client).id;
            self.next_value += 1;
            let value = self.next_value;
            let name = ROWS[row];
            let step = match what {
                What::GetForUpdate => self.store.get_for_update(id, name).map(|step| outcome(step, Outcome::Read)),
                What::Put => self.store.put(id, name, value).map(|step| outcome(step, |()| Outcome::Written)),
                What::Insert => self.store.insert(id, name, value).map(|step| outcome(step, |()| Outcome::Written)),
                What::Delete => self.store.delete(id, name).map(|step| outcome(step, Outcome::Deleted)),
            };
            if self.open(client).waits.is_some() {
                return assert_eq!(step, Err(Failure::Busy));
            }
            let holder = self.holder(row).filter(|holder| *holder != client);
            match step {
                Ok(Some(outcome)) => self.done(client, row, what, value, &outcome),
                Err(Failure::Duplicate) => {
                    self.done(client, row, what, value, &Outcome::Failed(Failure::Duplicate));
                }
                Ok(None) => {
                    let holder = holder.expect("there is something to wait for");
                    assert!(!self.waits_for(holder, client), "a wait that never ends");
                    let exists = self.replay.contains_key(&row) && self.view(holder, row).is_some();
                    assert!(what != What::Insert || !exists, "there is nothing to wait for: it is a duplicate");
                    self.client(client).waits = Some((row, what, value));
                    self.waiting.push(client);
                }
                Err(Failure::Deadlock) => {
                    let holder = holder.expect("there is something to wait for");
                    assert!(self.waits_for(holder, client), "this wait would have ended");
                    self.ended(client, false);
                }
                Err(other) => panic!("{other}"),
            }
        }

        fn ended(&mut self, client: usize, committed: bool) {
            let ended = self.clients[client].take().expect("its transaction was open");
            self.waiting.retain(|waiting| *waiting != client);
            if committed {
                for (row, value) in ended.writes {
                    match value {
                        Some(value) => self.replay.insert(row, value),
                        None => self.replay.remove(&row),
                    };
                }
            }
            assert_eq!(self.store.get(ended.id, ROWS[0]), Err(Failure::NoSuchTransaction));
            for (id, outcome) in self.store.take_resumed() {
                let of = |c: &Option<Client>| c.as_ref().is_some_and(|c| c.id == id);
                let resumed = self.clients.iter().position(of).expect("only open transactions are resumed");
                let client = self.clients[resumed].as_mut().expect("its transaction is open");
                let (row, what, value) = client.waits.take().expect("only who waits is resumed, and once");
                self.waiting.retain(|waiting| *waiting != resumed);
                let before = self.holder(row);
                self.done(resumed, row, what, value, &outcome);
                if before.is_none() && self.holder(row).is_some() {
                    // Nobody was passed over: those who wait for this row came later.
                    let passed_over = self.waiting.iter().filter(|w| self.open(**w).waits.is_some_and(|w| w.0 == row));
                    for waiting in passed_over {
                        assert!(self.since(*waiting) > value, "somebody was passed over");
                    }
                }
            }
        }

        /// When a client began to wait: values are drawn in order.
        fn since(&self, client: usize) -> i64 {
            self.open(client).waits.map_or(0, |(_, _, value)| value)
        }

        fn commit(&mut self, client: usize) {
            let Some(Client { id, waits, .. }) = self.clients[client].clone() else { return };
            if waits.is_some() {
                return assert_eq!(self.store.commit(id), Err(Failure::Busy));
            }
            assert_eq!(self.store.commit(id), Ok(()));
            self.ended(client, true);
        }

        /// What must hold between any two operations.
        fn rules(&mut self) {
            for (row, name) in ROWS.iter().enumerate() {
                let committed = self.store.committed(name).cloned();
                assert_eq!(committed, self.replay.get(&row).map(|value| Data::Int(*value)));
                assert_eq!(self.store.locked_by(name), self.holder(row).map(|holder| self.open(holder).id));
            }
            for client in self.waiting.clone() {
                let (row, ..) = self.open(client).waits.expect("it waits");
                let holder = self.holder(row).expect("who waits, waits for somebody");
                assert!(!self.waits_for(holder, client), "a deadlock was left standing");
            }
            assert_eq!(self.store.open_transactions(), self.clients.iter().flatten().count());
            assert_eq!(self.store.take_resumed(), []);
        }
    }

    fn outcome<T>(step: Step<T>, outcome: impl Fn(T) -> Outcome) -> Option<Outcome> {
        match step {
            Step::Done(answer) => Some(outcome(answer)),
            Step::Waits => None,
        }
    }

    fn holds(operations: Vec<Op>) {
        let mut world = World {
            store: RowStore::default(),
            clients: vec![None; CLIENTS],
            replay: BTreeMap::new(),
            waiting: vec![],
            next_value: 0,
        };
        for operation in operations {
            match operation {
                Op::Do { client, row, what } => world.act(client, row, what),
                Op::Get { client, row } => {
                    let Client { id, waits, .. } = world.client(client).clone();
                    let read = world.store.get(id, ROWS[row]);
                    let expected = world.view(client, row).map(Data::Int);
                    assert_eq!(read, if waits.is_some() { Err(Failure::Busy) } else { Ok(expected) });
                }
                Op::Commit { client } => world.commit(client),
                Op::Rollback { client } => {
                    if let Some(Client { id, .. }) = world.clients[client] {
                        assert_eq!(world.store.rollback(id), Ok(()));
                        world.ended(client, false);
                    }
                }
                Op::Restart => {
                    world.store.restart();
                    world.clients.fill(None);
                    world.waiting.clear();
                }
            }
            world.rules();
        }
        // When all the others have ended, nobody waits any more.
        while world.clients.iter().any(Option::is_some) {
            let ready = (0..CLIENTS).find(|i| world.clients[*i].as_ref().is_some_and(|c| c.waits.is_none()));
            world.commit(ready.expect("somebody does not wait"));
            world.rules();
        }
        assert!(world.waiting.is_empty());
    }

    #[test]
    fn transactions_keep_their_locks_and_lose_no_write_and_no_waiter() {
        check(Just(()), operation(), |(), operations| holds(operations));
    }
}
