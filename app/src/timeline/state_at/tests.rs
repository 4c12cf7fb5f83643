use super::*;
use crate::timeline::fixtures;
use leasehold_checker::time::SECOND_US;

/// The changes as text, a line an event: its number and what became otherwise.
fn told(trace: &Trace) -> String {
    let history = History::of(trace);
    let line = |step: usize| {
        let changes: Vec<String> =
            history.at(step).iter().map(|c| format!("{}: {} → {}", c.what, c.before, c.after)).collect();
        format!("{step} {}\n", if changes.is_empty() { "-".to_owned() } else { changes.join("; ") })
    };
    (0..trace.events.len()).map(line).collect()
}

fn check(trace: &Trace, expected: &str) {
    let actual = told(trace);
    assert!(actual == expected, "the changes are now\n{actual}");
}

fn facts(history: &History, step: usize) -> Vec<String> {
    let fact = |f: Fact| format!("{}{}: {}", if f.new { "*" } else { "" }, f.what, f.value);
    history.state_at(step).into_iter().map(fact).collect()
}

#[test]
fn a_takeover_moves_the_lock_and_leaves_two_believers() {
    check(
        &fixtures::takeover(),
        "\
0 -
1 lock service: free → A (token 1, until 10 s); A believes: it holds nothing → it holds report (token 1)
2 process A: runs → paused until 15 s
3 lock service: A (token 1, until 10 s) → free
4 -
5 lock service: free → B (token 1, until 22 s); B believes: it holds nothing → it holds report (token 1)
6 mark at the gate: none → 1
7 process A: paused until 15 s → runs
8 -
",
    );
}

#[test]
fn the_state_at_a_step_names_all_that_ever_changes() {
    let history = History::of(&fixtures::takeover());
    assert_eq!(
        facts(&history, 0),
        [
            "lock service: free",
            "mark at the gate: none",
            "A believes: it holds nothing",
            "process A: runs",
            "B believes: it holds nothing"
        ]
    );
    assert_eq!(
        facts(&history, 7),
        [
            "lock service: B (token 1, until 22 s)",
            "mark at the gate: 1",
            "A believes: it holds report (token 1)",
            "*process A: runs",
            "B believes: it holds report (token 1)"
        ]
    );
}

#[test]
fn a_release_frees_and_ends_the_belief_and_a_refusal_changes_nothing() {
    check(
        &fixtures::release_and_refusal(),
        "\
0 -
1 lock service: free → A (token 1, until 10 s); A believes: it holds nothing → it holds report (token 1)
2 -
3 -
4 -
5 lock service: A (token 1, until 10 s) → free; A believes: it holds report (token 1) → it holds nothing
6 -
7 -
8 -
9 -
",
    );
}

fn served(at_s: u64, reply: Reply) -> Event {
    let what = Happening::Served { client: 0, name: "job".into(), reply };
    Event { message: Some(1), ..Event::at(at_s * SECOND_US, what).with_server("node 1") }
}

fn one_client(events: Vec<Event>) -> Trace {
    Trace { clients: vec!["A".into()], events, ..Trace::default() }
}

#[test]
fn a_lease_whose_end_nothing_tells_is_over_when_its_time_is() {
    let granted = Reply::Granted { token: "7".into(), expires_us: 5 * SECOND_US };
    let renewed = Reply::Renewed { expires_us: 8 * SECOND_US };
    let lost = |at_s| Event::at(at_s * SECOND_US, Happening::ReplyLost { client: 0 });
    check(
        &one_client(vec![served(0, granted), served(4, renewed), lost(7), lost(8)]),
        "\
0 node 1: free → A (token 7, until 5 s)
1 node 1: A (token 7, until 5 s) → A (token 7, until 8 s)
2 -
3 node 1: A (token 7, until 8 s) → free
",
    );
}

#[test]
fn an_answer_from_one_node_is_no_belief_and_a_crash_ends_all() {
    let granted = Reply::Granted { token: "7".into(), expires_us: 5 * SECOND_US };
    let heard = Happening::Answered { client: 0, name: "job".into(), reply: granted };
    let heard = Event { message: Some(1), ..Event::at(0, heard).with_server("node 1") };
    check(&one_client(vec![heard]), "0 -\n");
    let believes = Happening::Believes { client: 0, name: "job".into(), token: None, holds: true };
    let what = [
        believes,
        Happening::Partitioned { client: 0, until_us: 9 * SECOND_US },
        Happening::ClockStepped { client: 0, by_us: -3_600_000_000 },
        Happening::Crashed { client: 0 },
        Happening::Restarted { client: 0 },
        Happening::Reconnected { client: 0 },
    ];
    check(
        &one_client(what.into_iter().map(|what| Event::at(0, what)).collect()),
        "\
0 A believes: it holds nothing → it holds job
1 A's network: connected → cut off until 9 s
2 A's wall clock: right → 3600 s behind
3 process A: runs → crashed; A believes: it holds job → it holds nothing
4 process A: crashed → runs
5 A's network: cut off until 9 s → connected
",
    );
}

#[test]
fn a_handle_goes_from_state_to_state() {
    let state = |from: &str, to: &str| Happening::State {
        client: 0,
        handle: "job".into(),
        from: from.into(),
        to: to.into(),
        by: "so".into(),
        allowed: true,
    };
    check(
        &one_client(vec![Event::at(0, state("acquiring", "held")), Event::at(1, state("held", "lost"))]),
        "0 A's handle of job: acquiring → held\n1 A's handle of job: held → lost\n",
    );
}

#[test]
fn locks_have_names_where_a_server_has_several() {
    let granted = Reply::Granted { token: "7".into(), expires_us: 5 * SECOND_US };
    let other = Happening::Served { client: 0, name: "log".into(), reply: granted.clone() };
    let trace = one_client(vec![served(0, granted), Event::at(0, other).with_server("node 1")]);
    check(&trace, "0 node 1, job: free → A (token 7, until 5 s)\n1 node 1, log: free → A (token 7, until 5 s)\n");
}
