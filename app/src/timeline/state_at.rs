//! What is so at each step of a trace: who holds which lock by the service, what each client believes, which processes stand
//! still, where the marks at the gate are. Only what the trace tells; a cache's rows, say, it does not.
//!
//! A [`History`] is made once for a trace, in one pass; after that a step costs nothing.

#[cfg(test)]
mod tests;

use super::layout::times::moment;
use leasehold_checker::time::seconds;
use leasehold_checker::trace::{Event, Happening, LOCK_SERVICE, Reply, Trace};
use std::collections::BTreeSet;

/// Something that became otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    subject: Subject,
    /// What it is about, such as `lock service` or `A believes`.
    pub what: String,
    /// As it was.
    pub before: String,
    /// As it is now.
    pub after: String,
}

/// One thing as it is at some step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub what: String,
    /// As it is.
    pub value: String,
    /// Whether this step made it so.
    pub new: bool,
}

/// All changes of a trace.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct History {
    changes: Vec<Vec<Change>>,
}

/// What can change, in the order in which it is listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    /// A lock, by its server.
    Lock { server: String, name: String },
    /// The high-water mark of a resource.
    Mark { resource: String },
    /// Something about a client.
    Client(usize, About),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum About {
    Belief,
    Handle(String),
    Process,
    Network,
    Clock,
}

impl History {
    /// Follows a trace from its start.
    pub fn of(trace: &Trace) -> Self {
        let mut follower = Follower::new(trace);
        History { changes: trace.events.iter().map(|event| follower.follow(event)).collect() }
    }

    /// What the event at `step` changed.
    pub fn at(&self, step: usize) -> &[Change] {
        self.changes.get(step).map_or(&[], Vec::as_slice)
    }

    /// Everything that ever changes in the trace, as it is after the event at `step`.
    pub fn state_at(&self, step: usize) -> Vec<Fact> {
        let mut facts: Vec<(&Subject, Fact)> = Vec::new();
        for (i, change) in self.changes.iter().enumerate().flat_map(|(i, all)| all.iter().map(move |c| (i, c))) {
            let fact = match facts.iter_mut().find(|(subject, _)| **subject == change.subject) {
                Some((_, fact)) => fact,
                None => {
                    let fact = Fact { what: change.what.clone(), value: change.before.clone(), new: false };
                    facts.push((&change.subject, fact));
                    let Some((_, fact)) = facts.last_mut() else { continue };
                    fact
                }
            };
            if i <= step {
                fact.value.clone_from(&change.after);
                fact.new = i == step;
            }
        }
        facts.sort_by(|a, b| a.0.cmp(b.0));
        facts.into_iter().map(|(_, fact)| fact).collect()
    }
}

/// A lease that runs, by the service.
struct Lease {
    server: String,
    name: String,
    client: usize,
    token: String,
    expires_us: u64,
    /// Whether the trace says itself when it is over.
    told: bool,
}

struct Follower<'a> {
    clients: &'a [String],
    /// Where clients say what they believe, nothing else tells it.
    beliefs_told: bool,
    /// Servers with more than one lock, and whether several resources have marks: there names are needed.
    several: BTreeSet<&'a str>,
    several_marks: bool,
    ends_told: BTreeSet<(&'a str, &'a str)>,
    leases: Vec<Lease>,
    /// Client, lock, token.
    beliefs: Vec<(usize, String, Option<String>)>,
    clocks_us: Vec<i64>,
    values: Vec<(Subject, String)>,
    changed: Vec<Change>,
}

impl<'a> Follower<'a> {
    fn new(trace: &'a Trace) -> Self {
        let events = || trace.events.iter();
        let locks: BTreeSet<(&str, &str)> = events().filter_map(|e| Some((server(e), decided(e)?.1))).collect();
        let several = |server: &&str| locks.iter().filter(|(s, _)| s == server).count() > 1;
        let marks: BTreeSet<&str> = events()
            .filter_map(|event| match &event.what {
                Happening::Wrote { resource, .. } => Some(resource.as_str()),
                _ => None,
            })
            .collect();
        let over = |event: &'a Event| match &event.what {
            Happening::Expired { name, token, .. } => Some((name.as_str(), token.as_str())),
            _ => None,
        };
        Follower {
            clients: &trace.clients,
            beliefs_told: events().any(|event| matches!(event.what, Happening::Believes { .. })),
            several: locks.iter().map(|(server, _)| *server).filter(several).collect(),
            several_marks: marks.len() > 1,
            ends_told: events().filter_map(over).collect(),
            leases: Vec::new(),
            beliefs: Vec::new(),
            clocks_us: vec![0; trace.clients.len()],
            values: Vec::new(),
            changed: Vec::new(),
        }
    }

    fn follow(&mut self, event: &'a Event) -> Vec<Change> {
        self.time_passes(event.at_us);
        match &event.what {
            Happening::Expired { name, token, .. } => {
                self.leases.retain(|l| !(l.name == *name && l.token == *token));
                self.show_lock(server(event), name);
            }
            Happening::Wrote { resource, mark_before, mark_after, .. } => {
                let mark = |mark: &Option<String>| mark.as_ref().map_or("none".to_owned(), Clone::clone);
                self.set(Subject::Mark { resource: resource.clone() }, mark(mark_before), mark(mark_after));
            }
            Happening::Believes { client, name, token, holds } => {
                self.believe(*client, name, holds.then_some(token.as_deref()));
            }
            Happening::State { client, handle, from, to, .. } => {
                self.set(Subject::Client(*client, About::Handle(handle.clone())), from.clone(), to.clone());
            }
            Happening::ClockStepped { client, by_us } => {
                if let Some(clock) = self.clocks_us.get_mut(*client) {
                    let before = stepped(*clock);
                    *clock = clock.saturating_add(*by_us);
                    let after = stepped(*clock);
                    self.set(Subject::Client(*client, About::Clock), before, after);
                }
            }
            what => self.process(what),
        }
        self.decides(event);
        self.hears(event);
        std::mem::take(&mut self.changed)
    }

    // What befalls a process as a whole.
    fn process(&mut self, what: &Happening) {
        let (client, about, before, after) = match what {
            Happening::Paused { client, until_us } => {
                (*client, About::Process, "runs", format!("paused until {}", moment(*until_us)))
            }
            Happening::Woke { client } => (*client, About::Process, "paused", "runs".to_owned()),
            Happening::Crashed { client } => (*client, About::Process, "runs", "crashed".to_owned()),
            Happening::Restarted { client } => (*client, About::Process, "crashed", "runs".to_owned()),
            Happening::Partitioned { client, until_us } => {
                (*client, About::Network, "connected", format!("cut off until {}", moment(*until_us)))
            }
            Happening::Reconnected { client } => (*client, About::Network, "cut off", "connected".to_owned()),
            _ => return,
        };
        self.set(Subject::Client(client, about), before.to_owned(), after);
        if matches!(what, Happening::Crashed { .. }) {
            // With its memory.
            self.beliefs.retain(|(who, ..)| *who != client);
            self.show_belief(client);
        }
    }

    // Leases whose end nothing tells are over when their time is.
    fn time_passes(&mut self, now_us: u64) {
        let is_over = |lease: &Lease| !lease.told && lease.expires_us <= now_us;
        let over: Vec<(String, String)> =
            self.leases.iter().filter(|l| is_over(l)).map(|l| (l.server.clone(), l.name.clone())).collect();
        self.leases.retain(|lease| !is_over(lease));
        for (server, name) in over {
            self.show_lock(&server, &name);
        }
    }

    // What a service makes of a request.
    fn decides(&mut self, event: &Event) {
        let Some((client, name, reply)) = decided(event) else { return };
        let server = server(event);
        let its = |lease: &Lease| lease.server == server && lease.name == name;
        match reply {
            Reply::Granted { token, expires_us } => {
                self.leases.retain(|lease| !its(lease));
                self.leases.push(Lease {
                    server: server.to_owned(),
                    name: name.to_owned(),
                    client,
                    token: token.clone(),
                    expires_us: *expires_us,
                    told: self.ends_told.contains(&(name, token.as_str())),
                });
            }
            Reply::Renewed { expires_us } => {
                for lease in self.leases.iter_mut().filter(|lease| its(lease) && lease.client == client) {
                    lease.expires_us = *expires_us;
                }
            }
            Reply::Released => self.leases.retain(|lease| !(its(lease) && lease.client == client)),
            _ => return,
        }
        self.show_lock(server, name);
    }

    // What a client makes of an answer, where it does not say so itself.
    fn hears(&mut self, event: &Event) {
        let Happening::Answered { client, name, reply } = &event.what else { return };
        // One node's grant is not the lock.
        if self.beliefs_told || server(event).starts_with("node ") {
            return;
        }
        match reply {
            Reply::Granted { token, .. } => self.believe(*client, name, Some(Some(token))),
            Reply::Released | Reply::NotReleased | Reply::NotRenewed => self.believe(*client, name, None),
            _ => {}
        }
    }

    fn believe(&mut self, client: usize, name: &str, token: Option<Option<&str>>) {
        self.beliefs.retain(|(who, what, _)| !(*who == client && what == name));
        if let Some(token) = token {
            self.beliefs.push((client, name.to_owned(), token.map(str::to_owned)));
        }
        self.show_belief(client);
    }

    fn show_lock(&mut self, server: &str, name: &str) {
        let lease = self.leases.iter().find(|lease| lease.server == server && lease.name == name);
        let value = lease.map_or_else(
            || "free".to_owned(),
            |lease| format!("{} (token {}, until {})", self.who(lease.client), lease.token, moment(lease.expires_us)),
        );
        self.set(Subject::Lock { server: server.to_owned(), name: name.to_owned() }, "free".to_owned(), value);
    }

    fn show_belief(&mut self, client: usize) {
        let held = self.beliefs.iter().filter(|(who, ..)| *who == client);
        let held: Vec<String> = held
            .map(|(_, name, token)| match token {
                Some(token) => format!("it holds {name} (token {token})"),
                None => format!("it holds {name}"),
            })
            .collect();
        let value = if held.is_empty() { "it holds nothing".to_owned() } else { held.join(", ") };
        self.set(Subject::Client(client, About::Belief), "it holds nothing".to_owned(), value);
    }

    // Notes a change, if it is one. `usual` is how things are before anything is known of them.
    fn set(&mut self, subject: Subject, usual: String, after: String) {
        let before = match self.values.iter_mut().find(|(known, _)| *known == subject) {
            Some((_, value)) => std::mem::replace(value, after.clone()),
            None => {
                self.values.push((subject.clone(), after.clone()));
                usual
            }
        };
        if before == after {
            return;
        }
        let what = self.label(&subject);
        // Time may have passed for the same thing in the same step.
        match self.changed.iter_mut().find(|change| change.subject == subject) {
            Some(change) => change.after = after,
            None => self.changed.push(Change { subject, what, before, after }),
        }
        self.changed.retain(|change| change.before != change.after);
    }

    fn label(&self, subject: &Subject) -> String {
        match subject {
            Subject::Lock { server, name } if self.several.contains(server.as_str()) => format!("{server}, {name}"),
            Subject::Lock { server, .. } => server.clone(),
            Subject::Mark { resource } if self.several_marks => format!("mark of {resource}"),
            Subject::Mark { .. } => "mark at the gate".to_owned(),
            Subject::Client(client, about) => {
                let who = self.who(*client);
                match about {
                    About::Belief => format!("{who} believes"),
                    About::Handle(handle) => format!("{who}'s handle of {handle}"),
                    About::Process => format!("process {who}"),
                    About::Network => format!("{who}'s network"),
                    About::Clock => format!("{who}'s wall clock"),
                }
            }
        }
    }

    fn who(&self, client: usize) -> &'a str {
        self.clients.get(client).map_or("?", String::as_str)
    }
}

// The server that an event is about; old traces do not say.
fn server(event: &Event) -> &str {
    event.server().unwrap_or(LOCK_SERVICE)
}

// The decision of a service: where it is made, or, where a call is answered at once, with the answer.
fn decided(event: &Event) -> Option<(usize, &str, &Reply)> {
    let (client, name, reply) = match &event.what {
        Happening::Served { client, name, reply } => (client, name, reply),
        Happening::Answered { client, name, reply } if event.message.is_none() => (client, name, reply),
        _ => return None,
    };
    let is_of_leases =
        matches!(reply, Reply::Granted { .. } | Reply::Renewed { .. } | Reply::Released | Reply::Refused);
    is_of_leases.then_some((*client, name, reply))
}

fn stepped(us: i64) -> String {
    match us {
        0 => "right".to_owned(),
        1.. => format!("{} ahead", seconds(us.unsigned_abs())),
        _ => format!("{} behind", seconds(us.unsigned_abs())),
    }
}
