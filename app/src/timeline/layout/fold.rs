//! Repeats: a poll that gets the same answer a dozen times is shown the first time and the last time, and the others
//! between them share one row.
//!
//! Two events are alike if the same client does or hears the same; numbers that only count on (tokens, transactions,
//! watches) are not looked at. Whatever is marked, and whatever goes wrong, is like nothing else.

use leasehold_checker::trace::{Call, Event, Happening, Reply, Trace};
use std::collections::BTreeMap;
use std::ops::Range;

/// The longest pattern that is looked for, in events.
const LONGEST: usize = 24;
/// A pattern comes at least so often, or all of it is shown.
const OFTEN: usize = 4;

/// Events that share a row.
#[derive(Debug, PartialEq, Eq)]
pub struct Fold {
    /// Which.
    pub events: Range<usize>,
    /// How often the pattern comes in them.
    pub times: usize,
    /// Length of the pattern, in events.
    pub pattern: usize,
}

/// All repeats, in order.
pub fn folds(trace: &Trace) -> Vec<Fold> {
    let kinds = kinds(trace);
    let runs: Vec<Vec<u32>> = (1..=LONGEST).map(|period| runs(&kinds, period)).collect();
    let mut folds = Vec::new();
    let mut at = 0;
    while at < kinds.len() {
        let times = |period: usize| runs[period - 1][at] as usize / period + 1;
        let best = (1..=LONGEST)
            .filter(|period| times(*period) >= OFTEN && (*period == 1 || begins(&trace.events[at])))
            .max_by_key(|period| (times(*period) * period, LONGEST - period));
        let Some(period) = best else {
            at += 1;
            continue;
        };
        let times = times(period);
        if (times - 2) * period > OFTEN {
            let events = at + period..at + (times - 1) * period;
            folds.push(Fold { events, times: times - 2, pattern: period });
        }
        at += times * period;
    }
    folds
}

// For every event, how many from there on are like the one a period later.
fn runs(kinds: &[usize], period: usize) -> Vec<u32> {
    let mut runs = vec![0; kinds.len()];
    for at in (0..kinds.len().saturating_sub(period)).rev() {
        if kinds[at] == kinds[at + period] {
            runs[at] = runs[at + 1] + 1;
        }
    }
    runs
}

fn begins(event: &Event) -> bool {
    matches!(event.what, Happening::Called { .. } | Happening::Noted { .. })
}

// A number for every event, the same for those that are alike.
fn kinds(trace: &Trace) -> Vec<usize> {
    let mut known = BTreeMap::new();
    let kind = |(i, event): (usize, &Event)| {
        let is_marked = trace.first_bad == Some(i) || trace.witnesses.contains(&i);
        match likeness(event).filter(|_| !is_marked) {
            // Numbers of patterns are below the count of events, so these are unlike all.
            None => trace.events.len() + i,
            Some(text) => {
                let next = known.len();
                *known.entry(text).or_insert(next)
            }
        }
    };
    trace.events.iter().enumerate().map(kind).collect()
}

// What makes an event like another one; none for what is always worth a row.
fn likeness(event: &Event) -> Option<String> {
    let mut out = String::new();
    let mut add = |word: &str| {
        out.push_str(word);
        out.push('\n');
    };
    match &event.what {
        Happening::Called { call, .. } => {
            add("called");
            match call {
                Call::Other { to, text } => {
                    add(to);
                    add(&without_numbers(text));
                }
                Call::Acquire { name, .. } | Call::Renew { name, .. } | Call::Release { name } => {
                    add(call_word(call));
                    add(&without_numbers(name));
                }
                Call::Write { resource, .. } => {
                    add(call_word(call));
                    add(resource);
                }
            }
        }
        Happening::Served { name, reply, .. } | Happening::Answered { name, reply, .. } => {
            add(if matches!(event.what, Happening::Served { .. }) { "served" } else { "answered" });
            match reply {
                Reply::Other { text } => add(&without_counters(text)),
                Reply::Broke { .. } => return None,
                other => {
                    add(reply_word(other));
                    add(&without_numbers(name));
                }
            }
        }
        Happening::Wrote { resource, accepted, .. } => {
            add(if *accepted { "accepted" } else { "rejected" });
            add(resource);
        }
        Happening::Expired { name, .. } => {
            add("over");
            add(&without_numbers(name));
        }
        Happening::Believes { name, holds, .. } => {
            add(if *holds { "holds" } else { "holds not" });
            add(&without_numbers(name));
        }
        Happening::State { to, allowed: true, .. } => add(to),
        Happening::Noted { text, .. } => add(&without_numbers(text)),
        _ => return None,
    }
    add(event.server().unwrap_or_default());
    add(&without_numbers(event.task.as_deref().unwrap_or_default()));
    out.push_str(&event.what.client().map_or_else(String::new, |client| client.to_string()));
    Some(out)
}

fn call_word(call: &Call) -> &'static str {
    match call {
        Call::Acquire { .. } => "acquire",
        Call::Release { .. } => "release",
        Call::Renew { .. } => "renew",
        Call::Write { .. } => "write",
        Call::Other { .. } => "",
    }
}

fn reply_word(reply: &Reply) -> &'static str {
    match reply {
        Reply::Granted { .. } => "granted",
        Reply::Refused => "refused",
        Reply::Released => "released",
        Reply::NotReleased => "not released",
        Reply::Renewed { .. } => "renewed",
        Reply::NotRenewed => "not renewed",
        Reply::Written => "written",
        Reply::Stale => "stale",
        Reply::TimedOut => "timed out",
        Reply::Other { .. } | Reply::Broke { .. } => "",
    }
}

fn without_numbers(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

// Numbers in an answer are what it is about, but for those that merely count: `transaction 12`, `watch 3 on job`.
fn without_counters(text: &str) -> String {
    let mut before = "";
    let mut out = String::new();
    for word in text.split(' ') {
        let counts = matches!(before, "transaction" | "watch");
        out.push_str(if counts { "" } else { word });
        out.push(' ');
        before = word;
    }
    out
}
