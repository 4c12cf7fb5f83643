//! Runs one schedule on the learner's manager and holds every answer against the rules.

use super::rules::{Free, Lease, Rules};
use crate::breach::Breach;
use crate::explore::replay::Op;
use crate::explore::sequences::Model as _;
use crate::python::{Arg, Integer, Object, Problem, Python, Value};
use crate::suites::sequential::{self, Judge, Processes, at, id, lock_name, seconds_for, us, who};
use crate::trace::{Call, Happening, Reply, Trace};
use std::collections::BTreeMap;

/// Which answers a test judges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdicts {
    /// All of them.
    #[default]
    All,
    /// Not whether tokens grow: that has tests of its own, and the story goes on to the write that shows why they must.
    ButTokenOrder,
}

/// A schedule and what is judged of it.
pub type Tried = sequential::Tried<Verdicts>;

/// Holds the learner's manager against the rules.
pub struct Manager;

impl Judge for Manager {
    type Judged = Verdicts;

    fn judge(
        processes: &mut Processes,
        py: &Python<'_>,
        tried: &Tried,
        trace: Option<&mut Trace>,
    ) -> Result<(), Breach> {
        py.set_time_us(0);
        py.set_seed(1);
        let module = processes.take(py)?;
        let clock = py.clock();
        let made = module.get(py, "LockManager").and_then(|class| class.call(py, &[Arg::Object(&clock)]));
        processes.put(module);
        let is_shown = trace.is_some();
        let mut bench = Bench {
            py,
            manager: made.map_err(Breach::from)?,
            judged: tried.judged,
            rules: Rules::default(),
            grants: 0,
            last: None,
            held: BTreeMap::new(),
            marks: BTreeMap::new(),
            trace,
        };
        py.take_returned_line();
        let mut run = || tried.schedule.0.iter().try_for_each(|op| bench.step(*op));
        if is_shown { py.watching_lines(&mut run) } else { run() }
    }
}

/// A grant that the learner's manager made.
#[derive(Clone)]
struct Grant {
    token: Integer,
    client: u8,
    /// Which grant it was, from 1: the order that tokens must have.
    number: u32,
    /// The event that made it.
    event: usize,
}

/// A manager under test, with everything that is known about it.
struct Bench<'a, 't> {
    py: &'a Python<'a>,
    manager: Object,
    judged: Verdicts,
    rules: Rules,
    grants: u32,
    /// The last grant of all.
    last: Option<Grant>,
    /// The last grant of a client for a lock: what it believes to hold.
    held: BTreeMap<(u8, u8), Grant>,
    /// The storage gate's marks by resource: the grant behind the greatest token that was let through.
    marks: BTreeMap<u8, Grant>,
    trace: Option<&'t mut Trace>,
}

impl Bench<'_, '_> {
    fn step(&mut self, op: Op) -> Result<(), Breach> {
        let now = self.rules.now;
        match op {
            Op::Acquire { client, name, ttl } => self.acquire(client, name, ttl)?,
            Op::Release { client, name } => self.release(client, name)?,
            Op::Wait { ticks } => self.note_endings(now, now.saturating_add(ticks)),
            Op::Pause { client, ticks } => {
                let until_us = us(now.saturating_add(ticks));
                self.note(now, || Happening::Paused { client: client.into(), until_us });
            }
            Op::Wake { client } => {
                self.note(now, || Happening::Woke { client: client.into() });
            }
            Op::Write { client, name } => self.write(client, name)?,
            // Of other katas.
            Op::Act { .. } => {}
        }
        self.rules.apply(op);
        Ok(())
    }

    fn note_endings(&mut self, from: u32, to: u32) {
        if self.trace.is_none() {
            return;
        }
        for (name, lease) in self.rules.ending(from, to) {
            let token = self.grant_of(lease, name).map_or_else(String::new, |g| g.token.to_string());
            let name = lock_name(name).into_owned();
            self.note(lease.expiry, || Happening::Expired { client: lease.client.into(), name, token });
        }
    }

    fn acquire(&mut self, client: u8, name: u8, ttl: u32) -> Result<(), Breach> {
        let now = self.rules.now;
        self.note(now, || {
            let call = Call::Acquire { name: lock_name(name).into_owned(), ttl_us: us(ttl) };
            Happening::Called { client: client.into(), call }
        });
        self.py.set_time_us(us(now));
        let args = [Arg::Str(&lock_name(name)), Arg::Str(id(client)), seconds_for(client, ttl)];
        let answer = self.manager.method(self.py, "acquire", &args).map_err(|p| self.broke(client, name, p))?;
        // In words only when they are needed: most runs break nothing and are not shown.
        let asked = || format!("{} asked for {} at {} and acquire returned", who(client), lock_name(name), at(now));
        let token = match answer.value(self.py) {
            Value::None => None,
            Value::Int(token) => Some(token),
            _ => {
                let said = answer.describe(self.py);
                self.answer(client, name, Reply::Broke { message: format!("acquire returned {said}") });
                let expected = match self.rules.lease(name) {
                    Some(_) => "held at that moment: the task says to return None",
                    None => "free at that moment: the task says to return a fencing token, an int",
                };
                return Err(breach("kind", format!("{} {said}. But {} is {expected}.", asked(), lock_name(name))));
            }
        };
        let reply = token.as_ref().map_or(Reply::Refused, |token| Reply::Granted {
            token: token.to_string(),
            expires_us: us(now.saturating_add(ttl)),
        });
        let event = self.answer(client, name, reply);
        match (self.rules.lease(name), token) {
            (Some(_), None) => Ok(()),
            (Some(lease), Some(token)) => {
                let (rule, whose) = if lease.client == client {
                    ("holder", "its own".to_owned())
                } else {
                    ("held", format!("{}'s", who(lease.client)))
                };
                let runs = format!("{whose} lease on {} runs until {}", lock_name(name), at(lease.expiry));
                let breach = breach(rule, format!("{} {token}, although {runs}.", asked()));
                Err(breach.seen_in(self.grant_of(lease, name)))
            }
            (None, None) => {
                let free = self.rules.why_free(name);
                let rule = if matches!(free, Free::Over(_)) { "over" } else { "free" };
                let why = match free {
                    Free::Never => "nobody holds it".to_owned(),
                    Free::Released(by) => format!("{} released it", who(by)),
                    Free::Over(l) if l.expiry == now => {
                        format!("{}'s lease is over at this very instant", who(l.client))
                    }
                    Free::Over(l) => format!("{}'s lease was over at {}", who(l.client), at(l.expiry)),
                };
                Err(breach(rule, format!("{} None, although {} is free: {why}.", asked(), lock_name(name))))
            }
            (None, Some(token)) => self.granted(client, name, token, event),
        }
    }

    /// A grant at the right moment: is its token greater than all before?
    fn granted(&mut self, client: u8, name: u8, token: Integer, event: usize) -> Result<(), Breach> {
        self.grants += 1;
        let grant = Grant { token, client, number: self.grants, event };
        let breach = self.last.as_ref().filter(|before| before.token >= grant.token).map(|before| {
            let same = if before.token == grant.token { "the same as" } else { "less than" };
            let message = format!(
                "At {} {} was granted {} with token {}, {same} the {} that {} had been given before.",
                at(self.rules.now),
                who(client),
                lock_name(name),
                grant.token,
                before.token,
                who(before.client)
            );
            breach("tokens", message).seen_in(Some(before))
        });
        self.held.insert((client, name), grant.clone());
        self.last = Some(grant);
        match breach {
            Some(breach) if self.judged == Verdicts::All => Err(breach),
            _ => Ok(()),
        }
    }

    fn release(&mut self, client: u8, name: u8) -> Result<(), Breach> {
        let now = self.rules.now;
        self.note(now, || Happening::Called {
            client: client.into(),
            call: Call::Release { name: lock_name(name).into_owned() },
        });
        self.py.set_time_us(us(now));
        let answer = self.manager.method(self.py, "release", &[Arg::Str(&lock_name(name)), Arg::Str(id(client))]);
        let answer = answer.and_then(|a| Ok((a.is_true(self.py)?, a)));
        let (released, answer) = answer.map_err(|p| self.broke(client, name, p))?;
        if matches!(answer.value(self.py), Value::Other(class) if class == "coroutine") {
            let said = format!("release returned {}", answer.describe(self.py));
            self.answer(client, name, Reply::Broke { message: said.clone() });
            let message = format!(
                "At {} {said}, of which nothing runs until it is awaited. Nobody awaits here: release is a plain `def`, and \
                 returns True or False.",
                at(now)
            );
            return Err(breach("kind", message));
        }
        self.answer(client, name, if released { Reply::Released } else { Reply::NotReleased });
        let asked = || {
            let said = answer.describe(self.py);
            format!("{} released {} at {} and release returned {said}", who(client), lock_name(name), at(now))
        };
        match (self.rules.lease(name), released) {
            (Some(lease), false) if lease.client == client => {
                let message = format!("{}, although {} holds it until {}.", asked(), who(client), at(lease.expiry));
                Err(breach("release", message).seen_in(self.grant_of(lease, name)))
            }
            (Some(lease), true) if lease.client != client => {
                let message =
                    format!("{}, although {} holds it until {}.", asked(), who(lease.client), at(lease.expiry));
                Err(breach("release by another", message).seen_in(self.grant_of(lease, name)))
            }
            // Of one's own lease that is over, either answer is right: it is gone in any case.
            (None, true) if !matches!(self.rules.why_free(name), Free::Over(l) if l.client == client) => {
                Err(breach("release of nothing", format!("{}, although {} does not hold it.", asked(), who(client))))
            }
            _ => Ok(()),
        }
    }

    /// The storage, which is ours and right: the mark and the write are one step, a smaller token is turned away.
    fn write(&mut self, client: u8, name: u8) -> Result<(), Breach> {
        let Some(grant) = self.held.get(&(client, name)).cloned() else { return Ok(()) };
        let before = self.marks.get(&name).cloned();
        let accepted = before.as_ref().is_none_or(|mark| grant.token >= mark.token);
        if accepted {
            self.marks.insert(name, grant.clone());
        }
        let mark = |m: Option<&Grant>| m.map(|g| g.token.to_string());
        let mark_after = mark(self.marks.get(&name));
        self.note(self.rules.now, || Happening::Wrote {
            client: client.into(),
            resource: lock_name(name).into_owned(),
            token: grant.token.to_string(),
            accepted,
            mark_before: mark(before.as_ref()),
            mark_after,
        });
        let (now, lock, who_wrote) = (at(self.rules.now), lock_name(name), who(client));
        // The grants' order, and no token, tells which write is stale.
        let newer = before.filter(|mark| mark.number > grant.number);
        match (newer, accepted) {
            (Some(newer), true) => {
                let message = format!(
                    "At {now} {who_wrote} wrote {lock} with token {}, long after {} took over and wrote with token {}. The \
                     storage let it through: the new token is not greater, so it can't tell the old holder from the new.",
                    grant.token,
                    who(newer.client),
                    newer.token
                );
                Err(breach("stale write", message).seen_in(Some(&grant)).seen_in(Some(&newer)))
            }
            (None, false) => {
                let message = format!(
                    "At {now} {who_wrote} wrote {lock} with token {} of the newest grant and was turned away: the storage \
                     had seen a greater token from an older one.",
                    grant.token
                );
                Err(breach("fresh write", message).seen_in(Some(&grant)))
            }
            _ => Ok(()),
        }
    }

    fn grant_of(&self, lease: Lease, name: u8) -> Option<&Grant> {
        self.held.get(&(lease.client, name))
    }

    /// The learner's code ended instead of answering.
    fn broke(&mut self, client: u8, name: u8, problem: Problem) -> Breach {
        self.answer(client, name, Reply::Broke { message: problem.message.clone() });
        if let Some(event) = self.trace.as_mut().and_then(|t| t.events.last_mut()) {
            event.line = problem.line;
        }
        Breach::from(problem)
    }

    /// Notes an answer with the line that gave it; returns the event's index.
    fn answer(&mut self, client: u8, name: u8, reply: Reply) -> usize {
        let index = self.note(self.rules.now, || Happening::Answered {
            client: client.into(),
            name: lock_name(name).into_owned(),
            reply,
        });
        if let Some(event) = self.trace.as_mut().and_then(|t| t.events.last_mut()) {
            event.line = self.py.take_returned_line();
        }
        index
    }

    fn note(&mut self, ticks: u32, what: impl FnOnce() -> Happening) -> usize {
        self.trace.as_mut().map_or(0, |trace| {
            trace.events.push(sequential::event(ticks, what()));
            trace.events.len() - 1
        })
    }
}

/// A broken rule of this kata, with the rule itself after what happened.
fn breach(rule: &'static str, happened: String) -> Breach {
    let because = match rule {
        "held" | "holder" => "While a lease runs, acquire returns None to everyone, its holder included.",
        "free" => "A free lock is granted, with a token.",
        "over" => "A lease is over as soon as the clock reaches its expiry; then the lock is free.",
        "tokens" => "Every grant needs a token greater than all before it, whatever the lock's name.",
        "release" => "release by the holder frees the lock and returns True.",
        "release by another" | "release of nothing" => {
            "release by anyone but the holder returns False and changes nothing."
        }
        _ => "",
    };
    Breach::new(rule, format!("{happened} {because}").trim_end(), Vec::new())
}

trait SeenIn {
    fn seen_in(self, grant: Option<&Grant>) -> Self;
}

impl SeenIn for Breach {
    fn seen_in(mut self, grant: Option<&Grant>) -> Self {
        self.witnesses.extend(grant.map(|g| g.event));
        self
    }
}
