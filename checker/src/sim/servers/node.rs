//! One of the nodes whose majority makes a lock.

use super::bad_request;
use crate::model::data::Data;
use crate::sim::server::{Outbox, Request, Server};
use crate::sim::world::{duration_us, lock_at, short};
use crate::trace::{Happening, Reply};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// A store that keeps one ownership token under a name until its time is over: set if absent, removed if equal. It knows
/// nothing of other nodes.
#[derive(Clone, Debug, Hash)]
pub struct NodeServer {
    name: &'static str,
    fast_ppm: i64,
    is_down: bool,
    forgets: bool,
    kept: BTreeMap<String, Kept>,
}

#[derive(Clone, Debug, Hash)]
struct Kept {
    token: String,
    client: usize,
    expires_us: u64,
}

impl NodeServer {
    /// An empty node under this name.
    pub fn new(name: &'static str) -> Self {
        NodeServer { name, fast_ppm: 0, is_down: false, forgets: false, kept: BTreeMap::new() }
    }

    /// The same node with a clock that runs fast by so many parts in a million (or slow, below zero).
    pub fn with_fast_clock(self, fast_ppm: i64) -> Self {
        NodeServer { fast_ppm, ..self }
    }

    /// The same node, down: no request reaches it.
    pub fn down(self) -> Self {
        NodeServer { is_down: true, ..self }
    }

    /// The same node without a disk: a restart empties it.
    pub fn forgetful(self) -> Self {
        NodeServer { forgets: true, ..self }
    }

    /// How long a time on its own clock takes on the world's.
    fn world_us(&self, local_us: u64) -> u64 {
        let rate = (1_000_000 + self.fast_ppm).max(1).unsigned_abs();
        u64::try_from(u128::from(local_us) * 1_000_000 / u128::from(rate)).unwrap_or(u64::MAX)
    }

    /// Removes what `goes` says of what is kept, by end and name, and tells it.
    fn end(&mut self, out: &mut Outbox, goes: impl Fn(&Kept) -> bool) {
        let mut ended: Vec<(u64, String)> =
            self.kept.iter().filter(|(_, k)| goes(k)).map(|(name, k)| (k.expires_us, name.clone())).collect();
        ended.sort_unstable();
        for (_, name) in ended {
            if let Some(Kept { token, client, .. }) = self.kept.remove(&name) {
                let name = lock_at(self.name, &name);
                out.happened.push(Happening::Expired { client, name, token: short(&token) });
            }
        }
    }
}

impl Server for NodeServer {
    fn name(&self) -> &'static str {
        self.name
    }

    fn is_down(&self) -> bool {
        self.is_down
    }

    fn serve(&mut self, request: &Request<'_>, out: &mut Outbox) {
        // What is over at this instant was over before the request came.
        self.due(request.now_us, out);
        let client = request.client;
        let (name, reply, done) = match (request.verb, request.args) {
            ("acquire", [Data::Str(name), Data::Str(token), ttl]) => {
                let Some(ttl_us) = duration_us(ttl).filter(|us| *us > 0) else {
                    let text = "a ttl is a number of seconds above 0";
                    return out.answers.push((request.call, bad_request(text)));
                };
                if self.kept.contains_key(name) {
                    (name, Reply::Refused, false)
                } else {
                    let expires_us = request.now_us.saturating_add(self.world_us(ttl_us));
                    self.kept.insert(name.clone(), Kept { token: token.clone(), client, expires_us });
                    (name, Reply::Granted { token: short(token), expires_us }, true)
                }
            }
            ("release", [Data::Str(name), Data::Str(token)]) => {
                let is_it = self.kept.get(name).is_some_and(|k| k.token == *token);
                if is_it {
                    self.kept.remove(name);
                }
                (name, if is_it { Reply::Released } else { Reply::NotReleased }, is_it)
            }
            (verb, _) => {
                let text = format!("{verb} is called with the wrong arguments, see the node's methods");
                return out.answers.push((request.call, bad_request(text)));
            }
        };
        out.happened.push(Happening::Served { client, name: lock_at(self.name, name), reply });
        out.answers.push((request.call, Ok(Data::Bool(done))));
    }

    fn next_due(&self) -> Option<u64> {
        self.kept.values().map(|k| k.expires_us).min()
    }

    fn due(&mut self, now_us: u64, out: &mut Outbox) {
        if self.next_due().is_some_and(|at| at <= now_us) {
            self.end(out, |k| k.expires_us <= now_us);
        }
    }

    fn restart(&mut self, now_us: u64, out: &mut Outbox) {
        self.due(now_us, out);
        if self.forgets {
            self.end(out, |_| true);
        }
    }

    fn lease_left(&self, client: usize, now_us: u64) -> Option<u64> {
        self.kept.values().filter(|k| k.client == client && now_us < k.expires_us).map(|k| k.expires_us - now_us).max()
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SECOND_US;

    const SECOND: u64 = SECOND_US;

    /// Asks at this second; the answer, and how many leases it saw end.
    fn ask(node: &mut NodeServer, at: u64, verb: &str, args: &[Data]) -> (Data, usize) {
        let mut out = Outbox::default();
        node.serve(&Request { call: 1, client: 0, verb, args, now_us: at * SECOND }, &mut out);
        let over = out.happened.iter().filter(|h| matches!(h, Happening::Expired { .. })).count();
        (out.answers.remove(0).1.unwrap_or(Data::None), over)
    }

    fn acquire(node: &mut NodeServer, at: u64, token: &str) -> bool {
        ask(node, at, "acquire", &["job".into(), token.into(), 10.into()]).0 == Data::Bool(true)
    }

    fn release(node: &mut NodeServer, at: u64, token: &str) -> bool {
        ask(node, at, "release", &["job".into(), token.into()]).0 == Data::Bool(true)
    }

    #[test]
    fn it_keeps_the_first_token_until_its_very_end() {
        let mut node = NodeServer::new("node-1");
        assert!(acquire(&mut node, 0, "a"));
        assert!(!acquire(&mut node, 9, "b"));
        assert!(!acquire(&mut node, 9, "a"), "its own token is in its way too");
        assert_eq!((node.next_due(), node.lease_left(0, 9 * SECOND)), (Some(10 * SECOND), Some(SECOND)));
        assert_eq!(ask(&mut node, 10, "acquire", &["job".into(), "b".into(), 10.into()]), (Data::Bool(true), 1));
    }

    #[test]
    fn it_removes_only_the_very_token() {
        let mut node = NodeServer::new("node-1");
        assert!(acquire(&mut node, 0, "a"));
        assert!(!release(&mut node, 1, "b"));
        assert!(!acquire(&mut node, 1, "b"));
        assert!(release(&mut node, 1, "a"));
        assert!(!release(&mut node, 1, "a"));
        assert!(acquire(&mut node, 1, "b"));
    }

    #[test]
    fn a_fast_clock_ends_a_lease_early() {
        let mut node = NodeServer::new("node-1").with_fast_clock(250_000);
        assert!(acquire(&mut node, 0, "a"));
        assert_eq!(node.next_due(), Some(8 * SECOND));
    }

    #[test]
    fn a_restart_empties_a_forgetful_node_only() {
        for (mut node, over) in [(NodeServer::new("node-1"), 0), (NodeServer::new("node-1").forgetful(), 1)] {
            assert!(acquire(&mut node, 0, "a"));
            let mut out = Outbox::default();
            node.restart(SECOND, &mut out);
            assert_eq!((out.happened.len(), acquire(&mut node, 1, "b")), (over, over == 1));
        }
    }

    #[test]
    fn what_it_can_not_read_is_a_bad_request() {
        let mut node = NodeServer::new("node-1");
        for args in [vec!["job".into(), "a".into()], vec!["job".into(), 1.into(), 10.into()], vec![]] {
            assert_eq!(ask(&mut node, 0, "acquire", &args), (Data::None, 0));
        }
        assert_eq!(ask(&mut node, 0, "acquire", &["job".into(), "a".into(), 0.into()]), (Data::None, 0));
        assert_eq!(node.next_due(), None);
    }
}
