//! The lock service.

use super::watchers::Watchers;
use super::{bad_request, client_of, int, owner};
use crate::model::data::Data;
use crate::model::lock_service::{Ended, LockService, Refused};
use crate::sim::server::{Outbox, Request, Server};
use crate::sim::world::duration_us;
use crate::trace::{Happening, Reply};
use std::hash::{Hash, Hasher};

/// A right lock service on the network, under the name `locks`.
#[derive(Debug)]
pub struct LockServer {
    service: LockService,
    watchers: Watchers,
    /// Looked up at each step of the world, so kept at hand.
    next_due: Option<u64>,
}

impl LockServer {
    /// On top of a service.
    pub fn new(service: LockService) -> Self {
        LockServer { service, watchers: Watchers::default(), next_due: None }
    }

    fn renew(&mut self, request: &Request<'_>, name: &str, ownership: &str, ttl: &Data) -> Reply {
        let ttl_us = duration_us(ttl).unwrap_or(0);
        match self.service.renew(request.now_us, name, ownership, ttl_us) {
            Some(expires_us) => Reply::Renewed { expires_us },
            None => Reply::NotRenewed,
        }
    }

    /// What ended and what fired, as events and messages.
    fn settle(&mut self, now_us: u64, out: &mut Outbox) {
        for ended in self.service.expire(now_us) {
            if let Ended::Lease(grant) = ended {
                out.happened.push(Happening::Expired {
                    client: client_of(&grant.owner),
                    name: grant.name,
                    token: grant.fencing.to_string(),
                });
            }
        }
        for (_, watcher) in self.service.take_fired() {
            self.watchers.close(watcher);
            out.fired.push(watcher);
        }
        self.next_due = self.service.next_expiry(now_us);
    }
}

impl Server for LockServer {
    fn name(&self) -> &'static str {
        "locks"
    }

    fn serve(&mut self, request: &Request<'_>, out: &mut Outbox) {
        // What is over at this instant was over before the request came.
        self.settle(request.now_us, out);
        let (client, now_us) = (request.client, request.now_us);
        let (name, reply, answer) = match (request.verb, request.args) {
            ("acquire", [Data::Str(name), ttl]) => match duration_us(ttl) {
                None => return out.answers.push((request.call, bad_request("a ttl is a number of seconds from 0 on"))),
                Some(ttl_us) => match self.service.acquire(now_us, name, &owner(client), ttl_us) {
                    Ok(grant) => {
                        let token = i64::try_from(grant.fencing).unwrap_or(i64::MAX);
                        let data =
                            vec![Data::from(name.as_str()), Data::from(grant.ownership), Data::Int(token), ttl.clone()];
                        let reply = Reply::Granted { token: token.to_string(), expires_us: grant.expires_us };
                        (name, reply, Data::List(data))
                    }
                    Err(Refused::ZeroTtl) => {
                        return out.answers.push((request.call, bad_request("a ttl is longer than 0 seconds")));
                    }
                    Err(_) => (name, Reply::Refused, Data::None),
                },
            },
            ("renew", [Data::Str(name), Data::Str(ownership), ttl]) => {
                let reply = self.renew(request, name, ownership, ttl);
                let done = matches!(reply, Reply::Renewed { .. });
                (name, reply, Data::Bool(done))
            }
            ("release", [Data::Str(name), Data::Str(ownership)]) => {
                let done = self.service.release(now_us, name, ownership);
                (name, if done { Reply::Released } else { Reply::NotReleased }, Data::Bool(done))
            }
            ("watch", [Data::Str(name)]) => {
                let watch = self.watchers.number();
                if self.service.watch(now_us, name, watch) {
                    self.watchers.open(watch, name, client);
                } else {
                    // It is free already: that is what the watch was to tell.
                    self.service.unwatch(name, watch);
                    out.fired.push(watch);
                }
                (name, Reply::Other { text: "a watch".to_owned() }, int(watch))
            }
            ("unwatch", [Data::Int(id)]) => {
                if let Some(name) = self.watchers.close(id.unsigned_abs()) {
                    self.service.unwatch(&name, id.unsigned_abs());
                }
                out.answers.push((request.call, Ok(Data::None)));
                return;
            }
            // What an operator may ask: nobody's client needs it.
            ("watchers", [Data::Str(name)]) => {
                let count = self.service.watchers(name) as u64;
                out.answers.push((request.call, Ok(int(count))));
                return;
            }
            (verb, _) => {
                let text = format!("{verb} is called with the wrong arguments, see the lock service's methods");
                return out.answers.push((request.call, bad_request(text)));
            }
        };
        out.happened.push(Happening::Served { client, name: name.clone(), reply });
        out.answers.push((request.call, Ok(answer)));
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
        self.service.restart();
        self.watchers.clear();
        self.next_due = self.service.next_expiry(now_us);
    }

    fn hang_up(&mut self, client: usize, now_us: u64, _: &mut Outbox) {
        for (watch, name) in self.watchers.close_all_of(client) {
            self.service.unwatch(&name, watch);
        }
        self.next_due = self.service.next_expiry(now_us);
    }

    fn lease_left(&self, client: usize, now_us: u64) -> Option<u64> {
        let owner = owner(client);
        self.service.grants(now_us).filter(|g| g.owner == owner).map(|g| g.expires_us - now_us).max()
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.service.hash(&mut hasher);
        self.watchers.hash(&mut hasher);
    }
}
