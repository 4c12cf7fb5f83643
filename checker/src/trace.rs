//! What happened in one run, as a list of events: the one thing that timelines, text and comparisons are views of.
//!
//! Times are virtual microseconds since the world began. Events are in the order in which they happened; several
//! may share one instant.
//!
//! ```
//! use leasehold_checker::trace::{Call, Event, Happening, Reply};
//! let asked = Event::at(0, Happening::Called { client: 0, call: Call::Acquire { name: "job".into(), ttl_us: 10_000_000 } });
//! assert_eq!(asked.text(&["A".into()]), "A asks for job, ttl 10 s");
//! ```

use crate::time::seconds;
use serde::{Deserialize, Serialize};

/// One run: who took part, and what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Names of the clients; events refer to them by index.
    pub clients: Vec<String>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// The first event that broke a rule, as an index into `events`.
    pub first_bad: Option<usize>,
    /// Events that make the bad one bad (the grant that still ran, the larger token), as indices into `events`.
    pub witnesses: Vec<usize>,
}

/// Something that happened at one instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Virtual microseconds since the world began.
    pub at_us: u64,
    /// What it was.
    #[serde(flatten)]
    pub what: Happening,
    /// The learner's line that acted, from 1, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// What can happen. Fencing tokens are decimal strings: Python's integers have no upper end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Happening {
    /// A client calls the lock service.
    Called {
        /// Who calls.
        client: usize,
        /// What it asks for.
        call: Call,
    },
    /// The lock service answers a client.
    Answered {
        /// Who is answered.
        client: usize,
        /// The name that the call was about.
        name: String,
        /// The answer.
        reply: Reply,
    },
    /// A client's process stops; it will go on at `until_us`.
    Paused {
        /// Who pauses.
        client: usize,
        /// When it wakes, in virtual microseconds.
        until_us: u64,
    },
    /// A paused client goes on, believing what it believed before.
    Woke {
        /// Who wakes.
        client: usize,
    },
    /// A lease's time is over by the service's clock.
    Expired {
        /// Whose lease it was.
        client: usize,
        /// The name that it held.
        name: String,
        /// The fencing token of the grant.
        token: String,
    },
    /// A client writes to the storage with the token that it holds, and the gate decides.
    Wrote {
        /// Who writes.
        client: usize,
        /// The resource, which has the lock's name.
        resource: String,
        /// The fencing token that goes with the write.
        token: String,
        /// Whether the gate let it through.
        accepted: bool,
        /// The resource's high-water mark before the write.
        mark_before: Option<String>,
        /// The mark after it.
        mark_after: Option<String>,
    },
}

/// A call to the lock service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Call {
    /// `acquire(name, client, ttl)`.
    Acquire {
        /// The lock's name.
        name: String,
        /// The lease's length in microseconds.
        ttl_us: u64,
    },
    /// `release(name, client)`.
    Release {
        /// The lock's name.
        name: String,
    },
}

/// An answer of the lock service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum Reply {
    /// A new grant.
    Granted {
        /// Its fencing token.
        token: String,
        /// When the lease ends, in virtual microseconds.
        expires_us: u64,
    },
    /// Not granted.
    Refused,
    /// The release freed the lock.
    Released,
    /// The release freed nothing.
    NotReleased,
    /// The learner's code raised, or returned what no rule knows; in words.
    Broke {
        /// What came instead of an answer.
        message: String,
    },
}

impl Event {
    /// An event with no learner's line.
    pub fn at(at_us: u64, what: Happening) -> Self {
        Event { at_us, what, line: None }
    }

    /// One sentence in the order subject, verb, object; `clients` are the trace's names.
    pub fn text(&self, clients: &[String]) -> String {
        let who = |i: &usize| clients.get(*i).map_or("?", String::as_str);
        match &self.what {
            Happening::Called { client, call: Call::Acquire { name, ttl_us } } => {
                format!("{} asks for {name}, ttl {}", who(client), seconds(*ttl_us))
            }
            Happening::Called { client, call: Call::Release { name } } => {
                format!("{} releases {name}", who(client))
            }
            Happening::Answered { client, name, reply } => {
                let who = who(client);
                match reply {
                    Reply::Granted { token, expires_us } => {
                        format!("{who} is granted {name} with token {token} until {}", seconds(*expires_us))
                    }
                    Reply::Refused => format!("{who} is refused {name}"),
                    Reply::Released => format!("{name} is released by {who}"),
                    Reply::NotReleased => format!("{who} released nothing: release said False for {name}"),
                    Reply::Broke { message } => format!("{who} gets no answer: {message}"),
                }
            }
            Happening::Paused { client, until_us } => {
                format!("{} pauses (its whole process) until {}", who(client), seconds(*until_us))
            }
            Happening::Woke { client } => format!("{} wakes and still believes what it believed", who(client)),
            Happening::Expired { client, name, token } => {
                format!("the lease of {} on {name} (token {token}) is over", who(client))
            }
            Happening::Wrote { client, resource, token, accepted, mark_before, .. } => {
                let mark = mark_before.as_ref().map_or_else(|| "none yet".to_owned(), |m| format!("mark {m}"));
                let verdict = if *accepted { "accepted" } else { "rejected" };
                format!("{} writes {resource} with token {token}: {verdict} ({mark})", who(client))
            }
        }
    }
}

impl Trace {
    /// The timeline as text, a line an event: time, sentence, learner's line, and a mark at the first bad event.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (i, event) in self.events.iter().enumerate() {
            let mark = if self.first_bad == Some(i) {
                "✗"
            } else if self.witnesses.contains(&i) {
                "◆"
            } else {
                " "
            };
            let line = event.line.map(|l| format!("  (your line {l})")).unwrap_or_default();
            out.push_str(&format!("{mark} {:>10}  {}{line}\n", seconds(event.at_us), event.text(&self.clients)));
        }
        out
    }
}
