//! What reports hold to be looked at: runs of tests that passed, the whole story of a lease that was taken over, and the
//! states of handles.

use leasehold_checker::report::{Outcome, Report};
use leasehold_checker::suites;
use leasehold_checker::trace::{Event, Happening, Reply, Trace};
use leasehold_exercises::{katas, solution, wrong};

fn report(kata: &str) -> Report {
    suites::check(kata, solution(kata).expect("there is a solution")).expect("there is a suite")
}

fn traces(report: &Report) -> impl Iterator<Item = (&str, &Trace)> {
    report.tests.iter().filter_map(|test| Some((test.name.as_str(), test.trace.as_ref()?)))
}

/// Where nothing is run that could be shown: the file is loaded, or kata 11's own fake is asked.
fn shows_nothing(kata: &str, test: &str) -> bool {
    let asks_the_fake = test.contains("fake") || test.starts_with("a_lost_");
    test == "loads" || kata == "write-the-test" && asks_the_fake
}

#[test]
fn every_test_that_passes_shows_a_run_of_bounded_length() {
    for kata in katas() {
        let report = report(kata.slug);
        for test in report.tests.iter().filter(|test| !shows_nothing(kata.slug, &test.name)) {
            let shown = test.trace.as_ref().map_or(0, |trace| trace.events.len());
            assert_eq!(test.outcome, Outcome::Passed);
            assert!((1..=201).contains(&shown), "{}: {}: {shown} events", kata.slug, test.name);
        }
    }
}

#[test]
fn a_report_stays_small() {
    for kata in katas() {
        let text: usize = traces(&report(kata.slug)).map(|(_, trace)| trace.text().len()).sum();
        assert!(text < 250_000, "{}: {text} bytes of text", kata.slug);
    }
}

/// Somebody pauses, the lease runs out, another one gets the lock, and a write with the old token is turned away.
fn is_the_whole_story(trace: &Trace) -> bool {
    let mut events = trace.events.iter();
    let Some(paused) = events.find_map(|e| match e.what {
        Happening::Paused { client, .. } => Some(client),
        _ => None,
    }) else {
        return false;
    };
    let is_late = |e: &Event| match &e.what {
        Happening::Wrote { client, accepted: false, .. } => *client == paused,
        // Where the gate is the learner's own.
        Happening::Noted { client, text } => *client == paused && text.ends_with("is rejected"),
        _ => false,
    };
    let granted = |e: &Event| match &e.what {
        Happening::Answered { client, reply: Reply::Granted { .. }, .. } => *client != paused,
        _ => false,
    };
    let over = |e: &Event| matches!(e.what, Happening::Expired { client, .. } if client == paused);
    events.by_ref().any(over) && events.by_ref().any(granted) && events.any(is_late)
}

#[test]
fn the_whole_story_of_a_takeover_can_be_looked_at() {
    for kata in
        ["acquire-with-fencing", "storage-gate", "compare-and-delete", "renewal-daemon", "lock-client", "lock-delay"]
    {
        let report = report(kata);
        assert!(traces(&report).any(|(_, trace)| is_the_whole_story(trace)), "{kata}");
    }
}

/// The lock service, a node, the storage: whoever is called, decides or answers has a name.
#[test]
fn an_event_of_a_server_names_it() {
    for kata in katas() {
        let report = report(kata.slug);
        for (test, trace) in traces(&report) {
            for event in &trace.events {
                let is_a_servers = matches!(
                    event.what,
                    Happening::Called { .. }
                        | Happening::Answered { .. }
                        | Happening::Served { .. }
                        | Happening::Expired { .. }
                        | Happening::Wrote { .. }
                        | Happening::RequestLost { .. }
                        | Happening::ReplyLost { .. }
                        | Happening::Duplicated { .. }
                        | Happening::Delayed { .. }
                        | Happening::ServerRestarted { .. }
                );
                assert!(event.server().is_some() || !is_a_servers, "{}: {test}: {event:?}", kata.slug);
            }
        }
    }
}

fn edges(report: &Report) -> impl Iterator<Item = (&str, &str, bool)> {
    traces(report).flat_map(|(_, trace)| &trace.events).filter_map(|event| match &event.what {
        Happening::State { from, to, allowed, .. } => Some((from.as_str(), to.as_str(), *allowed)),
        _ => None,
    })
}

#[test]
fn a_right_handle_takes_the_edges_that_are_allowed_and_no_others() {
    for kata in ["handle-lifecycle", "renewal-daemon", "reentrant-handle", "lock-client"] {
        let report = report(kata);
        for edge in [("acquiring", "held", true), ("held", "lost", true), ("held", "released", true)] {
            assert!(edges(&report).any(|e| e == edge), "{kata}: {edge:?}");
        }
        assert!(edges(&report).all(|(.., allowed)| allowed), "{kata}");
    }
}

#[test]
fn a_handle_that_revives_is_seen_to() {
    for (kata, file) in [("renewal-daemon", "the_answer_renews_on"), ("lock-client", "a_late_success_revives")] {
        let program = wrong(kata).iter().find(|p| p.file.contains(file)).expect("there is such a program");
        let report = suites::check(kata, program.source).expect("there is a suite");
        assert!(edges(&report).any(|e| e == ("lost", "held", false)), "{kata}/{file}");
    }
}
