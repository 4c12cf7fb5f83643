//! What the driver's notes oblige a client to do in time. What a client *does*, the driver judges on the spot; here is
//! what it leaves undone: a loss that is not told, a renewal that is not tried, a call that does not return, a callback that
//! is not called. And whether waiters are spread by chance.

use crate::model::data::Data;
use crate::sim::property::{Note, Property, Violation};
use crate::sim::world::TICK_US;
use crate::time::{SECOND_US, seconds};
use crate::trace::{Call, Event, Happening, Reply};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// How late something may come that is due at once.
const SLACK_US: u64 = 7 * TICK_US;
/// So close to the deadline giving up is a matter of taste: an answer may take that long.
const CLOSE_US: u64 = SECOND_US + 2 * TICK_US;

/// A number from a note.
fn number(value: &Data, field: &str) -> u64 {
    match value {
        Data::Map(map) => match map.get(field) {
            Some(Data::Int(n)) => n.unsigned_abs(),
            _ => 0,
        },
        _ => 0,
    }
}

/// A text from a note.
fn text(value: &Data, field: &str) -> String {
    match value {
        Data::Map(map) => match map.get(field) {
            Some(Data::Str(text)) => text.clone(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

/// Which processes can act, and since when.
#[derive(Clone, Debug, Default, Hash)]
struct Awake(BTreeMap<usize, State>);

#[derive(Clone, Debug, Default, Hash)]
struct State {
    asleep: bool,
    cut_off: bool,
    woke: u64,
}

impl Awake {
    fn see(&mut self, event: &Event) {
        let (client, change): (usize, fn(&mut State)) = match event.what {
            Happening::Paused { client, .. } => (client, |s| s.asleep = true),
            Happening::Woke { client } => (client, |s| s.asleep = false),
            Happening::Partitioned { client, .. } => (client, |s| s.cut_off = true),
            Happening::Reconnected { client } => (client, |s| s.cut_off = false),
            _ => return,
        };
        let state = self.0.entry(client).or_default();
        change(state);
        state.woke = event.at_us;
    }

    /// Since when the client's code runs; none while it is paused.
    fn since(&self, client: usize) -> Option<u64> {
        self.0.get(&client).map_or(Some(0), |s| (!s.asleep).then_some(s.woke))
    }

    /// The same, where it also needs the network.
    fn online_since(&self, client: usize) -> Option<u64> {
        self.since(client).filter(|_| self.0.get(&client).is_none_or(|s| !s.cut_off))
    }
}

/// A grant, as its client's process knows it.
#[derive(Clone, Debug, Default)]
struct Lease {
    ttl: u64,
    due: u64,
    /// How many attempts failed since the last success.
    failures: u32,
    /// How many attempts are under way.
    under_way: u32,
    /// When the process last heard of it.
    heard: u64,
    rejected: Option<u64>,
    /// Since when there is a handle.
    held: u64,
    /// How many handles are neither released nor told.
    open: u32,
    /// The event at which it last heard.
    proof: usize,
}

impl Lease {
    /// The longest pause between two renewals: a third of the ttl and a tenth of that more; two tenths if each counts from
    /// a grid of its own; and a little for the round trip.
    fn longest(&self) -> u64 {
        self.ttl / 3 * 123 / 100
    }
}

/// Every grant that has open handles is renewed, and its loss is told to each of them in time.
///
/// The driver tells `granted`, `renewing` and then `renewed`, `rejected`, `unknown` or `dropped`; and of handles `held`,
/// then `released` or `lost`.
#[derive(Debug, Default)]
pub(super) struct KeptOrTold {
    awake: Awake,
    leases: BTreeMap<(usize, u64), Lease>,
    broken: Broken,
}

#[derive(Clone, Copy, Debug, Default)]
enum Broken {
    #[default]
    Told,
    Kept,
}

impl KeptOrTold {
    fn check(&mut self, now_us: u64) -> Result<(), Violation> {
        for ((client, token), lease) in self.leases.iter().filter(|(_, l)| l.open > 0) {
            let Some(woke) = self.awake.since(*client) else { continue };
            // Nobody can act before there is a handle, or while the process sleeps.
            let able = woke.max(lease.held);
            let by = |at: u64| at.max(able) + SLACK_US;
            let now = seconds(now_us);
            let handles = if lease.open == 1 { "the handle".to_owned() } else { format!("{} handles", lease.open) };
            if let Some(rejected) = lease.rejected.filter(|at| now_us > by(*at)) {
                self.broken = Broken::Told;
                let message = format!(
                    "At {} the service said that the grant with token {token} is over, and at {now} on_lost of {handles} \
                     had not been called.",
                    seconds(rejected)
                );
                return Err(Violation::new(message, [lease.proof]));
            }
            if now_us > by(lease.due) {
                self.broken = Broken::Told;
                let message = format!(
                    "By the last request that succeeded, the lease with token {token} was sure to run only until {}, and \
                     at {now} on_lost of {handles} had not been called.",
                    seconds(lease.due)
                );
                return Err(Violation::new(message, [lease.proof]));
            }
            let try_by = lease.heard.max(able) + lease.longest();
            let may_give_up = lease.rejected.is_some() || lease.failures >= 2 || try_by + CLOSE_US >= lease.due;
            if lease.under_way == 0 && now_us > try_by && !may_give_up {
                self.broken = Broken::Kept;
                let message = format!(
                    "The lease with token {token} is held, the last answer{} came at {}, and until {now} no renewal was \
                     sent.",
                    if lease.failures > 0 { " (a TransportError)" } else { "" },
                    seconds(lease.heard)
                );
                return Err(Violation::new(message, [lease.proof]));
            }
        }
        Ok(())
    }
}

impl Property for KeptOrTold {
    fn rule(&self) -> &'static str {
        match self.broken {
            Broken::Told => "told in time",
            Broken::Kept => "keeps trying",
        }
    }

    fn sentence(&self) -> &'static str {
        match self.broken {
            Broken::Told => {
                "on_lost is called for each handle of a grant that is lost: at once when a renewal was rejected, at the \
                 latest when the deadline passes."
            }
            Broken::Kept => {
                "As long as a handle is held, renew about every third of the ttl, and after a failed attempt try again no \
                 later than that."
            }
        }
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        self.check(event.at_us)?;
        self.awake.see(event);
        if let Happening::Crashed { client } = event.what {
            self.leases.retain(|(c, _), _| *c != client);
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.check(note.at_us)?;
        let now = note.at_us;
        let key = (note.client, number(note.value, "lease"));
        if note.kind == "granted" {
            let (ttl, due) = (number(note.value, "ttl"), number(note.value, "due"));
            self.leases.insert(key, Lease { ttl, due, heard: now, proof: note.index, ..Lease::default() });
        }
        let Some(lease) = self.leases.get_mut(&key) else { return Ok(()) };
        match note.kind {
            "renewing" => lease.under_way += 1,
            "renewed" | "rejected" | "unknown" | "dropped" => {
                lease.under_way = lease.under_way.saturating_sub(1);
                (lease.heard, lease.proof) = (now, note.index);
                match note.kind {
                    "renewed" => (lease.failures, lease.due) = (0, number(note.value, "due")),
                    "rejected" => lease.rejected = lease.rejected.or(Some(now)),
                    "unknown" => lease.failures += 1,
                    _ => {}
                }
            }
            "held" => {
                if lease.open == 0 {
                    lease.held = now;
                }
                lease.open += 1;
            }
            "lost" | "released" => lease.open = lease.open.saturating_sub(1),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        self.check(now_us)
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.awake.hash(&mut hasher);
        for (key, lease) in &self.leases {
            let Lease { ttl, due, failures, under_way, heard, rejected, held, open, proof: _ } = lease;
            (key, ttl, due, failures, under_way, heard, rejected, held, open).hash(&mut hasher);
        }
    }
}

/// Every call of the client's methods returns within its bound, not counting the time in which its process could do
/// nothing; and no wait is given up before its end. The driver tells `calls`, with the bound, and `returned`; and `gave up`
/// of a wait whose last try was answered before its end.
#[derive(Debug, Default)]
pub(super) struct CallsReturn {
    awake: Awake,
    calls: BTreeMap<(usize, u64), Running>,
    gave_up: bool,
}

#[derive(Debug, Hash)]
struct Running {
    what: String,
    most: u64,
    began: u64,
    /// How much of the bound was used up when its process last stopped, and when it went on.
    used: u64,
    since: Option<u64>,
}

impl CallsReturn {
    fn check(&self, now_us: u64) -> Result<(), Violation> {
        for ((client, _), call) in &self.calls {
            let used = call.used + call.since.map_or(0, |since| now_us - since);
            if self.awake.online_since(*client).is_some() && used > call.most {
                let message = format!(
                    "{} was called at {} and had not returned at {}.",
                    call.what,
                    seconds(call.began),
                    seconds(now_us)
                );
                return Err(Violation::new(message, []));
            }
        }
        Ok(())
    }
}

impl Property for CallsReturn {
    fn rule(&self) -> &'static str {
        if self.gave_up { "a last try at the end" } else { "every wait is bounded" }
    }

    fn sentence(&self) -> &'static str {
        if self.gave_up {
            return "Try once more at the end of the wait, however long the pause would have been.";
        }
        "wait_s is a budget: at its end one last try is made and the wait is over. Nothing waits longer than its caller \
         allowed."
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        self.check(event.at_us)?;
        self.awake.see(event);
        if let Happening::Crashed { client } = event.what {
            self.calls.retain(|(c, _), _| *c != client);
        }
        for ((client, _), call) in &mut self.calls {
            match (self.awake.online_since(*client).is_some(), call.since) {
                (false, Some(since)) => {
                    call.used += event.at_us - since;
                    call.since = None;
                }
                (true, None) => call.since = Some(event.at_us),
                _ => {}
            }
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.check(note.at_us)?;
        let key = (note.client, number(note.value, "call"));
        match note.kind {
            "calls" => {
                let since = self.awake.online_since(note.client).map(|_| note.at_us);
                let (what, most) = (text(note.value, "what"), number(note.value, "most"));
                self.calls.insert(key, Running { what, most, began: note.at_us, used: 0, since });
            }
            "returned" => {
                self.calls.remove(&key);
            }
            "gave up" => {
                let (heard, end) = (number(note.value, "heard"), number(note.value, "end"));
                // Who slept until after the end had no turn in which to try.
                if self.awake.since(note.client).is_none_or(|woke| woke < end) {
                    self.gave_up = true;
                    let message = format!(
                        "At {} {} returned None, whose last try was answered at {}, and the wait was to end at {}.",
                        seconds(note.at_us),
                        text(note.value, "what"),
                        seconds(heard),
                        seconds(end)
                    );
                    return Err(Violation::new(message, [note.index]));
                }
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
        self.calls.hash(&mut hasher);
    }
}

/// Who asked to be told when a lock is free is told once, in time, and not before. The driver tells `asks`, then
/// `told free` or `unasks`.
#[derive(Debug)]
pub(super) struct ToldFree {
    /// How long telling may take.
    pub(super) within_us: u64,
    awake: Awake,
    /// The names that somebody holds, and since when those that were released are free.
    held: BTreeMap<String, bool>,
    questions: BTreeMap<(usize, u64), Question>,
}

#[derive(Debug, Hash)]
struct Question {
    name: String,
    /// It was free at some moment since the question.
    was_free: bool,
    /// Since when it is free.
    free: Option<u64>,
    ended: Option<&'static str>,
    since: u64,
}

impl ToldFree {
    /// With the time that telling may take.
    pub(super) fn new(within_us: u64) -> Self {
        ToldFree { within_us, awake: Awake::default(), held: BTreeMap::new(), questions: BTreeMap::new() }
    }

    fn check(&self, now_us: u64) -> Result<(), Violation> {
        for ((client, _), question) in self.questions.iter().filter(|(_, q)| q.ended.is_none()) {
            let (Some(free), Some(online)) = (question.free, self.awake.online_since(*client)) else { continue };
            if now_us > free.max(online) + self.within_us {
                let message = format!(
                    "on_release({:?}) was called at {}, the lock was free from {} on, and at {} the callback had not been \
                     called.",
                    question.name,
                    seconds(question.since),
                    seconds(free),
                    seconds(now_us)
                );
                return Err(Violation::new(message, []));
            }
        }
        Ok(())
    }
}

impl Property for ToldFree {
    fn rule(&self) -> &'static str {
        "told when it is free"
    }

    fn sentence(&self) -> &'static str {
        "The callback of on_release is called once, when the lock is free, also if a watch got lost; and never after \
         cancel()."
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        self.check(event.at_us)?;
        self.awake.see(event);
        let (name, holds) = match &event.what {
            Happening::Served { name, reply: Reply::Granted { .. }, .. } => (name, true),
            Happening::Served { name, reply: Reply::Released, .. } | Happening::Expired { name, .. } => (name, false),
            Happening::Crashed { client } => {
                self.questions.retain(|(c, _), _| c != client);
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.held.insert(name.clone(), holds);
        for question in self.questions.values_mut().filter(|q| q.name == *name) {
            question.was_free |= !holds;
            question.free = (!holds).then_some(event.at_us);
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.check(note.at_us)?;
        let key = (note.client, number(note.value, "question"));
        match note.kind {
            "asks" => {
                let name = text(note.value, "name");
                let is_free = !self.held.get(&name).copied().unwrap_or(false);
                let free = is_free.then_some(note.at_us);
                self.questions.insert(key, Question { name, was_free: is_free, free, ended: None, since: note.at_us });
            }
            "told free" => {
                let Some(question) = self.questions.get_mut(&key) else { return Ok(()) };
                let wrong = match question.ended {
                    Some(why) => Some(why),
                    None => (!question.was_free).then_some("while the lock had been held all the time since"),
                };
                if let Some(wrong) = wrong {
                    let message = format!(
                        "At {} the callback of on_release({:?}), which was asked for at {}, was called {wrong}.",
                        seconds(note.at_us),
                        question.name,
                        seconds(question.since)
                    );
                    return Err(Violation::new(message, [note.index]));
                }
                question.ended = Some("a second time");
            }
            "unasks" => {
                if let Some(question) = self.questions.get_mut(&key) {
                    question.ended = Some("after cancel()");
                }
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
        self.held.hash(&mut hasher);
        self.questions.hash(&mut hasher);
    }
}

/// Waiters draw their pauses with full jitter. Each client is one waiter that waits in vain.
#[derive(Debug, Default)]
pub(super) struct BacksOff {
    /// By client: when the last try was answered, and the pauses since the first one.
    waiters: BTreeMap<usize, (u64, Vec<u64>)>,
}

/// As the starter gives them.
const BASE_US: u64 = SECOND_US / 2;
const CAP_US: u64 = 4 * SECOND_US;

/// The ceiling of the nth pause, from 0.
fn ceiling(nth: usize) -> u64 {
    CAP_US.min(BASE_US << nth.min(8))
}

impl BacksOff {
    /// What is wrong with the pauses, if anything is.
    fn flaw(&self) -> Option<String> {
        let waiters: Vec<&[u64]> = self.waiters.values().map(|(_, pauses)| pauses.as_slice()).collect();
        // The last pause may have been cut short by the end of the wait.
        let drawn = |pauses: &&[u64]| pauses.split_last().map_or(Vec::new(), |(_, rest)| rest.to_vec());
        let drawn: Vec<Vec<u64>> = waiters.iter().map(drawn).collect();
        let of_ceiling = |(nth, pause): (usize, &u64)| *pause as f64 / ceiling(nth) as f64;
        let parts: Vec<f64> = drawn.iter().flat_map(|pauses| pauses.iter().enumerate().map(of_ceiling)).collect();
        let late: Vec<u64> = drawn.iter().flat_map(|pauses| pauses.iter().skip(4)).copied().collect();
        let longest = late.iter().max().copied().unwrap_or(0);
        if let [first, second, ..] = drawn.as_slice()
            && first.len() > 3
            && first == second
        {
            return Some("two processes that began to wait together tried in step all the time".to_owned());
        }
        if longest <= CAP_US / 2 + TICK_US {
            return Some(format!(
                "from the fifth on no pause was longer than {}: they don't grow to CAP_S, which is {}",
                seconds(longest),
                seconds(CAP_US)
            ));
        }
        let short = |(nth, pause): (usize, &u64)| *pause <= ceiling(nth) / 2 + TICK_US;
        // By chance once in 2 million times, if there are seven waiters.
        if drawn.len() > 6 && drawn.iter().all(|pauses| pauses.iter().take(3).enumerate().all(short)) {
            return Some("the first three pauses of each were never longer than half of what BASE_S allows".to_owned());
        }
        let none = drawn.iter().flatten().filter(|pause| **pause == 0).count();
        if none > 2 {
            return Some(format!("{none} times the next try followed in the same instant"));
        }
        let exact = late.iter().filter(|pause| pause.abs_diff(CAP_US) < CAP_US / 50).count();
        if exact * 10 > late.len() * 3 {
            return Some(format!(
                "{exact} of {} later pauses were CAP_S long: the cap came after the draw, and it belongs before it",
                late.len()
            ));
        }
        let shortest = late.iter().min().copied().unwrap_or(0);
        if late.len() > 30 && shortest > CAP_US / 5 {
            return Some(format!(
                "from the fifth on no pause of {} was shorter than {}",
                late.len(),
                seconds(shortest)
            ));
        }
        let least = parts.iter().copied().fold(f64::INFINITY, f64::min);
        if least > 0.3 {
            let percent = (least * 100.0).floor();
            return Some(format!("no pause of {} was shorter than {percent} % of its longest length", parts.len()));
        }
        None
    }
}

impl Property for BacksOff {
    fn rule(&self) -> &'static str {
        "full jitter"
    }

    fn sentence(&self) -> &'static str {
        "After the nth try in vain sleep for random.uniform(0, min(CAP_S, BASE_S * 2**n)) seconds, drawn anew each time, so \
         that waiters which came together do not go on together."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        match &event.what {
            Happening::Called { client, call: Call::Acquire { name, .. } } => {
                let Some((answered, pauses)) = self.waiters.get_mut(client) else { return Ok(()) };
                let (nth, pause) = (pauses.len(), event.at_us - *answered);
                pauses.push(pause);
                // Whoever counts the tries from 1 is twice as patient, no more.
                if pause > ceiling(nth + 1) + TICK_US {
                    let message =
                        format!("{} after try {} for {name} in vain the next one was sent.", seconds(pause), nth);
                    return Err(Violation::new(message, [index]));
                }
            }
            Happening::Answered { client, reply: Reply::Refused, .. } => {
                self.waiters.entry(*client).or_default().0 = event.at_us;
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _: u64) -> Result<(), Violation> {
        match self.flaw() {
            Some(flaw) => {
                Err(Violation::new(format!("{} waiters waited in vain, and {flaw}.", self.waiters.len()), []))
            }
            None => Ok(()),
        }
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.waiters.hash(&mut hasher);
    }
}

#[cfg(test)]
mod tests;
