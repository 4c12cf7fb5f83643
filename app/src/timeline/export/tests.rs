use super::*;
use crate::timeline::fixtures;
use leasehold_checker::trace::{Call, Event, Happening, Reply};

fn check(actual: &str, expected: &str) {
    assert!(actual == expected, "it is now\n{actual}");
}

#[test]
fn a_takeover_as_text() {
    check(
        &text("Broken", &fixtures::fenced()),
        "Broken

           0 s  A asks for report, ttl 10 s
           0 s  A is granted report with token 1 until 10 s  (your line 30)
           0 s  A pauses (its whole process) until 15 s
          10 s  the lease of A on report (token 1) is over
          12 s  B asks for report, ttl 10 s
          12 s  B is granted report with token 2 until 22 s  (your line 31)
          13 s  B writes report with token 2: accepted (none yet)
          15 s  A wakes and still believes what it believed
          15 s  A writes report with token 1: rejected (mark 2)
",
    );
}

#[test]
fn a_takeover_as_a_mermaid_diagram() {
    check(
        &mermaid("Broken at 15 s: a stale write", &fixtures::takeover()),
        "sequenceDiagram
    title Broken at 15 s#58; a stale write
    participant c0 as A
    participant c1 as B
    participant s0 as lock service
    participant s1 as storage
    c0->>s0: 0 s · A asks for report, ttl 10 s
    s0-->>c0: 0 s · A is granted report with token 1 until 10 s
    Note over c0: 0 s · A pauses (its whole process) until 15 s
    Note over s0: 10 s · the lease of A on report (token 1) is over
    c1->>s0: 12 s · B asks for report, ttl 10 s
    s0-->>c1: 12 s · B is granted report with token 1 until 22 s
    Note over c1: ◆ because of this
    c1->>s1: 13 s · B writes report with token 1#58; accepted (none yet)
    Note over c0: 15 s · A wakes and still believes what it believed
    c0->>s1: 15 s · A writes report with token 1#58; accepted (mark 1)
    Note over s1: ✗ here it breaks
",
    );
}

#[test]
fn what_is_lost_ends_in_a_cross() {
    let call = || Call::Renew { name: "job".into(), ttl_us: 10_000_000 };
    let event = |message, what| Event { message: Some(message), ..Event::at(0, what).with_server("node 1") };
    let trace = Trace {
        clients: vec!["A".into()],
        events: vec![
            event(1, Happening::Called { client: 0, call: call() }),
            event(1, Happening::RequestLost { client: 0 }),
            event(2, Happening::Called { client: 0, call: call() }),
            event(2, Happening::Served { client: 0, name: "job".into(), reply: Reply::NotRenewed }),
            event(2, Happening::ReplyLost { client: 0 }),
            Event::at(1, Happening::Crashed { client: 0 }),
        ],
        cut: true,
        ..Trace::default()
    };
    check(
        &mermaid("Lost", &trace),
        "sequenceDiagram
    title Lost
    participant c0 as A
    participant s0 as node 1
    c0-xs0: 0 s · A renews job for 10 s
    c0->>s0: 0 s · A renews job for 10 s
    Note over s0: 0 s · the service renews nothing#58; this grant of job to A is over
    s0--xc0: 0 s · the reply to A is lost#59; it was done
    Note over c0: 0.000001 s · A crashes#59; its leases run on
    Note over c0,s0: The run went on#59; only its first 6 events are shown.
",
    );
}

#[test]
fn words_are_never_taken_for_signs_of_mermaid() {
    let what = Happening::Noted { client: 0, text: "x = {1: '#a'};\n%% end -->> <b>".into() };
    let trace = Trace { clients: vec!["A;B".into()], events: vec![Event::at(0, what)], ..Trace::default() };
    check(
        &mermaid("a: b", &trace),
        "sequenceDiagram
    title a#58; b
    participant c0 as A#59;B
    Note over c0: 0 s · A#59;B#58; x = #123;1#58; '#35;a'#125;#59; #37;#37; end --#62;#62; #60;b#62;
",
    );
}
