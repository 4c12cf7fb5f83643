//! A coordination service: queues of numbered places, each of which lives as long as the session that took it.
//!
//! A session ends when nobody has kept it alive for its ttl, and its places go with it. Places are numbered in the order
//! in which they are taken, over all queues and for the life of the service, so that the number of whoever stands first
//! in a queue can serve as a fencing token. A watch on some places fires once, when the first of them goes. The shape is
//! that of ZooKeeper's ephemeral sequential nodes and of etcd's keys with leases.
//!
//! ```
//! use leasehold_checker::model::coordinator::Coordinator;
//! let mut coordinator = Coordinator::default();
//! let (a, b) = (coordinator.open(0, "A", 10).unwrap(), coordinator.open(0, "B", 20).unwrap());
//! let first = coordinator.append(1, "job", a).unwrap();
//! let second = coordinator.append(1, "job", b).unwrap();
//! assert!(coordinator.watch(2, 7, &[first, second]), "both are there");
//! assert_eq!(coordinator.first(10, "job").unwrap().number, second, "A's session is over");
//! assert_eq!(coordinator.take_fired(), [7]);
//! ```

use std::collections::BTreeMap;

/// The service's state. Times are virtual microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Coordinator {
    sessions: BTreeMap<u64, Session>,
    places: BTreeMap<u64, Place>,
    last_session: u64,
    last_number: u64,
    /// Watchers that were not told yet, and the places that they watch.
    watches: BTreeMap<u64, Vec<u64>>,
    fired: Vec<u64>,
    /// What ended by itself and was not reported yet.
    ended: Vec<Ended>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Session {
    owner: String,
    ttl_us: u64,
    expires_us: u64,
}

/// A place in a queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Greater than that of every place taken before it, in any queue.
    pub number: u64,
    /// Which queue.
    pub queue: String,
    /// The session that it lives as long as.
    pub session: u64,
    /// Who opened that session.
    pub owner: String,
}

/// A session that is over, and the places that went with it, the smallest number first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ended {
    /// Its number.
    pub session: u64,
    /// Who had opened it.
    pub owner: String,
    /// What went with it.
    pub places: Vec<Place>,
    /// When it ended.
    pub at_us: u64,
}

impl Coordinator {
    /// Opens a session that ends after `ttl_us` unless it is kept alive. None for a ttl of 0.
    pub fn open(&mut self, now_us: u64, owner: &str, ttl_us: u64) -> Option<u64> {
        self.end_what_is_due(now_us);
        if ttl_us == 0 {
            return None;
        }
        self.last_session += 1;
        let session = Session { owner: owner.to_owned(), ttl_us, expires_us: now_us.saturating_add(ttl_us) };
        self.sessions.insert(self.last_session, session);
        Some(self.last_session)
    }

    /// Lets a session run for its ttl from now. When it ends now; none if it is over.
    pub fn keep_alive(&mut self, now_us: u64, session: u64) -> Option<u64> {
        self.end_what_is_due(now_us);
        let session = self.sessions.get_mut(&session)?;
        session.expires_us = now_us.saturating_add(session.ttl_us);
        Some(session.expires_us)
    }

    /// Ends a session; what went with it, or none if it was over.
    pub fn close(&mut self, now_us: u64, session: u64) -> Option<Ended> {
        self.end_what_is_due(now_us);
        self.end_session(session, now_us)
    }

    /// Takes a place at the end of a queue: its number, or none if the session is over.
    pub fn append(&mut self, now_us: u64, queue: &str, session: u64) -> Option<u64> {
        self.end_what_is_due(now_us);
        let owner = self.sessions.get(&session)?.owner.clone();
        self.last_number += 1;
        let number = self.last_number;
        self.places.insert(number, Place { number, queue: queue.to_owned(), session, owner });
        Some(number)
    }

    /// The places of a queue, the smallest number first.
    pub fn places(&mut self, now_us: u64, queue: &str) -> Vec<&Place> {
        self.end_what_is_due(now_us);
        self.places.values().filter(|p| p.queue == queue).collect()
    }

    /// Whoever stands first in a queue.
    pub fn first(&mut self, now_us: u64, queue: &str) -> Option<&Place> {
        self.places(now_us, queue).into_iter().next()
    }

    /// The queues that have places.
    pub fn queues(&self) -> Vec<String> {
        let mut queues: Vec<String> = self.places.values().map(|p| p.queue.clone()).collect();
        queues.sort_unstable();
        queues.dedup();
        queues
    }

    /// The places of a session, the smallest number first.
    pub fn of_session(&self, session: u64) -> Vec<Place> {
        self.places.values().filter(|p| p.session == session).cloned().collect()
    }

    /// Gives up a place; it, if it was there.
    pub fn remove(&mut self, now_us: u64, number: u64) -> Option<Place> {
        self.end_what_is_due(now_us);
        self.take_away(number)
    }

    /// Sets a watch that fires once, when the first of these places goes. Whether all of them are there: what is gone
    /// does not go again.
    pub fn watch(&mut self, now_us: u64, watcher: u64, numbers: &[u64]) -> bool {
        self.end_what_is_due(now_us);
        self.watches.insert(watcher, numbers.to_vec());
        numbers.iter().all(|n| self.places.contains_key(n))
    }

    /// Takes a watch back; whether there was one that had not fired. One that fired is a message under way.
    pub fn unwatch(&mut self, watcher: u64) -> bool {
        self.watches.remove(&watcher).is_some()
    }

    /// How many watches there are.
    pub fn watchers(&self) -> usize {
        self.watches.len()
    }

    /// The watches that fired since the last time, in the order in which they fired: by the place that went, then by the
    /// watcher's number.
    pub fn take_fired(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.fired)
    }

    /// How long the longest of an owner's sessions that have places still runs.
    pub fn left(&self, now_us: u64, owner: &str) -> Option<u64> {
        let with_places = |id: &u64| self.places.values().any(|p| p.session == *id);
        let of_owner = self.sessions.iter().filter(|(id, s)| s.owner == owner && with_places(id));
        of_owner.map(|(_, s)| s.expires_us.saturating_sub(now_us)).filter(|left| *left > 0).max()
    }

    /// When `expire` will next have something to do or to report. Never before now.
    pub fn next_expiry(&self, now_us: u64) -> Option<u64> {
        if !self.ended.is_empty() {
            return Some(now_us);
        }
        self.next_end().map(|(at_us, _)| at_us.max(now_us))
    }

    /// Ends the sessions that nobody kept alive and reports those that ended since the last time, by instant and then by
    /// number.
    pub fn expire(&mut self, now_us: u64) -> Vec<Ended> {
        self.end_what_is_due(now_us);
        std::mem::take(&mut self.ended)
    }

    /// The service stops and starts again. Sessions and places are on its disk; its connections, and with them watches
    /// and messages under way, are gone.
    pub fn restart(&mut self) {
        self.watches.clear();
        self.fired.clear();
    }

    fn next_end(&self) -> Option<(u64, u64)> {
        self.sessions.iter().map(|(id, s)| (s.expires_us, *id)).min()
    }

    fn end_what_is_due(&mut self, now_us: u64) {
        while let Some((at_us, id)) = self.next_end().filter(|(at_us, _)| *at_us <= now_us) {
            let ended = self.end_session(id, at_us);
            self.ended.extend(ended);
        }
    }

    fn end_session(&mut self, session: u64, at_us: u64) -> Option<Ended> {
        let Session { owner, .. } = self.sessions.remove(&session)?;
        let numbers: Vec<u64> = self.places.values().filter(|p| p.session == session).map(|p| p.number).collect();
        let places = numbers.into_iter().filter_map(|number| self.take_away(number)).collect();
        Some(Ended { session, owner, places, at_us })
    }

    fn take_away(&mut self, number: u64) -> Option<Place> {
        let place = self.places.remove(&number)?;
        let (told, rest) = std::mem::take(&mut self.watches).into_iter().partition(|(_, on)| on.contains(&number));
        self.watches = rest;
        let told: BTreeMap<u64, Vec<u64>> = told;
        self.fired.extend(told.into_keys());
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TTL: u64 = 10;
    const NOBODY: [u64; 0] = [];

    fn numbers(coordinator: &mut Coordinator, now: u64) -> Vec<u64> {
        coordinator.places(now, "job").into_iter().map(|p| p.number).collect()
    }

    fn pair() -> (Coordinator, u64, u64) {
        let mut coordinator = Coordinator::default();
        let a = coordinator.open(0, "A", TTL).unwrap();
        let b = coordinator.open(0, "B", 10 * TTL).unwrap();
        (coordinator, a, b)
    }

    #[test]
    fn places_are_numbered_over_queues_and_restarts_and_stand_in_order() {
        let (mut coordinator, a, b) = pair();
        let first = coordinator.append(1, "job", b).unwrap();
        let other = coordinator.append(1, "report", a).unwrap();
        coordinator.restart();
        let second = coordinator.append(2, "job", a).unwrap();
        coordinator.remove(3, second);
        let third = coordinator.append(3, "job", a).unwrap();
        assert!(first < other && other < second && second < third);
        assert_eq!(numbers(&mut coordinator, 3), [first, third]);
        assert_eq!(coordinator.first(3, "job").unwrap().owner, "B");
    }

    #[test]
    fn a_session_is_over_at_its_very_end_and_its_places_with_it() {
        let (mut coordinator, a, b) = pair();
        let gone = coordinator.append(1, "job", a).unwrap();
        let stays = coordinator.append(1, "job", b).unwrap();
        assert_eq!(numbers(&mut coordinator, 9), [gone, stays]);
        assert_eq!((coordinator.left(9, "A"), coordinator.next_expiry(9)), (Some(1), Some(10)));
        assert_eq!(numbers(&mut coordinator, 10), [stays]);
        assert_eq!((coordinator.append(10, "job", a), coordinator.keep_alive(10, a)), (None, None));
        assert_eq!((coordinator.left(10, "A"), coordinator.next_expiry(10)), (None, Some(10)));
        let ended = coordinator.expire(10);
        assert_eq!((ended.len(), ended[0].session, ended[0].at_us), (1, a, 10));
        assert_eq!(ended[0].places.iter().map(|p| p.number).collect::<Vec<_>>(), [gone]);
        assert_eq!(coordinator.next_expiry(10), Some(100));
    }

    #[test]
    fn keeping_alive_sets_the_end_and_does_not_add() {
        let (mut coordinator, a, _) = pair();
        assert_eq!(coordinator.keep_alive(4, a), Some(14));
        assert_eq!(coordinator.keep_alive(4, a), Some(14));
        assert!(coordinator.append(13, "job", a).is_some());
        assert!(coordinator.append(14, "job", a).is_none());
    }

    #[test]
    fn a_session_of_no_length_is_none_and_one_without_places_is_no_lease() {
        let (mut coordinator, _, b) = pair();
        assert_eq!(coordinator.open(0, "A", 0), None);
        assert_eq!(coordinator.left(0, "B"), None);
        coordinator.append(0, "job", b);
        assert_eq!(coordinator.left(0, "B"), Some(100));
    }

    #[test]
    fn closing_ends_a_session_once() {
        let (mut coordinator, a, _) = pair();
        coordinator.append(1, "job", a);
        assert_eq!(coordinator.close(2, a).unwrap().places.len(), 1);
        assert_eq!(coordinator.close(2, a), None);
        assert_eq!(numbers(&mut coordinator, 2), NOBODY);
        assert_eq!(coordinator.expire(20), []);
    }

    #[test]
    fn a_watch_fires_once_when_the_first_of_its_places_goes() {
        let (mut coordinator, a, b) = pair();
        let (before, mine) = (coordinator.append(1, "job", a).unwrap(), coordinator.append(1, "job", b).unwrap());
        assert!(coordinator.watch(2, 7, &[before, mine]));
        assert!(coordinator.watch(2, 8, &[mine]));
        coordinator.remove(3, before);
        assert_eq!((coordinator.take_fired(), coordinator.watchers()), (vec![7], 1));
        coordinator.remove(4, mine);
        assert_eq!((coordinator.take_fired(), coordinator.watchers()), (vec![8], 0));
        assert_eq!(coordinator.remove(4, mine), None);
    }

    #[test]
    fn the_end_of_a_session_fires_watches_like_any_other() {
        let (mut coordinator, a, b) = pair();
        let (before, mine) = (coordinator.append(1, "job", a).unwrap(), coordinator.append(1, "job", b).unwrap());
        coordinator.watch(2, 7, &[before, mine]);
        coordinator.expire(9);
        assert_eq!(coordinator.take_fired(), NOBODY);
        coordinator.expire(10);
        assert_eq!(coordinator.take_fired(), [7]);
    }

    #[test]
    fn a_watch_on_a_place_that_is_gone_says_so_and_stays_until_it_is_taken_back() {
        let (mut coordinator, a, b) = pair();
        let (before, mine) = (coordinator.append(1, "job", a).unwrap(), coordinator.append(1, "job", b).unwrap());
        coordinator.remove(2, before);
        assert!(!coordinator.watch(2, 7, &[before]));
        coordinator.remove(3, mine);
        assert_eq!((coordinator.take_fired(), coordinator.watchers()), (NOBODY.to_vec(), 1));
        assert!(coordinator.unwatch(7));
        assert!(!coordinator.unwatch(7));
    }

    #[test]
    fn a_restart_loses_watches_and_keeps_the_rest() {
        let (mut coordinator, a, _) = pair();
        let place = coordinator.append(1, "job", a).unwrap();
        coordinator.watch(1, 7, &[place]);
        coordinator.restart();
        assert_eq!((coordinator.watchers(), numbers(&mut coordinator, 2)), (0, vec![place]));
        coordinator.remove(3, place);
        assert_eq!(coordinator.take_fired(), NOBODY);
    }
}
