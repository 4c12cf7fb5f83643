//! Each rule fires on the shortest story that breaks it, and holds still on the nearest one that does not.

use super::*;
use crate::time::SECOND_US;

/// One step of a story, in which each takes a second.
enum Step {
    Renew,
    Release,
    NoAnswer,
    Tell(&'static str, &'static str),
}
use Step::{NoAnswer, Release, Renew, Tell};

fn run(property: &mut dyn Property, story: &[Step]) -> Result<(), Violation> {
    let (client, name) = (0, "job".to_owned());
    for (index, step) in story.iter().enumerate() {
        let at_us = index as u64 * SECOND_US;
        let call = match step {
            Renew => Call::Renew { name: name.clone(), ttl_us: SECOND_US },
            Release => Call::Release { name: name.clone() },
            NoAnswer => {
                let what = Happening::Answered { client, name: name.clone(), reply: Reply::TimedOut };
                property.see(index, &Event::at(at_us, what))?;
                continue;
            }
            Tell(kind, value) => {
                property.noted(&Note { index, at_us, client, kind, value: &Data::Str((*value).into()) })?;
                continue;
            }
        };
        property.see(index, &Event::at(at_us, Happening::Called { client, call }))?;
    }
    Ok(())
}

#[test]
fn a_renewal_by_a_handle_that_is_over_is_one_too_many() {
    let released = run(&mut OverIsOver::default(), &[Renew, Tell("over", "released"), Renew]).unwrap_err();
    assert_eq!(released.witnesses, [1]);
    assert!(released.message.contains("released since 1 s"), "{}", released.message);
    let lost = run(&mut OverIsOver::default(), &[Tell("over", "lost"), Tell("over", "released"), Renew]).unwrap_err();
    assert!(lost.message.contains("lost since 0 s"), "{}", lost.message);
    assert_eq!(run(&mut OverIsOver::default(), &[Renew, Renew, Tell("over", "released"), Release]), Ok(()));
    let another = [Tell("over", "released"), Tell("handle", "job"), Renew];
    assert_eq!(run(&mut OverIsOver::default(), &another), Ok(()));
}

#[test]
fn a_second_release_is_one_too_many() {
    let twice = run(&mut OneRelease::default(), &[Release, Renew, Release]).unwrap_err();
    assert_eq!(twice.witnesses, [0]);
    assert!(twice.message.contains("after the one at 0 s"), "{}", twice.message);
    assert_eq!(run(&mut OneRelease::default(), &[Tell("by hand", "job"), Release, Release]), Ok(()));
    assert_eq!(run(&mut OneRelease::default(), &[Release, Tell("handle", "job"), Release]), Ok(()));
}

#[test]
fn only_what_was_never_held_is_given_back_again_after_no_answer() {
    assert_eq!(run(&mut OneRelease::default(), &[Release, NoAnswer, Release, NoAnswer, Release]), Ok(()));
    let held = [Tell("releases what is held", "job"), Release, NoAnswer, Release];
    let twice = run(&mut OneRelease::default(), &held).unwrap_err();
    assert_eq!(twice.witnesses, [1]);
    assert!(twice.message.contains("at 1 s, to which no answer came"), "{}", twice.message);
}
