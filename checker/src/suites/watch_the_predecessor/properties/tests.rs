//! Each rule fires on a short story that breaks it, and holds still on the nearest one that does not.

use super::*;

/// What happens in a story; times are sixteenths of a second.
enum Step {
    Event(Happening, Option<u32>),
    Tell(usize, &'static str, Data),
}
use Step::{Event as Happens, Tell};

const S: u64 = 16;

fn run(property: &mut dyn Property, story: Vec<(u64, Step)>) -> Result<(), Violation> {
    let mut index = 0;
    let mut last = 0;
    for (at, step) in story {
        let at_us = at * SECOND_US / S;
        last = at_us;
        match step {
            Happens(what, message) => {
                property.see(index, &Event { message, ..Event::at(at_us, what) })?;
                index += 1;
            }
            Tell(client, kind, value) => {
                property.noted(&Note { index: index.saturating_sub(1), at_us, client, kind, value: &value })?;
            }
        }
    }
    property.end(last)
}

fn served(client: usize, name: impl Into<String>, text: impl Into<String>) -> Step {
    Happens(Happening::Served { client, name: name.into(), reply: Reply::Other { text: text.into() } }, Some(99))
}

fn takes(client: usize, number: u64, session: &str) -> Step {
    served(client, "job", format!("place {number} is taken by session {session}"))
}

fn gone(client: usize, number: u64) -> Step {
    served(client, "job", format!("place {number} is gone"))
}

fn looks(client: usize) -> Step {
    served(client, "job", "in line: 1, 2")
}

fn watches(client: usize, watch: u64, on: &str) -> Step {
    served(client, format!("watch {watch}"), format!("on places {on}"))
}

fn over(client: usize, session: &str) -> Step {
    served(client, format!("session {session}"), "it is over")
}

fn calls(client: usize, call: u32, text: &str) -> Step {
    let call_ = Call::Other { to: "coordinator".into(), text: text.into() };
    Happens(Happening::Called { client, call: call_ }, Some(call))
}

fn hears(client: usize, call: u32, reply: Reply) -> Step {
    Happens(Happening::Answered { client, name: "job".into(), reply }, Some(call))
}

fn answer() -> Reply {
    Reply::Other { text: "None".into() }
}

/// A (session s1, place 1) holds the lock, and B (s2, 2) waits for it for 20 s from second 1 on.
fn two() -> Vec<(u64, Step)> {
    vec![
        (0, Tell(0, "session", "s1".into())),
        (0, Tell(1, "session", "s2".into())),
        (0, takes(0, 1, "s1")),
        (S, Tell(1, "waits", Data::Int(20))),
        (S, takes(1, 2, "s2")),
        (S, looks(1)),
    ]
}

/// The rule's verdict on how the story of the two goes on.
fn then(mut property: impl Property, rest: Vec<(u64, Step)>) -> bool {
    let mut story = two();
    story.extend(rest);
    run(&mut property, story).is_ok()
}

#[test]
fn only_the_first_place_is_a_lock_and_only_for_its_own_session() {
    let acquired = |number: i64| Tell(1, "acquired", Data::Int(number));
    let claim = |before: Vec<(u64, Step)>, number| {
        let mut rest = before;
        rest.push((4 * S, acquired(number)));
        then(OnlyTheFirst::default(), rest)
    };
    assert!(!claim(vec![], 2), "A stands before it");
    assert!(!claim(vec![(2 * S, gone(0, 1))], 1), "that was A's");
    assert!(claim(vec![(2 * S, gone(0, 1)), (2 * S, looks(1))], 2));
    assert!(
        claim(vec![(2 * S, gone(0, 1)), (2 * S, looks(1)), (3 * S, over(1, "s2")), (3 * S, gone(1, 2))], 2),
        "it had looked"
    );
    assert!(!claim(vec![(2 * S, over(1, "s2")), (2 * S, gone(1, 2)), (3 * S, gone(0, 1)), (3 * S, looks(1))], 2));
}

#[test]
fn whoever_is_the_first_must_be_told_soon() {
    let grant = || Prompt::new(Must::Grant);
    let late = |at| vec![(2 * S, gone(0, 1)), (at, Tell(1, "acquired", Data::Int(2)))];
    assert!(then(grant(), late(2 * S + 8)));
    assert!(!then(grant(), late(2 * S + 12)));
    // A call that is in vain takes its time, and so does a pause.
    let vain = |at| {
        vec![
            (2 * S, calls(1, 5, "places(\"job\")")),
            (2 * S, gone(0, 1)),
            (3 * S, hears(1, 5, Reply::TimedOut)),
            (at, Tell(1, "acquired", Data::Int(2))),
        ]
    };
    assert!(then(grant(), vain(4 * S)));
    assert!(!then(grant(), vain(5 * S)));
    let pause = |at| {
        vec![
            (2 * S, Happens(Happening::Paused { client: 1, until_us: 9 * SECOND_US }, None)),
            (2 * S, gone(0, 1)),
            (9 * S, Happens(Happening::Woke { client: 1 }, None)),
            (at, Tell(1, "acquired", Data::Int(2))),
        ]
    };
    assert!(then(grant(), pause(9 * S + 8)));
    assert!(!then(grant(), pause(10 * S)));
    // Whoever was not told looks ten seconds after its last look.
    let deaf = |at| {
        vec![
            (2 * S, Happens(Happening::ServerRestarted { server: "coordinator".into() }, None)),
            (3 * S, gone(0, 1)),
            (at, Tell(1, "acquired", Data::Int(2))),
        ]
    };
    assert!(then(grant(), deaf(11 * S + 8)));
    assert!(!then(grant(), deaf(12 * S)));
}

#[test]
fn a_session_that_is_over_must_be_told_soon_and_a_budget_ends() {
    let fail = |at| vec![(2 * S, over(1, "s2")), (2 * S, gone(1, 2)), (at, Tell(1, "session_lost", Data::None))];
    assert!(then(Prompt::new(Must::Fail), fail(2 * S + 8)));
    assert!(!then(Prompt::new(Must::Fail), fail(3 * S)));
    assert!(then(Prompt::new(Must::Grant), fail(3 * S)), "that is another rule");
    let end = |at| vec![(at, Tell(1, "gave_up", Data::None))];
    assert!(then(Prompt::new(Must::End), end(21 * S + 8)));
    assert!(!then(Prompt::new(Must::End), end(22 * S)));
}

#[test]
fn a_wait_has_one_of_three_ends() {
    let end = |at, kind| then(NoNeedlessEnd::default(), vec![(at, Tell(1, kind, Data::None))]);
    assert!(end(21 * S, "gave_up"));
    assert!(!end(20 * S, "gave_up"));
    assert!(!end(5 * S, "session_lost"));
    let lost = vec![(2 * S, over(1, "s2")), (2 * S, Tell(1, "session_lost", Data::None))];
    assert!(then(NoNeedlessEnd::default(), lost));
}

#[test]
fn a_herd_is_two_waiters_that_one_place_wakes() {
    let herd = |on_b: &str, on_c: &str, b_leaves: bool| {
        let mut story = two();
        story.extend([
            (S, watches(1, 1, on_b)),
            (2 * S, Tell(2, "session", "s3".into())),
            (2 * S, takes(2, 3, "s3")),
            (2 * S, watches(2, 2, on_c)),
        ]);
        if b_leaves {
            story.push((3 * S, gone(1, 2)));
        }
        story.push((4 * S, gone(0, 1)));
        run(&mut NoHerd::default(), story).is_err()
    };
    assert!(!herd("1, 2", "2, 3", false));
    assert!(herd("1, 2", "1, 3", false));
    assert!(!herd("1", "1, 3", true), "B waits no more, whatever became of its watch");
}

#[test]
fn a_look_every_five_seconds_is_no_polling() {
    let looks_every = |sixteenths: u64| {
        let mut rest = Vec::new();
        for n in 1..=(18 * S / sixteenths) {
            let call = u32::try_from(n).unwrap();
            rest.push((S + n * sixteenths, calls(1, call, "places(\"job\")")));
            rest.push((S + n * sixteenths, hears(1, call, answer())));
        }
        then(NoPolling::default(), rest)
    };
    assert!(looks_every(5 * S));
    assert!(!looks_every(3 * S));
    assert!(!looks_every(4));
}

#[test]
fn a_watch_outlives_its_wait_by_two_seconds_at_most() {
    let left = |at, closed: bool| {
        let mut rest = vec![(2 * S, watches(1, 1, "1, 2")), (21 * S, Tell(1, "gave_up", Data::None))];
        if closed {
            rest.push((22 * S, served(1, "watch 1", "it is closed")));
        }
        rest.push((at, looks(0)));
        then(NothingLeft::default(), rest)
    };
    assert!(left(23 * S, false));
    assert!(!left(24 * S, false));
    assert!(left(24 * S, true));
    let four = |n: u64| (1..=n).map(|watch| (2 * S, watches(1, watch, "1, 2"))).chain([(3 * S, looks(0))]).collect();
    assert!(then(NothingLeft::default(), four(3)));
    assert!(!then(NothingLeft::default(), four(4)));
}

#[test]
fn a_place_outlives_its_wait_only_until_things_are_calm() {
    let idle = |removed: bool| {
        let mut rest = vec![(21 * S, Tell(1, "gave_up", Data::None))];
        if removed {
            rest.push((22 * S, gone(1, 2)));
        }
        rest.push((26 * S, Tell(1, "idle", Data::None)));
        then(NothingLeft::default(), rest)
    };
    assert!(idle(true));
    assert!(!idle(false));
}

#[test]
fn a_place_is_removed_by_its_own_session_and_not_while_it_waits() {
    assert!(!then(OnlyOnesOwn::default(), vec![(2 * S, gone(1, 1))]));
    assert!(then(OnlyOnesOwn::default(), vec![(2 * S, gone(0, 1))]));
    assert!(then(OnlyOnesOwn::default(), vec![(2 * S, over(0, "s1")), (2 * S, gone(0, 1))]));
    assert!(!then(KeepsItsPlace::default(), vec![(2 * S, gone(1, 2))]));
    assert!(then(KeepsItsPlace::default(), vec![(21 * S, gone(1, 2))]));
    assert!(then(KeepsItsPlace::default(), vec![(2 * S, over(1, "s2")), (2 * S, gone(1, 2))]));
}
