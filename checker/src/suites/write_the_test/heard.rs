//! What a check and one service said to each other, as a trace to look at.

use crate::time::SECOND_US;
use crate::trace::{Call, Event, Happening, LOCK_SERVICE, Reply, Trace};
use std::collections::BTreeMap;

/// No more events are kept of one service.
const MOST_EVENTS: usize = 200;
/// A service that more clients call is not told to its end.
const MOST_CLIENTS: usize = 5;

/// A conversation with the service that was made last: that is the one which a complaint is about.
#[derive(Debug, Default)]
pub struct Heard {
    trace: Trace,
    /// By ownership token: whose it is.
    owners: BTreeMap<String, usize>,
    last: usize,
}

/// What was asked, in the check's own numbers: times and lengths are seconds.
pub struct Asked<'a> {
    /// The service's time.
    pub now: f64,
    /// The lock's name.
    pub name: &'a str,
    /// The call.
    pub call: Call,
}

impl Heard {
    /// A service is made: what was said to the one before is forgotten.
    pub fn begin(&mut self) {
        *self = Heard::default();
    }

    /// A client asked, and this was the answer; with its ownership token, if it is a grant.
    pub fn acquired(&mut self, asked: Asked<'_>, client: &str, reply: Reply, token: Option<&str>) {
        let known = self.trace.clients.iter().position(|c| c == client);
        let client = known.unwrap_or_else(|| {
            self.trace.clients.push(client.to_owned());
            self.trace.clients.len() - 1
        });
        if let Some(token) = token {
            self.owners.insert(token.to_owned(), client);
        }
        self.said(asked, client, reply);
    }

    /// Somebody showed a token, and this was the answer.
    pub fn showed(&mut self, asked: Asked<'_>, token: &str, reply: Reply) {
        let client = self.owners.get(token).copied().unwrap_or(self.last);
        if self.trace.clients.is_empty() {
            self.trace.clients.push("a stranger".to_owned());
        }
        self.said(asked, client, reply);
    }

    fn said(&mut self, asked: Asked<'_>, client: usize, reply: Reply) {
        self.last = client;
        self.trace.cut |= self.trace.events.len() >= MOST_EVENTS || self.trace.clients.len() > MOST_CLIENTS;
        if self.trace.cut {
            self.trace.clients.truncate(MOST_CLIENTS);
            return;
        }
        let Asked { now, name, call } = asked;
        let at_us = micros(now);
        let answered = Happening::Answered { client, name: name.to_owned(), reply };
        for what in [Happening::Called { client, call }, answered] {
            self.trace.events.push(Event::at(at_us, what).with_server(LOCK_SERVICE));
        }
    }

    /// The trace; none if nothing was said.
    pub fn told(self) -> Option<Trace> {
        (!self.trace.events.is_empty()).then_some(self.trace)
    }
}

/// Seconds as microseconds; what is below zero or no number is 0.
pub fn micros(seconds: f64) -> u64 {
    (seconds * SECOND_US as f64).round().max(0.0) as u64
}

/// The check raised: what it says of the service, at the end of what it heard.
pub fn complained(mut trace: Trace, message: &str) -> Trace {
    if let Some(last) = trace.events.last().filter(|_| !trace.cut) {
        let client = last.what.client().unwrap_or(0);
        let text = format!("the check complains: {message}");
        trace.events.push(Event::at(last.at_us, Happening::Noted { client, text }));
    }
    trace
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(now: f64) -> Asked<'static> {
        Asked { now, name: "job", call: Call::Release { name: "job".into() } }
    }

    #[test]
    fn a_token_tells_who_shows_it() {
        let mut heard = Heard::default();
        heard.acquired(release(0.0), "a", Reply::Refused, Some("t"));
        heard.acquired(release(0.5), "b", Reply::Refused, None);
        heard.showed(release(1.5), "t", Reply::Released);
        heard.showed(release(2.0), "guess", Reply::NotReleased);
        let trace = heard.told().unwrap();
        let who: Vec<Option<usize>> = trace.events.iter().step_by(2).map(|e| e.what.client()).collect();
        assert_eq!(who, [Some(0), Some(1), Some(0), Some(0)]);
        assert_eq!(trace.events[4].at_us, 1_500_000);
    }

    #[test]
    fn only_the_last_service_is_told_and_not_for_ever() {
        let mut heard = Heard::default();
        heard.showed(release(f64::NAN), "", Reply::NotReleased);
        heard.begin();
        for _ in 0..300 {
            heard.showed(release(-1.0), "", Reply::NotReleased);
        }
        let trace = heard.told().unwrap();
        assert_eq!((trace.events.len(), trace.cut, trace.events[0].at_us), (MOST_EVENTS, true, 0));
    }
}
