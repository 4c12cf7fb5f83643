//! Runs one schedule on the learner's service and holds every answer against the rules. It does so for kata 3, and for
//! kata 13, whose service is made with a lock-delay.

use super::rules::{Given, Rules, verb};
use crate::breach::Breach;
use crate::explore::replay::Op;
use crate::explore::sequences::Model as _;
use crate::python::{Arg, Integer, Object, Problem, ProblemKind, Python, Value};
use crate::suites::sequential::{self, Judge, Processes, SECOND, at, id, lock_name, seconds_for, us, who};
use crate::time::as_float_seconds;
use crate::trace::{Call, Event, Happening, Reply, Trace};
use std::collections::BTreeMap;

/// Which answers a test judges. Refusals, grants, and what `renew` and `release` return are judged in all but the story.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdicts {
    /// All of them.
    #[default]
    All,
    /// Not the contents of grants, which have tests of their own.
    Answers,
    /// Besides the answers, whether fencing tokens grow.
    Fencing,
    /// Besides the answers, whether ownership tokens differ.
    Ownership,
    /// Besides the answers, whether `expires_at` is true.
    Expiry,
    /// Not what `renew` and `release` return: the story goes on to the harm that they do.
    Harm,
}

impl Verdicts {
    fn includes(self, one: Verdicts) -> bool {
        self == Verdicts::All || self == one
    }
}

/// A schedule and what is judged of it.
pub type Tried = sequential::Tried<Verdicts>;

/// The random numbers of a run, and those of the second service.
const SEEDS: [u64; 2] = [1, 2];

/// How far the wall clock steps to and fro from call to call: what goes by it goes wrong.
const WALL_STEP_US: i64 = 3_600_000_000;

/// The lengths that are none. A lease of such a length would be over at once, or never.
const NONSENSE: [(f64, &str); 7] = [
    (0.0, "0"),
    (-10.0, "-10"),
    (f64::NAN, "NaN"),
    (f64::INFINITY, "infinity"),
    (-0.5, "-0.5"),
    (f64::NEG_INFINITY, "-infinity"),
    (-0.0, "-0.0"),
];

/// Lock-delays that are none.
const NONSENSE_DELAYS: [(f64, &str); 5] = [
    (-5.0, "-5"),
    (f64::NAN, "NaN"),
    (f64::INFINITY, "infinity"),
    (-0.015625, "-0.015625"),
    (f64::NEG_INFINITY, "-infinity"),
];

/// The lock-delay that a service has if none is given, in ticks.
pub const USUAL_DELAY: u32 = 15 * SECOND;
/// The one that schedules have if they don't begin with another.
pub const DELAY: u32 = 5 * SECOND;
/// For [`verb::MADE_WITH_DELAY`]: none is given.
pub const LEFT_OUT: u32 = u32::MAX;

/// How many things there are that pass for an ownership token with careless code.
pub const GUESSES: u32 = 10;

/// How far `expires_at` may be off: services count in whole milliseconds, too.
const SLACK_S: f64 = 0.001;

/// Holds the learner's service against the rules.
pub struct Service;

impl Judge for Service {
    type Judged = Verdicts;

    fn judge(
        processes: &mut Processes,
        py: &Python<'_>,
        tried: &Tried,
        trace: Option<&mut Trace>,
    ) -> Result<(), Breach> {
        judge(processes, py, tried, trace, None)
    }
}

/// Holds a service that is made with a lock-delay against the rules.
pub struct DelayingService;

impl Judge for DelayingService {
    type Judged = Verdicts;

    fn judge(
        processes: &mut Processes,
        py: &Python<'_>,
        tried: &Tried,
        trace: Option<&mut Trace>,
    ) -> Result<(), Breach> {
        let lock_delay = match tried.schedule.0.first() {
            Some(Op::Act { verb: verb::MADE_WITH_DELAY, amount, .. }) => *amount,
            _ => DELAY,
        };
        judge(processes, py, tried, trace, Some(lock_delay))
    }
}

/// Runs a schedule, or twice with other random numbers if it asks for that.
fn judge(
    processes: &mut Processes,
    py: &Python<'_>,
    tried: &Tried,
    trace: Option<&mut Trace>,
    lock_delay: Option<u32>,
) -> Result<(), Breach> {
    let is_elsewhere = |op: &&Op| matches!(op, Op::Act { verb: verb::ELSEWHERE, .. });
    if tried.schedule.0.iter().find(is_elsewhere).is_none() {
        return go(processes, py, tried, SEEDS[0], trace, lock_delay).map(|_| ());
    }
    let mut ours = Trace::default();
    let here = go(processes, py, tried, SEEDS[0], Some(&mut ours), lock_delay);
    let found = here.and_then(|here| {
        processes.forget();
        let there = py.quietly(|| go(processes, py, tried, SEEDS[1], None, lock_delay));
        processes.forget();
        compare(&here, &there?, &mut ours)
    });
    if let Some(trace) = trace {
        *trace = ours;
    }
    found
}

/// One run; gives the grants that were made.
fn go(
    processes: &mut Processes,
    py: &Python<'_>,
    tried: &Tried,
    seed: u64,
    trace: Option<&mut Trace>,
    lock_delay: Option<u32>,
) -> Result<Vec<Held>, Breach> {
    py.set_time_us(0);
    py.set_seed(seed);
    py.set_wall_offset_us(0);
    py.take_wall_reads();
    let module = processes.take(py)?;
    let clock = py.clock();
    let mut args = vec![Arg::Object(&clock)];
    args.extend(lock_delay.filter(|ticks| *ticks != LEFT_OUT).map(|ticks| seconds_for(1, ticks)));
    let made = module.get(py, "LockService").and_then(|class| Ok((class.call(py, &args)?, class)));
    processes.put(module);
    let is_shown = trace.is_some();
    let (service, class) = made.map_err(|problem| match lock_delay {
        Some(delay) if problem.is_value_error => {
            let delay = as_float_seconds(us(delay));
            let message = format!(
                "LockService(clock, lock_delay={delay}) raised: {}. A lock-delay is a number of seconds from 0 on; 0 means \
                 that there is none.",
                problem.message
            );
            Breach::new("made", message, Vec::new())
        }
        _ => Breach::from(problem),
    })?;
    let rules = match lock_delay {
        None => Rules::default(),
        Some(LEFT_OUT) => Rules::default().with_lock_delay(USUAL_DELAY),
        Some(delay) => Rules::default().with_lock_delay(delay),
    };
    let mut bench = Bench {
        py,
        class,
        service,
        judged: tried.judged,
        rules,
        grants: Vec::new(),
        marks: BTreeMap::new(),
        harm: None,
        trace,
    };
    py.take_returned_line();
    let mut run = || {
        (0i64..).zip(&tried.schedule.0).try_for_each(|(i, op)| {
            py.set_wall_offset_us(i % 2 * WALL_STEP_US);
            bench.step(*op)
        })
    };
    let result = if is_shown { py.watching_lines(&mut run) } else { run() };
    py.set_wall_offset_us(0);
    let reads_wall = py.take_wall_reads() > 0;
    match result {
        Ok(()) => Ok(bench.grants),
        Err(mut breach) => {
            if reads_wall && breach.problem.is_none() {
                breach.message.push_str(
                    " Your code reads the wall clock, which steps to and fro in this run: only clock() counts.",
                );
            }
            Err(breach)
        }
    }
}

/// Random tokens of two services that were asked the same differ.
fn compare(here: &[Held], there: &[Held], trace: &mut Trace) -> Result<(), Breach> {
    let Some((same, _)) = here.iter().zip(there).find(|(a, b)| a.ownership == b.ownership) else { return Ok(()) };
    let at_us = trace.events.last().map_or(0, |e| e.at_us);
    let text = format!("a second service that drew other random numbers gave the same token '{}'", same.ownership);
    trace.events.push(Event::at(at_us, Happening::Noted { client: same.client.into(), text }));
    let message = format!(
        "{}'s ownership token for {} was '{}', and a second service, asked the same but with other random numbers, handed \
         out the very same one. So it is worked out and not drawn, and who knows how can work it out as well. Ownership \
         tokens are random.",
        who(same.client),
        lock_name(same.name),
        same.ownership
    );
    Err(Breach::new("random", message, vec![same.event]))
}

/// A grant that the learner's service made, as it was when it came.
struct Held {
    client: u8,
    name: u8,
    ownership: String,
    fencing: Integer,
    object: Object,
    /// The event that made it.
    event: usize,
}

/// What a client wants of a lock for which it shows a token.
#[derive(Clone, Copy)]
enum Want {
    Renew(u32),
    Release,
}

/// The token that it shows.
struct Shown {
    token: String,
    /// Whose token it is, if a grant of the lock has it.
    grant: Option<usize>,
    /// What it is, in words.
    words: String,
    /// Why it can't be right, if no grant of the lock has it.
    wrong: &'static str,
}

/// A service under test, with everything that is known about it.
struct Bench<'a, 't> {
    py: &'a Python<'a>,
    class: Object,
    service: Object,
    judged: Verdicts,
    rules: Rules,
    grants: Vec<Held>,
    /// The storage gate's marks by resource: the grant whose token was let through last.
    marks: BTreeMap<u8, usize>,
    /// What was done that ought not to have been, where that is not judged by itself; and the event.
    harm: Option<(String, usize)>,
    trace: Option<&'t mut Trace>,
}

impl Bench<'_, '_> {
    fn step(&mut self, op: Op) -> Result<(), Breach> {
        let now = self.rules.now;
        match op {
            Op::Acquire { client, name, ttl } => self.acquire(client, name, ttl)?,
            Op::Release { client, name } => self.show_own(Want::Release, client, name, 0)?,
            Op::Wait { ticks } => self.note_endings(now.saturating_add(ticks)),
            Op::Pause { client, ticks } => {
                let until_us = us(now.saturating_add(ticks));
                self.note(now, || Happening::Paused { client: client.into(), until_us });
            }
            Op::Wake { client } => {
                self.note(now, || Happening::Woke { client: client.into() });
            }
            Op::Write { client, name } => self.write(client, name),
            Op::Act { verb, client, what, amount } => self.act(verb, client, what, amount)?,
        }
        self.rules.apply(op);
        Ok(())
    }

    fn act(&mut self, verb: u8, client: u8, name: u8, amount: u32) -> Result<(), Breach> {
        match verb {
            verb::RENEW => self.show_own(Want::Renew(amount), client, name, 0),
            verb::RENEW_OLD => self.show_own(Want::Renew(amount), client, name, 1),
            verb::RELEASE_OLD => self.show_own(Want::Release, client, name, 1),
            verb::RENEW_WITH_ANOTHERS => self.show_anothers(Want::Renew(640), client, name, amount),
            verb::RELEASE_WITH_ANOTHERS => self.show_anothers(Want::Release, client, name, amount),
            verb::RENEW_WITH_GUESS => self.show_guess(Want::Renew(640), client, name, amount),
            verb::RELEASE_WITH_GUESS => self.show_guess(Want::Release, client, name, amount),
            verb::ACQUIRE_FOR_NONSENSE => self.acquire_for_nonsense(client, name, amount),
            verb::RENEW_FOR_NONSENSE => self.renew_for_nonsense(client, name, amount),
            verb::MADE_WITH_NONSENSE => self.make_with_nonsense(client, amount),
            verb::ANOTHER_MADE => self.make_another(client, amount),
            _ => Ok(()),
        }
    }

    fn note_endings(&mut self, to: u32) {
        if self.trace.is_none() {
            return;
        }
        for grant in self.rules.ending(to) {
            let Given { client, name, expiry, .. } = self.rules.given(grant);
            let token = self.grants[grant].fencing.to_string();
            let lock = lock_name(name).into_owned();
            let until = expiry.saturating_add(self.rules.lock_delay().unwrap_or(0));
            let text = format!("did not release: nobody gets {lock} before {} (lock-delay)", at(until));
            self.note(expiry, || Happening::Expired { client: client.into(), name: lock, token });
            if until > expiry {
                self.note(expiry, || Happening::Noted { client: client.into(), text });
            }
        }
    }

    fn acquire(&mut self, client: u8, name: u8, ttl: u32) -> Result<(), Breach> {
        let (py, now) = (self.py, self.rules.now);
        self.note(now, || {
            let call = Call::Acquire { name: lock_name(name).into_owned(), ttl_us: us(ttl) };
            Happening::Called { client: client.into(), call }
        });
        py.set_time_us(us(now));
        let args = [Arg::Str(&lock_name(name)), Arg::Str(id(client)), seconds_for(client, ttl)];
        let answer = self.service.method(py, "acquire", &args).map_err(|p| self.broke(client, name, p))?;
        let line = py.take_returned_line();
        let asked = || format!("{} asked for {} at {} and acquire returned", who(client), lock_name(name), at(now));
        let holder = self.rules.holder(name);
        if answer.value(py) == Value::None {
            self.answer(client, name, Reply::Refused, line);
            if holder.is_some() || self.rules.delayed(name).is_some() {
                return Ok(());
            }
            let last = self.rules.last_of(name).map(|grant| (grant, self.rules.given(grant)));
            let delay = self.rules.lock_delay();
            let (rule, why) = match (last.map(|(_, given)| given), delay) {
                (None, _) => ("free", "nobody holds it".to_owned()),
                (Some(Given { client, released: Some(_), .. }), None) => {
                    ("free", format!("{} released it", who(client)))
                }
                (Some(Given { client, released: Some(_), .. }), Some(_)) => {
                    ("released", format!("{} released it", who(client)))
                }
                (Some(g), Some(delay)) => {
                    let until = at(g.expiry.saturating_add(delay));
                    let over = format!("{} was over at {}", lease_of(g), at(g.expiry));
                    ("delay is over", format!("{over}, and the lock-delay of {} at {until}", at(delay)))
                }
                (Some(g), None) if g.expiry == now => ("over", format!("{} is over at this very instant", lease_of(g))),
                (Some(g), None) => ("over", format!("{} was over at {}", lease_of(g), at(g.expiry))),
            };
            let message = format!("{} None, although {} is free: {why}.", asked(), lock_name(name));
            return Err(self.breach(rule, message, last.map(|(grant, _)| grant)));
        }
        let (ownership, fencing, expires_at) = match self.read(&answer) {
            Ok(read) => read,
            Err(problem) if problem.kind == ProblemKind::Stopped => return Err(self.broke(client, name, problem)),
            Err(problem) => {
                let said = answer.describe(py);
                self.answer(client, name, Reply::Broke { message: format!("acquire returned {said}") }, line);
                let expected = match holder {
                    None if self.rules.delayed(name).is_some() => {
                        format!(
                            "But {} is refused to everybody at that moment: the task says to return None.",
                            lock_name(name)
                        )
                    }
                    Some(_) => format!("But {} is held at that moment: the task says to return None.", lock_name(name)),
                    None => format!("{} The task says to return a Grant with its three attributes.", problem.message),
                };
                return Err(self.breach("kind", format!("{} {said}. {expected}", asked()), None));
            }
        };
        let reply = Reply::Granted { token: fencing.to_string(), expires_us: us(now.saturating_add(ttl)) };
        let event = self.answer(client, name, reply, line);
        if let Some(holder) = holder {
            let given = self.rules.given(holder);
            let (rule, whose) = if given.client == client {
                ("holder", "its own".to_owned())
            } else {
                ("held", format!("{}'s", who(given.client)))
            };
            let message = format!(
                "{} a grant with fencing token {fencing}, although {whose} lease on {} runs until {}.",
                asked(),
                lock_name(name),
                at(given.expiry)
            );
            let mut breach = self.breach(rule, message, Some(holder));
            if let Some((whose, event)) = self.harm.take() {
                breach.message.push_str(&format!(" It had been freed for {whose}."));
                breach.witnesses.push(event);
            }
            return Err(breach);
        }
        if let Some(until) = self.rules.delayed(name) {
            let last = self.rules.last_of(name);
            let lease = last.map(|grant| self.rules.given(grant));
            let message = format!(
                "{} a grant with fencing token {fencing}, although {} ran out at {} and the lock-delay of {} goes on until {}.",
                asked(),
                lease.map_or_else(String::new, lease_of),
                at(lease.map_or(0, |g| g.expiry)),
                at(self.rules.lock_delay().unwrap_or(0)),
                at(until)
            );
            return Err(self.breach("delay", message, last));
        }
        self.grants.push(Held { client, name, ownership, fencing, object: answer, event });
        self.look_at_grant(ttl, expires_at)
    }

    /// The three attributes of a grant, or which one is amiss.
    fn read(&self, grant: &Object) -> Result<(String, Integer, f64), Problem> {
        let py = self.py;
        let attribute = |name: &'static str| {
            grant.attribute(py, name).map_err(|problem| match problem.kind {
                ProblemKind::Stopped => problem,
                _ => Problem::missing(format!("That has no {name} ({}).", problem.message)),
            })
        };
        let amiss = |name: &str, value: &Object, kind: &str| {
            Problem::missing(format!("Its {name} is {}, not {kind}.", value.describe(py)))
        };
        let token = attribute("ownership_token")?;
        let Value::Str(ownership) = token.value(py) else { return Err(amiss("ownership_token", &token, "a str")) };
        let token = attribute("fencing_token")?;
        let Value::Int(fencing) = token.value(py) else { return Err(amiss("fencing_token", &token, "an int")) };
        let end = attribute("expires_at")?;
        let expires_at = match end.value(py) {
            Value::Float(seconds) => seconds,
            Value::Int(seconds) => seconds.to_string().parse().unwrap_or(f64::NAN),
            _ => return Err(amiss("expires_at", &end, "a float of seconds")),
        };
        Ok((ownership, fencing, expires_at))
    }

    /// The grant came at the right moment: is what it says right as well?
    fn look_at_grant(&self, ttl: u32, expires_at: f64) -> Result<(), Breach> {
        let (now, newest) = (self.rules.now, self.grants.len() - 1);
        let Held { client, name, ownership, fencing, .. } = &self.grants[newest];
        let granted = || format!("At {} {} was granted {}", at(now), who(*client), lock_name(*name));
        let older = &self.grants[..newest];
        if self.judged.includes(Verdicts::Fencing)
            && let Some((last, before)) = older.iter().enumerate().next_back().filter(|(_, b)| b.fencing >= *fencing)
        {
            let same = if before.fencing == *fencing { "the same as" } else { "less than" };
            let message = format!(
                "{} with fencing token {fencing}, {same} the {} that {} had been given before.",
                granted(),
                before.fencing,
                who(before.client)
            );
            return Err(self.breach("fencing", message, Some(last)));
        }
        if self.judged.includes(Verdicts::Ownership)
            && let Some((same, before)) = older.iter().enumerate().find(|(_, b)| b.ownership == *ownership)
        {
            let message = format!(
                "{} with the ownership token '{ownership}', which {} had been given for {} before.",
                granted(),
                if before.client == *client { "it" } else { who(before.client) },
                lock_name(before.name)
            );
            return Err(self.breach("ownership", message, Some(same)));
        }
        let end = now.saturating_add(ttl);
        // Not "greater than": a NaN is wrong, too.
        let is_true = (expires_at - as_float_seconds(us(end))).abs() <= SLACK_S;
        if self.judged.includes(Verdicts::Expiry) && !is_true {
            let message = format!(
                "{} for {} and its grant says expires_at = {expires_at}, but the lease is over at {}.",
                granted(),
                at(ttl),
                at(end)
            );
            return Err(self.breach("expires_at", message, None));
        }
        Ok(())
    }

    /// With the token of one's last grant, or of the one before it.
    fn show_own(&mut self, want: Want, client: u8, name: u8, age: usize) -> Result<(), Breach> {
        let Some(grant) = self.rules.grant_of(client, name, age) else { return Ok(()) };
        let held = &self.grants[grant];
        let words = match age {
            0 => "its grant".to_owned(),
            _ => format!("an older grant of its own (fencing token {})", held.fencing),
        };
        let token = held.ownership.clone();
        if age > 0 {
            let text = format!("still has its grant with fencing token {} and uses that one", held.fencing);
            self.note(self.rules.now, || Happening::Noted { client: client.into(), text });
        }
        self.show(want, client, name, &Shown { token, grant: Some(grant), words, wrong: "" })
    }

    /// With the token of one's grant of another lock.
    fn show_anothers(&mut self, want: Want, client: u8, name: u8, other: u32) -> Result<(), Breach> {
        let Ok(other) = u8::try_from(other) else { return Ok(()) };
        let Some(grant) = self.rules.grant_of(client, other, 0).filter(|_| other != name) else { return Ok(()) };
        let token = self.grants[grant].ownership.clone();
        let words = format!("the ownership token of its grant of {}", lock_name(other));
        let text = format!("shows {words}");
        self.note(self.rules.now, || Happening::Noted { client: client.into(), text });
        self.show(want, client, name, &Shown { token, grant: None, words, wrong: "that token is another lock's" })
    }

    /// With something that anybody could know or try.
    fn show_guess(&mut self, want: Want, client: u8, name: u8, which: u32) -> Result<(), Breach> {
        let last = self.rules.last_of(name).map(|grant| &self.grants[grant]);
        let fencing = last.map_or_else(|| "1".to_owned(), |held| held.fencing.to_string());
        let holder = last.map_or("client-1", |held| id(held.client));
        let lock = lock_name(name);
        let real = last.map_or("token", |held| &held.ownership);
        let (token, what) = match which % GUESSES {
            0 => (fencing, "the fencing token as text"),
            1 => (holder.to_owned(), "the holder's client_id"),
            2 => (String::new(), "an empty text"),
            3 => (lock.clone().into_owned(), "the lock's name"),
            4 => (format!("{lock}:{fencing}"), "the lock's name and the fencing token"),
            5 => (format!("{holder}:{fencing}"), "the client_id and the fencing token"),
            6 => ("None".to_owned(), "the text None"),
            7 => (format!("{holder}:{lock}"), "the client_id and the lock's name"),
            8 => (real.chars().take(real.chars().count() / 2).collect(), "the first half of the token"),
            _ => (format!("{real}0"), "the token with one more character"),
        };
        let words = format!("{what}, '{token}', for an ownership token");
        let text = format!("shows {words}");
        self.note(self.rules.now, || Happening::Noted { client: client.into(), text });
        self.show(want, client, name, &Shown { token, grant: None, words, wrong: "no grant has that token" })
    }

    fn show(&mut self, want: Want, client: u8, name: u8, shown: &Shown) -> Result<(), Breach> {
        let (py, now) = (self.py, self.rules.now);
        self.note(now, || {
            let name = lock_name(name).into_owned();
            let call = match want {
                Want::Renew(ttl) => Call::Renew { name, ttl_us: us(ttl) },
                Want::Release => Call::Release { name },
            };
            Happening::Called { client: client.into(), call }
        });
        py.set_time_us(us(now));
        let lock = lock_name(name);
        // A copy of the text, as it would come over a wire.
        let (lock_arg, token) = (Arg::Str(&lock), Arg::Str(&shown.token));
        let answer = match want {
            Want::Renew(ttl) => self.service.method(py, "renew", &[lock_arg, token, seconds_for(client, ttl)]),
            Want::Release => self.service.method(py, "release", &[lock_arg, token]),
        };
        let line = py.take_returned_line();
        let answer = answer.and_then(|a| Ok((a.is_true(py)?, a)));
        let (done, answer) = answer.map_err(|p| self.broke(client, name, p))?;
        if matches!(answer.value(py), Value::Other(class) if class == "coroutine") {
            return Err(self.gave_a_coroutine(want, client, name, &answer, line));
        }
        let reply = match (want, done) {
            (Want::Renew(ttl), true) => Reply::Renewed { expires_us: us(now.saturating_add(ttl)) },
            (Want::Renew(_), false) => Reply::NotRenewed,
            (Want::Release, true) => Reply::Released,
            (Want::Release, false) => Reply::NotReleased,
        };
        let event = self.answer(client, name, reply, line);
        let running = shown.grant.filter(|grant| self.rules.runs(*grant));
        if done != running.is_some() && self.judged != Verdicts::Harm {
            return Err(self.wrong_answer(want, client, name, shown, &answer));
        }
        if done && running.is_none() {
            self.harm = Some((format!("{} at {} with a grant that had ended", who(client), at(now)), event));
        }
        match (want, running) {
            (Want::Renew(_), Some(grant)) if done => self.look_at_renewed(grant),
            _ => Ok(()),
        }
    }

    /// `renew` or `release` is an `async def`: nothing of it was done.
    fn gave_a_coroutine(&mut self, want: Want, client: u8, name: u8, answer: &Object, line: Option<u32>) -> Breach {
        let method = match want {
            Want::Renew(_) => "renew",
            Want::Release => "release",
        };
        let said = format!("{method} returned {}", answer.describe(self.py));
        self.answer(client, name, Reply::Broke { message: said.clone() }, line);
        let message = format!(
            "At {} {said}, of which nothing runs until it is awaited. Nobody awaits here: {method} is a plain `def`, and \
             returns True or False.",
            at(self.rules.now)
        );
        self.breach("kind", message, None)
    }

    /// `renew` or `release` answered the contrary of what is so.
    fn wrong_answer(&self, want: Want, client: u8, name: u8, shown: &Shown, answer: &Object) -> Breach {
        let (now, lock) = (self.rules.now, lock_name(name));
        let (did, method) = match want {
            Want::Renew(ttl) => (format!("renewed {lock} for {}", at(ttl)), "renew"),
            Want::Release => (format!("released {lock}"), "release"),
        };
        let said = answer.describe(self.py);
        let asked = format!("{} {did} at {} with {} and {method} returned {said}", who(client), at(now), shown.words);
        let given = shown.grant.map(|grant| self.rules.given(grant));
        if let Some(given) = given.filter(|_| shown.grant.is_some_and(|grant| self.rules.runs(grant))) {
            let rule = if method == "renew" { "renew" } else { "release" };
            let message = format!("{asked}, although this grant holds {lock} until {}.", at(given.expiry));
            return self.breach(rule, message, shown.grant);
        }
        let gone = given.map_or_else(
            || shown.wrong.to_owned(),
            |given| match given.released {
                Some(when) => format!("that grant was released at {}", at(when)),
                None if given.expiry == now => "that lease is over at this very instant".to_owned(),
                None => format!("that lease was over at {}", at(given.expiry)),
            },
        );
        let holder = self.rules.holder(name);
        let taken = holder.map_or_else(String::new, |holder| {
            let g = self.rules.given(holder);
            let whose = if g.client == client && shown.grant.is_some() {
                format!("a newer grant of {}", who(client))
            } else {
                who(g.client).to_owned()
            };
            format!(", and {whose} holds {lock} until {}", at(g.expiry))
        });
        let rule = match (want, shown.grant) {
            (Want::Renew(_), Some(_)) => "renew of an ended grant",
            (Want::Release, Some(_)) => "release of an ended grant",
            (Want::Renew(_), None) => "renew with a wrong token",
            (Want::Release, None) => "release with a wrong token",
        };
        let mut breach = self.breach(rule, format!("{asked}, although {gone}{taken}."), shown.grant);
        breach.witnesses.extend(holder.filter(|h| Some(*h) != shown.grant).map(|h| self.grants[h].event));
        breach
    }

    /// A renewal is no new grant: whoever holds this one has the tokens that it had.
    fn look_at_renewed(&mut self, grant: usize) -> Result<(), Breach> {
        if !self.judged.includes(Verdicts::Fencing) {
            return Ok(());
        }
        let Held { client, name, ownership, fencing, object, .. } = &self.grants[grant];
        let (client, name) = (*client, *name);
        let read = match self.read(object) {
            Ok(read) => read,
            Err(problem) => {
                let problem = match problem.kind {
                    ProblemKind::Stopped => return Err(self.broke(client, name, problem)),
                    _ => problem.message,
                };
                let message =
                    format!("{} renewed {}, and then its grant is amiss. {problem}", who(client), lock_name(name));
                return Err(self.breach("renewed grant", message, Some(grant)));
            }
        };
        let changed = match read {
            (_, now, _) if now != *fencing => format!("its fencing token went from {fencing} to {now}"),
            (now, _, _) if now != *ownership => format!("its ownership token went from '{ownership}' to '{now}'"),
            _ => return Ok(()),
        };
        let message = format!("{} renewed {} at {}, and {changed}.", who(client), lock_name(name), at(self.rules.now));
        Err(self.breach("renewed grant", message, Some(grant)))
    }

    fn acquire_for_nonsense(&mut self, client: u8, name: u8, which: u32) -> Result<(), Breach> {
        let (ttl, words) = NONSENSE[which as usize % NONSENSE.len()];
        let args = [Arg::Str(&lock_name(name)), Arg::Str(id(client)), Arg::Float(ttl)];
        let holder = self.rules.holder(name);
        let Some((answer, line)) = self.ask_nonsense("acquire", client, name, words, &args)? else { return Ok(()) };
        let refused = answer.value(self.py) == Value::None;
        self.hears(client, name, &answer, line);
        if refused && (holder.is_some() || self.rules.delayed(name).is_some()) {
            return Ok(());
        }
        let message = format!(
            "{} asked for {} at {} with ttl {words} and acquire returned {}.",
            who(client),
            lock_name(name),
            at(self.rules.now),
            answer.describe(self.py)
        );
        Err(self.breach("nonsense", message, holder))
    }

    fn renew_for_nonsense(&mut self, client: u8, name: u8, which: u32) -> Result<(), Breach> {
        let Some(grant) = self.rules.grant_of(client, name, 0) else { return Ok(()) };
        let (ttl, words) = NONSENSE[which as usize % NONSENSE.len()];
        let token = self.grants[grant].ownership.clone();
        let args = [Arg::Str(&lock_name(name)), Arg::Str(&token), Arg::Float(ttl)];
        let Some((answer, line)) = self.ask_nonsense("renew", client, name, words, &args)? else { return Ok(()) };
        let done = answer.is_true(self.py).map_err(|p| self.broke(client, name, p))?;
        self.hears(client, name, &answer, line);
        if !done && !self.rules.runs(grant) {
            return Ok(());
        }
        let message = format!(
            "{} renewed {} at {} with ttl {words} and renew returned {}.",
            who(client),
            lock_name(name),
            at(self.rules.now),
            answer.describe(self.py)
        );
        Err(self.breach("nonsense", message, Some(grant)))
    }

    fn make_with_nonsense(&mut self, client: u8, which: u32) -> Result<(), Breach> {
        let (delay, words) = NONSENSE_DELAYS[which as usize % NONSENSE_DELAYS.len()];
        let (py, now) = (self.py, self.rules.now);
        let text = format!("makes a service of its own: LockService(clock, lock_delay={words})");
        self.note(now, || Happening::Noted { client: client.into(), text });
        let clock = py.clock();
        match self.class.call_by_keyword(py, &[Arg::Object(&clock), Arg::Float(delay)], "lock_delay") {
            Err(problem) if problem.is_value_error => Ok(()),
            Err(problem) => Err(Breach::from(problem)),
            Ok(_) => {
                let message = format!("LockService(clock, lock_delay={words}) was made and did not raise.");
                Err(self.breach("nonsense delay", message, None))
            }
        }
    }

    /// A second service in the process, with a lock-delay of its own.
    fn make_another(&mut self, client: u8, delay: u32) -> Result<(), Breach> {
        let (py, now) = (self.py, self.rules.now);
        let text =
            format!("makes a service of its own: LockService(clock, lock_delay={})", as_float_seconds(us(delay)));
        self.note(now, || Happening::Noted { client: client.into(), text });
        let clock = py.clock();
        self.class.call_by_keyword(py, &[Arg::Object(&clock), seconds_for(1, delay)], "lock_delay")?;
        Ok(())
    }

    /// Calls with a ttl that is none. None if that raised a ValueError, as it should.
    fn ask_nonsense(
        &mut self,
        method: &'static str,
        client: u8,
        name: u8,
        ttl: &str,
        args: &[Arg<'_>],
    ) -> Result<Option<(Object, Option<u32>)>, Breach> {
        let now = self.rules.now;
        self.note(now, || {
            let text = format!("{method}({}, ttl={ttl})", lock_name(name));
            Happening::Called { client: client.into(), call: Call::Other { to: "service".to_owned(), text } }
        });
        self.py.set_time_us(us(now));
        match self.service.method(self.py, method, args) {
            Ok(answer) => Ok(Some((answer, self.py.take_returned_line()))),
            Err(problem) if problem.is_value_error => {
                self.answer(client, name, Reply::Other { text: "ValueError".to_owned() }, problem.line);
                self.py.take_returned_line();
                Ok(None)
            }
            Err(problem) => Err(self.broke(client, name, problem)),
        }
    }

    fn hears(&mut self, client: u8, name: u8, answer: &Object, line: Option<u32>) {
        let text = answer.describe(self.py);
        self.answer(client, name, Reply::Other { text }, line);
    }

    /// The storage, which is ours and right, and which believes the order of grants: fencing has tests of its own.
    fn write(&mut self, client: u8, name: u8) {
        let Some(grant) = self.rules.grant_of(client, name, 0) else { return };
        let before = self.marks.get(&name).copied();
        let accepted = before.is_none_or(|mark| grant >= mark);
        if accepted {
            self.marks.insert(name, grant);
        }
        let token = |grant: usize| self.grants[grant].fencing.to_string();
        let (ours, mark_before) = (token(grant), before.map(token));
        let mark_after = self.marks.get(&name).copied().map(token);
        self.note(self.rules.now, || Happening::Wrote {
            client: client.into(),
            resource: lock_name(name).into_owned(),
            token: ours,
            accepted,
            mark_before,
            mark_after,
        });
    }

    /// The learner's code ended instead of answering.
    fn broke(&mut self, client: u8, name: u8, problem: Problem) -> Breach {
        self.answer(client, name, Reply::Broke { message: problem.message.clone() }, problem.line);
        Breach::from(problem)
    }

    /// Notes an answer with the line that gave it; returns the event's index.
    fn answer(&mut self, client: u8, name: u8, reply: Reply, line: Option<u32>) -> usize {
        let index = self.note(self.rules.now, || Happening::Answered {
            client: client.into(),
            name: lock_name(name).into_owned(),
            reply,
        });
        if let Some(event) = self.trace.as_mut().and_then(|t| t.events.last_mut()) {
            event.line = line;
        }
        index
    }

    fn note(&mut self, ticks: u32, what: impl FnOnce() -> Happening) -> usize {
        self.trace.as_mut().map_or(0, |trace| {
            trace.events.push(sequential::event(ticks, what()));
            trace.events.len() - 1
        })
    }

    /// A broken rule, with the rule itself after what happened, and the grant that it is about.
    fn breach(&self, rule: &'static str, happened: String, grant: Option<usize>) -> Breach {
        let because = match rule {
            "held" | "holder" => "While a lease runs, acquire returns None to everyone, its holder included.",
            "free" => "A free lock is granted.",
            "released" => "A release ends a lease with no delay: whoever releases has finished its work.",
            "over" => "A lease is over as soon as the clock reaches its expiry; then the lock is free.",
            "fencing" => "Every grant needs a fencing token greater than all before it, whatever the lock's name.",
            "ownership" => {
                "Every grant has an ownership token of its own; otherwise a late release with an old grant frees the new \
                 one."
            }
            "delay" => {
                "After a lease that ran out, acquire returns None to everybody until its expiry plus lock_delay: the holder \
                 may still be at work."
            }
            "delay is over" => {
                "The lock-delay counts from the expiry, whoever asks in between; at its end the lock is free."
            }
            "nonsense delay" => "A lock-delay that is below 0 or not finite is a ValueError.",
            "expires_at" => "expires_at is the clock's time at which the lease is over.",
            "renew" => "renew by the grant that holds the lock makes its lease end ttl from now and returns True.",
            "release" => "release by the grant that holds the lock frees it and returns True.",
            "renew of an ended grant" => {
                "A grant that ended is never revived: renew returns False and changes nothing."
            }
            "release of an ended grant" => "A grant that ended has nothing to free: release returns False.",
            "renew with a wrong token" | "release with a wrong token" => {
                "Only the ownership token of the very grant that holds the lock renews or releases it."
            }
            "renewed grant" => "A renewal is no new grant: its tokens stay as they were.",
            "nonsense" => "A ttl that is not a finite number above 0 is a ValueError and changes nothing.",
            _ => "",
        };
        let message = format!("{happened} {because}");
        Breach::new(rule, message.trim_end(), grant.map(|grant| self.grants[grant].event).into_iter().collect())
    }
}

fn lease_of(given: Given) -> String {
    let renewed = given.renewed.map_or_else(String::new, |when| format!(", renewed at {},", at(when)));
    format!("{}'s lease{renewed}", who(given.client))
}
