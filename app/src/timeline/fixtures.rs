//! Stories for tests.

use leasehold_checker::time::SECOND_US;
use leasehold_checker::trace::{Call, Event, Happening, Reply, Trace};

fn acquire(at_s: u64, client: usize) -> Event {
    let call = Call::Acquire { name: "report".into(), ttl_us: 10 * SECOND_US };
    Event::at(at_s * SECOND_US, Happening::Called { client, call })
}

fn granted(at_s: u64, client: usize, token: &str) -> Event {
    let reply = Reply::Granted { token: token.into(), expires_us: (at_s + 10) * SECOND_US };
    let what = Happening::Answered { client, name: "report".into(), reply };
    Event { line: Some(30 + client as u32), ..Event::at(at_s * SECOND_US, what) }
}

fn wrote(at_s: u64, client: usize, token: &str, before: Option<&str>, after: Option<&str>, accepted: bool) -> Event {
    let what = Happening::Wrote {
        client,
        resource: "report".into(),
        token: token.into(),
        accepted,
        mark_before: before.map(str::to_owned),
        mark_after: after.map(str::to_owned),
    };
    Event::at(at_s * SECOND_US, what)
}

/// A pauses past its lease, B takes over with a token that is not larger, and the gate lets A's late write through.
pub fn takeover() -> Trace {
    Trace {
        clients: vec!["A".into(), "B".into()],
        events: vec![
            acquire(0, 0),
            granted(0, 0, "1"),
            Event::at(0, Happening::Paused { client: 0, until_us: 15 * SECOND_US }),
            Event::at(10 * SECOND_US, Happening::Expired { client: 0, name: "report".into(), token: "1".into() }),
            acquire(12, 1),
            granted(12, 1, "1"),
            wrote(13, 1, "1", None, Some("1"), true),
            Event::at(15 * SECOND_US, Happening::Woke { client: 0 }),
            wrote(15, 0, "1", Some("1"), Some("1"), true),
        ],
        first_bad: Some(8),
        witnesses: vec![5],
        ..Trace::default()
    }
}

/// The same with a right lock: the late write is rejected.
pub fn fenced() -> Trace {
    let mut trace = takeover();
    trace.events[5] = granted(12, 1, "2");
    trace.events[6] = wrote(13, 1, "2", None, Some("2"), true);
    trace.events[8] = wrote(15, 0, "1", Some("2"), Some("2"), false);
    trace.first_bad = None;
    trace.witnesses.clear();
    trace
}

/// A release frees a lock, a refused acquire draws no lease, and a release of nothing ends what a client believes.
pub fn release_and_refusal() -> Trace {
    let answered = |at_s: u64, client, reply| {
        Event::at(at_s * SECOND_US, Happening::Answered { client, name: "report".into(), reply })
    };
    let release = |at_s: u64, client| {
        Event::at(at_s * SECOND_US, Happening::Called { client, call: Call::Release { name: "report".into() } })
    };
    Trace {
        clients: vec!["A".into(), "B".into()],
        events: vec![
            acquire(0, 0),
            granted(0, 0, "1"),
            acquire(1, 1),
            answered(1, 1, Reply::Refused),
            release(2, 0),
            answered(2, 0, Reply::Released),
            acquire(2, 1),
            answered(2, 1, Reply::Broke { message: "ValueError: no".into() }),
            release(3, 1),
            answered(3, 1, Reply::NotReleased),
        ],
        first_bad: Some(7),
        witnesses: Vec::new(),
        ..Trace::default()
    }
}

/// Many grants, releases and writes, one after the other.
pub fn long(events: usize) -> Trace {
    let mut trace = Trace { clients: vec!["A".into(), "B".into(), "C".into()], ..Trace::default() };
    for i in 0..events as u64 {
        let (round, client) = (i / 5, (i / 5 % 3) as usize);
        let name = "report".to_owned();
        let token = round.to_string();
        trace.events.push(match i % 5 {
            0 => acquire(round, client),
            1 => granted(round, client, &token),
            2 => wrote(round, client, &token, None, Some(&token), true),
            3 => Event::at(round * SECOND_US, Happening::Called { client, call: Call::Release { name } }),
            _ => Event::at(round * SECOND_US, Happening::Answered { client, name, reply: Reply::Released }),
        });
    }
    trace
}
