//! The coordination service.

use super::{bad_request, client_of, int, owner};
use crate::model::coordinator::{Coordinator, Ended, Place};
use crate::model::data::Data;
use crate::sim::server::{Answer, Outbox, Request, Server};
use crate::sim::world::duration_us;
use crate::trace::{Event, Happening, Reply};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// A coordination service on the network, under the name `coordinator`. Whoever stands first in a queue holds the lock of
/// its name: events tell that as a grant, with the place's number as token.
#[derive(Debug, Default)]
pub struct CoordinatorServer {
    coordinator: Coordinator,
    last_watch: u64,
    /// By watch: whose it is.
    watchers: BTreeMap<u64, usize>,
    /// By session: when it ends, as far as it was announced.
    ends: BTreeMap<u64, u64>,
    /// By queue: the place that was announced as its first.
    firsts: BTreeMap<String, u64>,
    next_due: Option<u64>,
}

fn session_name(session: u64) -> String {
    format!("s{session}")
}

fn session_of(data: &Data) -> Option<u64> {
    match data {
        Data::Str(name) => name.strip_prefix('s')?.parse().ok(),
        _ => None,
    }
}

fn number_of(data: &Data) -> Option<u64> {
    match data {
        Data::Int(n) => u64::try_from(*n).ok(),
        _ => None,
    }
}

fn join(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

impl CoordinatorServer {
    fn tell(out: &mut Outbox, client: usize, name: impl Into<String>, text: String) {
        out.happened.push(Happening::Served { client, name: name.into(), reply: Reply::Other { text } });
    }

    /// What ended, who is first now and what fired, as events and messages.
    fn settle(&mut self, now_us: u64, out: &mut Outbox) {
        for ended in self.coordinator.expire(now_us) {
            self.over(&ended, out);
        }
        self.announce(now_us, out);
        for watch in self.coordinator.take_fired() {
            if let Some(client) = self.watchers.remove(&watch) {
                Self::tell(out, client, format!("watch {watch}"), "it fires".to_owned());
            }
            out.fired.push(watch);
        }
        self.next_due = self.coordinator.next_expiry(now_us);
    }

    fn over(&mut self, ended: &Ended, out: &mut Outbox) {
        self.ends.remove(&ended.session);
        let client = client_of(&ended.owner);
        Self::tell(out, client, format!("session {}", session_name(ended.session)), "it is over".to_owned());
        for place in &ended.places {
            self.went(place, client, false, out);
        }
    }

    /// A place is gone; `removed` if by a call of this client.
    fn went(&mut self, place: &Place, client: usize, removed: bool, out: &mut Outbox) {
        let name = place.queue.clone();
        Self::tell(out, client, name.clone(), format!("place {} is gone", place.number));
        if self.firsts.get(&name) == Some(&place.number) {
            self.firsts.remove(&name);
            let owner = client_of(&place.owner);
            let token = place.number.to_string();
            out.happened.push(if removed {
                Happening::Served { client: owner, name, reply: Reply::Released }
            } else {
                Happening::Expired { client: owner, name, token }
            });
        }
    }

    /// Tells who has come to stand first.
    fn announce(&mut self, now_us: u64, out: &mut Outbox) {
        let mut queues: Vec<String> = self.coordinator.queues();
        queues.retain(|queue| !self.firsts.contains_key(queue));
        for queue in queues {
            let Some(place) = self.coordinator.first(now_us, &queue) else { continue };
            let expires_us = self.ends.get(&place.session).copied().unwrap_or(now_us);
            let reply = Reply::Granted { token: place.number.to_string(), expires_us };
            let client = client_of(&place.owner);
            self.firsts.insert(queue.clone(), place.number);
            out.happened.push(Happening::Served { client, name: queue, reply });
        }
    }

    fn open(&mut self, request: &Request<'_>, ttl: &Data, out: &mut Outbox) -> Answer {
        let client = owner(request.client);
        let opened = duration_us(ttl).and_then(|us| Some((self.coordinator.open(request.now_us, &client, us)?, us)));
        let Some((session, ttl_us)) = opened else {
            return bad_request("a session's ttl is a number of seconds above 0");
        };
        self.ends.insert(session, request.now_us.saturating_add(ttl_us));
        let name = session_name(session);
        Self::tell(out, request.client, format!("session {name}"), "it is open".to_owned());
        Ok(Data::List(vec![Data::from(name), Data::from(client), ttl.clone()]))
    }

    fn keep_alive(&mut self, request: &Request<'_>, session: u64, out: &mut Outbox) -> Answer {
        let ends = self.coordinator.keep_alive(request.now_us, session);
        if let Some(expires_us) = ends {
            self.ends.insert(session, expires_us);
            // The leases that run as long as it.
            let places = self.coordinator.of_session(session);
            for Place { number, queue, .. } in places {
                if self.firsts.get(&queue) == Some(&number) {
                    let reply = Reply::Renewed { expires_us };
                    out.happened.push(Happening::Served { client: request.client, name: queue, reply });
                }
            }
        }
        Ok(Data::Bool(ends.is_some()))
    }

    fn append(&mut self, request: &Request<'_>, queue: &str, session: u64, out: &mut Outbox) -> Answer {
        match self.coordinator.append(request.now_us, queue, session) {
            Some(number) => {
                let text = format!("place {number} is taken by session {}", session_name(session));
                Self::tell(out, request.client, queue, text);
                Ok(int(number))
            }
            None => Err(("SessionLost", format!("the session {} is over", session_name(session)))),
        }
    }

    fn places(&mut self, request: &Request<'_>, queue: &str, out: &mut Outbox) -> Answer {
        let places = self.coordinator.places(request.now_us, queue);
        let numbers: Vec<u64> = places.iter().map(|p| p.number).collect();
        let shown = |p: &&Place| {
            let session = Data::from(session_name(p.session));
            Data::List(vec![int(p.number), session, Data::from(p.owner.as_str())])
        };
        let answer = Data::List(places.iter().map(shown).collect());
        let text = if numbers.is_empty() { "nobody queues".to_owned() } else { format!("in line: {}", join(&numbers)) };
        Self::tell(out, request.client, queue, text);
        Ok(answer)
    }

    fn remove(&mut self, request: &Request<'_>, number: u64, out: &mut Outbox) -> Answer {
        let place = self.coordinator.remove(request.now_us, number);
        match &place {
            Some(place) => self.went(place, request.client, true, out),
            None => Self::tell(out, request.client, format!("place {number}"), "it was gone already".to_owned()),
        }
        Ok(Data::Bool(place.is_some()))
    }

    fn watch(&mut self, request: &Request<'_>, out: &mut Outbox) -> Answer {
        let numbers: Option<Vec<u64>> = request.args.iter().map(number_of).collect();
        let Some(numbers) = numbers.filter(|n| !n.is_empty()) else {
            return bad_request("watch takes the numbers of places");
        };
        self.last_watch += 1;
        let watch = self.last_watch;
        let there = self.coordinator.watch(request.now_us, watch, &numbers);
        self.watchers.insert(watch, request.client);
        let on = if numbers.len() == 1 { "on place" } else { "on places" };
        let gone = if there { "" } else { ", not all of which are there" };
        Self::tell(out, request.client, format!("watch {watch}"), format!("{on} {}{gone}", join(&numbers)));
        Ok(Data::List(vec![int(watch), Data::Bool(!there)]))
    }
}

impl Server for CoordinatorServer {
    fn name(&self) -> &'static str {
        "coordinator"
    }

    fn serve(&mut self, request: &Request<'_>, out: &mut Outbox) {
        // What is over at this instant was over before the request came.
        self.settle(request.now_us, out);
        let answer = match (request.verb, request.args) {
            ("open", [ttl]) => self.open(request, ttl, out),
            ("keep_alive", [id]) if let Some(session) = session_of(id) => self.keep_alive(request, session, out),
            ("close", [id]) if let Some(session) = session_of(id) => {
                let ended = self.coordinator.close(request.now_us, session);
                if let Some(ended) = &ended {
                    self.over(ended, out);
                }
                Ok(Data::Bool(ended.is_some()))
            }
            ("append", [Data::Str(queue), id]) if let Some(session) = session_of(id) => {
                self.append(request, queue, session, out)
            }
            ("places", [Data::Str(queue)]) => self.places(request, queue, out),
            ("remove", [number]) if let Some(number) = number_of(number) => self.remove(request, number, out),
            ("watch", _) => self.watch(request, out),
            ("unwatch", [id]) if let Some(watch) = number_of(id) => {
                if self.coordinator.unwatch(watch) {
                    self.watchers.remove(&watch);
                    Self::tell(out, request.client, format!("watch {watch}"), "it is closed".to_owned());
                }
                Ok(Data::None)
            }
            (verb, _) => {
                bad_request(format!("{verb} is called with the wrong arguments, see the coordinator's methods"))
            }
        };
        out.answers.push((request.call, answer));
        self.settle(request.now_us, out);
    }

    fn next_due(&self) -> Option<u64> {
        self.next_due
    }

    fn due(&mut self, now_us: u64, out: &mut Outbox) {
        self.settle(now_us, out);
    }

    fn restart(&mut self, now_us: u64, out: &mut Outbox) {
        self.settle(now_us, out);
        self.coordinator.restart();
        self.watchers.clear();
        self.next_due = self.coordinator.next_expiry(now_us);
    }

    fn hang_up(&mut self, client: usize, _: u64, _: &mut Outbox) {
        let gone: Vec<u64> = self.watchers.iter().filter(|(_, c)| **c == client).map(|(watch, _)| *watch).collect();
        for watch in gone {
            self.watchers.remove(&watch);
            self.coordinator.unwatch(watch);
        }
    }

    fn lease_left(&self, client: usize, now_us: u64) -> Option<u64> {
        self.coordinator.left(now_us, &owner(client))
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.coordinator.hash(&mut hasher);
        (&self.watchers, &self.firsts, self.last_watch).hash(&mut hasher);
    }
}

/// What an event of the coordination service says, for properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A client has opened a session.
    Opened {
        /// Who.
        client: usize,
        /// Which.
        session: String,
    },
    /// A session is over.
    Over {
        /// Whose.
        client: usize,
        /// Which.
        session: String,
    },
    /// A place was taken.
    Taken {
        /// By whom.
        client: usize,
        /// In which queue.
        queue: String,
        /// Its number.
        number: u64,
        /// The session that it belongs to.
        session: String,
    },
    /// A place is gone.
    Gone {
        /// Who removed it, or whose session is over.
        client: usize,
        /// From which queue.
        queue: String,
        /// Its number.
        number: u64,
    },
    /// A watch was set.
    Watched {
        /// By whom.
        client: usize,
        /// Its number.
        watch: u64,
        /// The places.
        on: Vec<u64>,
    },
    /// A watch is no more: it fired, or was closed.
    Unwatched {
        /// Its number.
        watch: u64,
    },
    /// The places of a queue were looked at.
    Looked {
        /// By whom.
        client: usize,
    },
}

impl Told {
    /// Reads an event; none if it says none of these things.
    pub fn of(event: &Event) -> Option<Told> {
        let Happening::Served { client, name, reply: Reply::Other { text } } = &event.what else { return None };
        let client = *client;
        if let Some(session) = name.strip_prefix("session ") {
            let session = session.to_owned();
            return match text.as_str() {
                "it is open" => Some(Told::Opened { client, session }),
                "it is over" => Some(Told::Over { client, session }),
                _ => None,
            };
        }
        if let Some(watch) = name.strip_prefix("watch ").and_then(|n| n.parse().ok()) {
            let Some(on) = text.strip_prefix("on place") else { return Some(Told::Unwatched { watch }) };
            let on = on.trim_start_matches('s').split(',').filter_map(|n| n.trim().parse().ok()).collect();
            return Some(Told::Watched { client, watch, on });
        }
        let queue = name.clone();
        let Some(place) = text.strip_prefix("place ") else {
            return (text == "nobody queues" || text.starts_with("in line: ")).then_some(Told::Looked { client });
        };
        let (number, what) = place.split_once(' ')?;
        let number = number.parse().ok()?;
        match what.strip_prefix("is taken by session ") {
            Some(session) => Some(Told::Taken { client, queue, number, session: session.to_owned() }),
            None => Some(Told::Gone { client, queue, number }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(server: &mut CoordinatorServer, client: usize, now_us: u64, verb: &str, args: &[Data]) -> Outbox {
        let mut out = Outbox::default();
        server.serve(&Request { call: 1, client, verb, args, now_us }, &mut out);
        out
    }

    fn told(out: &Outbox) -> Vec<Told> {
        out.happened.iter().filter_map(|what| Told::of(&Event::at(0, what.clone()))).collect()
    }

    fn answer(out: Outbox) -> Answer {
        out.answers.into_iter().next().unwrap().1
    }

    const S: u64 = 1_000_000;

    fn queue_of_two() -> CoordinatorServer {
        let mut server = CoordinatorServer::default();
        for client in [0, 1] {
            call(&mut server, client, 0, "open", &[Data::Int(10 + client as i64)]);
            let session = Data::from(format!("s{}", client + 1));
            call(&mut server, client, S, "append", &["job".into(), session]);
        }
        server
    }

    #[test]
    fn what_is_done_is_told_and_can_be_read_back() {
        let mut server = CoordinatorServer::default();
        let (s1, job) = (|| Data::from("s1"), || Data::from("job"));
        let open = call(&mut server, 0, 0, "open", &[Data::Int(10)]);
        assert_eq!(told(&open), [Told::Opened { client: 0, session: "s1".into() }]);
        let append = call(&mut server, 0, S, "append", &[job(), s1()]);
        let taken = Told::Taken { client: 0, queue: "job".into(), number: 1, session: "s1".into() };
        assert_eq!(told(&append), [taken]);
        assert!(matches!(&append.happened[1], Happening::Served { reply: Reply::Granted { token, expires_us }, .. }
            if token == "1" && *expires_us == 10 * S));
        assert_eq!(told(&call(&mut server, 1, S, "places", &[job()])), [Told::Looked { client: 1 }]);
        let watch = call(&mut server, 1, S, "watch", &[Data::Int(1)]);
        assert_eq!(told(&watch), [Told::Watched { client: 1, watch: 1, on: vec![1] }]);
        let both = call(&mut server, 1, S, "watch", &[Data::Int(1), Data::Int(5)]);
        assert_eq!(told(&both), [Told::Watched { client: 1, watch: 2, on: vec![1, 5] }]);
        assert_eq!(answer(both), Ok(Data::List(vec![Data::Int(2), Data::Bool(true)])));
        let close = call(&mut server, 1, S, "unwatch", &[Data::Int(2)]);
        assert_eq!(told(&close), [Told::Unwatched { watch: 2 }]);
        let remove = call(&mut server, 0, S, "remove", &[Data::Int(1)]);
        let gone = Told::Gone { client: 0, queue: "job".into(), number: 1 };
        assert_eq!(told(&remove), [gone, Told::Unwatched { watch: 1 }]);
        assert_eq!(remove.fired, [1]);
        assert_eq!(answer(call(&mut server, 0, S, "remove", &[Data::Int(1)])), Ok(Data::Bool(false)));
        let over = call(&mut server, 0, 2 * S, "close", &[s1()]);
        assert_eq!(told(&over), [Told::Over { client: 0, session: "s1".into() }]);
    }

    #[test]
    fn a_session_that_ends_is_an_expiry_of_its_lease_and_a_grant_to_the_next() {
        let mut server = queue_of_two();
        assert_eq!((server.next_due(), server.lease_left(0, 4 * S)), (Some(10 * S), Some(6 * S)));
        let mut out = Outbox::default();
        server.due(10 * S, &mut out);
        assert!(out.happened.iter().any(|h| matches!(h, Happening::Expired { client: 0, token, .. } if token == "1")));
        let granted = |h: &Happening| matches!(h, Happening::Served { client: 1, reply: Reply::Granted { .. }, .. });
        assert!(out.happened.iter().any(granted));
        let late = call(&mut server, 0, 10 * S, "append", &["job".into(), "s1".into()]);
        assert!(matches!(answer(late), Err(("SessionLost", _))));
        assert_eq!(answer(call(&mut server, 0, 10 * S, "keep_alive", &["s1".into()])), Ok(Data::Bool(false)));
    }

    #[test]
    fn keeping_a_session_alive_renews_the_lease_that_goes_with_it() {
        let mut server = queue_of_two();
        let renewed = |out: &Outbox| {
            out.happened.iter().any(|h| matches!(h, Happening::Served { reply: Reply::Renewed { .. }, .. }))
        };
        assert!(renewed(&call(&mut server, 0, 5 * S, "keep_alive", &["s1".into()])));
        assert!(!renewed(&call(&mut server, 1, 5 * S, "keep_alive", &["s2".into()])), "it holds nothing yet");
        assert_eq!(server.next_due(), Some(15 * S));
    }

    #[test]
    fn watches_go_with_their_connection() {
        let mut server = queue_of_two();
        call(&mut server, 1, 2 * S, "watch", &[Data::Int(1)]);
        server.hang_up(1, 2 * S, &mut Outbox::default());
        assert_eq!(call(&mut server, 0, 3 * S, "remove", &[Data::Int(1)]).fired, [0; 0]);
        call(&mut server, 1, 3 * S, "watch", &[Data::Int(2)]);
        server.restart(3 * S, &mut Outbox::default());
        assert_eq!(call(&mut server, 1, 3 * S, "remove", &[Data::Int(2)]).fired, [0; 0]);
    }

    #[test]
    fn nonsense_is_a_bad_request() {
        let mut server = CoordinatorServer::default();
        for (verb, args) in [("open", vec![Data::Int(0)]), ("watch", vec![]), ("append", vec![]), ("fly", vec![])] {
            assert!(matches!(answer(call(&mut server, 0, 0, verb, &args)), Err(("BadRequest", _))), "{verb}");
        }
    }
}
