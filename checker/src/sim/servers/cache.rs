//! The transactional cache.

use super::watchers::Watchers;
use super::{bad_request, int};
use crate::model::cache::{Cache, Write};
use crate::model::data::Data;
use crate::sim::server::{Answer, Outbox, Request, Server};
use crate::sim::world::duration_us;
use crate::trace::{Happening, Reply};
use std::hash::{Hash, Hasher};

/// A cache on the network, under the name `cache`.
#[derive(Debug, Default)]
pub struct CacheServer {
    cache: Cache,
    watchers: Watchers,
    next_due: Option<u64>,
}

impl CacheServer {
    /// On top of a cache.
    pub fn new(cache: Cache) -> Self {
        CacheServer { cache, ..CacheServer::default() }
    }

    fn settle(&mut self, now_us: u64, out: &mut Outbox) {
        for expired in self.cache.expire(now_us) {
            // Nobody's doing; told beside the first client's lane for want of another.
            out.happened.push(Happening::Noted {
                client: 0,
                text: format!("the cache drops {}: its time is over", expired.key),
            });
        }
        for (_, watcher) in self.cache.take_fired() {
            self.watchers.close(watcher);
            out.fired.push(watcher);
        }
        self.next_due = self.cache.next_expiry(now_us);
    }

    fn commit(&mut self, now_us: u64, checks: &Data, writes: &Data, ttl: &Data) -> Answer {
        let (Data::Map(checks), Data::Map(writes)) = (checks, writes) else {
            return bad_request("commit takes a dict of versions to check and a dict of values to write");
        };
        let ttl_us = match ttl {
            Data::None => None,
            ttl => match duration_us(ttl).filter(|ttl_us| *ttl_us > 0) {
                Some(ttl_us) => Some(ttl_us),
                None => return bad_request("a ttl is a number of seconds above 0, or None"),
            },
        };
        let mut versions = Vec::new();
        for (key, version) in checks {
            let Data::Int(version) = version else {
                return bad_request(format!("the version of {key} to check is an int, not {version}"));
            };
            // A version that no key ever has is one that never matches.
            versions.push((key.as_str(), u64::try_from(*version).unwrap_or(u64::MAX)));
        }
        let writes: Vec<Write> = writes
            .iter()
            .map(|(key, value)| match value {
                Data::None => Write::delete(key),
                value => Write::Put { key: key.clone(), value: value.clone(), ttl_us },
            })
            .collect();
        Ok(Data::Bool(self.cache.commit(now_us, &versions, &writes)))
    }
}

impl Server for CacheServer {
    fn name(&self) -> &'static str {
        "cache"
    }

    fn serve(&mut self, request: &Request<'_>, out: &mut Outbox) {
        self.settle(request.now_us, out);
        let now_us = request.now_us;
        let answer = match (request.verb, request.args) {
            ("read", keys) if keys.iter().all(|k| matches!(k, Data::Str(_))) => {
                let keys: Vec<&str> =
                    keys.iter().filter_map(|k| if let Data::Str(k) = k { Some(&**k) } else { None }).collect();
                let entry =
                    |e: crate::model::cache::Entry| Data::List(vec![e.value.unwrap_or_default(), int(e.version)]);
                Ok(Data::List(self.cache.read(now_us, &keys).into_iter().map(entry).collect()))
            }
            ("commit", [checks, writes, ttl]) => self.commit(now_us, checks, writes, ttl),
            ("watch", [Data::Str(key)]) => {
                let watch = self.watchers.number();
                let version = self.cache.watch(now_us, key, watch);
                self.watchers.open(watch, key, request.client);
                Ok(Data::List(vec![int(watch), int(version)]))
            }
            ("unwatch", [Data::Int(id)]) => {
                if let Some(key) = self.watchers.close(id.unsigned_abs()) {
                    self.cache.unwatch(&key, id.unsigned_abs());
                }
                Ok(Data::None)
            }
            (verb, _) => bad_request(format!("{verb} is called with the wrong arguments, see the cache's methods")),
        };
        if let ("commit", Ok(done)) = (request.verb, &answer) {
            let text = if *done == Data::Bool(true) { "committed" } else { "not committed: something changed" };
            let reply = Reply::Other { text: text.to_owned() };
            out.happened.push(Happening::Served { client: request.client, name: "cache".to_owned(), reply });
        }
        out.answers.push((request.call, answer));
        self.settle(now_us, out);
    }

    fn next_due(&self) -> Option<u64> {
        self.next_due
    }

    fn due(&mut self, now_us: u64, out: &mut Outbox) {
        self.settle(now_us, out);
    }

    fn restart(&mut self, now_us: u64, out: &mut Outbox) {
        self.settle(now_us, out);
        self.cache.restart();
        self.watchers.clear();
        self.next_due = self.cache.next_expiry(now_us);
    }

    fn hang_up(&mut self, client: usize, _: u64, _: &mut Outbox) {
        for (watch, key) in self.watchers.close_all_of(client) {
            self.cache.unwatch(&key, watch);
        }
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.cache.hash(&mut hasher);
        self.watchers.hash(&mut hasher);
    }
}
