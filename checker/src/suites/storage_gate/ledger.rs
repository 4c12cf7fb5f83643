//! What must hold of writes and reads, judged by what the driver tells of them and never by the learner's rows.

#[cfg(test)]
mod tests;

use crate::model::data::Data;
use crate::sim::property::{Note, Property, Violation};
use crate::sim::world::CLIENTS;
use crate::time::seconds;
use crate::trace::{Call, Event, Happening, Reply};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// Every call of `write` and `read`, and what follows from it. The driver tells `writes` and `reads` when a call
/// begins, and then `accepted`, `rejected`, `read` or `unfinished`.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    resources: BTreeMap<String, Resource>,
    /// By client: its call that goes on.
    calls: BTreeMap<usize, Running>,
    /// Something went wrong in this run that may be why a call does not finish.
    disturbed: bool,
    broken: Rule,
}

/// The rule that was broken, once one is.
#[derive(Clone, Copy, Debug, Default)]
enum Rule {
    #[default]
    Order,
    NotStale,
    Kept,
    NothingElse,
    Reason,
    Ends,
}

#[derive(Debug, Default, Hash)]
struct Resource {
    attempts: Vec<Attempt>,
    /// The greatest token that is known to be accepted.
    floor: Floor,
    /// The attempts whose values are known to be replaced: one bit each.
    replaced: u64,
}

/// A token that is known to be accepted, and the event that showed it.
#[derive(Clone, Copy, Debug, Default)]
struct Floor(Option<(i64, usize)>);

/// One call of `write`.
#[derive(Debug, Hash)]
struct Attempt {
    token: i64,
    value: Data,
    state: State,
    /// What was known when it began.
    floor: Floor,
    /// The attempts that were accepted when it began: one bit each.
    after: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Running,
    Accepted,
    Rejected,
    /// Nobody can tell whether it was done, or will be.
    Unknown,
}

#[derive(Debug)]
struct Running {
    resource: String,
    /// The number of the write; none for a read.
    attempt: Option<usize>,
    /// For a read: what was known when it began.
    floor: Floor,
    replaced: u64,
    /// No other call has run beside it.
    alone: bool,
    event: usize,
}

impl Ledger {
    fn begins(&mut self, note: &Note<'_>, resource: &str, write: Option<(i64, Data)>) {
        let known = self.resources.entry(resource.to_owned()).or_default();
        let attempt = write.map(|(token, value)| {
            let after = known.mask(|a| a.state == State::Accepted);
            known.attempts.push(Attempt { token, value, state: State::Running, floor: known.floor, after });
            known.attempts.len() - 1
        });
        let alone = self.calls.is_empty();
        self.calls.values_mut().for_each(|call| call.alone = false);
        let (floor, replaced) = (known.floor, known.replaced);
        let running = Running { resource: resource.to_owned(), attempt, floor, replaced, alone, event: note.index };
        self.calls.insert(note.client, running);
    }

    fn accepted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let Some((known, number)) = self.ended(note.client, State::Accepted) else { return Ok(()) };
        let Attempt { token, ref value, floor, after, .. } = known.attempts[number];
        let others = known.mask(|a| a.token <= token && a.value != *value);
        known.replaced |= after & others;
        known.learn(token, note.index);
        if let Floor(Some((mark, since))) = floor
            && token < mark
        {
            let message = format!(
                "At {} {}'s write with token {token} was accepted, though one with token {mark} had come through before.",
                seconds(note.at_us),
                CLIENTS[note.client],
            );
            return Err(self.breaks(Rule::Order, message, [since]));
        }
        Ok(())
    }

    fn rejected(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let Some((known, number)) = self.ended(note.client, State::Rejected) else { return Ok(()) };
        let token = known.attempts[number].token;
        if known.attempts.iter().any(|a| a.token > token) {
            return Ok(());
        }
        let equal = known.attempts[..number].iter().any(|a| a.token == token);
        let before = if equal { "no greater one had come, only an equal one" } else { "no greater one had come" };
        let message = format!(
            "At {} {}'s write with token {token} was rejected, though {before}.",
            seconds(note.at_us),
            CLIENTS[note.client],
        );
        Err(self.breaks(Rule::NotStale, message, []))
    }

    fn read(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let Some(call) = self.calls.remove(&note.client) else { return Ok(()) };
        let (at, who) = (seconds(note.at_us), CLIENTS[note.client]);
        let (resource, value) = (&call.resource, note.value);
        let known = self.resources.entry(resource.clone()).or_default();
        if *value == Data::None {
            let Floor(Some((mark, since))) = call.floor else { return Ok(()) };
            let message = format!(
                "At {at} {who} read None from {resource}, though a write with token {mark} was accepted before."
            );
            return Err(self.breaks(Rule::Kept, message, [since]));
        }
        let may_be_stored = |a: &Attempt| a.value == *value && a.state != State::Rejected;
        let Some(token) = known.attempts.iter().filter(|a| may_be_stored(a)).map(|a| a.token).max() else {
            let was = if known.attempts.iter().any(|a| a.value == *value) { "a rejected write" } else { "no write" };
            let message = format!("At {at} {who} read {value} from {resource}, a value of {was}.");
            return Err(self.breaks(Rule::NothingElse, message, []));
        };
        if let Floor(Some((mark, since))) = call.floor
            && token < mark
        {
            let message = format!(
                "At {at} {who} read {value} from {resource}, of a write with token {token}, though one with token {mark} \
                 was accepted before."
            );
            return Err(self.breaks(Rule::Kept, message, [since]));
        }
        let stored = known.mask(may_be_stored);
        known.learn(token, note.index);
        if stored & !call.replaced == 0 {
            let message = format!(
                "At {at} {who} read {value} from {resource}, though a later write with token {token} was accepted before."
            );
            return Err(self.breaks(Rule::Kept, message, []));
        }
        Ok(())
    }

    fn unfinished(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let call = self.calls.remove(&note.client);
        let Some(Running { resource, attempt, alone, event, .. }) = call else { return Ok(()) };
        if let Some(known) = self.resources.get_mut(&resource)
            && let Some(number) = attempt
        {
            known.attempts[number].state = State::Unknown;
        }
        if !alone || self.disturbed {
            return Ok(());
        }
        let Data::Str(error) = note.value else { return Ok(()) };
        let name = if attempt.is_some() { "write" } else { "read" };
        let message = format!(
            "At {} {}'s {name} of {resource} ended with {error}, though no message was lost and no other call ran.",
            seconds(note.at_us),
            CLIENTS[note.client]
        );
        Err(self.breaks(Rule::Reason, message, [event]))
    }

    /// The client's write has ended.
    fn ended(&mut self, client: usize, state: State) -> Option<(&mut Resource, usize)> {
        let call = self.calls.remove(&client)?;
        let known = self.resources.get_mut(&call.resource)?;
        let number = call.attempt?;
        known.attempts[number].state = state;
        Some((known, number))
    }

    fn breaks<const N: usize>(&mut self, rule: Rule, message: String, witnesses: [usize; N]) -> Violation {
        self.broken = rule;
        Violation::new(message, witnesses)
    }
}

impl Resource {
    /// The attempts of this kind as bits. There are never as many as 64: a client gives up after a few.
    fn mask(&self, is_one: impl Fn(&Attempt) -> bool) -> u64 {
        self.attempts.iter().take(64).enumerate().filter(|(_, a)| is_one(a)).fold(0, |mask, (i, _)| mask | 1 << i)
    }

    fn learn(&mut self, token: i64, event: usize) {
        if self.floor.0.is_none_or(|(mark, _)| mark < token) {
            self.floor = Floor(Some((token, event)));
        }
    }
}

impl Hash for Floor {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.map(|(token, _)| token).hash(hasher);
    }
}

impl Property for Ledger {
    fn rule(&self) -> &'static str {
        match self.broken {
            Rule::Order => "order",
            Rule::NotStale => "not stale",
            Rule::Kept => "kept",
            Rule::NothingElse => "nothing else",
            Rule::Reason => "reason",
            Rule::Ends => "calls end",
        }
    }

    fn sentence(&self) -> &'static str {
        match self.broken {
            Rule::Order => "A write whose token is smaller than one accepted before must raise StaleFencingToken.",
            Rule::NotStale => {
                "Only a token smaller than the greatest one seen is stale; an equal one is the same holder, writing again."
            }
            Rule::Kept => {
                "What was accepted stays until a write with an equal or greater token replaces it: to look at the mark and \
                 to write must be one step for all writers."
            }
            Rule::NothingElse => "What can be read is what an accepted write stored: a rejected one changes nothing.",
            Rule::Reason => "With nothing in its way a call ends without such an exception.",
            Rule::Ends => "Every call ends, and no transaction waits for ever.",
        }
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        match event.what {
            Happening::Crashed { client } => {
                self.disturbed = true;
                self.ended(client, State::Unknown);
            }
            Happening::RequestLost { .. }
            | Happening::ReplyLost { .. }
            | Happening::Delayed { .. }
            | Happening::Paused { .. }
            | Happening::ServerRestarted { .. } => self.disturbed = true,
            _ => {}
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        match (note.kind, note.value) {
            ("writes", Data::Map(write)) => {
                if let (Some(Data::Str(resource)), Some(Data::Int(token)), Some(value)) =
                    (write.get("resource"), write.get("token"), write.get("value"))
                {
                    self.begins(note, resource, Some((*token, value.clone())));
                }
                Ok(())
            }
            ("reads", Data::Str(resource)) => {
                self.begins(note, resource, None);
                Ok(())
            }
            ("accepted", _) => self.accepted(note),
            ("rejected", _) => self.rejected(note),
            ("read", _) => self.read(note),
            ("unfinished", _) => self.unfinished(note),
            _ => Ok(()),
        }
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        let Some((client, call)) = self.calls.first_key_value() else { return Ok(()) };
        let name = if call.attempt.is_some() { "write" } else { "read" };
        let message =
            format!("At {} {}'s {name} of {} had not ended.", seconds(now_us), CLIENTS[*client], call.resource);
        let event = call.event;
        Err(self.breaks(Rule::Ends, message, [event]))
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.resources.hash(&mut hasher);
        for (client, call) in &self.calls {
            (client, &call.resource, call.attempt, call.floor, call.replaced, call.alone).hash(&mut hasher);
        }
        self.disturbed.hash(&mut hasher);
    }
}

/// When all is over, the clients have asked the database to end each transaction that they knew of.
#[derive(Debug, Default)]
pub(super) struct NothingLeftOpen {
    /// By the message's number: the transaction that a call is about; none for `begin`.
    calls: BTreeMap<u32, Option<i64>>,
    /// Who began it, when, and the event.
    open: BTreeMap<i64, (usize, u64, usize)>,
}

impl Property for NothingLeftOpen {
    fn rule(&self) -> &'static str {
        "nothing left open"
    }

    fn sentence(&self) -> &'static str {
        "However a call ends, it ends its transactions; until then nobody else gets at the rows that they locked."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        match &event.what {
            Happening::Called { call: Call::Other { text, .. }, .. } => {
                let Some(message) = event.message else { return Ok(()) };
                let (verb, args) = text.split_once('(').unwrap_or((text, ""));
                let number = args.split([',', ')']).next().and_then(|n| n.parse().ok());
                self.calls.insert(message, number);
                if let Some(number) = number.filter(|_| matches!(verb, "commit" | "rollback")) {
                    self.open.remove(&number);
                }
            }
            Happening::Answered { client, reply: Reply::Other { text }, .. } => {
                match event.message.and_then(|message| self.calls.remove(&message)) {
                    Some(None) => {
                        if let Ok(number) = text.parse() {
                            self.open.insert(number, (*client, event.at_us, index));
                        }
                    }
                    Some(Some(number)) if text.starts_with("Deadlock") || text.starts_with("TransactionOver") => {
                        self.open.remove(&number);
                    }
                    _ => {}
                }
            }
            Happening::Crashed { client } => self.open.retain(|_, (owner, ..)| owner != client),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _: u64) -> Result<(), Violation> {
        let Some((number, (client, at_us, event))) = self.open.first_key_value() else { return Ok(()) };
        let message = format!(
            "{} began transaction {number} at {} and neither committed it nor rolled it back.",
            CLIENTS[*client],
            seconds(*at_us)
        );
        Err(Violation::new(message, [*event]))
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.open.iter().for_each(|(number, (client, ..))| (number, client).hash(&mut hasher));
    }
}
