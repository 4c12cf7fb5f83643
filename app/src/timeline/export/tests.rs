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
        "\
",
    );
}

#[test]
fn a_takeover_as_a_mermaid_diagram() {
    check(
        &mermaid("Broken at 15 s: a stale write", &fixtures::takeover()),
        "\
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
        "\
",
    );
}

#[test]
fn words_are_never_taken_for_signs_of_mermaid() {
    let what = Happening::Noted { client: 0, text: "x = {1: '#a'};\n%% end -->> <b>".into() };
    let trace = Trace { clients: vec!["A;B".into()], events: vec![Event::at(0, what)], ..Trace::default() };
    check(
        &mermaid("a: b", &trace),
        "\
",
    );
}
