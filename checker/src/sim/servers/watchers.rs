//! Who watches what at a server: each watch has a number, by which its client knows it.

use std::collections::BTreeMap;

/// The watches that were left with a server and have not fired.
#[derive(Debug, Default, Hash)]
pub(super) struct Watchers {
    /// By number: what is watched, and for which client.
    open: BTreeMap<u64, (String, usize)>,
    last: u64,
}

impl Watchers {
    /// A number for one that comes now.
    pub(super) fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// It is open from now on.
    pub(super) fn open(&mut self, watch: u64, what: &str, client: usize) {
        self.open.insert(watch, (what.to_owned(), client));
    }

    /// It is closed; what it watched, if it was open.
    pub(super) fn close(&mut self, watch: u64) -> Option<String> {
        self.open.remove(&watch).map(|(what, _)| what)
    }

    /// All of a client's are closed; their numbers and what they watched.
    pub(super) fn close_all_of(&mut self, client: usize) -> Vec<(u64, String)> {
        let (gone, rest) = std::mem::take(&mut self.open).into_iter().partition(|(_, (_, c))| *c == client);
        self.open = rest;
        let gone: BTreeMap<u64, (String, usize)> = gone;
        gone.into_iter().map(|(watch, (what, _))| (watch, what)).collect()
    }

    /// Every connection is gone.
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }
}
