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

/// A call with the number of its message, at a time in sixty-fourths of a second.
fn called(at: u64, client: usize, message: u32, server: &str, call: Call) -> Event {
    Event { line: Some(12), ..travelling(at, message, server, Happening::Called { client, call }) }
}

fn travelling(at: u64, message: u32, server: &str, what: Happening) -> Event {
    Event { message: Some(message), ..Event::at(at * SECOND_US / 64, what).with_server(server) }
}

fn served(at: u64, client: usize, message: u32, server: &str, reply: Reply) -> Event {
    travelling(at, message, server, Happening::Served { client, name: "job".into(), reply })
}

fn heard(at: u64, client: usize, message: u32, server: &str, reply: Reply) -> Event {
    travelling(at, message, server, Happening::Answered { client, name: "job".into(), reply })
}

fn believes(at: u64, client: usize, token: Option<&str>, holds: bool) -> Event {
    let (name, token) = ("job".into(), token.map(str::to_owned));
    Event::at(at * SECOND_US / 64, Happening::Believes { client, name, token, holds })
}

fn asks() -> Call {
    Call::Acquire { name: "job".into(), ttl_us: 10 * SECOND_US }
}

fn renews() -> Call {
    Call::Renew { name: "job".into(), ttl_us: 10 * SECOND_US }
}

// Until ten seconds after a time in sixty-fourths of a second.
fn until(at: u64) -> u64 {
    (at + 640) * SECOND_US / 64
}

fn grants(at: u64, token: &str) -> Reply {
    Reply::Granted { token: token.into(), expires_us: until(at) }
}

fn story(clients: &[&str], events: Vec<Event>) -> Trace {
    Trace { clients: clients.iter().map(|name| (*name).to_owned()).collect(), events, ..Trace::default() }
}

/// A call, its decision and its answer, on an undisturbed way.
fn whole(at: u64, client: usize, message: u32, server: &str, call: Call, reply: &Reply) -> [Event; 3] {
    [
        called(at, client, message, server, call),
        served(at + 1, client, message, server, reply.clone()),
        heard(at + 2, client, message, server, reply.clone()),
    ]
}

const SERVICE: &str = "lock service";

/// A renewal never reaches the service.
pub fn cut_request() -> Trace {
    let mut events = whole(0, 0, 1, SERVICE, asks(), &grants(1, "1")).to_vec();
    events.extend([
        called(200, 0, 2, SERVICE, renews()),
        travelling(200, 2, SERVICE, Happening::RequestLost { client: 0 }),
        heard(264, 0, 2, SERVICE, Reply::TimedOut),
        Event::at(until(1), Happening::Expired { client: 0, name: "job".into(), token: "1".into() }),
    ]);
    story(&["A"], events)
}

/// A release arrives and the answer to it does not; it is sent twice besides.
pub fn cut_reply() -> Trace {
    let mut events = whole(0, 0, 1, SERVICE, asks(), &grants(1, "1")).to_vec();
    events.extend([
        called(200, 0, 2, SERVICE, Call::Release { name: "job".into() }),
        travelling(200, 2, SERVICE, Happening::Duplicated { client: 0 }),
        served(201, 0, 2, SERVICE, Reply::Released),
        travelling(201, 2, SERVICE, Happening::ReplyLost { client: 0 }),
        served(203, 0, 2, SERVICE, Reply::NotReleased),
        heard(264, 0, 2, SERVICE, Reply::TimedOut),
    ]);
    story(&["A"], events)
}

/// A and B sleep through their leases one after the other, so that all three believe at once; A's write comes too late.
pub fn three_believers() -> Trace {
    let mut events = Vec::new();
    for (client, token) in [(0, "1"), (1, "2"), (2, "3")] {
        let at = 704 * client as u64;
        let (message, name) = (client as u32 + 1, || "job".to_owned());
        if client > 0 {
            let (client, token) = (client - 1, client.to_string());
            events.push(Event::at(until(at - 703), Happening::Expired { client, name: name(), token }));
        }
        events.extend(whole(at, client, message, SERVICE, asks(), &grants(at + 1, token)));
        events.push(believes(at + 2, client, Some(token), true));
        if client < 2 {
            events.push(Event::at((at + 2) * SECOND_US / 64, Happening::Paused { client, until_us: 30 * SECOND_US }));
        }
    }
    let write = Call::Write { resource: "job".into(), token: "1".into() };
    let wrote = |client, token: &str, accepted| {
        let (resource, token, mark) = ("job".to_owned(), token.to_owned(), Some("3".to_owned()));
        let mark_before = if accepted { None } else { mark.clone() };
        Happening::Wrote { client, resource, token, accepted, mark_before, mark_after: mark }
    };
    events.extend([
        called(1500, 2, 4, "storage", Call::Write { resource: "job".into(), token: "3".into() }),
        travelling(1501, 4, "storage", wrote(2, "3", true)),
        heard(1502, 2, 4, "storage", Reply::Written),
        Event::at(30 * SECOND_US, Happening::Woke { client: 0 }),
        called(1920, 0, 5, "storage", write),
        travelling(1921, 5, "storage", wrote(0, "1", false)),
        believes(1921, 1, Some("2"), false),
        heard(1922, 0, 5, "storage", Reply::Stale),
        believes(1922, 0, Some("1"), false),
    ]);
    story(&["A", "B", "C"], events)
}

/// A has two nodes of three; B gets the third one and gives it back.
pub fn redlock() -> Trace {
    let mut events = Vec::new();
    for node in 1..=3 {
        let (at, server) = (u64::from(node) * 4, ["node ", &node.to_string()].concat());
        let (a, b) = (grants(at, "c15c02"), grants(at, "421efc"));
        let call =
            |who: u64| whole(at + who, who as usize, node + 3 * who as u32, &server, asks(), [&a, &b][who as usize]);
        events.extend(if node < 3 { call(0) } else { call(1) });
    }
    events.insert(6, believes(10, 0, None, true));
    let back = Call::Release { name: "job".into() };
    events.extend(whole(20, 1, 9, "node 3", back, &Reply::Released));
    for node in ["node 1", "node 2"] {
        let over = Happening::Expired { client: 0, name: "job".into(), token: "c15c02".into() };
        events.push(Event::at(11 * SECOND_US, over).with_server(node));
    }
    story(&["A", "B"], events)
}

/// A dies with the lock, is there again too early, is cut off, and its clock steps.
pub fn crash_and_restart() -> Trace {
    let mut events = whole(0, 0, 1, SERVICE, asks(), &grants(1, "1")).to_vec();
    let at = |at: u64, what| Event::at(at * SECOND_US / 64, what);
    events.extend([at(128, Happening::Crashed { client: 0 }), at(256, Happening::Restarted { client: 0 })]);
    events.extend(whole(256, 0, 2, SERVICE, asks(), &Reply::Refused));
    events.extend([
        at(320, Happening::ClockStepped { client: 0, by_us: -3_600_000_000 }),
        at(320, Happening::Partitioned { client: 0, until_us: 12 * SECOND_US }),
        at(640, Happening::ServerRestarted { server: SERVICE.into() }),
        at(641, Happening::Expired { client: 0, name: "job".into(), token: "1".into() }),
        at(768, Happening::Reconnected { client: 0 }),
        at(768, Happening::RanFirst { client: 0 }),
    ]);
    story(&["A"], events)
}

/// A waits and asks again every half second, in vain, until it is let in.
pub fn polling(times: u64) -> Trace {
    let mut events = Vec::new();
    for i in 0..times {
        events.extend(whole(i * 32, 0, i as u32, SERVICE, asks(), &Reply::Refused));
    }
    events.extend(whole(times * 32, 0, times as u32, SERVICE, asks(), &grants(times * 32 + 1, "7")));
    story(&["A"], events)
}

/// Many grants, releases and writes, one after the other.
pub fn long(events: usize) -> Trace {
    let mut trace = story(&["A", "B", "C", "D", "E"], Vec::new());
    for i in 0..events as u64 {
        let (round, client) = (i / 5, (i / 5 % 5) as usize);
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

/// Anything at all: what no suite would record, with names and answers of every length, the same for the same seed.
pub fn anything(seed: u64, events: usize) -> Trace {
    let mut below = crate::noise::below(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut draw = |bound: u64| below(bound as usize) as u64;
    let texts = ["", "job", "a name that is longer than the room there is for it", "WWWWWWWWWWWWWWWWWWWW", "§ 漢字 🔒"];
    let servers =
        [SERVICE, "node 1", "node 2", "node 5", "cache", "database", "coordinator", "storage", "Spanner of Delphi"];
    let tasks = ["main", "renew", "renew 2", "a task with a long name", "watch"];
    let clients: Vec<&str> = ["A", "B", "client number three", "D", "E"][..1 + draw(5) as usize].to_vec();
    let (mut at_us, many) = (draw(3) * 999_999, clients.len() as u64);
    let mut all = Vec::new();
    for _ in 0..events {
        at_us += [0, 0, 15_625, 250_000, 9_999_999, 90_000_000_000][draw(6) as usize];
        let (client, text) = (draw(many) as usize, texts[draw(5) as usize].to_owned());
        let (name, token, flag) = (text.clone(), draw(40).pow(draw(12) as u32).to_string(), draw(2) == 0);
        let until_us = at_us + draw(40) * SECOND_US / 2;
        let reply = match draw(8) {
            0..3 => Reply::Granted { token: token.clone(), expires_us: until_us },
            3 => Reply::Released,
            4 => Reply::Renewed { expires_us: until_us },
            5 => Reply::TimedOut,
            6 => Reply::Broke { message: text.clone() },
            _ => Reply::Other { text: text.clone() },
        };
        let mark = Some(token.clone());
        let what = match draw(18) {
            0 => Happening::Called { client, call: Call::Acquire { name, ttl_us: draw(20) * SECOND_US } },
            1 => Happening::Called { client, call: Call::Write { resource: name, token } },
            2 => Happening::Called { client, call: Call::Other { to: "cache".into(), text } },
            3 | 4 => Happening::Served { client, name, reply },
            5 | 6 => Happening::Answered { client, name, reply },
            7 => {
                Happening::Wrote { client, resource: name, token, accepted: flag, mark_before: None, mark_after: mark }
            }
            8 | 9 => Happening::Believes { client, name, token: flag.then_some(token), holds: draw(3) > 0 },
            10 => Happening::Expired { client, name, token },
            11 => Happening::Paused { client, until_us },
            12 => Happening::Woke { client },
            13 => Happening::RequestLost { client },
            14 => Happening::Crashed { client },
            15 => Happening::Partitioned { client, until_us },
            16 => Happening::Delayed { client, by_us: until_us - at_us },
            _ => Happening::Noted { client, text },
        };
        let server = (draw(3) > 0).then(|| servers[draw(9) as usize].to_owned());
        let task = (draw(2) == 0).then(|| tasks[draw(5) as usize].to_owned());
        let message = (draw(3) > 0).then(|| draw(12) as u32);
        all.push(Event { message, server, task, ..Event::at(at_us, what) });
    }
    let (first_bad, witnesses) = (Some(draw(events as u64) as usize), vec![draw(events as u64) as usize]);
    Trace { first_bad, witnesses, cut: draw(2) == 0, ..story(&clients, all) }
}
