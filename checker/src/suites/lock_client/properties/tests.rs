//! Each property fires on the shortest story that breaks it, and holds still on the nearest one that does not.

use super::*;

/// One step of a story: what happens, or what the driver tells.
enum Step {
    Event(Happening),
    Tell(&'static str, Data),
    /// Nothing but time.
    End,
}
use Step::{End, Event as Happens, Tell};

/// A story of client 0, in tenths of a second.
fn run(property: &mut dyn Property, story: Vec<(u64, Step)>) -> Result<(), Violation> {
    for (index, (tenths, step)) in story.into_iter().enumerate() {
        let at_us = tenths * SECOND_US / 10;
        match step {
            Happens(what) => property.see(index, &Event::at(at_us, what))?,
            Tell(kind, value) => property.noted(&Note { index, at_us, client: 0, kind, value: &value })?,
            End => property.end(at_us)?,
        }
    }
    Ok(())
}

fn fields(pairs: &[(&str, Data)]) -> Data {
    Data::Map(pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

fn us(seconds: u64) -> Data {
    Data::Int((seconds * SECOND_US) as i64)
}

/// A grant at 0 s with a ttl of 10 s and one handle.
fn held() -> Vec<(u64, Step)> {
    vec![
        (0, Tell("granted", fields(&[("lease", Data::Int(1)), ("ttl", us(10)), ("due", us(10))]))),
        (0, Tell("held", of_lease())),
    ]
}

fn of_lease() -> Data {
    fields(&[("lease", Data::Int(1))])
}

fn kept_or_told(more: Vec<(u64, Step)>) -> Result<(), &'static str> {
    let mut property = KeptOrTold::default();
    let mut story = held();
    story.extend(more);
    run(&mut property, story).map_err(|_| property.rule())
}

fn tried(at: u64, outcome: &'static str) -> [(u64, Step); 2] {
    let data = fields(&[("lease", Data::Int(1)), ("due", us(at / 10 + 10))]);
    [(at, Tell("renewing", of_lease())), (at + 1, Tell(outcome, data))]
}

#[test]
fn a_grant_with_a_handle_is_renewed() {
    assert_eq!(kept_or_told(vec![(40, End)]), Ok(()));
    assert_eq!(kept_or_told(vec![(45, End)]), Err("keeps trying"));
    assert_eq!(kept_or_told(tried(33, "renewed").into_iter().chain([(70, End)]).collect()), Ok(()));
    assert_eq!(kept_or_told(tried(33, "unknown").into_iter().chain([(80, End)]).collect()), Err("keeps trying"));
    assert_eq!(kept_or_told(vec![(30, Tell("released", of_lease())), (200, End)]), Ok(()));
    let paused = vec![(30, Happens(Happening::Paused { client: 0, until_us: 0 })), (200, End)];
    assert_eq!(kept_or_told(paused), Ok(()));
}

#[test]
fn a_loss_is_told_at_once_or_at_the_deadline() {
    let twice = || tried(33, "unknown").into_iter().chain(tried(50, "unknown"));
    assert_eq!(kept_or_told(twice().chain([(100, End)]).collect()), Ok(()));
    assert_eq!(kept_or_told(twice().chain([(102, End)]).collect()), Err("told in time"));
    assert_eq!(kept_or_told(twice().chain([(100, Tell("lost", of_lease())), (200, End)]).collect()), Ok(()));
    let rejected = || tried(33, "rejected").into_iter();
    assert_eq!(kept_or_told(rejected().chain([(34, Tell("lost", of_lease())), (200, End)]).collect()), Ok(()));
    assert_eq!(kept_or_told(rejected().chain([(36, Tell("lost", of_lease()))]).collect()), Err("told in time"));
    // Of two handles one is not told.
    let nested = vec![(1, Tell("held", of_lease()))].into_iter().chain(rejected());
    let half = nested.chain([(34, Tell("lost", of_lease())), (40, End)]).collect();
    assert_eq!(kept_or_told(half), Err("told in time"));
}

#[test]
fn a_crash_ends_all_duties() {
    assert_eq!(kept_or_told(vec![(10, Happens(Happening::Crashed { client: 0 })), (200, End)]), Ok(()));
}

fn call() -> (u64, Step) {
    (0, Tell("calls", fields(&[("call", Data::Int(1)), ("what", "acquire()".into()), ("most", us(3))])))
}

#[test]
fn a_call_that_does_not_return_is_told_and_sleep_does_not_count() {
    let judge = |more: Vec<(u64, Step)>| {
        run(&mut CallsReturn::default(), std::iter::once(call()).chain(more).collect()).is_ok()
    };
    assert!(judge(vec![(30, End)]));
    assert!(!judge(vec![(31, End)]));
    assert!(judge(vec![(30, Tell("returned", fields(&[("call", Data::Int(1))]))), (100, End)]));
    let slept = |end| {
        vec![
            (10, Happens(Happening::Paused { client: 0, until_us: 0 })),
            (90, Happens(Happening::Woke { client: 0 })),
            (end, End),
        ]
    };
    assert!(judge(slept(110)));
    assert!(!judge(slept(111)));
}

#[test]
fn a_wait_is_not_given_up_before_its_end_unless_it_was_slept_through() {
    let gave_up = |at| (at, Tell("gave up", fields(&[("heard", us(1)), ("end", us(3))])));
    let mut property = CallsReturn::default();
    assert!(run(&mut property, vec![gave_up(20)]).is_err());
    assert_eq!(property.rule(), "a last try at the end");
    let paused = |until| {
        vec![
            (10, Happens(Happening::Paused { client: 0, until_us: 0 })),
            (until, Happens(Happening::Woke { client: 0 })),
            gave_up(until),
        ]
    };
    assert!(run(&mut CallsReturn::default(), paused(40)).is_ok());
    assert!(run(&mut CallsReturn::default(), paused(25)).is_err());
}

fn question() -> Data {
    fields(&[("question", Data::Int(1)), ("name", "job".into())])
}

fn served(reply: Reply) -> Step {
    Happens(Happening::Served { client: 1, name: "job".into(), reply })
}

fn granted() -> (u64, Step) {
    (0, served(Reply::Granted { token: "1".into(), expires_us: 0 }))
}

#[test]
fn a_callback_comes_when_the_lock_is_free() {
    let judge = |more: Vec<(u64, Step)>| {
        let story = [granted(), (1, Tell("asks", question()))].into_iter().chain(more).collect();
        run(&mut ToldFree::new(SECOND_US), story).is_ok()
    };
    let told = |at| (at, Tell("told free", question()));
    assert!(judge(vec![(200, End)]));
    assert!(!judge(vec![told(10)]), "it is held");
    assert!(judge(vec![(10, served(Reply::Released)), told(20), (200, End)]));
    assert!(!judge(vec![(10, served(Reply::Released)), told(21)]), "too late");
    assert!(!judge(vec![(10, served(Reply::Released)), told(11), told(12)]), "twice");
    assert!(!judge(vec![(5, Tell("unasks", question())), (10, served(Reply::Released)), told(11)]), "cancelled");
    // Free for a moment: it may be told, and need not.
    let taken = || (11, served(Reply::Granted { token: "2".into(), expires_us: 0 }));
    assert!(judge(vec![(10, served(Reply::Released)), taken(), told(30)]));
    assert!(judge(vec![(10, served(Reply::Released)), taken(), (200, End)]));
}

/// Whether it holds still while seven waiters draw pauses, as parts of the nth ceiling, from a crude generator.
fn backs_off(pause: impl Fn(usize, f64) -> f64) -> bool {
    let mut property = BacksOff::default();
    let mut state = 7u64;
    for client in 1..8 {
        let mut now = 0;
        for nth in 0..14 {
            let called = Happening::Called { client, call: Call::Acquire { name: "job".into(), ttl_us: 1 } };
            let refused = Happening::Answered { client, name: "job".into(), reply: Reply::Refused };
            if property.see(0, &Event::at(now, called)).is_err() {
                return false;
            }
            property.see(0, &Event::at(now, refused)).unwrap();
            let (next, drawn) = crate::random::split_mix(state);
            state = next;
            let part = (drawn >> 11) as f64 / (1u64 << 53) as f64;
            now += (pause(nth, part) * SECOND_US as f64) as u64;
        }
    }
    property.end(0).is_ok()
}

#[test]
fn full_jitter_passes_and_nothing_else() {
    let most = |nth: usize| 4f64.min(0.5 * f64::from(1u32 << nth));
    assert!(backs_off(|nth, part| most(nth) * part));
    assert!(backs_off(|nth, part| most(nth + 1) * part), "counted from 1");
    assert!(!backs_off(|nth, _| most(nth)), "none");
    assert!(!backs_off(|nth, part| most(nth) * (0.5 + part / 2.0)), "half");
    assert!(!backs_off(|_, part| 0.5 * part), "does not grow");
    assert!(!backs_off(|nth, part| 2f64.min(most(nth)) * part), "half the cap");
    assert!(!backs_off(|nth, part| 4f64.min(most(nth + 1) / 4.0) * part), "half the base");
    assert!(!backs_off(|nth, part| (most(nth) * (1.5 * part - 0.5)).max(0.0)), "below nothing");
    assert!(!backs_off(|nth, part| 1.0 + (most(nth) - 1.0) * part), "never less than a second");
    assert!(!backs_off(|_, part| 4.0 * part), "begins with the cap");
    assert!(!backs_off(|nth, part| 4f64.min(part * 0.5 * f64::from(1u32 << nth))), "cap after the draw");
    assert!(!backs_off(|nth, part| part * 0.5 * f64::from(1u32 << nth)), "no cap");
}
