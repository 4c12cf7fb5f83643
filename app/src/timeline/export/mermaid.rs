//! A trace as a Mermaid `sequenceDiagram`. A call and its answer are two arrows; what is lost on its way ends in a cross;
//! all that is no message is a note over the lane that it concerns.

use super::cut;
use leasehold_checker::time::seconds;
use leasehold_checker::trace::{Call, Event, Happening, LOCK_SERVICE, STORAGE, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// The diagram's source.
pub fn mermaid(title: &str, trace: &Trace) -> String {
    let lanes = Lanes::of(trace);
    let mut out = format!("sequenceDiagram\n    title {}\n", escaped(title));
    for (i, client) in trace.clients.iter().enumerate() {
        out.push_str(&format!("    participant c{i} as {}\n", escaped(client)));
    }
    for (i, server) in lanes.servers.iter().enumerate() {
        out.push_str(&format!("    participant s{i} as {}\n", escaped(server)));
    }
    for (i, event) in trace.events.iter().enumerate() {
        if let Some(drawn) = lanes.event(event, &trace.clients) {
            out.push_str(&format!("    {drawn}\n"));
        }
        let mark = if trace.first_bad == Some(i) {
            "✗ here it breaks"
        } else if trace.witnesses.contains(&i) {
            "◆ because of this"
        } else {
            continue;
        };
        out.push_str(&format!("    Note over {}: {mark}\n", lanes.lane(event)));
    }
    if let Some(cut) = cut(trace) {
        out.push_str(&format!("    Note over {}: {}\n", lanes.all(trace), escaped(&cut)));
    }
    out
}

struct Lanes<'a> {
    servers: Vec<&'a str>,
    /// Where each call goes, by its message.
    goes_to: BTreeMap<u32, usize>,
    /// Messages whose request is lost, and whose call shows it.
    lost: BTreeSet<u32>,
}

impl<'a> Lanes<'a> {
    fn of(trace: &'a Trace) -> Self {
        let mut lanes = Lanes { servers: Vec::new(), goes_to: BTreeMap::new(), lost: BTreeSet::new() };
        for event in &trace.events {
            let Some(server) = server(event) else { continue };
            let place = lanes.place(server).unwrap_or_else(|| {
                lanes.servers.push(server);
                lanes.servers.len() - 1
            });
            if let (Happening::Called { .. }, Some(message)) = (&event.what, event.message) {
                lanes.goes_to.insert(message, place);
            }
        }
        let is_lost = |event: &&Event| matches!(event.what, Happening::RequestLost { .. });
        let lost = trace.events.iter().filter(is_lost).filter_map(|event| event.message);
        lanes.lost = lost.filter(|message| lanes.goes_to.contains_key(message)).collect();
        lanes
    }

    fn place(&self, server: &str) -> Option<usize> {
        self.servers.iter().position(|known| *known == server)
    }

    // The server's lane, if there is one: by what the event says, or by the call that it belongs to.
    fn server_of(&self, event: &Event) -> Option<String> {
        let by_call = || event.message.and_then(|message| self.goes_to.get(&message).copied());
        let place = server(event).and_then(|server| self.place(server)).or_else(by_call)?;
        Some(format!("s{place}"))
    }

    // The lane that an event concerns most.
    fn lane(&self, event: &Event) -> String {
        let of_client = || event.what.client().map(|client| format!("c{client}"));
        let at_server = matches!(
            event.what,
            Happening::Served { .. }
                | Happening::Expired { .. }
                | Happening::Wrote { .. }
                | Happening::ServerRestarted { .. }
        );
        let lane = if at_server { self.server_of(event).or_else(of_client) } else { of_client() };
        lane.unwrap_or_else(|| "c0".to_owned())
    }

    fn all(&self, trace: &Trace) -> String {
        match (trace.clients.len(), self.servers.len()) {
            (0 | 1, 0) => "c0".to_owned(),
            (clients, 0) => format!("c0,c{}", clients - 1),
            (_, servers) => format!("c0,s{}", servers - 1),
        }
    }

    fn event(&self, event: &Event, clients: &[String]) -> Option<String> {
        let time = seconds(event.at_us);
        let is_lost = event.message.is_some_and(|message| self.lost.contains(&message));
        let text = escaped(&event.told(clients));
        let arrow = match &event.what {
            Happening::Called { .. } if is_lost => "-x",
            Happening::Called { .. } => "->>",
            Happening::Wrote { .. } if event.message.is_none() => "->>",
            Happening::Answered { .. } => "-->>",
            Happening::ReplyLost { .. } => "--x",
            // Its call ends in a cross already.
            Happening::RequestLost { .. } if is_lost => return None,
            _ => return Some(format!("Note over {}: {time} · {text}", self.lane(event))),
        };
        let (Some(client), Some(server)) = (event.what.client(), self.server_of(event)) else {
            return Some(format!("Note over {}: {time} · {text}", self.lane(event)));
        };
        let to_client = matches!(event.what, Happening::Answered { .. } | Happening::ReplyLost { .. });
        Some(if to_client {
            format!("{server}{arrow}c{client}: {time} · {text}")
        } else {
            format!("c{client}{arrow}{server}: {time} · {text}")
        })
    }
}

// The server of an event by itself. Where old traces do not name it, the call does.
fn server(event: &Event) -> Option<&str> {
    event.server().or(match &event.what {
        Happening::Called { call: Call::Other { to, .. }, .. } => Some(to),
        Happening::Called { call: Call::Write { .. }, .. } | Happening::Wrote { .. } => Some(STORAGE),
        Happening::Called { .. } | Happening::Expired { .. } => Some(LOCK_SERVICE),
        Happening::Answered { .. } if event.message.is_none() => Some(LOCK_SERVICE),
        _ => None,
    })
}

/// Words as Mermaid takes them for nothing else: its own signs as numbers, and on one line.
fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '#' | ';' | ':' | '<' | '>' | '%' | '{' | '}' => out.push_str(&format!("#{};", c as u32)),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
