//! One-shot watches: who wants to be told when something happens to a name.
//!
//! A watch that fires is gone, and what it has to say waits in a list until it is taken. From then on it is a message
//! under way: taking back the watch does not take back the message.

use std::collections::BTreeMap;

/// How many of a name's watchers are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wake {
    /// All of them: a herd, of which one will win.
    #[default]
    All,
    /// Only the one whose watch is the oldest. The others keep theirs: if the one that was told does nothing, they
    /// hear of it only the next time.
    First,
}

/// The watches of a model, and those that fired and were not taken yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Watches {
    /// Watchers by name, the oldest watch first; no list is empty.
    waiting: BTreeMap<String, Vec<u64>>,
    fired: Vec<(String, u64)>,
}

impl Watches {
    /// Adds a watch. A second one of the same watcher on the same name is the first one, in its old place.
    pub(super) fn add(&mut self, name: &str, watcher: u64) {
        let watchers = self.waiting.entry(name.to_owned()).or_default();
        if !watchers.contains(&watcher) {
            watchers.push(watcher);
        }
    }

    /// Takes a watch back; whether there was one that had not fired.
    pub(super) fn remove(&mut self, name: &str, watcher: u64) -> bool {
        let Some(watchers) = self.waiting.get_mut(name) else { return false };
        let before = watchers.len();
        watchers.retain(|w| *w != watcher);
        let removed = watchers.len() < before;
        if watchers.is_empty() {
            self.waiting.remove(name);
        }
        removed
    }

    pub(super) fn fire(&mut self, name: &str, wake: Wake) {
        let Some(mut watchers) = self.waiting.remove(name) else { return };
        if wake == Wake::First && watchers.len() > 1 {
            self.waiting.insert(name.to_owned(), watchers.split_off(1));
        }
        self.fired.extend(watchers.into_iter().map(|watcher| (name.to_owned(), watcher)));
    }

    /// What fired since the last time, in the order in which it fired.
    pub(super) fn take_fired(&mut self) -> Vec<(String, u64)> {
        std::mem::take(&mut self.fired)
    }

    pub(super) fn count(&self, name: &str) -> usize {
        self.waiting.get(name).map_or(0, Vec::len)
    }

    /// The connections are gone: watches and messages under way with them.
    pub(super) fn clear(&mut self) {
        *self = Watches::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: [u64; 0] = [];

    fn watches(watchers: &[u64]) -> Watches {
        let mut watches = Watches::default();
        for watcher in watchers {
            watches.add("job", *watcher);
        }
        watches
    }

    fn fired(watches: &mut Watches, wake: Wake) -> Vec<u64> {
        watches.fire("job", wake);
        watches.take_fired().into_iter().map(|(_, watcher)| watcher).collect()
    }

    #[test]
    fn all_are_told_once_the_oldest_watch_first() {
        let mut watches = watches(&[3, 1, 2, 3]);
        assert_eq!(fired(&mut watches, Wake::All), [3, 1, 2]);
        assert_eq!(fired(&mut watches, Wake::All), NOBODY);
    }

    #[test]
    fn only_the_first_is_told_where_one_is_enough() {
        let mut watches = watches(&[3, 1]);
        assert_eq!(fired(&mut watches, Wake::First), [3]);
        assert_eq!(watches.count("job"), 1);
        assert_eq!(fired(&mut watches, Wake::First), [1]);
        assert_eq!(watches, Watches::default());
    }

    #[test]
    fn a_watch_taken_back_does_not_fire_and_leaves_no_trace() {
        let mut watches = watches(&[3]);
        assert!(!watches.remove("job", 1));
        assert!(!watches.remove("report", 3));
        assert!(watches.remove("job", 3));
        assert!(!watches.remove("job", 3));
        assert_eq!(watches, Watches::default());
        assert_eq!(fired(&mut watches, Wake::All), NOBODY);
    }

    #[test]
    fn a_message_under_way_is_not_taken_back_with_the_watch() {
        let mut watches = watches(&[3]);
        watches.fire("job", Wake::All);
        assert!(!watches.remove("job", 3));
        assert_eq!(watches.take_fired(), [("job".to_owned(), 3)]);
    }
}
