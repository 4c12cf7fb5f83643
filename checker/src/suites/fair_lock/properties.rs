//! DESIGN's rule 14 as a property: what a fair lock may do and must do, given what its owners were told.
//!
//! Nothing of the record is read. The driver tells `asks` when an owner without a turn calls acquire(), then `granted` or
//! `refused`; `reenters` when a holder calls it again, then `reentered`; `frees` (and whether it is the last one) when
//! release() is called, then `freed` or `not_held`. `another lock` begins everything anew.

use crate::model::data::Data;
use crate::sim::property::{Note, Property, Violation};
use crate::sim::world::{CLIENTS, TICK_US};
use crate::time::{SECOND_US, seconds};
use crate::trace::{Call, Event, Happening, Reply};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// How long the lock may lie idle between two turns where nothing goes wrong: a look at the record every half second, and
/// a few round trips.
const SLACK_US: u64 = SECOND_US * 5 / 4;
/// By so much floats may miss a moment.
const ROUNDING_US: u64 = 10;
/// What a lost message may cost: a second until it is given up, half a second of rest, and another look.
const LOST_US: u64 = SECOND_US * 7 / 4;
/// How much earlier than its budget a waiter may give up.
const EARLY_US: u64 = SECOND_US / 2;
/// And how much later, where nothing goes wrong and where messages are lost.
const LATE_US: u64 = SECOND_US * 3 / 4;
const LATEST_US: u64 = 4 * SECOND_US + 8 * TICK_US;
/// How long after its first commit a waiter's ticket is taken, at the latest, where nothing goes wrong.
const IN_LINE_US: u64 = SECOND_US / 4;
/// And how long after it came, be there a commit or none: a ticket is taken at once.
const AT_ONCE_US: u64 = SECOND_US;
/// How long a release() may take where nothing goes wrong and others commit at the same time.
const FREES_US: u64 = 2 * SECOND_US;
/// So many calls of one process in so long are a hail. Where no time is lost between two looks there are 128.
const HAIL: u32 = 100;
const HAIL_US: u64 = 4 * SECOND_US;

/// The queue as its owners see it.
#[derive(Debug)]
pub(super) struct Queue {
    turn_us: u64,
    /// How much too late an end may be told.
    over_us: u64,
    clients: BTreeMap<usize, Client>,
    /// The last turn that was given.
    last: Option<Turn>,
    /// The greatest ticket that was given.
    ticket: Option<i64>,
    /// How many tickets may be without an owner that lives.
    dead: u64,
    /// How many messages were lost or late.
    lost: u64,
    /// A process was paused.
    paused: bool,
    broken: Rule,
}

/// The rule that was broken, once one is.
#[derive(Clone, Copy, Debug, Default)]
enum Rule {
    #[default]
    Alone,
    Over,
    Length,
    Rising,
    Order,
    MovesOn,
    Free,
    Patience,
    Within,
    TakenOver,
    StillHeld,
    Ends,
    Hail,
}

/// A turn that an owner was told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Turn {
    client: usize,
    ticket: i64,
    until: u64,
    /// When the last release() of it was called.
    released: Option<u64>,
    /// Its process died.
    crashed: bool,
    event: usize,
}

impl Turn {
    fn runs(&self, now: u64) -> bool {
        now < self.until && self.released.is_none() && !self.crashed
    }

    /// When it was given back in time.
    fn given_back(&self) -> Option<u64> {
        self.released.filter(|at| *at < self.until)
    }
}

#[derive(Debug, Default)]
struct Client {
    turn: Option<Turn>,
    waits: Option<Waits>,
    /// Since when a holder's acquire() or a release() goes on.
    reenters: Option<u64>,
    frees: Option<Frees>,
    asleep: bool,
    woke: u64,
    /// How many of its messages were lost or late during the call that goes on.
    lost: u64,
    /// When the last request was sent, or decided on if it was a commit.
    decided: u64,
    /// Calls since, and how many.
    calls: (u64, u32),
}

/// An acquire() that goes on.
#[derive(Debug)]
struct Waits {
    asked: u64,
    wait: u64,
    /// The first commit that went through.
    committed: Option<u64>,
    /// Something went wrong before its ticket was surely taken, or it slept through its turn: its place is not known.
    unsure: bool,
    /// Nobody else has held the lock or waited for it since, and nobody has left a ticket behind.
    free: bool,
    event: usize,
}

/// A release() that goes on.
#[derive(Clone, Copy, Debug, Hash)]
struct Frees {
    since: u64,
    /// Somebody else had been given a turn when it began.
    taken_over: Option<usize>,
    turn: Option<Turn>,
}

impl Waits {
    /// From when on whoever comes is behind it.
    fn in_line(&self) -> Option<u64> {
        let taken = self.committed.map_or(self.asked + AT_ONCE_US, |at| at + IN_LINE_US);
        (!self.unsure).then_some(taken)
    }

    fn is_in_line(&self, now: u64) -> bool {
        self.in_line().is_some_and(|from| from < now)
    }
}

impl Queue {
    pub(super) fn new(turn_us: u64) -> Self {
        let (clients, last, ticket) = Default::default();
        let over_us = 2 * TICK_US;
        Queue { turn_us, over_us, clients, last, ticket, dead: 0, lost: 0, paused: false, broken: Rule::Alone }
    }

    /// One that takes an end by its word: elsewhere the time that a call takes, when nothing is slow, is forgiven.
    pub(super) fn exact(turn_us: u64) -> Self {
        Queue { over_us: ROUNDING_US, ..Queue::new(turn_us) }
    }

    fn of(&mut self, client: usize) -> &mut Client {
        self.clients.entry(client).or_default()
    }

    fn breaks<const N: usize>(&mut self, rule: Rule, message: String, witnesses: [usize; N]) -> Violation {
        self.broken = rule;
        Violation::new(message, witnesses)
    }

    /// Looks what should have happened by now.
    fn check(&mut self, now: u64) -> Result<(), Violation> {
        self.check_idle(now)?;
        let mut found = None;
        for (client, c) in self.clients.iter().filter(|(_, c)| !c.asleep) {
            let who = CLIENTS[*client];
            if let Some(waits) = &c.waits
                && now > c.patience(waits)
            {
                let message = format!(
                    "{who}'s acquire({}), called at {}, had not ended at {}.",
                    plain(waits.wait),
                    seconds(waits.asked),
                    seconds(now)
                );
                found = Some((Rule::Patience, message, waits.event));
            }
            // Once its turn is over, an acquire() that began inside is one like any other.
            if let (Some(since), Some(turn)) = (c.reenters, c.turn)
                && let by = since.max(c.woke) + SECOND_US + c.lost * LOST_US
                && by < now.min(turn.until)
            {
                let message = format!(
                    "{who} holds ticket {} and called acquire() again at {}. At {} it still waited.",
                    turn.ticket,
                    seconds(since),
                    seconds(now)
                );
                found = Some((Rule::Within, message, turn.event));
            }
            if let Some(Frees { since, turn: Some(turn), .. }) = c.frees
                && (now > since.max(turn.until).max(c.woke) + 2 * LOST_US
                    || now > since.max(c.woke) + FREES_US + c.lost * LOST_US)
            {
                let message =
                    format!("{who}'s release(), called at {}, had not ended at {}.", seconds(since), seconds(now));
                found = Some((Rule::Ends, message, turn.event));
            }
        }
        found.map_or(Ok(()), |(rule, message, event)| Err(self.breaks(rule, message, [event])))
    }

    /// Somebody waits, and nobody has the lock: for how long?
    fn check_idle(&mut self, now: u64) -> Result<(), Violation> {
        let turn_us = self.turn_us;
        let allowed = SLACK_US + self.lost * LOST_US + self.dead * (turn_us + SLACK_US);
        let mut found = None;
        for (client, c) in self.clients.iter().filter(|(_, c)| !c.asleep) {
            let Some(waits) = &c.waits else { continue };
            let from = waits.asked.max(c.woke);
            let idle = match self.last {
                None => from,
                Some(last) => match last.given_back() {
                    Some(at) => from.max(at),
                    // Whoever came later may count from when it came.
                    None => last.until.max(from + turn_us),
                },
            };
            if now > idle + allowed {
                found = Some((*client, waits.asked, waits.event));
            }
        }
        let Some((client, asked, event)) = found else { return Ok(()) };
        let before = match self.last {
            None => "Nobody had the lock".to_owned(),
            Some(turn) => {
                let (who, ticket) = (CLIENTS[turn.client], turn.ticket);
                match turn.given_back() {
                    Some(at) => format!("{who}, with ticket {ticket}, gave the lock back at {}", seconds(at)),
                    None => format!("The turn of {who}, with ticket {ticket}, ended at {}", seconds(turn.until)),
                }
            }
        };
        let gone = match self.dead {
            0 => "",
            1 => ", and one ticket behind it may have had no owner any more",
            _ => ", and some tickets behind it may have had no owner any more",
        };
        let message = format!(
            "{before}{gone}. {} had been waiting since {}, and at {} the lock was still idle.",
            CLIENTS[client],
            seconds(asked),
            seconds(now)
        );
        Err(self.breaks(Rule::MovesOn, message, [event]))
    }

    fn asks(&mut self, note: &Note<'_>, wait: u64) {
        let now = note.at_us;
        let is_held = self.last.is_some_and(|turn| turn.given_back().is_none());
        let mut free = !is_held && self.dead == 0 && self.lost == 0 && !self.paused;
        for other in self.clients.values_mut().filter_map(|c| c.waits.as_mut()) {
            other.free = false;
            free = false;
        }
        let client = self.of(note.client);
        client.lost = 0;
        client.turn = None;
        client.waits = Some(Waits { asked: now, wait, committed: None, unsure: false, free, event: note.index });
    }

    fn granted(&mut self, note: &Note<'_>, ticket: i64, until: u64) -> Result<(), Violation> {
        let (now, client, who) = (note.at_us, note.client, CLIENTS[note.client]);
        let at = seconds(now);
        let waits = self.of(client).waits.take();
        if until <= now {
            let message = format!("At {at} {who} was given ticket {ticket}, whose turn ended at {}.", seconds(until));
            return Err(self.breaks(Rule::Over, message, []));
        }
        let decided = self.of(client).decided;
        if until > decided + self.turn_us + self.over_us {
            let message = format!(
                "At {at} {who} was given ticket {ticket} until {}. Its last request was sent at {}, so nothing in the record \
                 can be later than that, and a turn from then on ends at {}.",
                seconds(until),
                seconds(decided),
                seconds(decided + self.turn_us)
            );
            return Err(self.breaks(Rule::Length, message, []));
        }
        let undisturbed = self.lost == 0 && self.dead == 0 && !self.paused;
        if undisturbed && until + SLACK_US < now + self.turn_us {
            let message = format!(
                "At {at} {who} was given ticket {ticket} until {}: not the {} that a turn lasts.",
                seconds(until),
                seconds(self.turn_us)
            );
            return Err(self.breaks(Rule::Length, message, []));
        }
        let others = self.clients.iter().filter(|(other, _)| **other != client);
        let holder = others.filter_map(|(_, c)| c.turn).find(|turn| turn.runs(now));
        if let Some(holder) = holder {
            let message = format!(
                "At {at} {who} was given ticket {ticket}, while {} had ticket {} until {} and had not given it back.",
                CLIENTS[holder.client],
                holder.ticket,
                seconds(holder.until)
            );
            return Err(self.breaks(Rule::Alone, message, [holder.event]));
        }
        if let Some(greatest) = self.ticket.filter(|greatest| ticket <= *greatest) {
            let message = format!("At {at} {who} was given ticket {ticket}, after ticket {greatest} had been given.");
            return Err(self.breaks(Rule::Rising, message, []));
        }
        if let Some(waits) = &waits {
            let before = |c: &Client| {
                // One whose budget is nearly over may have left the line.
                let ahead = c.waits.as_ref().filter(|w| now + EARLY_US < w.asked + w.wait)?;
                (ahead.in_line()? < waits.asked).then_some((ahead.asked, ahead.event))
            };
            let ahead = self.clients.iter().find_map(|(other, c)| Some((*other, before(c)?)));
            if let Some((other, (since, event))) = ahead {
                let message = format!(
                    "At {at} {who}, which had come at {}, was given ticket {ticket}, while {} had been waiting since {}.",
                    seconds(waits.asked),
                    CLIENTS[other],
                    seconds(since)
                );
                return Err(self.breaks(Rule::Order, message, [event]));
            }
        }
        let turn = Turn { client, ticket, until, released: None, crashed: false, event: note.index };
        self.ticket = Some(ticket);
        self.last = Some(turn);
        self.of(client).turn = Some(turn);
        self.disturbed();
        Ok(())
    }

    fn refused(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let (now, who) = (note.at_us, CLIENTS[note.client]);
        self.dead += 1;
        let Some(waits) = self.of(note.client).waits.take() else { return Ok(()) };
        if waits.free {
            let message = format!(
                "At {} {who}'s acquire({}), called at {}, gave None, though nobody had the lock and nobody else waited.",
                seconds(now),
                plain(waits.wait),
                seconds(waits.asked)
            );
            return Err(self.breaks(Rule::Free, message, [waits.event]));
        }
        if now + EARLY_US < waits.asked + waits.wait {
            let message = format!(
                "At {} {who}'s acquire({}), called at {}, gave None.",
                seconds(now),
                plain(waits.wait),
                seconds(waits.asked)
            );
            return Err(self.breaks(Rule::Patience, message, [waits.event]));
        }
        Ok(())
    }

    fn frees(&mut self, note: &Note<'_>, last: bool) {
        let ticket = self.ticket;
        let later = self.last.map(|turn| turn.event);
        let client = self.of(note.client);
        client.lost = 0;
        let taken_over = client.turn.filter(|turn| ticket > Some(turn.ticket)).and(later);
        client.frees = Some(Frees { since: note.at_us, taken_over, turn: client.turn });
        if !last {
            return;
        }
        let Some(turn) = &mut client.turn else { return };
        turn.released = Some(note.at_us);
        let turn = *turn;
        if self.last.is_some_and(|given| given.ticket == turn.ticket) {
            self.last = Some(turn);
        }
    }

    fn freed(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let Some(Frees { taken_over: Some(later), turn: Some(turn), .. }) = self.of(note.client).frees.take() else {
            return Ok(());
        };
        let message = format!(
            "At {} {}'s release() raised nothing, though its turn with ticket {} had ended at {} and somebody else had been \
             given the next.",
            seconds(note.at_us),
            CLIENTS[note.client],
            turn.ticket,
            seconds(turn.until)
        );
        Err(self.breaks(Rule::TakenOver, message, [later]))
    }

    fn not_held(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let frees = self.of(note.client).frees.take();
        let Some(Frees { turn: Some(turn), .. }) = frees.filter(|f| f.turn.is_some_and(|t| note.at_us < t.until))
        else {
            return Ok(());
        };
        let message = format!(
            "At {} {}'s release() raised NotHeld, though its turn with ticket {} ran until {}.",
            seconds(note.at_us),
            CLIENTS[note.client],
            turn.ticket,
            seconds(turn.until)
        );
        Err(self.breaks(Rule::StillHeld, message, [turn.event]))
    }

    /// From here on a refusal may have a reason.
    fn disturbed(&mut self) {
        self.clients.values_mut().filter_map(|c| c.waits.as_mut()).for_each(|w| w.free = false);
    }

    fn message_lost(&mut self, client: usize, now: u64) {
        self.disturbed();
        self.lost += 1;
        let turn_us = self.turn_us;
        let client = self.of(client);
        client.lost += 1;
        let lost = client.lost;
        if let Some(waits) = &mut client.waits {
            // Before its ticket is surely taken, or so much that it may miss its turn.
            waits.unsure |= !waits.is_in_line(now) || (lost + 1) * LOST_US > turn_us;
        }
    }

    fn crashed(&mut self, client: usize) {
        let c = self.clients.entry(client).or_default();
        if c.waits.is_some() || c.frees.is_some() {
            self.dead += 1;
        }
        let turn = c.turn.take();
        *c = Client { turn: turn.map(|turn| Turn { crashed: true, ..turn }), ..Client::default() };
    }

    fn paused(&mut self, client: usize, at: u64, until: u64) {
        self.disturbed();
        self.paused = true;
        let (turn_us, c) = (self.turn_us, self.clients.entry(client).or_default());
        c.asleep = true;
        if c.waits.is_some() || c.frees.is_some() {
            self.dead += 1;
        }
        if let Some(waits) = &mut c.waits {
            waits.unsure |= !waits.is_in_line(at) || until - at + 2 * SECOND_US > turn_us;
        }
    }

    fn called(&mut self, client: usize, event: &Event) -> Result<(), Violation> {
        let now = event.at_us;
        // What a commit says was thought out before a pause on its way; what a read hears may be newer.
        let is_commit = matches!(&event.what, Happening::Called { call: Call::Other { text, .. }, .. } if text.starts_with("commit("));
        let c = self.of(client);
        c.decided = event.decided_us.filter(|_| is_commit).unwrap_or(now);
        if now >= c.calls.0 + HAIL_US {
            c.calls = (now, 0);
        }
        c.calls.1 += 1;
        let (since, count) = c.calls;
        if count <= HAIL {
            return Ok(());
        }
        let message = format!("{} sent {count} requests from {} to {}.", CLIENTS[client], seconds(since), seconds(now));
        Err(self.breaks(Rule::Hail, message, []))
    }
}

impl Client {
    /// When its acquire() should have ended.
    fn patience(&self, waits: &Waits) -> u64 {
        let late = (LATE_US + self.lost * LOST_US).min(LATEST_US);
        (waits.asked + waits.wait).max(self.woke) + late
    }
}

/// Seconds without their unit, as they stand in a call.
fn plain(us: u64) -> String {
    seconds(us).trim_end_matches(" s").to_owned()
}

impl Property for Queue {
    fn rule(&self) -> &'static str {
        match self.broken {
            Rule::Alone => "one at a time",
            Rule::Over => "over is over",
            Rule::Length => "a turn's length",
            Rule::Rising => "rising tickets",
            Rule::Order => "in order",
            Rule::MovesOn => "moves on",
            Rule::Free => "free is given",
            Rule::Patience => "bounded waiting",
            Rule::Within => "re-entry",
            Rule::TakenOver => "late release",
            Rule::StillHeld => "still held",
            Rule::Ends => "release ends",
            Rule::Hail => "no hail",
        }
    }

    fn sentence(&self) -> &'static str {
        match self.broken {
            Rule::Alone => {
                "A turn is its owner's alone, from the moment it is told until its end or its last release(). Nobody else's \
                 ticket may be served before."
            }
            Rule::Over => {
                "A turn that is over on the clock is never given: read the clock after the last answer, and if the turn has \
                 run out meanwhile, go on for a new one."
            }
            Rule::Length => {
                "A turn lasts turn_s, counted from a reading of the clock that was taken before the request that claims it, \
                 not from the answer."
            }
            Rule::Rising => {
                "Each turn's ticket is greater than all tickets before it, over the whole life of the lock: the record must \
                 not forget where it was, and a ticket that was passed over is void."
            }
            Rule::Order => {
                "Turns are given in the order in which the owners came, and a waiter that lives keeps its place, however long \
                 it waits."
            }
            Rule::MovesOn => {
                "When a turn is given back, the next ticket is served within a second, and a ticket without a live owner is \
                 passed over when its turn has lasted turn_s: once, by whoever waits."
            }
            Rule::Free => {
                "A lock that is free, and that nobody else waits for, is given at once, also with wait_s = 0."
            }
            Rule::Patience => {
                "acquire() gives None when wait_s is over: half a second earlier or later at most, and no more than 4 s later \
                 if answers are lost."
            }
            Rule::Within => "A holder's acquire() takes no ticket and waits for nobody: it is in already.",
            Rule::TakenOver => {
                "A release() that comes after somebody else was given a turn raises NotHeld, each time, and changes nothing."
            }
            Rule::StillHeld => {
                "Before its end nobody can take a turn away. If an answer to release() is lost, look again: either it is \
                 still to be done, or it was done by you."
            }
            Rule::Ends => "release() tries until it is through, at most until the turn is over.",
            Rule::Hail => {
                "Waiting is no reason for more than twenty requests a second: sleep between two looks, or watch the record."
            }
        }
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        let now = event.at_us;
        self.check(now)?;
        match &event.what {
            Happening::Called { client, .. } => return self.called(*client, event),
            Happening::Served { client, reply: Reply::Other { text }, .. } if text == "committed" => {
                if let Some(waits) = &mut self.of(*client).waits {
                    waits.committed.get_or_insert(now);
                }
            }
            Happening::RequestLost { client } | Happening::ReplyLost { client } | Happening::Delayed { client, .. } => {
                self.message_lost(*client, now);
            }
            Happening::Paused { client, until_us } => self.paused(*client, now, *until_us),
            Happening::Woke { client } => {
                let client = self.of(*client);
                (client.asleep, client.woke) = (false, now);
            }
            Happening::Crashed { client } => self.crashed(*client),
            Happening::ServerRestarted { .. } => self.dead += 1,
            _ => {}
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.check(note.at_us)?;
        match (note.kind, note.value) {
            ("another lock", _) => *self = Queue { over_us: self.over_us, ..Queue::new(self.turn_us) },
            ("asks", Data::Int(wait)) => self.asks(note, wait.unsigned_abs()),
            ("granted", Data::Map(turn)) => {
                if let (Some(Data::Int(ticket)), Some(Data::Int(until))) = (turn.get("ticket"), turn.get("until_us")) {
                    return self.granted(note, *ticket, u64::try_from(*until).unwrap_or(0));
                }
            }
            ("refused", _) => return self.refused(note),
            ("reenters", _) => {
                let client = self.of(note.client);
                (client.reenters, client.lost) = (Some(note.at_us), 0);
            }
            ("reentered", _) => self.of(note.client).reenters = None,
            ("frees", last) => self.frees(note, *last == Data::Bool(true)),
            ("freed", _) => return self.freed(note),
            ("not_held", _) => return self.not_held(note),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        self.check(now_us)
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        (self.ticket, self.dead, self.lost, self.paused).hash(&mut hasher);
        let turn = |turn: &Option<Turn>| turn.map(|t| (t.client, t.ticket, t.until, t.released, t.crashed));
        turn(&self.last).hash(&mut hasher);
        for (client, c) in &self.clients {
            (client, turn(&c.turn), c.reenters, c.asleep, c.woke, c.lost, c.decided, c.calls).hash(&mut hasher);
            c.frees.map(|f| (f.since, f.taken_over.is_some(), turn(&f.turn))).hash(&mut hasher);
            c.waits.as_ref().map(|w| (w.asked, w.wait, w.committed, w.unsure, w.free)).hash(&mut hasher);
        }
    }
}

#[cfg(test)]
mod tests;
