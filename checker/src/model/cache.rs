//! A transactional key-value cache: what a fair lock or a registry keeps its records in.
//!
//! Every value has a version. A client reads some keys in one snapshot, computes, and commits: if the versions that it
//! names are still those of the cache, all its writes happen, otherwise none does. Versions are never used twice, not
//! even after a delete or an expiry, so that a record that went away and came back is not taken for the old one (the
//! ABA problem). The shape is that of memcached's `cas` and of etcd's transactions.
//!
//! ```
//! use leasehold_checker::model::cache::{Cache, Write};
//! let mut cache = Cache::default();
//! let seen = cache.read(0, &["turn"])[0].version;
//! assert!(cache.commit(0, &[("turn", seen)], &[Write::put("turn", 1)]));
//! assert!(!cache.commit(0, &[("turn", seen)], &[Write::put("turn", 2)]), "somebody was faster");
//! ```

use super::data::Data;
use super::watches::{Wake, Watches};
use std::collections::BTreeMap;

/// The version of a key that is not there. No value ever has it.
pub const ABSENT: u64 = 0;

/// The cache's state. Times are virtual microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cache {
    values: BTreeMap<String, Value>,
    last_version: u64,
    watches: Watches,
    /// What ran out during other calls and was not reported yet.
    expired: Vec<Expired>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Value {
    data: Data,
    version: u64,
    expires_us: Option<u64>,
}

/// What a snapshot says of one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The value; none if the key is not there.
    pub value: Option<Data>,
    /// Its version; [`ABSENT`] if the key is not there.
    pub version: u64,
}

/// One write of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// Sets a key, and with it when it ends by itself: an earlier end of the key does not go on.
    Put {
        /// The key.
        key: String,
        /// Its new value. The same value again is a change too: it gets a new version.
        value: Data,
        /// For how long, in virtual microseconds; none is for ever.
        ttl_us: Option<u64>,
    },
    /// Takes a key away. One that is not there stays so, which is no change.
    Delete {
        /// The key.
        key: String,
    },
}

impl Write {
    /// Sets a key for ever.
    pub fn put(key: &str, value: impl Into<Data>) -> Self {
        Write::Put { key: key.to_owned(), value: value.into(), ttl_us: None }
    }

    /// Sets a key for some time. At its end, `now + ttl_us`, it is gone.
    pub fn put_for(key: &str, value: impl Into<Data>, ttl_us: u64) -> Self {
        Write::Put { key: key.to_owned(), value: value.into(), ttl_us: Some(ttl_us) }
    }

    /// Takes a key away.
    pub fn delete(key: &str) -> Self {
        Write::Delete { key: key.to_owned() }
    }
}

/// A key whose time ran out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expired {
    /// The key.
    pub key: String,
    /// The version that its value had.
    pub version: u64,
    /// When it ended.
    pub at_us: u64,
}

impl Cache {
    /// One consistent snapshot of some keys, in the order asked for.
    pub fn read(&self, now_us: u64, keys: &[impl AsRef<str>]) -> Vec<Entry> {
        let entry = |key: &str| match self.live(now_us, key) {
            Some(value) => Entry { value: Some(value.data.clone()), version: value.version },
            None => Entry { value: None, version: ABSENT },
        };
        keys.iter().map(|key| entry(key.as_ref())).collect()
    }

    /// If each key to check has the version named ([`ABSENT`]: is not there), does all the writes in one step and in
    /// their order; otherwise does nothing. Whether it did.
    pub fn commit(&mut self, now_us: u64, checks: &[(impl AsRef<str>, u64)], writes: &[Write]) -> bool {
        self.end_what_is_due(now_us);
        if checks.iter().any(|(key, version)| self.version(key.as_ref()) != *version) {
            return false;
        }
        for write in writes {
            match write {
                Write::Put { key, value, ttl_us } => {
                    self.last_version += 1;
                    let expires_us = ttl_us.map(|ttl| now_us.saturating_add(ttl));
                    let value = Value { data: value.clone(), version: self.last_version, expires_us };
                    self.values.insert(key.clone(), value);
                    self.watches.fire(key, Wake::All);
                }
                Write::Delete { key } => {
                    self.remove(key);
                }
            }
        }
        true
    }

    /// Loses a key, as a cache may at any time. Its watches fire, as for every other change. Whether it was there.
    pub fn evict(&mut self, now_us: u64, key: &str) -> bool {
        self.end_what_is_due(now_us);
        self.remove(key)
    }

    /// Sets a watch that fires the next time the key changes: when it is written, deleted, evicted or runs out. Gives
    /// the version that it changes from, so that a reader can tell whether it missed one since its snapshot.
    pub fn watch(&mut self, now_us: u64, key: &str, watcher: u64) -> u64 {
        self.end_what_is_due(now_us);
        self.watches.add(key, watcher);
        self.version(key)
    }

    /// Takes a watch back; whether there was one that had not fired. One that fired is a message under way.
    pub fn unwatch(&mut self, key: &str, watcher: u64) -> bool {
        self.watches.remove(key, watcher)
    }

    /// How many watch a key.
    pub fn watchers(&self, key: &str) -> usize {
        self.watches.count(key)
    }

    /// The watches that fired since the last time, as key and watcher, in the order in which they fired: by instant,
    /// then in the order of a commit's writes or, for keys that ran out, by key, then by the age of the watch.
    pub fn take_fired(&mut self) -> Vec<(String, u64)> {
        self.watches.take_fired()
    }

    /// When `expire` will next have something to do or to report. Never before now.
    pub fn next_expiry(&self, now_us: u64) -> Option<u64> {
        if !self.expired.is_empty() {
            return Some(now_us);
        }
        self.next_end().map(|(at_us, _)| at_us.max(now_us))
    }

    /// Takes away the keys whose time ran out, fires their watches, and reports those that ran out since the last
    /// time, by instant and then by key.
    pub fn expire(&mut self, now_us: u64) -> Vec<Expired> {
        self.end_what_is_due(now_us);
        std::mem::take(&mut self.expired)
    }

    /// The cache stops and starts again, with its data on a disk. Watches and messages under way are gone.
    pub fn restart(&mut self) {
        self.watches.clear();
    }

    fn live(&self, now_us: u64, key: &str) -> Option<&Value> {
        self.values.get(key).filter(|v| v.expires_us.is_none_or(|at| now_us < at))
    }

    /// The version of a key when nothing is overdue.
    fn version(&self, key: &str) -> u64 {
        self.values.get(key).map_or(ABSENT, |v| v.version)
    }

    fn remove(&mut self, key: &str) -> bool {
        let there = self.values.remove(key).is_some();
        if there {
            self.watches.fire(key, Wake::All);
        }
        there
    }

    fn end_what_is_due(&mut self, now_us: u64) {
        while let Some((at_us, key)) = self.next_end().filter(|(at_us, _)| *at_us <= now_us) {
            self.expired.push(Expired { version: self.version(&key), key: key.clone(), at_us });
            self.remove(&key);
        }
    }

    fn next_end(&self) -> Option<(u64, String)> {
        let ends = self.values.iter().filter_map(|(key, value)| Some((value.expires_us?, key)));
        ends.min().map(|(at_us, key)| (at_us, key.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A commit that checks nothing.
    fn write(cache: &mut Cache, now: u64, writes: &[Write]) {
        assert!(cache.commit(now, &[] as &[(&str, u64)], writes));
    }

    fn entry(cache: &Cache, now: u64, key: &str) -> (Option<Data>, u64) {
        let entry = cache.read(now, &[key]).remove(0);
        (entry.value, entry.version)
    }

    fn fired(cache: &mut Cache) -> Vec<(String, u64)> {
        cache.take_fired()
    }

    #[test]
    fn a_snapshot_is_in_the_order_asked_for_and_absent_keys_have_version_0() {
        let mut cache = Cache::default();
        write(&mut cache, 0, &[Write::put("a", 1), Write::put("b", 2)]);
        let values: Vec<Option<Data>> = cache.read(0, &["b", "x", "a"]).into_iter().map(|e| e.value).collect();
        assert_eq!(values, [Some(2.into()), None, Some(1.into())]);
        assert_eq!(entry(&cache, 0, "x"), (None, ABSENT));
        assert_ne!(entry(&cache, 0, "a").1, ABSENT);
    }

    #[test]
    fn one_wrong_version_and_no_write_happens() {
        let mut cache = Cache::default();
        write(&mut cache, 0, &[Write::put("a", 1), Write::put("b", 1)]);
        let (a, b) = (entry(&cache, 0, "a").1, entry(&cache, 0, "b").1);
        cache.watch(0, "a", 1);
        let before = cache.clone();
        let writes = [Write::put("a", 2), Write::delete("b")];
        assert!(!cache.commit(0, &[("a", a), ("b", b + 7)], &writes));
        assert!(!cache.commit(0, &[("a", ABSENT)], &writes));
        assert!(!cache.commit(0, &[("x", 1)], &writes));
        assert_eq!(cache, before);
        assert!(cache.commit(0, &[("a", a), ("b", b), ("x", ABSENT)], &writes));
        assert_eq!((entry(&cache, 0, "a").0, entry(&cache, 0, "b").0), (Some(2.into()), None));
    }

    #[test]
    fn a_commit_without_writes_only_checks() {
        let mut cache = Cache::default();
        assert!(cache.commit(0, &[("a", ABSENT)], &[]));
        assert!(!cache.commit(0, &[("a", 1)], &[]));
        assert_eq!(cache, Cache::default());
    }

    #[test]
    fn a_value_of_none_is_there() {
        let mut cache = Cache::default();
        write(&mut cache, 0, &[Write::put("a", Data::None)]);
        assert_eq!(entry(&cache, 0, "a"), (Some(Data::None), 1));
    }

    #[test]
    fn versions_are_not_used_again_after_delete_expiry_and_eviction() {
        let mut cache = Cache::default();
        let mut seen = vec![];
        for now in [0, 10, 20, 30] {
            write(&mut cache, now, &[Write::put_for("a", 1, 10)]);
            seen.push(entry(&cache, now, "a").1);
            match now {
                0 => write(&mut cache, now, &[Write::delete("a")]),
                10 => assert!(cache.evict(now, "a")),
                _ => {}
            }
        }
        assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
    }

    #[test]
    fn a_key_is_gone_at_its_very_expiry() {
        let mut cache = Cache::default();
        write(&mut cache, 5, &[Write::put_for("a", 1, 10)]);
        assert_eq!(entry(&cache, 14, "a"), (Some(1.into()), 1));
        assert_eq!(entry(&cache, 15, "a"), (None, ABSENT));
        assert!(!cache.commit(15, &[("a", 1)], &[]));
        assert!(cache.commit(15, &[("a", ABSENT)], &[]));
    }

    #[test]
    fn a_write_sets_the_end_of_its_key_anew() {
        let mut cache = Cache::default();
        write(&mut cache, 0, &[Write::put_for("a", 1, 10), Write::put_for("b", 1, 10)]);
        write(&mut cache, 5, &[Write::put_for("a", 1, 10), Write::put("b", 1)]);
        assert!(entry(&cache, 14, "a").0.is_some());
        assert!(entry(&cache, 15, "a").0.is_none());
        assert!(entry(&cache, u64::MAX, "b").0.is_some());
    }

    #[test]
    fn a_key_put_for_no_time_is_gone_at_once() {
        let mut cache = Cache::default();
        write(&mut cache, 5, &[Write::put_for("a", 1, 0)]);
        assert_eq!(entry(&cache, 5, "a"), (None, ABSENT));
        assert_eq!(cache.next_expiry(5), Some(5));
    }

    #[test]
    fn watches_fire_on_every_kind_of_change_once() {
        let mut cache = Cache::default();
        let put = Write::put_for("a", 1, 10);
        for change in ["put", "the same again", "delete", "evict", "expire"] {
            if change != "put" {
                write(&mut cache, 0, std::slice::from_ref(&put));
            }
            assert_eq!(cache.watch(0, "a", 1), entry(&cache, 0, "a").1);
            match change {
                "delete" => write(&mut cache, 0, &[Write::delete("a")]),
                "evict" => assert!(cache.evict(0, "a")),
                "expire" => assert_eq!(cache.expire(10).len(), 1),
                _ => write(&mut cache, 0, std::slice::from_ref(&put)),
            }
            assert_eq!(fired(&mut cache), [("a".to_owned(), 1)], "{change}");
            assert_eq!(cache.watchers("a"), 0);
        }
    }

    #[test]
    fn watches_do_not_fire_where_nothing_changes() {
        let mut cache = Cache::default();
        write(&mut cache, 0, &[Write::put("a", 1)]);
        cache.watch(0, "a", 1);
        cache.watch(0, "x", 1);
        write(&mut cache, 0, &[Write::put("b", 1), Write::delete("x")]);
        assert!(!cache.evict(0, "x"));
        cache.read(0, &["a", "x"]);
        assert_eq!(fired(&mut cache), []);
        assert!(cache.unwatch("a", 1));
        write(&mut cache, 0, &[Write::put("a", 2)]);
        assert_eq!(fired(&mut cache), []);
    }

    #[test]
    fn expiries_are_reported_by_instant_and_then_by_key_and_a_late_caller_changes_no_answer() {
        let mut cache = Cache::default();
        for (now, key) in [(1, "a"), (1, "c"), (1, "b"), (0, "d")] {
            write(&mut cache, now, &[Write::put_for(key, 1, 10)]);
            cache.watch(now, key, 9);
        }
        assert_eq!(cache.next_expiry(1), Some(10));
        cache.take_fired();
        write(&mut cache, 12, &[Write::put("a", 2)]);
        assert_eq!(cache.next_expiry(12), Some(12), "there is something to report");
        let ends: Vec<(String, u64)> = cache.expire(12).into_iter().map(|e| (e.key, e.at_us)).collect();
        let keys = ["d", "a", "b", "c"];
        assert_eq!(ends, keys.map(|key| (key.to_owned(), if key == "d" { 10 } else { 11 })));
        assert_eq!(fired(&mut cache), keys.map(|key| (key.to_owned(), 9)));
        assert_eq!(entry(&cache, 12, "a").0, Some(2.into()));
        assert_eq!(cache.next_expiry(12), None);
    }

    #[test]
    fn a_restart_keeps_data_and_versions_and_loses_watches() {
        let mut cache = Cache::default();
        write(&mut cache, 0, &[Write::put_for("a", 1, 10)]);
        cache.watch(0, "a", 1);
        cache.restart();
        assert_eq!(entry(&cache, 9, "a"), (Some(1.into()), 1));
        write(&mut cache, 9, &[Write::put("a", 2)]);
        assert_eq!((fired(&mut cache), entry(&cache, 9, "a").1), (vec![], 2));
    }
}
