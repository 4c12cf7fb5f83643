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

mod flat;

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
    /// Whether the run went on after the last event that is here.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut: bool,
}

/// Something that happened at one instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "flat::Event")]
pub struct Event {
    /// Virtual microseconds since the world began.
    pub at_us: u64,
    /// What it was.
    #[serde(flatten)]
    pub what: Happening,
    /// The learner's line that acted, from 1, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Which call it belongs to, where request and reply travel: the same number on each of its events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<u32>,
    /// When the client's code decided to do it, virtual microseconds, if its process was paused between that and this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_us: Option<u64>,
    /// Which server it concerns, as learners know it: [`LOCK_SERVICE`], `node 2`, `cache`. Never beside a `server` that
    /// the happening has itself, whose place in JSON is the same: read it by [`Event::server`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Which task of the process acted, where it has several: a name from its code, or `task 2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

/// The lock service, as traces name it.
pub const LOCK_SERVICE: &str = "lock service";
/// The storage, as traces name it.
pub const STORAGE: &str = "storage";

/// What can happen. Fencing tokens are decimal strings: Python's integers have no upper end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    /// A server has a client's request before it and decides. The client does not know yet.
    Served {
        /// Whose request.
        client: usize,
        /// The name that the call was about.
        name: String,
        /// The decision.
        reply: Reply,
    },
    /// A client's request is lost on its way: no server sees it.
    RequestLost {
        /// Whose request.
        client: usize,
    },
    /// The answer to a client is lost on its way; what it answers was done.
    ReplyLost {
        /// Who waits for it.
        client: usize,
    },
    /// A client's request will arrive a second time.
    Duplicated {
        /// Whose request.
        client: usize,
    },
    /// The answer to a client will be late.
    Delayed {
        /// Who waits for it.
        client: usize,
        /// By how much, in virtual microseconds.
        by_us: u64,
    },
    /// A client's process dies. Its leases run on.
    Crashed {
        /// Whose process.
        client: usize,
    },
    /// A client's process starts again, with empty memory.
    Restarted {
        /// Whose process.
        client: usize,
    },
    /// A client's process is cut off from all servers.
    Partitioned {
        /// Who is cut off.
        client: usize,
        /// Until when, in virtual microseconds.
        until_us: u64,
    },
    /// A client's process is connected again.
    Reconnected {
        /// Who was cut off.
        client: usize,
    },
    /// A client's wall clock steps.
    ClockStepped {
        /// Whose clock.
        client: usize,
        /// By how much, in microseconds.
        by_us: i64,
    },
    /// A server restarts. It keeps its records and loses its connections.
    ServerRestarted {
        /// Which server.
        server: String,
    },
    /// Of several tasks that are ready at this instant, this client's runs first, out of turn.
    RanFirst {
        /// Whose task.
        client: usize,
    },
    /// What a client's code says of itself: that it holds a lock, or that it does not.
    Believes {
        /// Who believes.
        client: usize,
        /// The lock's name.
        name: String,
        /// The fencing token of the grant that this is about, where one is known.
        token: Option<String>,
        /// Whether it believes that it holds the lock.
        holds: bool,
    },
    /// A handle of a client goes over into another state, as far as its user can see.
    State {
        /// Whose handle.
        client: usize,
        /// Which handle: the lock's name, and a number from the second handle of that name on, as in `job 2`.
        handle: String,
        /// `acquiring`, `held`, `lost` or `released`.
        from: String,
        /// The same, afterwards.
        to: String,
        /// Why, in a few words.
        by: String,
        /// Whether handles may do so.
        allowed: bool,
    },
    /// Something that a client's code did and no server saw; at the end of a trace also what a driver found out about it.
    Noted {
        /// Whose code.
        client: usize,
        /// What it did.
        text: String,
    },
}

/// A call to the lock service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", try_from = "flat::Call")]
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
    /// `renew(name, …, ttl)`.
    Renew {
        /// The lock's name.
        name: String,
        /// The lease's new length in microseconds, from the moment at which the service renews.
        ttl_us: u64,
    },
    /// A write to the storage.
    Write {
        /// The resource, which has the lock's name.
        resource: String,
        /// The fencing token that goes with it.
        token: String,
    },
    /// Any other call.
    Other {
        /// The server.
        to: String,
        /// The call, as it stands in code.
        text: String,
    },
}

/// An answer of the lock service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "snake_case", try_from = "flat::Reply")]
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
    /// The lease runs on.
    Renewed {
        /// When it ends now, in virtual microseconds.
        expires_us: u64,
    },
    /// The grant was over; nothing was renewed.
    NotRenewed,
    /// The storage took the write.
    Written,
    /// The storage turned the write away.
    Stale,
    /// The answer to any other call.
    Other {
        /// As it stands in code.
        text: String,
    },
    /// No answer came in time: whether it was done is unknown.
    TimedOut,
    /// The learner's code raised, or returned what no rule knows; in words.
    Broke {
        /// What came instead of an answer.
        message: String,
    },
}

impl Happening {
    /// Whose doing it is, or whom it concerns; none of what happens to a server.
    pub fn client(&self) -> Option<usize> {
        use Happening::{
            Answered, Believes, Called, ClockStepped, Crashed, Delayed, Duplicated, Expired, Noted, Partitioned,
            Paused, RanFirst, Reconnected, ReplyLost, RequestLost, Restarted, Served, ServerRestarted, State, Woke,
            Wrote,
        };
        match self {
            Called { client, .. } | Answered { client, .. } | Served { client, .. } | Wrote { client, .. } => {
                Some(*client)
            }
            RequestLost { client } | ReplyLost { client } | Duplicated { client } | Delayed { client, .. } => {
                Some(*client)
            }
            Paused { client, .. } | Woke { client } | Crashed { client } | Restarted { client } => Some(*client),
            Partitioned { client, .. } | Reconnected { client } | ClockStepped { client, .. } => Some(*client),
            Expired { client, .. } | Believes { client, .. } | State { client, .. } => Some(*client),
            RanFirst { client } | Noted { client, .. } => Some(*client),
            ServerRestarted { .. } => None,
        }
    }
}

impl Event {
    /// An event with no learner's line.
    pub fn at(at_us: u64, what: Happening) -> Self {
        Event { at_us, what, line: None, message: None, decided_us: None, server: None, task: None }
    }

    /// The same, with the server that it concerns.
    #[must_use]
    pub fn with_server(self, server: impl Into<String>) -> Self {
        Event { server: Some(server.into()), ..self }
    }

    /// Which server it concerns, whoever says so.
    pub fn server(&self) -> Option<&str> {
        match &self.what {
            Happening::ServerRestarted { server } => Some(server),
            _ => self.server.as_deref(),
        }
    }

    /// The same as [`Event::text`], and where one of several tasks of the client acts, with its name: `A·renew renews job`.
    pub fn told(&self, clients: &[String]) -> String {
        let text = self.text(clients);
        let task = self.task.as_deref().filter(|task| *task != "main");
        let who = self.what.client().and_then(|client| clients.get(client));
        match who.zip(task).and_then(|(who, task)| Some((who, task, text.strip_prefix(who.as_str())?))) {
            Some((who, task, rest)) if rest.starts_with([' ', ':']) => [who.as_str(), "·", task, rest].concat(),
            _ => text,
        }
    }

    /// One sentence in the order subject, verb, object; `clients` are the trace's names.
    pub fn text(&self, clients: &[String]) -> String {
        let who = |i: &usize| clients.get(*i).map_or("?", String::as_str);
        match &self.what {
            Happening::Called { client, call } => format!("{} {}", who(client), call.text()),
            Happening::Answered { client, name, reply } => reply.told(who(client), name),
            Happening::Served { client, name, reply } => reply.decided(who(client), name),
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
            Happening::RequestLost { client } => format!("the request of {} is lost", who(client)),
            Happening::ReplyLost { client } => format!("the reply to {} is lost; it was done", who(client)),
            Happening::Duplicated { client } => format!("the request of {} arrives twice", who(client)),
            Happening::Delayed { client, by_us } => format!("the reply to {} is {} late", who(client), seconds(*by_us)),
            Happening::Crashed { client } => format!("{} crashes; its leases run on", who(client)),
            Happening::Restarted { client } => format!("{} starts again with empty memory", who(client)),
            Happening::Partitioned { client, until_us } => {
                format!("{} is cut off from all servers until {}", who(client), seconds(*until_us))
            }
            Happening::Reconnected { client } => format!("{} is connected again", who(client)),
            Happening::ClockStepped { client, by_us } => {
                let way = if *by_us < 0 { "back" } else { "forward" };
                format!("the wall clock of {} steps {way} by {}", who(client), seconds(by_us.unsigned_abs()))
            }
            Happening::ServerRestarted { server } => format!("{} restarts", the(server)),
            Happening::RanFirst { client } => format!("a task of {} runs first, out of turn", who(client)),
            Happening::Believes { client, name, token, holds } => {
                let token = token.as_ref().map(|t| format!(" (token {t})")).unwrap_or_default();
                let what = if *holds { "believes that it holds" } else { "no longer believes that it holds" };
                format!("{} {what} {name}{token}", who(client))
            }
            Happening::State { client, handle, from, to, by, allowed } => {
                let verdict = if *allowed { "" } else { ", which no handle may" };
                format!("{}'s handle of {handle} goes from {from} to {to}{verdict}: {by}", who(client))
            }
            Happening::Noted { client, text } => format!("{}: {text}", who(client)),
        }
    }
}

/// A server in a sentence: with an article, unless it is numbered.
fn the(server: &str) -> String {
    if server.ends_with(|c: char| c.is_ascii_digit()) { server.to_owned() } else { format!("the {server}") }
}

impl Call {
    /// What the caller does, as a verb: `asks for job, ttl 10 s`.
    pub fn text(&self) -> String {
        match self {
            Call::Acquire { name, ttl_us } => format!("asks for {name}, ttl {}", seconds(*ttl_us)),
            Call::Release { name } => format!("releases {name}"),
            Call::Renew { name, ttl_us } => format!("renews {name} for {}", seconds(*ttl_us)),
            Call::Write { resource, token } => format!("sends a write to {resource} with token {token}"),
            Call::Other { to, text } => format!("calls {to}.{text}"),
        }
    }
}

impl Reply {
    /// What the caller hears.
    fn told(&self, who: &str, name: &str) -> String {
        match self {
            Reply::Granted { token, expires_us } => {
                format!("{who} is granted {name} with token {token} until {}", seconds(*expires_us))
            }
            Reply::Refused => format!("{who} is refused {name}"),
            Reply::Released => format!("{name} is released by {who}"),
            Reply::NotReleased => format!("{who} released nothing: release said False for {name}"),
            Reply::Renewed { expires_us } => {
                format!("{who} hears that {name} is renewed until {}", seconds(*expires_us))
            }
            Reply::NotRenewed => format!("{who} hears that its grant of {name} is over"),
            Reply::Written => format!("{who} hears that its write to {name} was accepted"),
            Reply::Stale => format!("{who} hears that its write to {name} was rejected: stale token"),
            Reply::Other { text } => format!("{who} hears {text}"),
            Reply::TimedOut => format!("{who} hears nothing in time: it does not know whether it was done"),
            Reply::Broke { message } => format!("{who} gets no answer: {message}"),
        }
    }

    /// What the server decides.
    fn decided(&self, who: &str, name: &str) -> String {
        match self {
            Reply::Granted { token, expires_us } => {
                format!("the service grants {name} to {who} with token {token} until {}", seconds(*expires_us))
            }
            Reply::Refused => format!("the service refuses {name} to {who}"),
            Reply::Released => format!("the service frees {name} for {who}"),
            Reply::NotReleased => format!("the service frees nothing: {who} does not hold {name}"),
            Reply::Renewed { expires_us } => {
                format!("the service renews {name} for {who} until {}", seconds(*expires_us))
            }
            Reply::NotRenewed => format!("the service renews nothing: this grant of {name} to {who} is over"),
            Reply::Other { text } => format!("{name}, for {who}: {text}"),
            other => other.told(who, name),
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
            let decided =
                event.decided_us.map(|us| format!(", as it had decided at {}", seconds(us))).unwrap_or_default();
            let text = event.told(&self.clients);
            out.push_str(&format!("{mark} {:>12}  {text}{decided}{line}\n", seconds(event.at_us)));
        }
        if self.cut {
            out.push_str("               … and so on: the run was longer than what is kept of it\n");
        }
        out
    }

    /// Keeps so many events at most, and says so. Nothing that is marked is dropped.
    pub fn keep_first(&mut self, most: usize) {
        let marked = self.witnesses.iter().copied().chain(self.first_bad).max().map_or(0, |last| last + 1);
        let most = most.max(marked);
        self.cut |= self.events.len() > most;
        self.events.truncate(most);
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_handle(to: &str, allowed: bool) -> Happening {
        let (from, by) = ("lost".to_owned(), "a renewal came through".to_owned());
        Happening::State { client: 0, handle: "job".into(), from, to: to.into(), by, allowed }
    }

    #[test]
    fn a_handle_that_revives_is_told_with_its_verdict() {
        let clients = ["A".to_owned()];
        let told = |what| Event::at(0, what).text(&clients);
        assert_eq!(
            told(a_handle("held", false)),
            "A's handle of job goes from lost to held, which no handle may: a renewal came through"
        );
        let restarts = |server: &str| told(Happening::ServerRestarted { server: server.into() });
        assert_eq!(restarts(LOCK_SERVICE), "the lock service restarts");
        assert_eq!(restarts("node 2"), "node 2 restarts");
    }

    #[test]
    fn one_of_several_tasks_is_named_where_it_acts() {
        let clients = ["A".to_owned()];
        let call = Call::Renew { name: "job".into(), ttl_us: 1_000_000 };
        let mut event = Event::at(0, Happening::Called { client: 0, call });
        assert_eq!(event.told(&clients), "A renews job for 1 s");
        event.task = Some("renew".to_owned());
        assert_eq!(event.told(&clients), "A·renew renews job for 1 s");
        event.what = Happening::RequestLost { client: 0 };
        assert_eq!(event.told(&clients), "the request of A is lost");
        event.task = Some("main".to_owned());
        assert_eq!(event.told(&clients), event.text(&clients));
    }

    #[test]
    fn a_long_trace_is_cut_and_says_so_but_what_is_marked_stays() {
        let events = vec![Event::at(0, a_handle("held", true)); 9];
        let mut trace = Trace { events, witnesses: vec![1, 6], ..Trace::default() };
        trace.keep_first(9);
        assert!(!trace.cut);
        trace.keep_first(3);
        assert_eq!((trace.events.len(), trace.cut), (7, true));
        assert!(trace.text().contains("and so on"));
        let json = serde_json::to_string(&trace).unwrap();
        assert_eq!(serde_json::from_str::<Trace>(&json).unwrap(), trace);
    }
}
