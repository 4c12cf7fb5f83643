//! What must be true of a lock of many nodes, by what the nodes truly keep.
//!
//! The driver tells `holds` when acquire() gave a lease (with the name, `until` on the client's monotonic clock, and how
//! many nodes there are), `lets go` before it calls release(), `asks` with the ownership token before each request, and
//! `calls` and `returned` around each call of the learner's code.

use crate::model::data::Data;
use crate::sim::property::{Note, Property, Violation};
use crate::sim::world::CLIENTS;
use crate::time::{SECOND_US, seconds};
use crate::trace::{Event, Happening, Reply};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// A client's letter.
fn who(client: usize) -> &'static str {
    CLIENTS.get(client).copied().unwrap_or("?")
}

/// A client believes that it holds a lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Belief {
    until_us: u64,
    nodes: usize,
    /// The event before which it began to.
    event: usize,
}

/// What clients believe to hold, by client and name.
#[derive(Clone, Debug)]
struct Beliefs {
    held: BTreeMap<(usize, String), Belief>,
    /// By how many parts in a million the clients' clocks run fast.
    fast_ppm: i64,
}

impl Beliefs {
    fn new(fast_ppm: i64) -> Self {
        Beliefs { held: BTreeMap::new(), fast_ppm }
    }

    /// The instant at which a client's clock shows this; a hair earlier, for what floats leave out.
    fn world_us(&self, local: f64) -> u64 {
        let rate = (1_000_000 + self.fast_ppm) as f64 / SECOND_US as f64;
        // What is longer than the world goes on is as good as for ever.
        (local / rate * SECOND_US as f64 - 10.0).clamp(0.0, 1e15) as u64
    }

    fn noted(&mut self, note: &Note<'_>) {
        match (note.kind, note.value) {
            ("holds", Data::Map(map)) => {
                let (Some(Data::Str(name)), Some(Data::Float(until)), Some(Data::Int(nodes))) =
                    (map.get("name"), map.get("until"), map.get("nodes"))
                else {
                    return;
                };
                let until_us = self.world_us(until.get());
                let nodes = usize::try_from(*nodes).unwrap_or(0);
                self.held.insert((note.client, name.clone()), Belief { until_us, nodes, event: note.index });
            }
            ("lets go", Data::Str(name)) => {
                self.held.remove(&(note.client, name.clone()));
            }
            _ => {}
        }
    }

    fn running(&self, now_us: u64) -> impl Iterator<Item = (&(usize, String), &Belief)> {
        self.held.iter().filter(move |(_, belief)| now_us < belief.until_us)
    }
}

/// As long as a client believes that it holds the lock, a majority of the nodes keep its token.
#[derive(Debug)]
pub(super) struct MajorityHolds {
    beliefs: Beliefs,
    /// By name with node, and client: the event of the grant. A node ends leases on time.
    kept: BTreeMap<(String, usize), usize>,
}

impl MajorityHolds {
    pub(super) fn new(fast_ppm: i64) -> Self {
        MajorityHolds { beliefs: Beliefs::new(fast_ppm), kept: BTreeMap::new() }
    }

    fn check(&self, now_us: u64) -> Result<(), Violation> {
        for ((client, name), belief) in self.beliefs.running(now_us) {
            let at_nodes = format!("{name} on ");
            let keep = self.kept.keys().filter(|(at, who)| who == client && at.starts_with(&at_nodes)).count();
            if keep * 2 <= belief.nodes {
                let message = format!(
                    "{} was told that it holds {name} until {}, and at {} only {keep} of {} nodes still kept its token.",
                    who(*client),
                    seconds(belief.until_us.next_multiple_of(1_000)),
                    seconds(now_us),
                    belief.nodes
                );
                return Err(Violation::new(message, [belief.event]));
            }
        }
        Ok(())
    }
}

impl Property for MajorityHolds {
    fn rule(&self) -> &'static str {
        "a majority keeps it"
    }

    fn sentence(&self) -> &'static str {
        "Until valid_until, more than half of the nodes must be sure to keep the token of the lease."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        match &event.what {
            Happening::Served { client, name, reply: Reply::Granted { .. } } => {
                self.kept.insert((name.clone(), *client), index);
            }
            Happening::Served { client, name, reply: Reply::Released } | Happening::Expired { client, name, .. } => {
                self.kept.remove(&(name.clone(), *client));
            }
            _ => return Ok(()),
        }
        self.check(event.at_us)
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.beliefs.noted(note);
        self.check(note.at_us)
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.beliefs.held.hash(&mut hasher);
        self.kept.keys().for_each(|key| key.hash(&mut hasher));
    }
}

/// Two clients never believe at one instant that they hold a lock.
#[derive(Debug)]
pub(super) struct OneBeliever(Beliefs);

impl OneBeliever {
    pub(super) fn new(fast_ppm: i64) -> Self {
        OneBeliever(Beliefs::new(fast_ppm))
    }
}

impl Property for OneBeliever {
    fn rule(&self) -> &'static str {
        "one believer"
    }

    fn sentence(&self) -> &'static str {
        "Two clients must never believe at one instant that they hold the lock."
    }

    fn see(&mut self, _: usize, _: &Event) -> Result<(), Violation> {
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.0.noted(note);
        if note.kind != "holds" {
            return Ok(());
        }
        let mine = self
            .0
            .running(note.at_us)
            .find(|((client, _), belief)| *client == note.client && belief.event == note.index);
        let Some(((_, name), _)) = mine else { return Ok(()) };
        let other = self.0.running(note.at_us).find(|((client, what), _)| *client != note.client && what == name);
        let Some(((client, _), belief)) = other else { return Ok(()) };
        let message = format!(
            "At {} {} was given {name}, while {} was told that it holds it until {}.",
            seconds(note.at_us),
            who(note.client),
            who(*client),
            seconds(belief.until_us.next_multiple_of(1_000))
        );
        Err(Violation::new(message, [belief.event]))
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.held.hash(&mut hasher);
    }
}

/// Every attempt has ownership tokens of its own.
#[derive(Debug, Default)]
pub(super) struct OwnTokens(BTreeMap<String, (usize, i64, u64)>);

impl Property for OwnTokens {
    fn rule(&self) -> &'static str {
        "own tokens"
    }

    fn sentence(&self) -> &'static str {
        "Draw a new random ownership token for each acquire(): with a token that was used before, a release frees what \
         another attempt or another client holds."
    }

    fn see(&mut self, _: usize, _: &Event) -> Result<(), Violation> {
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let ("asks", Data::Map(map)) = (note.kind, note.value) else { return Ok(()) };
        let (Some(Data::Str(token)), Some(Data::Int(attempt))) = (map.get("token"), map.get("attempt")) else {
            return Ok(());
        };
        let (client, first, at) = *self.0.entry(token.clone()).or_insert((note.client, *attempt, note.at_us));
        if (client, first) == (note.client, *attempt) {
            return Ok(());
        }
        let whose =
            if client == note.client { "in an earlier acquire()".to_owned() } else { format!("by {}", who(client)) };
        let message = format!(
            "At {} {} asked a node to keep the ownership token {token:?}, which had been used {whose} at {}.",
            seconds(note.at_us),
            who(note.client),
            seconds(at)
        );
        Err(Violation::new(message, []))
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}

/// acquire() and release() come to an end.
#[derive(Debug, Default)]
pub(super) struct CallsReturn(BTreeMap<usize, Vec<(String, u64, usize)>>);

impl Property for CallsReturn {
    fn rule(&self) -> &'static str {
        "calls return"
    }

    fn sentence(&self) -> &'static str {
        "acquire() is one try: each node is asked once, and answers or raises TransportError within half a second. release() \
         likewise."
    }

    fn see(&mut self, _: usize, _: &Event) -> Result<(), Violation> {
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let open = self.0.entry(note.client).or_default();
        match (note.kind, note.value) {
            ("calls", Data::Str(what)) => open.push((what.clone(), note.at_us, note.index)),
            ("returned", _) => {
                open.pop();
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        let Some((what, since, index)) = self.0.values().flatten().next() else { return Ok(()) };
        let message =
            format!("{what}() was called at {} and had not returned at {}.", seconds(*since), seconds(now_us));
        Err(Violation::new(message, [*index]))
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        for (client, open) in &self.0 {
            (client, open.len()).hash(&mut hasher);
        }
    }
}

#[cfg(test)]
mod tests;
