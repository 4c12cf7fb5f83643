//! DESIGN's rule 12 as properties: who may say that it holds the lock, who must be told what by when, and what waiting may
//! cost.
//!
//! What the coordination service tells ([`Told`]) is the truth. The driver tells `session` (the id of the session that
//! its process has), `waits` before it calls acquire() and then `acquired`, `gave_up` or `session_lost`, `releases` before
//! it calls release() and `released` when that gave a lock back, and `idle` a while after it is done with the lock.

use crate::model::data::Data;
use crate::sim::property::{Note, Property, Violation};
use crate::sim::servers::Told;
use crate::sim::world::{CLIENTS, TICK_US, duration_us};
use crate::time::{SECOND_US, seconds};
use crate::trace::{Call, Event, Happening, Reply};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// How late a waiter may go on once it can know that it should.
const SLACK_US: u64 = SECOND_US / 2 + 2 * TICK_US;
/// How much later after a call that was in vain.
const RETRY_US: u64 = SECOND_US / 2;
/// The longest time between two looks of a waiter whom no message reached.
const LOOK_US: u64 = 10 * SECOND_US;
/// The shortest.
const PAUSE_US: u64 = 5 * SECOND_US;
/// By so much a budget may end early: a call that would not end in time need not be made.
const EARLY_US: u64 = SECOND_US / 8;
/// When watches must be closed, after acquire() has ended.
const TIDY_US: u64 = 2 * SECOND_US;
/// For how long release() must try at least.
const TRIES_US: u64 = 30 * SECOND_US;
/// More watches than these one waiter does not need: its own place's, its predecessor's, and one that is replaced.
const MOST_WATCHES: usize = 3;

/// Calls that a waiter may make when something changed: to queue, to look, to set watches, to look again.
const MOST_CALLS: u64 = 16;
/// Looks that may come too soon after the one before: after a change that its watches did not tell.
const MOST_HASTY: u32 = 2;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    queue: String,
    client: usize,
    session: String,
    /// When it was taken, and how many watches had been set by then.
    taken_us: u64,
    after: u64,
    /// Since when it has been the first of its queue.
    first_since: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Watch {
    client: usize,
    on: Vec<u64>,
    /// The answer was lost: the client can't close what it does not know.
    unknown: bool,
    /// When the wait that it was for ended.
    idle_since: Option<u64>,
}

/// What acquire() is at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Wait {
    began_us: u64,
    budget_us: u64,
    /// Calls since something gave reason for them.
    calls: u64,
    reason_us: u64,
    /// When it last began to look at the queue, and how often since then it did so again too soon.
    looked_us: Option<u64>,
    hasty: u32,
}

#[derive(Clone, Debug, Default)]
struct Client {
    session: Option<String>,
    /// When that session ended.
    over_us: Option<u64>,
    wait: Option<Wait>,
    wait_event: usize,
    /// When a look of it at a queue was last served.
    looked_us: u64,
    /// The place that was its own and the first when a call of it was last served.
    seen_first: Option<u64>,
    /// When the calls that are under way were sent, and which of them set watches.
    calls: BTreeMap<u32, u64>,
    watch_calls: BTreeMap<u32, Option<u64>>,
    asleep: bool,
    cut_off: bool,
    /// When it last came back from a pause or a partition, or had an answer late or never.
    upset_us: u64,
    /// The same, for calls in vain only, and for pauses only.
    vain_us: Option<u64>,
    woke_us: u64,
    /// How much of its budget was left when it was last paused: a wait that it had decided on before still takes that.
    left_us: u64,
    /// A message of a watch may have been lost since its wait began.
    deaf: bool,
    /// When it last called release().
    releases_us: u64,
}

/// What is so at the service and at its clients.
#[derive(Clone, Debug, Default)]
struct Scene {
    places: BTreeMap<u64, Place>,
    watches: BTreeMap<u64, Watch>,
    set: u64,
    clients: BTreeMap<usize, Client>,
    /// Calls that were under way when their process crashed: what they set, nobody knows of.
    orphans: BTreeSet<u32>,
    /// The sessions that are over.
    ended: BTreeSet<String>,
    /// The last event that the service told.
    last: usize,
}

impl Scene {
    fn of(&mut self, client: usize) -> &mut Client {
        self.clients.entry(client).or_default()
    }

    fn mark_firsts(&mut self, now_us: u64) {
        let mut queues: BTreeSet<String> = BTreeSet::new();
        for place in self.places.values_mut() {
            if queues.insert(place.queue.clone()) {
                place.first_since.get_or_insert(now_us);
            }
        }
    }

    /// A client's own place that is the first of its queue.
    fn own_first(&self, client: usize) -> Option<(u64, &Place)> {
        let session = self.clients.get(&client)?.session.as_ref()?;
        let mut firsts = self.places.iter().filter(|(_, p)| p.first_since.is_some() && p.session == *session);
        firsts.next().map(|(number, place)| (*number, place))
    }

    fn see(&mut self, index: usize, event: &Event) {
        let now = event.at_us;
        if let Some(told) = Told::of(event) {
            self.last = index;
            self.told(told, now, event.message);
        }
        match &event.what {
            Happening::Called { client, call } => {
                let of = self.of(*client);
                let Some(call_id) = event.message else { return };
                of.calls.insert(call_id, now);
                if let Call::Other { text, .. } = call
                    && let Some(wait) = &mut of.wait
                    && !text.starts_with("keep_alive")
                {
                    wait.calls(now, text);
                    if text.starts_with("watch") {
                        of.watch_calls.insert(call_id, None);
                    }
                }
            }
            Happening::Answered { client, reply, .. } => {
                let vain = matches!(reply, Reply::TimedOut);
                let of = self.of(*client);
                let Some(call) = event.message else { return };
                let slow = of.calls.remove(&call).is_some_and(|sent| now > sent + SLACK_US / 4);
                let watch = of.watch_calls.remove(&call).flatten();
                if slow {
                    of.upset_us = now;
                }
                if vain {
                    of.vain_us = Some(now);
                    of.give_reason(now);
                    if let Some(watch) = watch.and_then(|w| self.watches.get_mut(&w)) {
                        watch.unknown = true;
                    }
                }
            }
            Happening::Paused { client, .. } => {
                let of = self.of(*client);
                of.asleep = true;
                of.left_us = of.wait.as_ref().map_or(0, |wait| wait.ends_us().saturating_sub(now));
            }
            Happening::Partitioned { client, .. } => {
                let of = self.of(*client);
                (of.cut_off, of.deaf) = (true, true);
            }
            Happening::Woke { client } | Happening::Reconnected { client } => {
                let of = self.of(*client);
                match event.what {
                    Happening::Woke { .. } => (of.asleep, of.woke_us) = (false, now),
                    _ => of.cut_off = false,
                }
                of.upset_us = now;
                of.give_reason(now);
            }
            Happening::Crashed { client } => {
                if let Some(gone) = self.clients.remove(client) {
                    self.orphans.extend(gone.calls.into_keys());
                }
                self.watches.retain(|_, w| w.client != *client);
                self.of(*client).asleep = true;
            }
            Happening::Restarted { client } => self.of(*client).asleep = false,
            Happening::ServerRestarted { .. } => {
                self.watches.clear();
                for client in self.clients.values_mut() {
                    client.deaf = true;
                    client.give_reason(now);
                }
            }
            _ => {}
        }
    }

    fn told(&mut self, told: Told, now: u64, call: Option<u32>) {
        let served = match &told {
            Told::Opened { client, .. } | Told::Taken { client, .. } => Some(*client),
            Told::Watched { client, .. } | Told::Looked { client } => Some(*client),
            _ => None,
        };
        match told {
            Told::Over { session, .. } => {
                for client in self.clients.values_mut().filter(|c| c.session.as_ref() == Some(&session)) {
                    client.over_us = Some(now);
                    client.give_reason(now);
                }
                self.ended.insert(session);
            }
            Told::Taken { client, queue, number, session } => {
                let place = Place { queue, client, session, taken_us: now, after: self.set, first_since: None };
                self.places.insert(number, place);
                self.mark_firsts(now);
            }
            Told::Gone { number, .. } => {
                let Some(gone) = self.places.remove(&number) else { return };
                self.mark_firsts(now);
                let behind: Vec<usize> =
                    self.places.range(number..).filter(|(_, p)| p.queue == gone.queue).map(|(_, p)| p.client).collect();
                behind.into_iter().for_each(|client| self.of(client).give_reason(now));
            }
            Told::Watched { client, watch, on } => {
                if call.is_some_and(|call| self.orphans.contains(&call)) {
                    return;
                }
                self.set = self.set.max(watch);
                let idle_since = self.of(client).wait.is_none().then_some(now);
                self.watches.insert(watch, Watch { client, on, unknown: false, idle_since });
                if let Some(set) = call.and_then(|call| self.of(client).watch_calls.get_mut(&call)) {
                    *set = Some(watch);
                }
            }
            Told::Unwatched { watch } => {
                self.watches.remove(&watch);
            }
            Told::Looked { client } => self.of(client).looked_us = now,
            Told::Opened { .. } => {}
        }
        if let Some(client) = served {
            let first = self.own_first(client).map(|(number, _)| number);
            self.of(client).seen_first = first;
        }
    }

    fn noted(&mut self, note: &Note<'_>) {
        let now = note.at_us;
        let of = self.of(note.client);
        match note.kind {
            "session" => {
                if let Data::Str(id) = note.value {
                    of.session = Some(id.clone());
                    of.over_us = None;
                }
            }
            "waits" => {
                let budget_us = duration_us(note.value).unwrap_or(0);
                of.wait = Some(Wait { began_us: now, budget_us, calls: 0, reason_us: now, looked_us: None, hasty: 0 });
                (of.wait_event, of.deaf) = (note.index, of.cut_off);
                (of.vain_us, of.seen_first, of.left_us) = (None, None, 0);
            }
            "releases" => of.releases_us = now,
            "acquired" | "gave_up" | "session_lost" => {
                of.wait = None;
                for watch in self.watches.values_mut().filter(|w| w.client == note.client) {
                    watch.idle_since.get_or_insert(now);
                }
            }
            _ => {}
        }
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        (&self.places, &self.watches, self.set).hash(&mut hasher);
        for (number, client) in &self.clients {
            let Client { session, over_us, wait, seen_first, calls, asleep, cut_off, .. } = client;
            (number, session, over_us, wait, seen_first).hash(&mut hasher);
            (calls.len(), client.watch_calls.len(), asleep, cut_off).hash(&mut hasher);
            (client.woke_us, client.left_us).hash(&mut hasher);
            (client.looked_us, client.upset_us, client.vain_us, client.deaf).hash(&mut hasher);
            client.releases_us.hash(&mut hasher);
        }
    }
}

impl Wait {
    fn ends_us(&self) -> u64 {
        self.began_us + self.budget_us
    }

    fn calls(&mut self, now_us: u64, text: &str) {
        // A last look and cleaning up are no polling.
        if now_us + EARLY_US >= self.ends_us() {
            return;
        }
        self.calls += 1;
        // Looks that come close together are one: before and after a watch is set.
        if text.starts_with("places") && self.looked_us.is_none_or(|at| now_us > at + SLACK_US) {
            let soon = self.looked_us.replace(now_us).is_some_and(|at| now_us + EARLY_US < at + PAUSE_US);
            self.hasty += u32::from(soon);
        }
    }
}

impl Client {
    fn give_reason(&mut self, now_us: u64) {
        if let Some(wait) = &mut self.wait {
            (wait.calls, wait.reason_us, wait.hasty) = (0, now_us, 0);
        }
    }

    /// Until when it has to go on, if it was able to from then on; none while it can do nothing.
    fn due(&self, from_us: u64, by_message: bool) -> Option<u64> {
        if self.asleep || self.cut_off || !self.calls.is_empty() {
            return None;
        }
        // Without a message it is up to its own next look.
        let look = if by_message && self.deaf { self.looked_us.max(self.woke_us) + LOOK_US } else { 0 };
        let retry = self.vain_us.map_or(0, |at| at + RETRY_US);
        Some(from_us.max(look).max(self.upset_us).max(retry) + SLACK_US)
    }
}

/// `acquire()` returns the place that is the first, and none else.
#[derive(Debug, Default)]
pub(super) struct OnlyTheFirst(Scene);

impl Property for OnlyTheFirst {
    fn rule(&self) -> &'static str {
        "only the first"
    }

    fn sentence(&self) -> &'static str {
        "The lock belongs to the session whose place is the first in line; look at the queue, and find your own place in \
         it, before you say that it is yours."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        self.0.see(index, event);
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let result = if let ("acquired", Data::Int(number)) = (note.kind, note.value) {
            self.acquired(note, *number)
        } else {
            Ok(())
        };
        self.0.noted(note);
        result
    }

    fn digest(&self, hasher: &mut dyn Hasher) {
        self.0.digest(hasher);
    }
}

impl OnlyTheFirst {
    fn acquired(&mut self, note: &Note<'_>, number: i64) -> Result<(), Violation> {
        let claimed = u64::try_from(number).ok();
        let now_first = self.0.own_first(note.client).map(|(number, _)| number);
        let client = self.0.of(note.client);
        if claimed.is_some() && (claimed == now_first || claimed == client.seen_first) {
            return Ok(());
        }
        let session = client.session.clone().unwrap_or_default();
        let over = client.over_us;
        let at = format!("At {} {}'s acquire() returned {number}", seconds(note.at_us), CLIENTS[note.client]);
        let first = self.0.places.iter().find(|(_, p)| p.first_since.is_some());
        let message = match (claimed.and_then(|n| self.0.places.get(&n)), over, first) {
            (_, Some(over), _) => format!("{at}, though its session was over since {}.", seconds(over)),
            (Some(place), _, _) if place.session != session => {
                format!("{at}, the place of session {}, but its own session is {session}.", place.session)
            }
            (Some(_), _, Some((first, place))) if Some(*first) != claimed => {
                format!("{at}, while place {first} of {} stood before it.", CLIENTS[place.client])
            }
            (None, _, _) => format!("{at}, and there is no such place in the queue."),
            _ => format!("{at}, which is not its place."),
        };
        Err(Violation::new(message, [self.0.last]))
    }
}

/// What a waiter must be told, and by when.
#[derive(Debug)]
pub(super) struct Prompt {
    scene: Scene,
    what: Must,
}

/// One of three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Must {
    /// Its place is the first: acquire() returns it.
    Grant,
    /// Its session is over: acquire() raises.
    Fail,
    /// Its budget is used up: acquire() ends.
    End,
}

impl Prompt {
    pub(super) fn new(what: Must) -> Self {
        Prompt { scene: Scene::default(), what }
    }

    fn check(&self, now_us: u64) -> Result<(), Violation> {
        for (number, client) in &self.scene.clients {
            let Some(wait) = &client.wait else { continue };
            let who = CLIENTS[*number];
            let (from, message) = match self.what {
                Must::Grant => {
                    let first = self.scene.own_first(*number).filter(|_| client.over_us.is_none());
                    let Some((place, since)) = first.and_then(|(n, p)| Some((n, p.first_since?))) else { continue };
                    let from = since.max(wait.began_us);
                    let text = format!("{who}'s place {place} was the first in line from {} on", seconds(from));
                    (from, text)
                }
                Must::Fail => {
                    let Some(over) = client.over_us else { continue };
                    (over.max(wait.began_us), format!("{who}'s session was over from {} on", seconds(over)))
                }
                Must::End => {
                    let end = wait.ends_us();
                    let decided = if client.left_us > 0 { client.woke_us + client.left_us } else { 0 };
                    (
                        end.max(decided),
                        format!("{who} was to wait at most {}, until {}", seconds(wait.budget_us), seconds(end)),
                    )
                }
            };
            let by_message = self.what != Must::End;
            if client.due(from, by_message).is_some_and(|due| now_us > due) {
                let message = format!("{message}, and at {} its acquire() still waited.", seconds(now_us));
                return Err(Violation::new(message, [client.wait_event, self.scene.last]));
            }
        }
        Ok(())
    }
}

impl Property for Prompt {
    fn rule(&self) -> &'static str {
        match self.what {
            Must::Grant => "woken",
            Must::Fail => "fails at once",
            Must::End => "waits end",
        }
    }

    fn sentence(&self) -> &'static str {
        match self.what {
            Must::Grant => {
                "Whoever has come to be the first in line learns of it from a watch within half a second, or, if the \
                 watch's message was lost, by a look after 10 seconds at most."
            }
            Must::Fail => {
                "A waiter whose session is over has no place any more and never comes to be the first: it raises \
                 SessionLost at once, and does not wait for those who stood before it."
            }
            Must::End => "wait_s is a budget: when it is used up, acquire() cleans up and returns None.",
        }
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        self.check(event.at_us)?;
        self.scene.see(index, event);
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.check(note.at_us)?;
        self.scene.noted(note);
        Ok(())
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        self.check(now_us)
    }

    fn digest(&self, hasher: &mut dyn Hasher) {
        self.scene.digest(hasher);
    }
}

/// None comes when the budget is used up, SessionLost when the session is over.
#[derive(Debug, Default)]
pub(super) struct NoNeedlessEnd(Scene);

impl Property for NoNeedlessEnd {
    fn rule(&self) -> &'static str {
        "no needless end"
    }

    fn sentence(&self) -> &'static str {
        "A wait ends with the lock, with None when its budget is used up, or with SessionLost when the session is over."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        self.0.see(index, event);
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let client = self.0.of(note.client);
        let at = format!("At {} {}'s acquire()", seconds(note.at_us), CLIENTS[note.client]);
        let result = match (note.kind, &client.wait) {
            ("gave_up", Some(wait)) if note.at_us + EARLY_US < wait.ends_us() => {
                let budget = seconds(wait.budget_us);
                Err(format!("{at} returned None, though it had {budget} from {} on.", seconds(wait.began_us)))
            }
            ("session_lost", Some(_)) if client.over_us.is_none() => {
                Err(format!("{at} raised SessionLost, though its session goes on."))
            }
            _ => Ok(()),
        };
        let event = client.wait_event;
        self.0.noted(note);
        result.map_err(|message| Violation::new(message, [event]))
    }

    fn digest(&self, hasher: &mut dyn Hasher) {
        self.0.digest(hasher);
    }
}

/// A place that goes wakes at most one other waiter.
#[derive(Debug, Default)]
pub(super) struct NoHerd(Scene);

impl Property for NoHerd {
    fn rule(&self) -> &'static str {
        "no herd"
    }

    fn sentence(&self) -> &'static str {
        "When a place goes, at most one waiter is woken: the one right behind it. So watch your predecessor, not the one \
         who holds the lock."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        let gone = match Told::of(event) {
            Some(Told::Gone { number, .. }) => self.0.places.get(&number).map(|place| (number, place.clone())),
            _ => None,
        };
        if let Some((number, place)) = gone {
            // Whoever has left the queue is no waiter any more, even if its watch is still about to be closed.
            let waits = |client: usize, watch: u64| {
                self.0.places.values().any(|p| p.client == client && p.queue == place.queue && p.after < watch)
            };
            let woken: BTreeSet<usize> = self
                .0
                .watches
                .iter()
                .filter(|(id, w)| w.on.contains(&number) && w.client != place.client && waits(w.client, **id))
                .map(|(_, w)| w.client)
                .collect();
            if woken.len() > 1 {
                let names: Vec<&str> = woken.iter().map(|c| CLIENTS[*c]).collect();
                let message = format!(
                    "At {} place {number} of {} went, and that woke {} waiters: {}.",
                    seconds(event.at_us),
                    CLIENTS[place.client],
                    woken.len(),
                    names.join(", ")
                );
                return Err(Violation::new(message, []));
            }
        }
        self.0.see(index, event);
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.0.noted(note);
        Ok(())
    }

    fn digest(&self, hasher: &mut dyn Hasher) {
        self.0.digest(hasher);
    }
}

/// While nothing changes, a waiter asks nothing, but for a look every 5 seconds at most.
#[derive(Debug, Default)]
pub(super) struct NoPolling(Scene);

impl Property for NoPolling {
    fn rule(&self) -> &'static str {
        "no polling"
    }

    fn sentence(&self) -> &'static str {
        "While nothing changes before it, a waiter leaves the service alone: it waits for its watch, and looks again every \
         5 to 10 seconds in case a message was lost."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        self.0.see(index, event);
        if let Happening::Called { client, .. } = event.what
            && let Some(wait) = &self.0.of(client).wait
        {
            let most = MOST_CALLS + 5 * ((event.at_us - wait.reason_us) / PAUSE_US);
            if wait.calls > most || wait.hasty > MOST_HASTY {
                let message = format!(
                    "From {} on nothing changed before {}'s place, and by {} it had made {} calls.",
                    seconds(wait.reason_us),
                    CLIENTS[client],
                    seconds(event.at_us),
                    wait.calls
                );
                return Err(Violation::new(message, [index]));
            }
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.0.noted(note);
        Ok(())
    }

    fn digest(&self, hasher: &mut dyn Hasher) {
        self.0.digest(hasher);
    }
}

/// Watches and places do not outlive the wait that they were for.
#[derive(Debug, Default)]
pub(super) struct NothingLeft(Scene);

impl NothingLeft {
    fn check(&self, now_us: u64) -> Result<(), Violation> {
        let mut in_use: BTreeMap<usize, usize> = BTreeMap::new();
        for (id, watch) in self.0.watches.iter().filter(|(_, w)| !w.unknown) {
            let Some(client) = self.0.clients.get(&watch.client) else { continue };
            let who = CLIENTS[watch.client];
            let message = match watch.idle_since {
                Some(since) if client.due(since + TIDY_US, false).is_some_and(|due| now_us > due) => {
                    let on: Vec<String> = watch.on.iter().map(u64::to_string).collect();
                    format!(
                        "{who}'s acquire() ended at {}, and at {} its watch {id} on place {} is still with the service.",
                        seconds(since),
                        seconds(now_us),
                        on.join(" and ")
                    )
                }
                Some(_) => continue,
                None => {
                    let count = in_use.entry(watch.client).or_default();
                    *count += 1;
                    if *count <= MOST_WATCHES {
                        continue;
                    }
                    let now = seconds(now_us);
                    format!("At {now} {who} waits with {count} watches at once, and needs no more than {MOST_WATCHES}.")
                }
            };
            return Err(Violation::new(message, [self.0.last]));
        }
        Ok(())
    }
}

impl Property for NothingLeft {
    fn rule(&self) -> &'static str {
        "nothing is left"
    }

    fn sentence(&self) -> &'static str {
        "A wait that is over leaves nothing behind: its watches are closed, also one that found its place gone already; \
         and without the lock its place is removed, if need be with 30 seconds of asking."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        self.check(event.at_us)?;
        self.0.see(index, event);
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.check(note.at_us)?;
        self.0.noted(note);
        let client = self.0.of(note.client);
        let calm = client.upset_us + 4 * SECOND_US < note.at_us && !client.cut_off && client.calls.is_empty();
        let returned = note.kind == "released" && note.at_us < client.releases_us + TRIES_US;
        if !returned && (note.kind != "idle" || !calm) {
            return Ok(());
        }
        let session = client.session.clone();
        match self.0.places.iter().find(|(_, place)| Some(&place.session) == session.as_ref()) {
            Some((number, _)) => {
                let (at, who) = (seconds(note.at_us), CLIENTS[note.client]);
                let message = if returned {
                    format!(
                        "At {at} {who}'s release() returned after less than 30 seconds, and its place {number} still stood \
                         in the queue."
                    )
                } else {
                    format!(
                        "At {at} {who} was long done with the lock, and its place {number} still stood in the queue."
                    )
                };
                Err(Violation::new(message, [self.0.last]))
            }
            None => Ok(()),
        }
    }

    fn digest(&self, hasher: &mut dyn Hasher) {
        self.0.digest(hasher);
    }
}

/// A waiter stays where it stands.
#[derive(Debug, Default)]
pub(super) struct KeepsItsPlace(Scene);

impl Property for KeepsItsPlace {
    fn rule(&self) -> &'static str {
        "keeps its place"
    }

    fn sentence(&self) -> &'static str {
        "While there is budget a waiter keeps its place: whoever leaves the queue and comes back stands last."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        if let Some(Told::Gone { client, number, .. }) = Told::of(event)
            && let Some(place) = self.0.places.get(&number)
            && let Some(waiter) = self.0.clients.get(&client)
            && let Some(wait) = &waiter.wait
        {
            let own = waiter.session.as_ref() == Some(&place.session) && waiter.over_us.is_none();
            // After a lost answer it may have to make up its mind which of two places is its own.
            let calm = waiter.vain_us.is_none() && event.message.is_some();
            // What an earlier wait left behind may still be removed.
            let of_this_wait = place.taken_us >= wait.began_us;
            if own && of_this_wait && calm && event.at_us + EARLY_US < wait.ends_us() {
                let message = format!(
                    "At {} {} gave up place {number}, though it had budget until {}.",
                    seconds(event.at_us),
                    CLIENTS[client],
                    seconds(wait.ends_us())
                );
                return Err(Violation::new(message, [waiter.wait_event]));
            }
        }
        self.0.see(index, event);
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.0.noted(note);
        Ok(())
    }

    fn digest(&self, hasher: &mut dyn Hasher) {
        self.0.digest(hasher);
    }
}

/// Nobody removes a place of another session.
#[derive(Debug, Default)]
pub(super) struct OnlyOnesOwn(Scene);

impl Property for OnlyOnesOwn {
    fn rule(&self) -> &'static str {
        "only one's own"
    }

    fn sentence(&self) -> &'static str {
        "Remove only places of your own session: every other one belongs to somebody who counts on it."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        if let Some(Told::Gone { client, number, .. }) = Told::of(event)
            && let Some(place) = self.0.places.get(&number)
        {
            let session = self.0.clients.get(&client).and_then(|c| c.session.as_ref());
            // A session that ended took its places along.
            let removed = event.message.is_some() && session.is_some();
            if removed && session != Some(&place.session) && !self.0.ended.contains(&place.session) {
                let whose = if place.client == client {
                    "an earlier session of its own".to_owned()
                } else {
                    CLIENTS[place.client].to_owned()
                };
                let message = format!(
                    "At {} {} removed place {number}, which belongs to {whose}.",
                    seconds(event.at_us),
                    CLIENTS[client]
                );
                return Err(Violation::new(message, []));
            }
        }
        self.0.see(index, event);
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.0.noted(note);
        Ok(())
    }

    fn digest(&self, hasher: &mut dyn Hasher) {
        self.0.digest(hasher);
    }
}

#[cfg(test)]
mod tests;
