//! DESIGN's rules 11 and 17 as properties: when a waiter may try, when it must, and what it may return.
//!
//! The driver tells `waits` when acquire() is called, and `waited` when it ended, or `cancelled`. Only what the process
//! can know counts: its own clock, the answers that reached it, and that it may have been paused.

use crate::model::data::Data;
use crate::sim::property::{Note, Property, Violation};
use crate::sim::world::{CLIENTS, TICK_US, duration_us};
use crate::time::seconds;
use crate::trace::{Call, Event, Happening, Reply};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// What counts as the same moment: sleeps may be rounded.
const SAME_US: u64 = 1_000;
/// How much later than its last answer acquire() may end.
const SLACK_US: u64 = 7 * TICK_US;

/// A client, the name that it waits for, and the ttl that it was given: two calls at once with one name differ in it.
type Key = (usize, String, u64);

/// What a call of acquire() was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Given {
    began: u64,
    deadline: u64,
    ttl: u64,
    base: u64,
    cap: u64,
}

impl Given {
    /// From the driver's `waits`.
    fn new(note: &Note<'_>) -> Option<(Key, Given)> {
        let Data::Map(map) = note.value else { return None };
        let Some(Data::Str(name)) = map.get("name") else { return None };
        let us = |key: &str| map.get(key).and_then(duration_us).unwrap_or(0);
        let (began, budget) = (note.at_us, us("budget"));
        let given = Given { began, deadline: began + budget, ttl: us("ttl"), base: us("base"), cap: us("cap") };
        Some(((note.client, name.clone(), given.ttl), given))
    }

    /// The longest pause after the nth failed try, from 0.
    fn longest(&self, n: u32) -> u64 {
        self.base.saturating_mul(1u64.checked_shl(n).unwrap_or(u64::MAX)).min(self.cap)
    }
}

/// One call of acquire().
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Wait {
    given: Given,
    /// The event before it.
    event: usize,
    /// How many tries have failed.
    failed: u32,
    /// The try under way: its call, and when it was decided on.
    under_way: Option<(u32, u64)>,
    /// When the last try was decided on.
    asked: Option<u64>,
    /// When the process last heard an answer.
    heard: u64,
    /// It was paused since then.
    slept: bool,
    /// The release under way of a grant that came too late.
    releases: Option<u32>,
    /// The last grant: its token, when it is over for whoever asked, and its event.
    grant: Option<(String, u64, usize)>,
    /// The call that was refused for good, with any other exception than TransportError.
    hopeless: bool,
}

/// How a call of acquire() ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum End {
    Granted,
    Refused,
    Raised,
    Cancelled,
}

impl End {
    fn how(self) -> &'static str {
        match self {
            End::Granted => "returned a grant",
            End::Refused => "returned None",
            End::Raised => "raised",
            End::Cancelled => "been cancelled",
        }
    }
}

/// Which of its rules was broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Rule {
    #[default]
    AtOnce,
    BackOff,
    NotPastDeadline,
    LastTry,
    EndsInTime,
    OneAtATime,
    NothingAfter,
    RightCall,
    GrantIsKept,
    GrantRuns,
}

/// All calls of acquire(), and what follows for each.
#[derive(Debug, Default)]
pub(super) struct Waits {
    waits: BTreeMap<Key, Wait>,
    ended: BTreeMap<Key, (End, u64, usize)>,
    /// The application itself is about to give a grant back.
    gives_back: BTreeMap<usize, String>,
    asleep: BTreeMap<usize, bool>,
    broken: Rule,
}

fn who(client: usize) -> &'static str {
    CLIENTS.get(client).copied().unwrap_or("?")
}

impl Waits {
    fn breaks<T>(
        &mut self,
        rule: Rule,
        message: String,
        witnesses: impl IntoIterator<Item = usize>,
    ) -> Result<T, Violation> {
        self.broken = rule;
        Err(Violation::new(message, witnesses))
    }

    /// A try was sent for which there is no call of acquire() with this name and ttl.
    fn uncalled(&mut self, key: &Key, event: &Event) -> Result<(), Violation> {
        let (client, name, ttl_us) = key;
        let at = seconds(event.at_us);
        let same = |other: &Key| other.0 == *client && other.1 == *name;
        let ended = self.ended.get(key).copied();
        match self.waits.iter().find(|(other, _)| ended.is_none() && same(other)) {
            Some((_, wait)) => {
                let (ttl, index) = (wait.given.ttl, wait.event);
                let message = format!(
                    "At {at} {name} was asked for with a ttl of {}, and acquire() had been given {}.",
                    seconds(*ttl_us),
                    seconds(ttl)
                );
                self.breaks(Rule::RightCall, message, [index])
            }
            None => match ended.or_else(|| self.ended.iter().find(|(other, _)| same(other)).map(|(_, end)| *end)) {
                Some((end, since, index)) => {
                    let message = format!(
                        "At {at} {name} was asked for, although acquire() had {} at {}.",
                        end.how(),
                        seconds(since)
                    );
                    self.breaks(Rule::NothingAfter, message, [index])
                }
                None => {
                    let message =
                        format!("At {at} the service was asked for {name:?}, which acquire() was not called for.");
                    self.breaks(Rule::RightCall, message, [])
                }
            },
        }
    }

    fn called(&mut self, client: usize, name: &str, ttl_us: u64, event: &Event) -> Result<(), Violation> {
        let key = (client, name.to_owned(), ttl_us);
        let at = seconds(event.at_us);
        let Some(wait) = self.waits.get(&key).cloned() else { return self.uncalled(&key, event) };
        let asked = event.decided_us.unwrap_or(event.at_us);
        let given = wait.given;
        if let Some((_, since)) = wait.under_way {
            let message = format!("At {at} a try was sent while the one of {} was still under way.", seconds(since));
            return self.breaks(Rule::OneAtATime, message, [wait.event]);
        }
        let seen = if wait.slept { asked } else { wait.heard };
        if let Some((token, over, index)) = wait.grant.filter(|(_, over, _)| seen < *over) {
            let message = format!(
                "At {} the lock was granted with token {token}, sure to run until {}, and at {at} the service was asked \
                 again.",
                seconds(wait.heard),
                seconds(over)
            );
            return self.breaks(Rule::GrantIsKept, message, [index]);
        }
        match wait.asked {
            None if asked > given.began + SAME_US && !wait.slept => {
                let message =
                    format!("acquire() was called at {}, and the first try sent at {at}.", seconds(given.began));
                return self.breaks(Rule::AtOnce, message, [wait.event]);
            }
            Some(before) if asked > given.deadline + SAME_US && (!wait.slept || before + SAME_US >= given.deadline) => {
                let message = format!(
                    "acquire() was called at {} with {} to wait, so the deadline was {}, and at {at} a try was sent.",
                    seconds(given.began),
                    seconds(given.deadline - given.began),
                    seconds(given.deadline)
                );
                return self.breaks(Rule::NotPastDeadline, message, [wait.event]);
            }
            Some(_) if !wait.slept => {
                let (n, longest) = (wait.failed - 1, given.longest(wait.failed - 1));
                if asked > wait.heard + longest + SAME_US {
                    let message = format!(
                        "At {} try number {n}, from 0, had failed, and the next was sent at {at}, {} later: longer than {} \
                         at most.",
                        seconds(wait.heard),
                        seconds(asked - wait.heard),
                        seconds(longest)
                    );
                    return self.breaks(Rule::BackOff, message, [wait.event]);
                }
            }
            _ => {}
        }
        if let Some(wait) = self.waits.get_mut(&key) {
            wait.under_way = Some((event.message.unwrap_or(0), asked));
            wait.asked = Some(asked);
            wait.grant = None;
        }
        Ok(())
    }

    fn answered(&mut self, index: usize, client: usize, name: &str, reply: &Reply, event: &Event) {
        let asleep = self.asleep.get(&client).copied().unwrap_or(false);
        let call = event.message;
        let is_its = |wait: &Wait| {
            call.is_some() && (call == wait.under_way.map(|(under_way, _)| under_way) || call == wait.releases)
        };
        let mut waits = self.waits.iter_mut();
        let Some((_, wait)) = waits.find(|(key, wait)| key.0 == client && key.1 == name && is_its(wait)) else {
            return;
        };
        match wait.under_way {
            Some((under_way, asked)) if call == Some(under_way) => {
                wait.under_way = None;
                wait.failed += 1;
                wait.hopeless = matches!(reply, Reply::Other { .. });
                if let Reply::Granted { token, .. } = reply {
                    wait.grant = Some((token.clone(), asked + wait.given.ttl, index));
                }
            }
            _ if call.is_some() && call == wait.releases => wait.releases = None,
            _ => return,
        }
        wait.heard = event.at_us;
        wait.slept = asleep;
    }

    /// A grant that came too late may be given back, before acquire() ends; what it returned is the application's.
    fn releases(&mut self, client: usize, name: &str, event: &Event) -> Result<(), Violation> {
        let is_it = |key: &Key| key.0 == client && key.1 == name;
        if self.gives_back.get(&client).is_some_and(|given| given == name) {
            self.gives_back.remove(&client);
            return Ok(());
        }
        if let Some((_, wait)) = self.waits.iter_mut().find(|(key, wait)| is_it(key) && wait.grant.is_some()) {
            wait.releases = event.message;
            return Ok(());
        }
        let Some((end, since, index)) = self.ended.iter().find(|(key, _)| is_it(key)).map(|(_, end)| *end) else {
            return Ok(());
        };
        // Who is cancelled while it asks can't wait for the answer, and may leave a task that gives back what comes.
        if self.waits.keys().any(is_it) || end == End::Cancelled {
            return Ok(());
        }
        let message = format!(
            "At {} {name} was given back, although acquire() had {} at {}.",
            seconds(event.at_us),
            end.how(),
            seconds(since)
        );
        self.breaks(Rule::NothingAfter, message, [index])
    }

    /// acquire() ended: was it allowed to?
    fn waited(&mut self, note: &Note<'_>, key: &Key, end: &str, token: Option<String>) -> Result<(), Violation> {
        let Some(wait) = self.waits.remove(key) else { return Ok(()) };
        let now = note.at_us;
        let at = seconds(now);
        let deadline = wait.given.deadline;
        let how = match end {
            "granted" => End::Granted,
            "none" => End::Refused,
            _ => End::Raised,
        };
        self.ended.insert(key.clone(), (how, now, note.index));
        let runs = wait.grant.as_ref().filter(|(_, over, _)| now < *over);
        match (how, &wait.grant) {
            (End::Granted, Some((given, over, index))) if token.as_ref() == Some(given) => {
                if now >= *over {
                    let message = format!(
                        "At {at} acquire() returned a grant that had been asked for at {} with a ttl of {}: it was sure \
                         to run only until {}, and at that instant it is over.",
                        seconds(wait.asked.unwrap_or(0)),
                        seconds(wait.given.ttl),
                        seconds(*over)
                    );
                    return self.breaks(Rule::GrantRuns, message, [*index]);
                }
            }
            (End::Granted, _) => {
                let message = format!("At {at} acquire() returned a grant that its last try had not been given.");
                return self.breaks(Rule::GrantIsKept, message, [wait.event]);
            }
            (_, _) if wait.hopeless => return Ok(()),
            (_, Some((given, over, index))) if runs.is_some() => {
                let message = format!(
                    "At {} the lock was granted with token {given}, sure to run until {}, and at {at} acquire() {}.",
                    seconds(wait.heard),
                    seconds(*over),
                    if how == End::Refused { "returned None" } else { "raised" }
                );
                return self.breaks(Rule::GrantIsKept, message, [*index]);
            }
            (End::Refused, _) => {
                let tried = wait.asked.is_some_and(|asked| asked + SAME_US >= deadline)
                    || wait.heard + SAME_US >= deadline
                    || (wait.slept && now + SAME_US >= deadline);
                if wait.asked.is_none() || !tried || now + SAME_US < deadline {
                    let last = match wait.asked {
                        Some(asked) => format!("its last try was sent at {}", seconds(asked)),
                        None => "it had not asked at all".to_owned(),
                    };
                    let message = format!(
                        "acquire() was called at {} with {} to wait, so the deadline was {}. At {at} it returned None, and \
                         {last}.",
                        seconds(wait.given.began),
                        seconds(deadline - wait.given.began),
                        seconds(deadline)
                    );
                    return self.breaks(Rule::LastTry, message, [wait.event]);
                }
            }
            _ => {}
        }
        let due = if how == End::Granted { wait.heard } else { wait.heard.max(deadline) };
        if now > due + SLACK_US && !wait.slept {
            let message = format!(
                "At {} {}, and acquire() returned only at {at}.",
                seconds(due),
                if how == End::Granted { "the lock was granted" } else { "the last try had failed" }
            );
            return self.breaks(Rule::EndsInTime, message, [wait.event]);
        }
        Ok(())
    }
}

impl Property for Waits {
    fn rule(&self) -> &'static str {
        match self.broken {
            Rule::AtOnce => "first try",
            Rule::BackOff => "back-off",
            Rule::NotPastDeadline => "deadline",
            Rule::LastTry => "last try",
            Rule::EndsInTime => "ends in time",
            Rule::OneAtATime => "one try at a time",
            Rule::NothingAfter => "nothing after the end",
            Rule::RightCall => "right call",
            Rule::GrantIsKept => "grant is kept",
            Rule::GrantRuns => "grant runs",
        }
    }

    fn sentence(&self) -> &'static str {
        match self.broken {
            Rule::AtOnce => "The first try comes at once.",
            Rule::BackOff => {
                "After the nth failed try of a call, from 0, the pause is uniform(0, min(cap_s, base_s * 2**n)), and never \
                 longer."
            }
            Rule::NotPastDeadline => {
                "wait_s is a budget on the monotonic clock: a sleep that would go past the deadline ends at it, and after it \
                 no try begins."
            }
            Rule::LastTry => {
                "A waiter gives up when its budget is used up and not before: it sleeps until the deadline and tries once \
                 more at it. Only a try that is under way when the deadline passes is the last one, too."
            }
            Rule::EndsInTime => "acquire() returns as soon as a grant has come, or the last try has failed.",
            Rule::OneAtATime => {
                "One try at a time: if both are granted in turn, nobody knows of the one, and if the second is refused, it \
                 may be because of the first."
            }
            Rule::NothingAfter => "When acquire() has ended, nothing of it goes on: it neither tries nor gives back.",
            Rule::RightCall => "acquire(name, ttl, wait_s) asks for this name with this ttl.",
            Rule::GrantIsKept => {
                "A grant that still runs is returned: otherwise nobody has the lock until its ttl has passed."
            }
            Rule::GrantRuns => {
                "A grant is returned only while clock() is less than what it was just before the try was sent, plus ttl. \
                 One that came later counts as a refusal."
            }
        }
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        match &event.what {
            Happening::Called { client, call: Call::Acquire { name, ttl_us } } => {
                self.called(*client, name, *ttl_us, event)?;
            }
            Happening::Called { client, call: Call::Release { name } } => {
                self.releases(*client, name, event)?;
            }
            Happening::Answered { client, name, reply } => self.answered(index, *client, name, reply, event),
            Happening::Paused { client, .. } | Happening::Woke { client } => {
                let asleep = matches!(event.what, Happening::Paused { .. });
                self.asleep.insert(*client, asleep);
                for (_, wait) in self.waits.iter_mut().filter(|((c, ..), _)| c == client) {
                    wait.slept = true;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        match (note.kind, note.value) {
            ("waits", _) => {
                if let Some((key, given)) = Given::new(note) {
                    self.ended.remove(&key);
                    let wait = Wait { given, event: note.index, heard: given.began, ..Wait::default() };
                    self.waits.insert(key, wait);
                }
            }
            ("cancelled", Data::Str(name)) => {
                if let Some(key) = self.waits.keys().find(|key| key.0 == note.client && key.1 == *name).cloned() {
                    self.waits.remove(&key);
                    self.ended.insert(key, (End::Cancelled, note.at_us, note.index));
                }
            }
            ("waited", Data::Map(map)) => {
                let (Some(Data::Str(name)), Some(Data::Str(end))) = (map.get("name"), map.get("end")) else {
                    return Ok(());
                };
                let token = map.get("token").map(ToString::to_string);
                let ttl = map.get("ttl").and_then(duration_us);
                let is_it = |key: &&Key| key.0 == note.client && key.1 == *name && ttl.is_none_or(|ttl| key.2 == ttl);
                if let Some(key) = self.waits.keys().find(is_it).cloned() {
                    self.waited(note, &key, end, token)?;
                }
            }
            ("gives back", Data::Str(name)) => {
                self.gives_back.insert(note.client, name.clone());
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        let Some(((client, name, _), wait)) = self.waits.iter().next() else { return Ok(()) };
        let message = format!(
            "{} called acquire() for {name} at {} with {} to wait, and at {} it had not returned.",
            who(*client),
            seconds(wait.given.began),
            seconds(wait.given.deadline - wait.given.began),
            seconds(now_us)
        );
        let event = wait.event;
        self.breaks(Rule::EndsInTime, message, [event])
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        (&self.waits, &self.gives_back, &self.asleep).hash(&mut hasher);
        self.ended.iter().for_each(|(key, (end, ..))| (key, end).hash(&mut hasher));
    }
}

/// The pauses of many waiters, as a whole: full jitter, drawn by each for itself. For worlds in which nothing goes wrong.
///
/// Seeds are fixed, so a right waiter that passes once passes always. All margins are more than six standard
/// deviations of a right one wide, so that any other right one passes, too.
#[derive(Debug, Default)]
pub(super) struct Spread {
    waits: BTreeMap<Key, Tried>,
}

/// So many tries of one waiter say enough. A right one makes some thirty-five in a minute, give or take four.
const FAR_TOO_MANY: usize = 100;

#[derive(Debug, Default, Hash)]
struct Tried {
    given: Given,
    heard: Option<u64>,
    /// After each failed try the pause, and the longest that it might have been.
    pauses: Vec<(u64, u64)>,
}

impl Tried {
    /// The pauses that might have been as long as the cap, in order: all drawn from the same range.
    fn capped(&self) -> Vec<u64> {
        self.pauses.iter().filter(|(_, longest)| *longest >= self.given.cap).map(|(pause, _)| *pause).collect()
    }
}

/// So many pauses in a row that come again after the same number of others are no chance: a drawn millisecond comes again
/// once in hundreds of times.
const IN_A_ROW: usize = 8;

/// Of so many pauses a right waiter makes hundreds of different ones, in whatever unit it draws,
const MANY_PAUSES: usize = 400;
/// and one that has made so few has not drawn each anew.
const FEW_LENGTHS: usize = 64;

/// After how many pauses the same ones come again, if they do so to the end.
fn period(pauses: &[u64]) -> Option<usize> {
    // The last one may have been cut short by the deadline.
    let pauses = pauses.split_last().map_or(pauses, |(_, before)| before);
    (1..=pauses.len().saturating_sub(IN_A_ROW))
        .find(|period| pauses.iter().zip(&pauses[*period..]).all(|(one, again)| one == again))
}

/// How the pauses lie between nothing and the longest, in thousandths.
struct Shares {
    count: u64,
    mean: u64,
    in_first_quarter: u64,
    in_last_quarter: u64,
}

impl Shares {
    fn of(pauses: impl Iterator<Item = (u64, u64)>) -> Shares {
        let mut shares = Shares { count: 0, mean: 0, in_first_quarter: 0, in_last_quarter: 0 };
        for share in pauses.map(|(pause, longest)| pause * 1_000 / longest.max(1)) {
            shares.count += 1;
            shares.mean += share;
            shares.in_first_quarter += u64::from(share < 250) * 1_000;
            shares.in_last_quarter += u64::from(share >= 750) * 1_000;
        }
        let count = shares.count.max(1);
        shares.mean /= count;
        shares.in_first_quarter /= count;
        shares.in_last_quarter /= count;
        shares
    }
}

impl Spread {
    /// The pauses that no deadline cut short, of the tries that `which` picks by number.
    fn pauses(&self, which: impl Fn(&Given, u32) -> bool) -> impl Iterator<Item = (u64, u64)> {
        self.waits.values().flat_map(move |tried| {
            let numbered = (0u32..).zip(tried.pauses.iter().copied());
            numbered.filter(|(n, _)| which(&tried.given, *n)).map(|(_, pause)| pause).collect::<Vec<_>>()
        })
    }

    fn judge(&self) -> Result<(), Violation> {
        let all: Vec<(&Key, &Tried)> = self.waits.iter().collect();
        for (i, ((a, first, _), one)) in all.iter().enumerate() {
            let same = all[i + 1..].iter().find(|(_, other)| one.pauses.len() >= 4 && one.pauses == other.pauses);
            if let Some(((b, second, _), _)) = same {
                let message = format!(
                    "{}'s waiter for {first} and {}'s for {second} asked in step, {} times.",
                    who(*a),
                    who(*b),
                    one.pauses.len() + 1
                );
                return Err(Violation::new(message, []));
            }
        }
        for ((client, name, _), tried) in &self.waits {
            let shares = || tried.pauses.iter().map(|(pause, longest)| pause * 1_000 / longest.max(&1));
            let (Some(least), Some(most)) = (shares().min(), shares().max()) else { continue };
            if tried.pauses.len() >= 20 && most - least < 250 {
                let message = format!(
                    "{}'s waiter for {name} paused {} times, always between {} % and {} % of the longest that it might have \
                     been.",
                    who(*client),
                    tried.pauses.len(),
                    least / 10,
                    most.div_ceil(10)
                );
                return Err(Violation::new(message, []));
            }
        }
        for ((client, name, _), tried) in &self.waits {
            if let Some(period) = period(&tried.capped()) {
                let message = format!(
                    "{}'s waiter for {name} drew {period} pauses and then went through the same ones again, instead of \
                     drawing each anew.",
                    who(*client)
                );
                return Err(Violation::new(message, []));
            }
        }
        let grows = |given: &Given, n: u32| given.longest(n) < given.cap;
        let drawn: Vec<u64> = self.waits.values().flat_map(Tried::capped).collect();
        let different = drawn.iter().collect::<BTreeSet<_>>().len();
        if drawn.len() >= MANY_PAUSES && different <= FEW_LENGTHS {
            let message = format!(
                "Once the cap was reached, there were {} pauses, and only {different} different ones: few draws were made, \
                 and used again and again.",
                drawn.len()
            );
            return Err(Violation::new(message, []));
        }
        let uncapped = Shares::of(self.pauses(grows));
        Spread::on_average("Before the cap was reached", &uncapped, 350, 650)?;
        let capped = Shares::of(self.pauses(|given, n| !grows(given, n)));
        Spread::on_average("Once the cap was reached", &capped, 400, 600)?;
        for n in 0..5 {
            let shares = Shares::of(self.pauses(|_, number| number == n));
            Spread::on_average(&format!("After try number {n}, from 0"), &shares, 140, 860)?;
        }
        let shares = Shares::of(self.pauses(|_, _| true));
        for (share, which) in [(shares.in_first_quarter, "first"), (shares.in_last_quarter, "last")] {
            if shares.count > 0 && !(150..=350).contains(&share) {
                let message = format!(
                    "Of {} pauses {} % were in the {which} quarter of what each might have been; uniform chance gives 25 %.",
                    shares.count,
                    share / 10
                );
                return Err(Violation::new(message, []));
            }
        }
        Ok(())
    }

    fn on_average(what: &str, shares: &Shares, least: u64, most: u64) -> Result<(), Violation> {
        if shares.count == 0 || (least..=most).contains(&shares.mean) {
            return Ok(());
        }
        let message = format!(
            "{what}, {} pauses were on average {} % of the longest that each might have been; uniform chance gives 50 %.",
            shares.count,
            shares.mean / 10
        );
        Err(Violation::new(message, []))
    }
}

impl Property for Spread {
    fn rule(&self) -> &'static str {
        "full jitter"
    }

    fn sentence(&self) -> &'static str {
        "Each pause is drawn anew, evenly between 0 and min(cap_s, base_s * 2**n): the cap is applied first, then chance."
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        match &event.what {
            Happening::Called { client, call: Call::Acquire { name, ttl_us } } => {
                if let Some(tried) = self.waits.get_mut(&(*client, name.clone(), *ttl_us))
                    && let Some(heard) = tried.heard
                {
                    let longest = tried.given.longest(u32::try_from(tried.pauses.len()).unwrap_or(u32::MAX));
                    if heard + longest <= tried.given.deadline {
                        tried.pauses.push((event.at_us.saturating_sub(heard), longest));
                        if tried.pauses.len() == FAR_TOO_MANY {
                            return self.judge();
                        }
                    }
                }
            }
            Happening::Answered { client, name, .. } => {
                // Each of them waits for a lock of its own.
                let mut waits = self.waits.iter_mut();
                if let Some((_, tried)) = waits.find(|(key, _)| key.0 == *client && key.1 == *name) {
                    tried.heard = Some(event.at_us);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        if note.kind == "waits"
            && let Some((key, given)) = Given::new(note)
        {
            self.waits.insert(key, Tried { given, ..Tried::default() });
        }
        Ok(())
    }

    fn end(&mut self, _: u64) -> Result<(), Violation> {
        self.judge()
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.waits.hash(&mut hasher);
    }
}

/// Waiters that began at one instant spread out: at no later one do more than half of them ask.
#[derive(Debug, Default)]
pub(super) struct NoHerd {
    waiters: usize,
    began: u64,
    /// The tries of the last tick: when each was sent, and its event.
    recent: Vec<(u64, usize)>,
}

impl Property for NoHerd {
    fn rule(&self) -> &'static str {
        "no herd"
    }

    fn sentence(&self) -> &'static str {
        "Waiters that began together are spread by chance: otherwise all of them meet at the service again and again."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        let Happening::Called { call: Call::Acquire { .. }, .. } = &event.what else { return Ok(()) };
        // The first tries do come at one instant: nobody has waited yet.
        if event.at_us <= self.began {
            return Ok(());
        }
        self.recent.retain(|(at, _)| at + TICK_US > event.at_us);
        self.recent.push((event.at_us, index));
        let count = self.recent.len();
        if count * 2 <= self.waiters {
            return Ok(());
        }
        let message = format!(
            "At {} {count} of {} waiters asked within {}.",
            seconds(event.at_us),
            self.waiters,
            seconds(TICK_US)
        );
        let witnesses: Vec<usize> = self.recent.iter().map(|(_, index)| *index).collect();
        Err(Violation::new(message, witnesses))
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        if note.kind == "waits" {
            self.waiters += 1;
            self.began = note.at_us;
        }
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        (self.waiters, self.began).hash(&mut hasher);
        self.recent.iter().for_each(|(at, _)| at.hash(&mut hasher));
    }
}

/// The last try of nearly every waiter comes at its deadline. For many waiters, whose deadlines differ, where nothing goes
/// wrong: one alone may just have a try under way when its deadline passes.
#[derive(Debug, Default)]
pub(super) struct MeetsDeadlines {
    /// Whose they are, and whether that process asked then.
    deadlines: Vec<(usize, u64, bool)>,
}

impl Property for MeetsDeadlines {
    fn rule(&self) -> &'static str {
        "last try"
    }

    fn sentence(&self) -> &'static str {
        "The pause is drawn as always, and if it would go past the deadline, it ends at the deadline itself: there the last \
         try comes, no sooner."
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        if let Happening::Called { client, call: Call::Acquire { .. } } = &event.what {
            for (who, deadline, met) in &mut self.deadlines {
                *met |= who == client && deadline.abs_diff(event.at_us) <= SAME_US;
            }
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        if note.kind == "waits"
            && let Some((_, given)) = Given::new(note)
        {
            self.deadlines.push((note.client, given.deadline, false));
        }
        Ok(())
    }

    fn end(&mut self, _: u64) -> Result<(), Violation> {
        let met = self.deadlines.iter().filter(|(_, _, met)| *met).count();
        if met * 2 >= self.deadlines.len() {
            return Ok(());
        }
        let message = format!("Of {} waiters {met} tried at their deadline.", self.deadlines.len());
        Err(Violation::new(message, []))
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.deadlines.hash(&mut hasher);
    }
}

#[cfg(test)]
mod tests;
