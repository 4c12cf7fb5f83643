//! DESIGN's rule 7 as properties: what a renewer may do and must do, given what its process can know.
//!
//! A process's deadline is when its last request that succeeded was sent, plus the ttl. The driver tells `held` when the
//! renewer is made, `stopped` before it calls stop(), and `lost` when on_lost is called.

#[cfg(test)]
mod tests;

use super::TTL_US;
use crate::sim::property::{Note, Property, Violation};
use crate::sim::world::TICK_US;
use crate::time::{SECOND_US, seconds};
use crate::trace::{Call, Event, Happening, Reply};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// How late on_lost may come.
const SLACK_US: u64 = 7 * TICK_US;
/// So close to the deadline giving up is a matter of taste: an answer may take that long.
const CLOSE_US: u64 = SECOND_US + 2 * TICK_US;

/// The shortest and the longest time between two renewals where nothing goes wrong: a third of the ttl, give or take a
/// tenth. Two tenths if each counts from a grid of its own; and a little for the round trip.
const SHORTEST_US: u64 = TTL_US / 3 * 79 / 100;
const LONGEST_US: u64 = TTL_US / 3 * 123 / 100;

/// What a client's process can know of its lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Lease {
    /// When the calls under way were decided on.
    sent: BTreeMap<u32, u64>,
    /// When the last acquire or renewal that succeeded was sent.
    success: u64,
    /// How many attempts failed since.
    failures: u32,
    /// When the service said that the grant is over.
    rejected: Option<u64>,
    /// A success came when the deadline had passed: it may be taken or not.
    came_late: bool,
    /// Since when there is a renewer.
    held: Option<u64>,
    /// What ended it.
    ended: Option<End>,
    /// The process is paused. If an answer came meanwhile: the deadline without it.
    asleep: bool,
    unheard: Option<u64>,
    /// When the process last went on after a pause.
    woke: u64,
    /// The event that says how long the lease runs, or that it is over.
    proof: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum End {
    Stopped,
    /// Stopped, then, when it was lost already or may have been: then stop() does nothing, and the loss may still be told.
    StoppedLate(u64),
    Lost,
}

impl Lease {
    fn deadline(&self) -> u64 {
        self.success + TTL_US
    }

    /// Whether the renewer may take the lease for lost at this moment.
    fn may_be_lost(&self, now_us: u64) -> bool {
        self.rejected.is_some() || self.came_late || self.failures >= 2 || now_us + CLOSE_US >= self.deadline()
    }

    /// Held, as far as anybody was told.
    fn runs(&self) -> bool {
        self.held.is_some() && self.ended.is_none()
    }
}

/// The leases of all clients.
#[derive(Clone, Debug, Default)]
struct Leases(BTreeMap<usize, Lease>);

impl Leases {
    fn see(&mut self, index: usize, event: &Event) {
        let (now, call) = (event.at_us, event.message.unwrap_or(0));
        match &event.what {
            Happening::Called { client, call: Call::Acquire { .. } | Call::Renew { .. } } => {
                // A pause between the decision and the request is not the code's doing.
                self.of(*client).sent.insert(call, event.decided_us.unwrap_or(now));
            }
            Happening::Answered { client, reply, .. } => {
                let lease = self.of(*client);
                let Some(sent) = lease.sent.remove(&call) else { return };
                if !matches!(reply, Reply::TimedOut) {
                    lease.proof = index;
                }
                match reply {
                    Reply::Granted { .. } => *lease = Lease { success: sent, proof: index, ..Lease::default() },
                    Reply::Renewed { .. } => {
                        lease.came_late = now >= lease.deadline();
                        if lease.asleep {
                            lease.unheard.get_or_insert(lease.deadline());
                        }
                        lease.success = lease.success.max(sent);
                        lease.failures = 0;
                    }
                    Reply::NotRenewed => lease.rejected = lease.rejected.or(Some(now)),
                    Reply::TimedOut => lease.failures += 1,
                    _ => {}
                }
            }
            Happening::Expired { client, .. } => self.of(*client).proof = index,
            Happening::Paused { client, .. } => self.of(*client).asleep = true,
            Happening::Woke { client } => {
                let lease = self.of(*client);
                lease.asleep = false;
                lease.woke = now;
                if lease.unheard.take().is_some_and(|deadline| now + CLOSE_US >= deadline) {
                    lease.came_late = true;
                }
            }
            _ => {}
        }
    }

    fn noted(&mut self, note: &Note<'_>) {
        let lease = self.of(note.client);
        match note.kind {
            "held" => lease.held = Some(note.at_us),
            "stopped" if lease.may_be_lost(note.at_us) => {
                lease.ended = lease.ended.or(Some(End::StoppedLate(note.at_us)));
            }
            "stopped" => lease.ended = lease.ended.or(Some(End::Stopped)),
            "lost" => lease.ended = Some(End::Lost),
            _ => {}
        }
    }

    fn of(&mut self, client: usize) -> &mut Lease {
        self.0.entry(client).or_default()
    }
}

impl Hash for Leases {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        for (client, lease) in &self.0 {
            // Calls are numbered otherwise in another run.
            let Lease { sent, .. } = lease;
            (client, sent.values().collect::<Vec<_>>()).hash(hasher);
            let Lease { success, failures, rejected, came_late, held, ended, asleep, unheard, woke, .. } = lease;
            (success, failures, rejected, came_late, held).hash(hasher);
            (ended, asleep, unheard, woke).hash(hasher);
        }
    }
}

/// on_lost is called exactly once for a lease that is lost, in time, and never for one that was stopped.
#[derive(Debug, Default)]
pub(super) struct ToldInTime(Leases);

impl ToldInTime {
    fn check(&self, now_us: u64) -> Result<(), Violation> {
        for lease in self.0.0.values().filter(|l| l.runs() && !l.asleep) {
            // Nobody can act before there is a renewer, or while the process sleeps.
            let able = lease.woke.max(lease.held.unwrap_or(0));
            let by = |at: u64| at.max(able) + SLACK_US;
            if let Some(rejected) = lease.rejected.filter(|at| now_us > by(*at)) {
                return Err(Violation::new(
                    format!(
                        "At {} the service said that the grant is over, and at {} on_lost had not been called.",
                        seconds(rejected),
                        seconds(now_us)
                    ),
                    [lease.proof],
                ));
            }
            if now_us > by(lease.deadline()) {
                return Err(Violation::new(
                    format!(
                        "The last request that succeeded was sent at {}, so the lease was sure to run only until {}, and \
                         at {} on_lost had not been called.",
                        seconds(lease.success),
                        seconds(lease.deadline()),
                        seconds(now_us)
                    ),
                    [lease.proof],
                ));
            }
        }
        Ok(())
    }
}

impl Property for ToldInTime {
    fn rule(&self) -> &'static str {
        "told in time"
    }

    fn sentence(&self) -> &'static str {
        "on_lost is called exactly once for a lease that is lost: at once when a renewal was rejected, at the latest when \
         the deadline passes, and not after a stop() that came before the loss."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        self.check(event.at_us)?;
        self.0.see(index, event);
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.check(note.at_us)?;
        if note.kind == "lost" {
            let lease = self.0.of(note.client);
            let again = match lease.ended {
                Some(End::Lost) => Some("a second time"),
                Some(End::StoppedLate(at)) if note.at_us <= at.max(lease.woke) + SLACK_US => None,
                Some(End::Stopped | End::StoppedLate(_)) => Some("after stop()"),
                None => None,
            };
            if let Some(again) = again {
                let message = format!("At {} on_lost was called {again}.", seconds(note.at_us));
                return Err(Violation::new(message, [lease.proof]));
            }
        }
        self.0.noted(note);
        Ok(())
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        self.check(now_us)
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}

/// After stop(), or once it is lost, a lease is not renewed again.
#[derive(Debug, Default)]
pub(super) struct RenewalsEnd(BTreeMap<usize, (&'static str, u64, usize)>);

impl Property for RenewalsEnd {
    fn rule(&self) -> &'static str {
        "renewals end"
    }

    fn sentence(&self) -> &'static str {
        "After stop(), or once it is lost, a lease is not renewed again."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        match &event.what {
            Happening::Answered { client, reply: Reply::NotRenewed, .. } => {
                self.0.entry(*client).or_insert(("the service said that the grant is over", event.at_us, index));
            }
            Happening::Called { client, call: Call::Renew { name, .. } } => {
                if let Some((why, since, end)) = self.0.get(client) {
                    let message = format!(
                        "At {} a renewal of {name} was sent, although {why} at {}.",
                        seconds(event.at_us),
                        seconds(*since)
                    );
                    return Err(Violation::new(message, [*end]));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let why = match note.kind {
            "stopped" => "stop() was called",
            "lost" => "on_lost was called",
            _ => return Ok(()),
        };
        self.0.entry(note.client).or_insert((why, note.at_us, note.index));
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.iter().for_each(|(client, (why, since, _))| (client, why, since).hash(&mut hasher));
    }
}

/// No renewal is sent once the deadline has passed: a look at the monotonic clock would have told.
#[derive(Debug, Default)]
pub(super) struct NoLateRenewal(Leases);

impl Property for NoLateRenewal {
    fn rule(&self) -> &'static str {
        "no late renewal"
    }

    fn sentence(&self) -> &'static str {
        "Before each attempt, look at the deadline: once it has passed, the lease is lost without asking."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        if let Happening::Called { client, call: Call::Renew { name, .. } } = &event.what {
            let lease = self.0.of(*client);
            let deadline = lease.deadline();
            if event.decided_us.unwrap_or(event.at_us) >= deadline {
                let message = format!(
                    "At {} a renewal of {name} was sent, whose lease was sure to run only until {}.",
                    seconds(event.at_us),
                    seconds(deadline)
                );
                return Err(Violation::new(message, [lease.proof]));
            }
        }
        self.0.see(index, event);
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}

/// A lease is not given up while it can still be renewed: not without a rejection, two attempts in a row that failed, or
/// a deadline so close that nothing would be sure to come back in time.
#[derive(Debug, Default)]
pub(super) struct NoNeedlessLoss(Leases);

impl Property for NoNeedlessLoss {
    fn rule(&self) -> &'static str {
        "no needless loss"
    }

    fn sentence(&self) -> &'static str {
        "A lease that is renewed in time is not lost, and one failed attempt is tried again."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        self.0.see(index, event);
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.0.noted(note);
        if note.kind != "lost" {
            return Ok(());
        }
        let lease = self.0.of(note.client);
        if lease.may_be_lost(note.at_us) {
            return Ok(());
        }
        let failures = match lease.failures {
            0 => "no renewal had failed",
            _ => "only one renewal had failed since the last that succeeded",
        };
        let message = format!(
            "At {} on_lost was called, although {failures} and the lease was sure to run until {}.",
            seconds(note.at_us),
            seconds(lease.deadline())
        );
        Err(Violation::new(message, [note.index]))
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}

/// While a lease is held, renewals go on: none of them is waited for longer than a healthy renewer would.
#[derive(Debug, Default)]
pub(super) struct KeepsTrying {
    leases: Leases,
    /// By client: when its process last heard from the service, in vain or not.
    heard: BTreeMap<usize, u64>,
}

impl KeepsTrying {
    fn check(&self, now_us: u64) -> Result<(), Violation> {
        for (client, lease) in self.leases.0.iter().filter(|(_, l)| l.runs() && !l.asleep && l.sent.is_empty()) {
            let heard = self.heard.get(client).copied().unwrap_or(0);
            let due = heard.max(lease.woke).max(lease.held.unwrap_or(0)) + LONGEST_US;
            let may_give_up = lease.rejected.is_some() || lease.failures >= 2 || due + CLOSE_US >= lease.deadline();
            if now_us > due && !may_give_up {
                let message = format!(
                    "The last answer{} came at {}, and until {} no renewal was sent.",
                    if lease.failures > 0 { " (a TransportError)" } else { "" },
                    seconds(heard),
                    seconds(now_us)
                );
                return Err(Violation::new(message, [lease.proof]));
            }
        }
        Ok(())
    }
}

impl Property for KeepsTrying {
    fn rule(&self) -> &'static str {
        "keeps trying"
    }

    fn sentence(&self) -> &'static str {
        "Renew about every third of the ttl, and after a failed attempt try again no later than that."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        self.check(event.at_us)?;
        self.leases.see(index, event);
        if let Happening::Answered { client, .. } = &event.what {
            self.heard.insert(*client, event.at_us);
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.check(note.at_us)?;
        self.leases.noted(note);
        Ok(())
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        self.check(now_us)
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        (&self.leases, &self.heard).hash(&mut hasher);
    }
}

/// However badly things go, renewals are no hail.
#[derive(Debug, Default)]
pub(super) struct NoHail(BTreeMap<usize, (u64, u32)>);

impl Property for NoHail {
    fn rule(&self) -> &'static str {
        "no hail"
    }

    fn sentence(&self) -> &'static str {
        "Renew about every third of the ttl, and try again with measure."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        let Happening::Called { client, call: Call::Renew { name, .. } } = &event.what else { return Ok(()) };
        let (since, count) = self.0.entry(*client).or_insert((event.at_us, 0));
        if event.at_us >= *since + TTL_US {
            (*since, *count) = (event.at_us, 0);
        }
        *count += 1;
        // Three are due. Ten attempts that fail one right after the other are the most that fit in.
        if *count > 12 {
            let message = format!("{name} was renewed {count} times within one ttl from {} on.", seconds(*since));
            return Err(Violation::new(message, [index]));
        }
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}

/// Where nothing goes wrong, renewals come about every third of the ttl.
#[derive(Debug, Default)]
pub(in crate::suites) struct Pace {
    /// By client: when it last renewed, or was granted.
    last: BTreeMap<usize, u64>,
    renewals: u32,
}

impl Pace {
    fn check(last: u64, now: u64, least: u64) -> Result<(), Violation> {
        let gap = now - last;
        if (least..=LONGEST_US).contains(&gap) {
            return Ok(());
        }
        let message = if gap > LONGEST_US {
            format!(
                "From {} to {} no renewal was sent, {} of a ttl of 10 s.",
                seconds(last),
                seconds(now),
                seconds(gap)
            )
        } else {
            format!("At {} a renewal was sent, only {} after the one before.", seconds(now), seconds(gap))
        };
        Err(Violation::new(message, []))
    }
}

impl Property for Pace {
    fn rule(&self) -> &'static str {
        "pace"
    }

    fn sentence(&self) -> &'static str {
        "Where nothing goes wrong, a third of the ttl passes between two renewals, give or take a tenth of that."
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        match &event.what {
            Happening::Answered { client, reply: Reply::Granted { .. }, .. } => {
                self.last.insert(*client, event.at_us);
            }
            Happening::Called { client, call: Call::Renew { .. } } => {
                // Nobody is hurt by a first one that comes early.
                let least = if self.renewals == 0 { 0 } else { SHORTEST_US };
                self.renewals += 1;
                if let Some(last) = self.last.insert(*client, event.at_us) {
                    Pace::check(last, event.at_us, least)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        match self.last.get(&note.client).filter(|_| note.kind == "stopped" || note.kind == "lost") {
            // The work may end just when a renewal is due.
            Some(last) => Pace::check(*last, note.at_us, 0),
            None => Ok(()),
        }
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        (&self.last, self.renewals).hash(&mut hasher);
    }
}

/// The pauses between renewals differ, from time to time and from process to process.
#[derive(Debug, Default)]
pub(in crate::suites) struct Jitter {
    /// By client: when it renewed.
    renewals: BTreeMap<usize, Vec<u64>>,
}

impl Property for Jitter {
    fn rule(&self) -> &'static str {
        "jitter"
    }

    fn sentence(&self) -> &'static str {
        "The pause before each renewal is drawn anew, up to a tenth shorter or longer, so that renewers which began \
         together do not go on together."
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        if let Happening::Called { client, call: Call::Renew { .. } } = &event.what {
            self.renewals.entry(*client).or_default().push(event.at_us);
        }
        Ok(())
    }

    fn end(&mut self, _: u64) -> Result<(), Violation> {
        let mut all = Vec::new();
        for times in self.renewals.values() {
            let gaps: Vec<u64> = times.windows(2).map(|pair| (pair[1] - pair[0]) / 1_000).collect();
            let (least, most) = (gaps.iter().min().copied(), gaps.iter().max().copied());
            let (Some(least), Some(most)) = (least, most) else { continue };
            // Of the fifth that there may lie between the longest and the shortest.
            if (most - least) * 1_000 < TTL_US / 3 / 20 {
                let message = format!(
                    "In {} renewals the shortest pause was {} and the longest {}.",
                    times.len(),
                    seconds(least * 1_000),
                    seconds(most * 1_000)
                );
                return Err(Violation::new(message, []));
            }
            all.push(gaps);
        }
        match all.as_slice() {
            [first, second, ..] if first == second => {
                let message = format!("The processes A and B renewed in step, {} times.", first.len() + 1);
                Err(Violation::new(message, []))
            }
            _ => Ok(()),
        }
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.renewals.hash(&mut hasher);
    }
}
