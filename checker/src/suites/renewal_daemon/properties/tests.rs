//! Each rule fires on a short story that breaks it, and holds still on the nearest one that does not. The ttl is 10 s.

use super::*;
use crate::model::data::Data;
use crate::sim::story::Step::{self, End as Over, Event as Happens, Tell};
use crate::sim::story::run;

fn calls(call: Call) -> Step {
    Happens(Happening::Called { client: 0, call })
}

fn renews() -> Step {
    calls(Call::Renew { name: "job".into(), ttl_us: TTL_US })
}

fn hears(reply: Reply) -> Step {
    Happens(Happening::Answered { client: 0, name: "job".into(), reply })
}

fn renewed() -> Step {
    hears(Reply::Renewed { expires_us: 0 })
}

fn told(kind: &'static str) -> Step {
    Tell(0, kind, Data::None)
}

fn pauses() -> Step {
    Happens(Happening::Paused { client: 0, until_us: 0 })
}

fn wakes() -> Step {
    Happens(Happening::Woke { client: 0 })
}

/// A was granted the lock at 0 s and has a renewer; then the story goes on.
fn then(mut property: impl Property, rest: Vec<(u64, Step)>) -> Result<(), String> {
    let mut story = vec![
        (0, calls(Call::Acquire { name: "job".into(), ttl_us: TTL_US })),
        (0, hears(Reply::Granted { token: "1".into(), expires_us: TTL_US })),
        (0, told("held")),
    ];
    story.extend(rest);
    run(&mut property, story).map_err(|violation| violation.message)
}

#[track_caller]
fn breaks(told: &Result<(), String>, words: &str) {
    assert!(told.as_ref().is_err_and(|message| message.contains(words)), "{told:?}");
}

#[test]
fn a_loss_is_told_at_once_or_at_the_deadline_and_once() {
    let rejected = || vec![(3, renews()), (3, hears(Reply::NotRenewed))];
    let of = |more: Vec<(u64, Step)>| then(ToldInTime::default(), rejected().into_iter().chain(more).collect());
    assert_eq!(of(vec![(3, told("lost")), (60, Over)]), Ok(()));
    breaks(&of(vec![(4, Over)]), "the service said that the grant is over");
    breaks(&of(vec![(3, told("lost")), (4, told("lost"))]), "a second time");
    assert_eq!(then(ToldInTime::default(), vec![(10, told("lost")), (60, Over)]), Ok(()));
    breaks(&then(ToldInTime::default(), vec![(11, told("lost"))]), "was sure to run only until");
    assert_eq!(then(ToldInTime::default(), vec![(3, renews()), (3, renewed()), (12, Over)]), Ok(()));
    breaks(&then(ToldInTime::default(), vec![(5, told("stopped")), (6, told("lost"))]), "after stop()");
    let asleep = vec![(5, pauses()), (30, wakes()), (30, told("lost"))];
    assert_eq!(then(ToldInTime::default(), asleep), Ok(()), "nobody acts while the process sleeps");
}

#[test]
fn after_a_stop_in_time_no_loss_is_told() {
    let of = |more: Vec<(u64, Step)>| then(ToldInTime::default(), more.into_iter().chain([(60, Over)]).collect());
    assert_eq!(of(vec![(5, told("stopped"))]), Ok(()));
    breaks(&of(vec![(5, told("stopped")), (5, told("lost"))]), "called after stop()");
}

#[test]
fn after_a_stop_past_the_deadline_a_loss_is_told_at_once_or_not_at_all() {
    let of = |more: Vec<(u64, Step)>| then(ToldInTime::default(), more.into_iter().chain([(60, Over)]).collect());
    assert_eq!(of(vec![(10, told("stopped"))]), Ok(()));
    assert_eq!(of(vec![(10, told("stopped")), (10, told("lost"))]), Ok(()));
    assert!(of(vec![(10, told("stopped")), (11, told("lost"))]).is_err());
    breaks(&of(vec![(10, told("stopped")), (10, told("lost")), (10, told("lost"))]), "a second time");
}

#[test]
fn renewals_end_with_the_lease() {
    assert_eq!(then(RenewalsEnd::default(), vec![(3, renews()), (3, renewed()), (5, told("stopped"))]), Ok(()));
    for end in [told("stopped"), told("lost"), hears(Reply::NotRenewed)] {
        breaks(&then(RenewalsEnd::default(), vec![(5, end), (6, renews())]), "a renewal of job was sent, although");
    }
}

#[test]
fn no_renewal_is_sent_at_the_deadline() {
    assert_eq!(then(NoLateRenewal::default(), vec![(9, renews())]), Ok(()));
    breaks(&then(NoLateRenewal::default(), vec![(10, renews())]), "sure to run only until 10 s");
    let moved = vec![(5, renews()), (5, renewed()), (14, renews())];
    assert_eq!(then(NoLateRenewal::default(), moved), Ok(()), "a renewal moves the deadline");
}

#[test]
fn a_loss_needs_a_reason() {
    let fails = |at| [(at, renews()), (at + 1, hears(Reply::TimedOut))];
    breaks(&then(NoNeedlessLoss::default(), vec![(5, told("lost"))]), "no renewal had failed");
    let once = fails(3).into_iter().chain([(5, told("lost"))]).collect();
    breaks(&then(NoNeedlessLoss::default(), once), "only one renewal had failed");
    let twice = fails(3).into_iter().chain(fails(4)).chain([(6, told("lost"))]).collect();
    assert_eq!(then(NoNeedlessLoss::default(), twice), Ok(()));
    let rejected = vec![(3, renews()), (3, hears(Reply::NotRenewed)), (3, told("lost"))];
    assert_eq!(then(NoNeedlessLoss::default(), rejected), Ok(()));
    assert_eq!(then(NoNeedlessLoss::default(), vec![(9, told("lost"))]), Ok(()), "so close it is a matter of taste");
}

#[test]
fn a_third_of_the_ttl_is_no_longer_than_usual_and_half_of_it_is() {
    assert_eq!(then(KeepsTrying::default(), vec![(4, renews()), (4, renewed()), (8, Over)]), Ok(()));
    breaks(&then(KeepsTrying::default(), vec![(5, renews())]), "until 5 s no renewal was sent");
    let failed = vec![(3, renews()), (4, hears(Reply::TimedOut)), (9, Over)];
    breaks(&then(KeepsTrying::default(), failed), "(a TransportError)");
    let asleep = vec![(3, pauses()), (6, wakes()), (7, renews())];
    assert_eq!(then(KeepsTrying::default(), asleep), Ok(()), "a paused process renews when it wakes");
    assert_eq!(then(KeepsTrying::default(), vec![(3, told("stopped")), (60, Over)]), Ok(()));
}

#[test]
fn a_dozen_attempts_in_a_ttl_are_no_hail_and_one_more_is() {
    let attempts = |count| (0..count).map(|_| (3, renews())).collect();
    assert_eq!(then(NoHail::default(), attempts(12)), Ok(()));
    breaks(&then(NoHail::default(), attempts(13)), "was renewed 13 times within one ttl");
    let spread = (0..26).map(|n| (if n < 12 { 3 } else { 3 + n }, renews())).collect();
    assert_eq!(then(NoHail::default(), spread), Ok(()));
}

#[test]
fn the_pace_is_a_third_of_the_ttl() {
    let at = |times: &[u64]| then(Pace::default(), times.iter().map(|at| (*at, renews())).collect());
    assert_eq!(at(&[3, 6, 10, 13]), Ok(()));
    assert_eq!(at(&[1, 4]), Ok(()), "a first one may come early");
    breaks(&at(&[3, 5]), "only 2 s after the one before");
    breaks(&at(&[3, 8]), "no renewal was sent");
    breaks(&then(Pace::default(), vec![(3, renews()), (9, told("stopped"))]), "no renewal was sent");
}

#[test]
fn pauses_that_are_all_alike_are_no_jitter_nor_two_in_step() {
    let times = |client: usize, times: [u64; 4]| {
        times.map(|at| (at, Happens(Happening::Called { client, call: Call::Renew { name: "job".into(), ttl_us: 0 } })))
    };
    let end = || [(60, Over)];
    let one = |at| then(Jitter::default(), times(0, at).into_iter().chain(end()).collect());
    assert_eq!(one([3, 6, 10, 13]), Ok(()));
    breaks(&one([3, 6, 9, 12]), "the shortest pause was 3 s");
    let two = |a, b| then(Jitter::default(), times(0, a).into_iter().chain(times(1, b)).chain(end()).collect());
    assert_eq!(two([3, 6, 10, 13], [3, 7, 10, 13]), Ok(()));
    breaks(&two([3, 6, 10, 13], [4, 7, 11, 14]), "in step");
}
