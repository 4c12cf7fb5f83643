//! One life as a trace: the holder A, and B who wants the lock next.

use super::life::{Attempt, Fate, Life, Played, With};
use super::{Cause, Settings, Waiter};
use crate::time::seconds;
use crate::trace::{Call, Event, Happening, Reply, Trace};

const LOCK: &str = "job";
const A: usize = 0;
const B: usize = 1;
/// So many failed renewals are drawn; a note tells of the others.
const DRAWN: usize = 9;

/// A life to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What happened, in at most 200 events. The first bad one is that with which A lost its lease: the lease was over
    /// for the service, or A gave up before. The witnesses are what led there.
    pub trace: Trace,
    /// What lost it; none if A finished its work.
    pub cause: Option<Cause>,
}

impl Shown {
    pub(super) fn draw(s: &Settings, number: u32) -> Shown {
        let life = Life::draw(s, number);
        let mut attempts = Vec::new();
        let played = life.play(s, With::ALL, &mut attempts);
        let cause = played.loss.map(|_| life.cause(s, &mut Vec::new()));
        let mut drawing = Drawing { s, out: s.round_trip_us / 2, events: Vec::new(), messages: 0 };
        drawing.acquires(A, 0, 1);
        drawing.told_of_drift();
        drawing.pauses(&life, &played);
        drawing.expires(&played);
        drawing.renews(&attempts, &played);
        let free = drawing.stops(&life, &played);
        drawing.waits(&life, free);
        let mut trace =
            Trace { clients: vec!["A".to_owned(), "B".to_owned()], events: drawing.events, ..Trace::default() };
        // Stable: what shares an instant stays in the order in which it was written down.
        trace.events.sort_by_key(|event| event.at_us);
        if let Some(cause) = cause {
            mark(&mut trace, cause);
        }
        Shown { trace, cause }
    }
}

struct Drawing<'a> {
    s: &'a Settings,
    /// A request's way to the service, in microseconds.
    out: u64,
    events: Vec<Event>,
    messages: u32,
}

impl Drawing<'_> {
    /// A call that is granted, and the belief that follows.
    fn acquires(&mut self, client: usize, sent: u64, token: u32) {
        let token = token.to_string();
        let reply = Reply::Granted { token: token.clone(), expires_us: sent + self.out + self.s.ttl_us };
        let heard = sent + self.s.round_trip_us;
        self.call(client, sent, self.acquire(), reply, heard);
        self.push(heard, believes(client, Some(token), true));
    }

    fn told_of_drift(&mut self) {
        let ppm = self.s.drift_ppm;
        if ppm == 0 {
            return;
        }
        let way = if ppm < 0 { "slow" } else { "fast" };
        let percent = f64::from(ppm.unsigned_abs()) / 10_000.0;
        self.push(self.s.round_trip_us, noted(A, format!("its clock is {way} by {percent} %")));
    }

    fn pauses(&mut self, life: &Life, played: &Played) {
        if self.s.pause_us > 0 && life.pause_at < played.stopped {
            let wakes = life.pause_at + self.s.pause_us;
            self.push(life.pause_at, Happening::Paused { client: A, until_us: wakes });
            self.push(wakes, Happening::Woke { client: A });
        }
    }

    fn renews(&mut self, attempts: &[Attempt], played: &Played) {
        let mut skipped: &[Attempt] = &[];
        let drawn = drawn(attempts);
        for (i, attempt) in attempts.iter().enumerate() {
            if drawn.contains(&i) {
                self.skips(skipped);
                skipped = &[];
                self.attempt(attempt, played);
            } else {
                skipped = &attempts[i - skipped.len()..=i];
            }
        }
        self.skips(skipped);
    }

    fn skips(&mut self, skipped: &[Attempt]) {
        let Some(first) = skipped.first() else { return };
        let text = match skipped.len() {
            1 => "tries once more, in vain (not drawn)".to_owned(),
            all => format!("tries {all} more times, in vain (not drawn)"),
        };
        self.push(first.sent, noted(A, text));
    }

    fn attempt(&mut self, attempt: &Attempt, played: &Played) {
        let renew = Call::Renew { name: LOCK.to_owned(), ttl_us: self.s.ttl_us };
        let reply = match attempt.fate {
            Fate::Renewed(expires_us) => Reply::Renewed { expires_us },
            Fate::Rejected => Reply::NotRenewed,
            Fate::Failed => {
                self.messages += 1;
                self.push_part(attempt.sent, Happening::Called { client: A, call: renew });
                self.push_part(attempt.sent, Happening::RequestLost { client: A });
                if attempt.heard < played.stopped {
                    self.push_part(attempt.heard, answered(A, Reply::TimedOut));
                }
                return;
            }
        };
        self.call(A, attempt.sent, renew, reply, attempt.heard);
    }

    fn expires(&mut self, played: &Played) {
        if let Some(loss) = played.loss {
            self.push(loss.lease_end, Happening::Expired { client: A, name: LOCK.to_owned(), token: "1".to_owned() });
        }
    }

    /// A's last acts, and since when the lock is free.
    fn stops(&mut self, life: &Life, played: &Played) -> u64 {
        let (at, arrives) = (played.stopped, played.stopped + self.out);
        let lease_end = played.loss.map_or(played.lease_end, |loss| loss.lease_end);
        let done = played.loss.is_none() || at == life.end(self.s);
        if done {
            let reply = if arrives < lease_end { Reply::Released } else { Reply::NotReleased };
            self.call(A, at, Call::Release { name: LOCK.to_owned() }, reply, at + self.s.round_trip_us);
        }
        self.push(at, believes(A, Some("1".to_owned()), false));
        if done { lease_end.min(arrives) } else { lease_end }
    }

    /// B's last refusal and its grant.
    fn waits(&mut self, life: &Life, free: u64) {
        let granted = life.granted_at(self.s, free);
        let (refused, how) = match self.s.waiter {
            Waiter::Asks { every_us } => {
                let how = format!("asks every {} (not all drawn)", seconds(every_us));
                (granted.checked_sub(every_us), how)
            }
            Waiter::Woken => {
                self.push(granted - self.out, noted(B, "is told that the lock is free".to_owned()));
                (Some(self.s.round_trip_us + self.out), "waits to be told".to_owned())
            }
        };
        // B comes after A: its refusal is drawn if there was time for one.
        let asked = refused.and_then(|at| at.checked_sub(self.out));
        if let Some(sent) = asked.filter(|sent| *sent > self.s.round_trip_us && sent + self.out < free) {
            let heard = sent + self.s.round_trip_us;
            self.call(B, sent, self.acquire(), Reply::Refused, heard);
            self.push(heard, noted(B, how));
        }
        self.acquires(B, granted - self.out, 2);
    }

    fn acquire(&self) -> Call {
        Call::Acquire { name: LOCK.to_owned(), ttl_us: self.s.ttl_us }
    }

    /// Asked, decided, heard.
    fn call(&mut self, client: usize, sent: u64, call: Call, reply: Reply, heard: u64) {
        self.messages += 1;
        self.push_part(sent, Happening::Called { client, call });
        let served = Happening::Served { client, name: LOCK.to_owned(), reply: reply.clone() };
        self.push_part(sent + self.out, served);
        self.push_part(heard, answered(client, reply));
    }

    fn push(&mut self, at_us: u64, what: Happening) {
        self.events.push(Event::at(at_us, what));
    }

    /// Of the call that was begun last.
    fn push_part(&mut self, at_us: u64, what: Happening) {
        self.events.push(Event { message: Some(self.messages), ..Event::at(at_us, what) });
    }
}

fn believes(client: usize, token: Option<String>, holds: bool) -> Happening {
    Happening::Believes { client, name: LOCK.to_owned(), token, holds }
}

fn answered(client: usize, reply: Reply) -> Happening {
    Happening::Answered { client, name: LOCK.to_owned(), reply }
}

fn noted(client: usize, text: String) -> Happening {
    Happening::Noted { client, text }
}

/// Which attempts are drawn: all that moved the lease, or it would seem to end without them; of those that failed as many as fit,
/// the first two and the last.
fn drawn(attempts: &[Attempt]) -> Vec<usize> {
    let is_failed = |i: &usize| attempts[*i].fate == Fate::Failed;
    let (mut failed, mut drawn): (Vec<usize>, Vec<usize>) = (0..attempts.len()).partition(is_failed);
    if failed.len() > DRAWN {
        failed.drain(2..failed.len() - (DRAWN - 2));
    }
    drawn.append(&mut failed);
    drawn.sort_unstable();
    drawn
}

/// Marks the event with which A lost its lease, and what led there.
fn mark(trace: &mut Trace, cause: Cause) {
    let is_loss = |e: &Event| {
        matches!(e.what, Happening::Expired { client: A, .. } | Happening::Believes { client: A, holds: false, .. })
    };
    let Some(bad) = trace.events.iter().position(is_loss) else { return };
    let before = &trace.events[..bad];
    let is_success = |e: &Event| {
        matches!(&e.what, Happening::Served { client: A, reply: Reply::Granted { .. } | Reply::Renewed { .. }, .. })
    };
    let success = before.iter().rposition(is_success).unwrap_or(0);
    let led = |(i, e): (usize, &Event)| match e.what {
        Happening::Paused { .. } => matches!(cause, Cause::Pause | Cause::Together).then_some(i),
        Happening::RequestLost { .. } if i > success => matches!(cause, Cause::Failures | Cause::Together).then_some(i),
        _ => None,
    };
    trace.witnesses = before.iter().enumerate().filter_map(led).collect();
    if trace.witnesses.is_empty() {
        trace.witnesses.push(success);
    }
    trace.first_bad = Some(bad);
}
