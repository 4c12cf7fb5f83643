//! Each rule fires on the shortest story that breaks it, and holds still on the nearest one that does not.

use super::*;
use crate::sim::story::Step::{self, End, Event as Happens, Tell};
use crate::sim::story::run;

fn map(entries: &[(&str, Data)]) -> Data {
    Data::Map(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

fn granted(client: usize, at: &str) -> Step {
    let reply = Reply::Granted { token: "a".into(), expires_us: 0 };
    Happens(Happening::Served { client, name: at.into(), reply })
}

fn expired(client: usize, at: &str) -> Step {
    Happens(Happening::Expired { client, name: at.into(), token: "a".into() })
}

fn holds(client: usize, name: &str, until: f64) -> Step {
    Tell(client, "holds", map(&[("name", name.into()), ("until", until.into()), ("nodes", 3.into())]))
}

fn lets_go(client: usize) -> Step {
    Tell(client, "lets go", "job".into())
}

fn asks(client: usize, token: &str, attempt: i64) -> Step {
    Tell(client, "asks", map(&[("token", token.into()), ("attempt", attempt.into())]))
}

fn two_of_three() -> Vec<(u64, Step)> {
    vec![(0, granted(0, "job on node-1")), (0, granted(0, "job on node-3")), (1, holds(0, "job", 9.8))]
}

#[test]
fn a_majority_that_forgets_too_soon_is_caught() {
    let mut story = two_of_three();
    story.push((9, expired(0, "job on node-3")));
    let violation = run(&mut MajorityHolds::new(0), story).unwrap_err();
    assert!(violation.message.contains("until 9.8 s, and at 9 s only 1 of 3"), "{}", violation.message);
    assert!(
        run(&mut MajorityHolds::new(0), vec![(0, granted(1, "job on node-1")), (0, holds(0, "job", 9.0))]).is_err()
    );
    let other = vec![(0, granted(0, "jobs on node-1")), (0, granted(0, "jobs on node-2")), (0, holds(0, "job", 9.0))];
    assert!(run(&mut MajorityHolds::new(0), other).is_err());
}

#[test]
fn a_majority_that_lasts_for_the_belief_is_enough() {
    let mut story = two_of_three();
    story.extend([(10, expired(0, "job on node-3")), (10, expired(0, "job on node-1"))]);
    assert_eq!(run(&mut MajorityHolds::new(0), story), Ok(()));
    let mut story = two_of_three();
    story.extend([(2, lets_go(0)), (3, expired(0, "job on node-3"))]);
    assert_eq!(run(&mut MajorityHolds::new(0), story), Ok(()));
}

#[test]
fn a_slow_clock_believes_longer() {
    let story = || {
        let mut story = two_of_three();
        story.push((10, expired(0, "job on node-3")));
        story
    };
    assert_eq!(run(&mut MajorityHolds::new(-10_000), story()), Ok(()));
    assert!(run(&mut MajorityHolds::new(-50_000), story()).is_err());
}

#[test]
fn two_believers_at_once_are_caught() {
    let violation =
        run(&mut OneBeliever::new(0), vec![(1, holds(0, "job", 9.8)), (9, holds(1, "job", 19.0))]).unwrap_err();
    assert!(violation.message.contains("At 9 s B was given job, while A"), "{}", violation.message);
}

#[test]
fn one_believer_after_the_other_is_right() {
    for story in [
        vec![(1, holds(0, "job", 9.8)), (10, holds(1, "job", 19.0))],
        vec![(1, holds(0, "job", 9.8)), (2, lets_go(0)), (2, holds(1, "job", 9.0))],
        vec![(1, holds(0, "job", 9.8)), (2, holds(0, "job", 11.0)), (2, holds(1, "report", 9.0))],
    ] {
        assert_eq!(run(&mut OneBeliever::new(0), story), Ok(()));
    }
}

#[test]
fn a_token_belongs_to_one_attempt() {
    let story =
        |client, token, attempt| vec![(0, asks(0, "a", 0)), (0, asks(0, "a", 0)), (1, asks(client, token, attempt))];
    for (client, token, attempt) in [(1, "a", 0), (0, "a", 1)] {
        assert!(run(&mut OwnTokens::default(), story(client, token, attempt)).is_err());
    }
    assert_eq!(run(&mut OwnTokens::default(), story(1, "b", 0)), Ok(()));
}

#[test]
fn a_call_that_never_returns_is_caught() {
    let calls = || (0, Tell(0, "calls", "acquire".into()));
    let returned = || (1, Tell(0, "returned", Data::None));
    assert!(run(&mut CallsReturn::default(), vec![calls(), calls(), returned(), (60, End)]).is_err());
    assert_eq!(run(&mut CallsReturn::default(), vec![calls(), calls(), returned(), returned(), (60, End)]), Ok(()));
}
