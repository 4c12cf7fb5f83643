//! Each rule fires on the shortest story that breaks it, and holds still on the nearest one that does not.

use super::*;
use crate::sim::story::Step::{self, End, Event as Happens, Tell};
use crate::sim::story::run;
use crate::time::SECOND_US;

fn served(client: usize, reply: Reply) -> Step {
    Happens(Happening::Served { client, name: "job".into(), reply })
}

fn granted(client: usize, token: u32, until_s: u64) -> Step {
    served(client, Reply::Granted { token: token.to_string(), expires_us: until_s * SECOND_US })
}

fn heard(client: usize, reply: Reply) -> Step {
    Happens(Happening::Answered { client, name: "job".into(), reply })
}

fn expired(client: usize) -> Step {
    Happens(Happening::Expired { client, name: "job".into(), token: "1".into() })
}

fn wrote(client: usize, token: &str, accepted: bool) -> Step {
    Happens(Happening::Wrote {
        client,
        resource: "job".into(),
        token: token.into(),
        accepted,
        mark_before: None,
        mark_after: None,
    })
}

fn release(client: usize) -> Step {
    Happens(Happening::Called { client, call: Call::Release { name: "job".into() } })
}

fn renew(client: usize) -> Step {
    Happens(Happening::Called { client, call: Call::Renew { name: "job".into(), ttl_us: 1 } })
}

fn pause(client: usize) -> Step {
    Happens(Happening::Paused { client, until_us: 0 })
}

fn wake(client: usize) -> Step {
    Happens(Happening::Woke { client })
}

fn job() -> Data {
    Data::Str("job".into())
}

#[test]
fn one_holder_fires_on_a_second_grant_within_the_lease_and_not_at_its_expiry() {
    let broken = run(&mut OneHolder::default(), vec![(0, granted(0, 1, 10)), (9, granted(1, 2, 19))]);
    assert_eq!(broken.map_err(|v| v.witnesses), Err(vec![0]));
    assert_eq!(run(&mut OneHolder::default(), vec![(0, granted(0, 1, 10)), (10, granted(1, 2, 19))]), Ok(()));
    let freed = vec![(0, granted(0, 1, 10)), (1, served(0, Reply::Released)), (2, granted(1, 2, 12))];
    assert_eq!(run(&mut OneHolder::default(), freed), Ok(()));
    let renewed = served(0, Reply::Renewed { expires_us: 15 * SECOND_US });
    let within = vec![(0, granted(0, 1, 10)), (5, renewed), (12, granted(1, 2, 20))];
    assert!(run(&mut OneHolder::default(), within).is_err());
}

#[test]
fn tokens_fires_on_an_equal_token_and_not_on_a_gap() {
    let broken = run(&mut TokensGrow::default(), vec![(0, granted(0, 4, 1)), (2, granted(1, 4, 3))]);
    assert_eq!(broken.map_err(|v| v.witnesses), Err(vec![0]));
    assert_eq!(run(&mut TokensGrow::default(), vec![(0, granted(0, 4, 1)), (2, granted(1, 40, 3))]), Ok(()));
}

#[test]
fn stale_write_fires_on_a_smaller_token_that_was_accepted_and_not_on_an_equal_or_rejected_one() {
    let broken = run(&mut NoStaleWrite::default(), vec![(0, wrote(1, "10", true)), (1, wrote(0, "9", true))]);
    assert_eq!(broken.map_err(|v| v.witnesses), Err(vec![0]));
    let fine = vec![(0, wrote(1, "10", true)), (1, wrote(1, "10", true)), (2, wrote(0, "9", false))];
    assert_eq!(run(&mut NoStaleWrite::default(), fine), Ok(()));
}

#[test]
fn release_by_another_fires_when_it_frees_a_running_lease_and_not_after_its_end() {
    let free = || served(1, Reply::Released);
    let broken = run(&mut OnlyOwnRelease::default(), vec![(0, granted(0, 1, 10)), (9, free())]);
    assert_eq!(broken.map_err(|v| v.witnesses), Err(vec![0]));
    assert_eq!(run(&mut OnlyOwnRelease::default(), vec![(0, granted(0, 1, 10)), (10, free())]), Ok(()));
    let own = vec![(0, granted(0, 1, 10)), (9, served(0, Reply::Released))];
    assert_eq!(run(&mut OnlyOwnRelease::default(), own), Ok(()));
}

#[test]
fn renewals_end_fires_after_a_release_or_a_rejection_and_not_for_the_next_grant() {
    let broken = run(&mut RenewalsEnd::default(), vec![(0, release(0)), (1, renew(0))]);
    assert_eq!(broken.map_err(|v| v.witnesses), Err(vec![0]));
    assert!(run(&mut RenewalsEnd::default(), vec![(0, heard(0, Reply::NotRenewed)), (1, renew(0))]).is_err());
    let next = heard(0, Reply::Granted { token: "2".into(), expires_us: 0 });
    assert_eq!(run(&mut RenewalsEnd::default(), vec![(0, release(0)), (1, next), (2, renew(0))]), Ok(()));
    assert_eq!(run(&mut RenewalsEnd::default(), vec![(0, release(0)), (1, renew(1))]), Ok(()));
}

#[test]
fn waits_end_fires_when_a_wait_outlasts_its_budget_and_not_when_the_process_slept() {
    let waits = || Tell(0, "waits", Data::Int(5));
    let waited = || Tell(0, "waited", Data::None);
    let property = || WaitsEnd::new(SECOND_US);
    assert_eq!(run(&mut property(), vec![(0, waits()), (6, waited())]), Ok(()));
    assert!(run(&mut property(), vec![(0, waits()), (7, waited())]).is_err());
    assert!(run(&mut property(), vec![(0, waits()), (7, End)]).is_err());
    let slept = vec![(0, waits()), (1, pause(0)), (60, wake(0)), (64, waited())];
    assert_eq!(run(&mut property(), slept), Ok(()));
    let slept_and_late = vec![(0, waits()), (1, pause(0)), (60, wake(0)), (66, waited())];
    assert!(run(&mut property(), slept_and_late).is_err());
}

#[test]
fn fairness_fires_when_a_waiter_is_passed_over_and_not_when_it_sleeps_or_left() {
    let queued = |client| Tell(client, "queued", Data::None);
    let served = |client| Tell(client, "served", Data::None);
    let property = FirstComeFirstServed::default;
    assert_eq!(run(&mut property(), vec![(0, queued(0)), (1, queued(1)), (2, served(0)), (3, served(1))]), Ok(()));
    assert!(run(&mut property(), vec![(0, queued(0)), (1, queued(1)), (2, served(1))]).is_err());
    let slept = vec![(0, queued(0)), (1, queued(1)), (2, pause(0)), (3, served(1))];
    assert_eq!(run(&mut property(), slept), Ok(()));
    let left = vec![(0, queued(0)), (1, queued(1)), (2, Tell(0, "left", Data::None)), (3, served(1))];
    assert_eq!(run(&mut property(), left), Ok(()));
}

#[test]
fn loss_is_told_fires_when_it_is_late_or_told_twice_and_not_when_in_time_or_asleep() {
    let property = || LossIsTold::new(SECOND_US);
    let held = || vec![(0, granted(0, 1, 10)), (0, Tell(0, "held", job()))];
    let lost = || Tell(0, "lost", job());
    let with = |rest: Vec<(u64, Step)>| held().into_iter().chain(rest).collect::<Vec<_>>();
    assert_eq!(run(&mut property(), with(vec![(10, expired(0)), (11, lost()), (20, End)])), Ok(()));
    assert!(run(&mut property(), with(vec![(10, expired(0)), (12, End)])).is_err());
    assert!(run(&mut property(), with(vec![(9, lost()), (10, lost())])).is_err());
    assert!(run(&mut property(), with(vec![(8, Tell(0, "released", job())), (9, lost())])).is_err());
    let asleep = vec![(5, pause(0)), (10, expired(0)), (30, wake(0)), (31, lost()), (40, End)];
    assert_eq!(run(&mut property(), with(asleep)), Ok(()));
    let asleep_and_late = vec![(5, pause(0)), (10, expired(0)), (30, wake(0)), (32, End)];
    assert!(run(&mut property(), with(asleep_and_late)).is_err());
}

#[test]
fn somebody_is_granted_fires_when_a_free_lock_stays_free_and_not_when_the_waiter_sleeps() {
    let property = || SomebodyIsGranted::new(5 * SECOND_US);
    let waits = || Tell(1, "waits", Data::Int(60));
    assert!(run(&mut property(), vec![(0, waits()), (6, End)]).is_err());
    assert_eq!(run(&mut property(), vec![(0, waits()), (4, granted(1, 1, 10)), (9, End)]), Ok(()));
    let after = vec![(0, granted(0, 1, 10)), (1, waits()), (10, expired(0)), (16, End)];
    assert!(run(&mut property(), after).is_err());
    let asleep = vec![(0, waits()), (1, pause(1)), (60, End)];
    assert_eq!(run(&mut property(), asleep), Ok(()));
}
