//! The rules that worlds are held against: DESIGN's ground rules as properties.
//!
//! What the service and the storage decide is the truth ([`Happening::Served`], [`Happening::Expired`],
//! [`Happening::Wrote`]); what a client hears or tells of itself is its belief. Where a rule gives a process some time
//! to act, time in which the process is paused, dead or cut off does not count.

mod believers;

pub use believers::NoOverlap;

use super::property::{Note, Property, Violation};
use crate::model::data::Data;
use crate::time::seconds;
use crate::trace::{Call, Event, Happening, Reply};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// A client's letter, as timelines show it.
fn who(client: usize) -> &'static str {
    super::world::CLIENTS.get(client).copied().unwrap_or("?")
}

/// A grant that runs, by the service's view.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Live {
    client: usize,
    token: String,
    expires_us: u64,
    event: usize,
}

/// What the service has granted and not ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Grants(BTreeMap<String, Live>);

impl Grants {
    /// The running grant of a name: at its expiry it is over.
    fn live(&self, name: &str, now_us: u64) -> Option<&Live> {
        self.0.get(name).filter(|live| now_us < live.expires_us)
    }

    fn see(&mut self, index: usize, event: &Event) {
        match &event.what {
            Happening::Served { client, name, reply: Reply::Granted { token, expires_us } } => {
                let live = Live { client: *client, token: token.clone(), expires_us: *expires_us, event: index };
                self.0.insert(name.clone(), live);
            }
            Happening::Served { name, reply: Reply::Renewed { expires_us }, .. } => {
                if let Some(live) = self.0.get_mut(name) {
                    live.expires_us = *expires_us;
                }
            }
            Happening::Served { name, reply: Reply::Released, .. } | Happening::Expired { name, .. } => {
                self.0.remove(name);
            }
            _ => {}
        }
    }
}

/// At most one live holder of a name, by the service's view.
#[derive(Debug, Default)]
pub struct OneHolder(Grants);

impl Property for OneHolder {
    fn rule(&self) -> &'static str {
        "one holder"
    }

    fn sentence(&self) -> &'static str {
        "While a lease runs, nobody else is granted the lock."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        if let Happening::Served { client, name, reply: Reply::Granted { .. } } = &event.what
            && let Some(live) = self.0.live(name, event.at_us)
        {
            let message = format!(
                "At {} {} was granted {name}, while {}'s lease on it ran until {}.",
                seconds(event.at_us),
                who(*client),
                who(live.client),
                seconds(live.expires_us)
            );
            return Err(Violation::new(message, [live.event]));
        }
        self.0.see(index, event);
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}

/// Tokens strictly increase from grant to grant, whatever the name.
#[derive(Debug, Default)]
pub struct TokensGrow(Option<(i128, usize)>);

impl Property for TokensGrow {
    fn rule(&self) -> &'static str {
        "tokens"
    }

    fn sentence(&self) -> &'static str {
        "Every new grant has a fencing token greater than all before it."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        let Happening::Served { client, name, reply: Reply::Granted { token, .. } } = &event.what else {
            return Ok(());
        };
        let Ok(token) = token.parse::<i128>() else {
            return Err(Violation::new(format!("{} was granted {name} with {token}, no number.", who(*client)), []));
        };
        if let Some((before, grant)) = self.0.filter(|(before, _)| *before >= token) {
            let message = format!("{} was granted {name} with token {token}, after token {before}.", who(*client));
            return Err(Violation::new(message, [grant]));
        }
        self.0 = Some((token, index));
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.map(|(token, _)| token).hash(&mut hasher);
    }
}

/// The storage accepts no smaller token after a larger one.
#[derive(Debug, Default)]
pub struct NoStaleWrite(BTreeMap<String, (i128, usize)>);

impl Property for NoStaleWrite {
    fn rule(&self) -> &'static str {
        "stale write"
    }

    fn sentence(&self) -> &'static str {
        "Once the storage has seen a token, a write with a smaller one is rejected."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        let Happening::Wrote { client, resource, token, accepted: true, .. } = &event.what else { return Ok(()) };
        let Ok(token) = token.parse::<i128>() else { return Ok(()) };
        match self.0.get(resource).copied() {
            Some((mark, write)) if mark > token => {
                let message = format!(
                    "At {} the storage accepted {}'s write to {resource} with token {token}, after one with token {mark}.",
                    seconds(event.at_us),
                    who(*client)
                );
                Err(Violation::new(message, [write]))
            }
            _ => {
                self.0.insert(resource.clone(), (token, index));
                Ok(())
            }
        }
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.iter().for_each(|(resource, (mark, _))| (resource, mark).hash(&mut hasher));
    }
}

/// Nobody releases another's grant.
#[derive(Debug, Default)]
pub struct OnlyOwnRelease(Grants);

impl Property for OnlyOwnRelease {
    fn rule(&self) -> &'static str {
        "release by another"
    }

    fn sentence(&self) -> &'static str {
        "Only the holder's own release frees a lock."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        if let Happening::Served { client, name, reply: Reply::Released } = &event.what
            && let Some(live) = self.0.live(name, event.at_us).filter(|live| live.client != *client)
        {
            let message = format!(
                "At {} {}'s release freed {name}, which {} held.",
                seconds(event.at_us),
                who(*client),
                who(live.client)
            );
            return Err(Violation::new(message, [live.event]));
        }
        self.0.see(index, event);
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}

/// Renewals end: with a release, and with the answer that the grant is over.
#[derive(Debug, Default)]
pub struct RenewalsEnd(BTreeMap<(usize, String), (&'static str, usize)>);

impl Property for RenewalsEnd {
    fn rule(&self) -> &'static str {
        "renewals end"
    }

    fn sentence(&self) -> &'static str {
        "After its release, or once it is lost, a grant is not renewed again."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        match &event.what {
            Happening::Called { client, call: Call::Release { name } } => {
                self.0.entry((*client, name.clone())).or_insert(("released", index));
            }
            Happening::Answered { client, name, reply: Reply::NotRenewed } => {
                self.0.entry((*client, name.clone())).or_insert(("been told that it is over", index));
            }
            Happening::Answered { client, name, reply: Reply::Granted { .. } } => {
                self.0.remove(&(*client, name.clone()));
            }
            Happening::Restarted { client } => self.0.retain(|(c, _), _| c != client),
            Happening::Called { client, call: Call::Renew { name, .. } } => {
                if let Some((why, since)) = self.0.get(&(*client, name.clone())) {
                    let message = format!(
                        "At {} {} sent a renewal of {name}, which it had {why} before.",
                        seconds(event.at_us),
                        who(*client)
                    );
                    return Err(Violation::new(message, [*since]));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.iter().for_each(|(key, (why, _))| (key, why).hash(&mut hasher));
    }
}

/// The time for which a process could act: pauses, deaths and partitions are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Awake(BTreeMap<usize, Times>);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Times {
    asleep_since: Option<u64>,
    asleep_us: u64,
}

impl Awake {
    fn see(&mut self, event: &Event) {
        match event.what {
            Happening::Paused { client, .. }
            | Happening::Crashed { client }
            | Happening::Partitioned { client, .. } => {
                self.0.entry(client).or_default().asleep_since.get_or_insert(event.at_us);
            }
            Happening::Woke { client } | Happening::Restarted { client } | Happening::Reconnected { client } => {
                let times = self.0.entry(client).or_default();
                if let Some(since) = times.asleep_since.take() {
                    times.asleep_us += event.at_us - since;
                }
            }
            _ => {}
        }
    }

    fn is_awake(&self, client: usize) -> bool {
        self.0.get(&client).is_none_or(|t| t.asleep_since.is_none())
    }

    /// How long the client was awake until `now_us`, since the world began.
    fn time_us(&self, client: usize, now_us: u64) -> u64 {
        let Some(times) = self.0.get(&client) else { return now_us };
        let asleep = times.asleep_us + times.asleep_since.map_or(0, |since| now_us - since);
        now_us - asleep.min(now_us)
    }
}

/// A wait ends within its budget. The driver tells `waits` with the seconds that it gives, and `waited` when it goes on.
#[derive(Debug)]
pub struct WaitsEnd {
    /// How long the last attempt may take beyond the budget.
    pub slack_us: u64,
    awake: Awake,
    /// By client: the time awake at which the wait must be over, and the event that began it.
    waits: BTreeMap<usize, (u64, u64, usize)>,
}

impl WaitsEnd {
    /// With the time that a last attempt may take.
    pub fn new(slack_us: u64) -> Self {
        WaitsEnd { slack_us, awake: Awake::default(), waits: BTreeMap::new() }
    }

    fn check(&self, client: usize, now_us: u64) -> Result<(), Violation> {
        let Some((until, budget, began)) = self.waits.get(&client) else { return Ok(()) };
        if self.awake.time_us(client, now_us) <= until + self.slack_us {
            return Ok(());
        }
        let message = format!(
            "{} was to wait at most {} and still waited at {}.",
            who(client),
            seconds(*budget),
            seconds(now_us)
        );
        Err(Violation::new(message, [*began]))
    }
}

impl Property for WaitsEnd {
    fn rule(&self) -> &'static str {
        "waits end"
    }

    fn sentence(&self) -> &'static str {
        "wait_s is a budget: when it is used up, one last try is made and the wait ends."
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        self.awake.see(event);
        if let Happening::Crashed { client } = event.what {
            self.waits.remove(&client);
        }
        self.waits.keys().try_for_each(|client| self.check(*client, event.at_us))
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        match note.kind {
            "waits" => {
                let budget = super::world::duration_us(note.value).unwrap_or(0);
                let until = self.awake.time_us(note.client, note.at_us) + budget;
                self.waits.insert(note.client, (until, budget, note.index));
                Ok(())
            }
            "waited" => {
                self.check(note.client, note.at_us)?;
                self.waits.remove(&note.client);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        self.waits.keys().try_for_each(|client| self.check(*client, now_us))
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.awake.hash(&mut hasher);
        self.waits.iter().for_each(|(client, (until, ..))| (client, until).hash(&mut hasher));
    }
}

/// Live waiters are served in the order in which they came. The driver tells `queued`, then `served` or `left`.
#[derive(Debug, Default)]
pub struct FirstComeFirstServed {
    awake: Awake,
    queue: Vec<(usize, usize)>,
}

impl Property for FirstComeFirstServed {
    fn rule(&self) -> &'static str {
        "fairness"
    }

    fn sentence(&self) -> &'static str {
        "Waiters that live are served in the order in which they came."
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        self.awake.see(event);
        // Whoever slept through its turn may be passed over.
        self.queue.retain(|(client, _)| self.awake.is_awake(*client));
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        match note.kind {
            "queued" => self.queue.push((note.client, note.index)),
            "left" => self.queue.retain(|(client, _)| *client != note.client),
            "served" => {
                if let Some((first, since)) = self.queue.first().copied().filter(|(first, _)| *first != note.client)
                    && self.queue.iter().any(|(client, _)| *client == note.client)
                {
                    let message = format!(
                        "At {} {} was served before {}, which had come earlier and was waiting.",
                        seconds(note.at_us),
                        who(note.client),
                        who(first)
                    );
                    return Err(Violation::new(message, [since]));
                }
                self.queue.retain(|(client, _)| *client != note.client);
            }
            _ => {}
        }
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.awake.hash(&mut hasher);
        self.queue.iter().for_each(|(client, _)| client.hash(&mut hasher));
    }
}

/// A lost lock is told exactly once, and in time. The driver tells `held` with the lock's name when a handle is
/// Held, `lost` when its on_lost is called, and `released` when it was given back.
#[derive(Debug)]
pub struct LossIsTold {
    /// How long telling may take after the service's lease is over.
    pub slack_us: u64,
    awake: Awake,
    grants: Grants,
    handles: BTreeMap<(usize, String), Handle>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Handle {
    told: bool,
    released: bool,
    /// The client's time awake at which its lease was over, by the service's view.
    over: Option<u64>,
    held: usize,
}

impl LossIsTold {
    /// With the time that telling may take.
    pub fn new(slack_us: u64) -> Self {
        LossIsTold { slack_us, awake: Awake::default(), grants: Grants::default(), handles: BTreeMap::new() }
    }

    fn check(&self, now_us: u64) -> Result<(), Violation> {
        for ((client, name), handle) in &self.handles {
            let Some(over) = handle.over.filter(|_| !handle.told && !handle.released) else { continue };
            if self.awake.is_awake(*client) && self.awake.time_us(*client, now_us) > over + self.slack_us {
                let message = format!(
                    "{}'s lease on {name} was over, and at {} its on_lost had not been called.",
                    who(*client),
                    seconds(now_us)
                );
                return Err(Violation::new(message, [handle.held]));
            }
        }
        Ok(())
    }
}

impl Property for LossIsTold {
    fn rule(&self) -> &'static str {
        "loss is told"
    }

    fn sentence(&self) -> &'static str {
        "on_lost is called exactly once for a handle that is lost, at the latest when its deadline passes."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        self.check(event.at_us)?;
        self.awake.see(event);
        if let Happening::Crashed { client } = event.what {
            self.handles.retain(|(c, _), _| *c != client);
        }
        if let Happening::Expired { client, name, .. } = &event.what {
            let over = self.awake.time_us(*client, event.at_us);
            if let Some(handle) = self.handles.get_mut(&(*client, name.clone())) {
                handle.over = Some(over);
            }
        }
        self.grants.see(index, event);
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let Data::Str(name) = note.value else { return Ok(()) };
        let key = (note.client, name.clone());
        match note.kind {
            "held" => {
                // The grant may be over already when the client hears of it.
                let over = self.grants.live(name, note.at_us).filter(|l| l.client == note.client).is_none();
                let over = over.then(|| self.awake.time_us(note.client, note.at_us));
                self.handles.insert(key, Handle { told: false, released: false, over, held: note.index });
            }
            "released" => {
                if let Some(handle) = self.handles.get_mut(&key) {
                    handle.released = true;
                }
            }
            "lost" => {
                let Some(handle) = self.handles.get_mut(&key) else { return Ok(()) };
                let again = if handle.told {
                    Some("a second time")
                } else if handle.released {
                    Some("after its release")
                } else {
                    None
                };
                if let Some(again) = again {
                    let message = format!(
                        "At {} {}'s on_lost for {name} was called {again}.",
                        seconds(note.at_us),
                        who(note.client)
                    );
                    return Err(Violation::new(message, [handle.held]));
                }
                handle.told = true;
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        self.check(now_us)
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.awake.hash(&mut hasher);
        self.grants.hash(&mut hasher);
        self.handles.hash(&mut hasher);
    }
}

/// While somebody waits and nobody holds, somebody is granted within a bound. Waiters are told of as in [`WaitsEnd`].
#[derive(Debug)]
pub struct SomebodyIsGranted {
    /// The bound.
    pub within_us: u64,
    awake: Awake,
    grants: Grants,
    /// By client: since when it has waited while the lock was free, on the world's clock and in time awake; and the
    /// event at which it began to wait.
    waiting: BTreeMap<usize, (u64, u64, usize)>,
}

impl SomebodyIsGranted {
    /// With the bound.
    pub fn new(within_us: u64) -> Self {
        SomebodyIsGranted { within_us, awake: Awake::default(), grants: Grants::default(), waiting: BTreeMap::new() }
    }

    fn check(&self, now_us: u64) -> Result<(), Violation> {
        if !self.grants.0.is_empty() {
            return Ok(());
        }
        for (client, (since, awake, event)) in &self.waiting {
            if self.awake.is_awake(*client) && self.awake.time_us(*client, now_us) > awake + self.within_us {
                let message = format!(
                    "From {} on nobody held the lock, {} waited for it, and at {} nobody had been granted it.",
                    seconds(*since),
                    who(*client),
                    seconds(now_us)
                );
                return Err(Violation::new(message, [*event]));
            }
        }
        Ok(())
    }
}

impl Property for SomebodyIsGranted {
    fn rule(&self) -> &'static str {
        "somebody is granted"
    }

    fn sentence(&self) -> &'static str {
        "A free lock for which somebody waits is granted."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        self.check(event.at_us)?;
        self.awake.see(event);
        let held = !self.grants.0.is_empty();
        self.grants.see(index, event);
        if held && self.grants.0.is_empty() {
            for (client, (since, awake, _)) in &mut self.waiting {
                (*since, *awake) = (event.at_us, self.awake.time_us(*client, event.at_us));
            }
        }
        if let Happening::Crashed { client } = event.what {
            self.waiting.remove(&client);
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        match note.kind {
            "waits" => {
                let awake = self.awake.time_us(note.client, note.at_us);
                self.waiting.insert(note.client, (note.at_us, awake, note.index));
            }
            "waited" => {
                self.waiting.remove(&note.client);
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        self.check(now_us)
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.awake.hash(&mut hasher);
        self.grants.hash(&mut hasher);
        self.waiting.iter().for_each(|(client, (since, awake, _))| (client, since, awake).hash(&mut hasher));
    }
}

#[cfg(test)]
mod tests;
