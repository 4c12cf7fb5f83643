//! Each rule fires on a short story that breaks it, and holds still on the nearest one that does not.

use super::*;
use crate::sim::story::Step::{self, End, Event as Happens, Tell};
use crate::sim::story::run;

fn text(words: &str) -> Data {
    Data::Str(words.to_owned())
}

fn writes(client: usize, token: i64, value: &str) -> Step {
    let map = [("resource", text("job")), ("token", Data::Int(token)), ("value", text(value))];
    Tell(client, "writes", Data::Map(map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()))
}

fn told(client: usize, kind: &'static str) -> Step {
    Tell(client, kind, Data::None)
}

/// A write that was accepted.
fn wrote(token: i64, value: &str) -> [Step; 2] {
    [writes(0, token, value), told(0, "accepted")]
}

fn reads(value: Data) -> [Step; 2] {
    [Tell(1, "reads", text("job")), Tell(1, "read", value)]
}

/// The rule that the story breaks; none if it keeps them all.
fn broken(story: impl IntoIterator<Item = Step>) -> Option<&'static str> {
    let mut ledger = Ledger::default();
    let story = story.into_iter().map(|step| (1, step)).chain([(9, End)]).collect();
    run(&mut ledger, story).err().map(|_| ledger.rule())
}

#[test]
fn a_smaller_token_is_not_accepted_after_a_greater_one_and_an_equal_one_is() {
    assert_eq!(broken(wrote(5, "a").into_iter().chain(wrote(5, "b")).chain(wrote(6, "c"))), None);
    assert_eq!(broken(wrote(5, "a").into_iter().chain(wrote(4, "b"))), Some("order"));
    let beside = [writes(0, 4, "a"), writes(1, 5, "b"), told(1, "accepted"), told(0, "accepted")];
    assert_eq!(broken(beside), None, "which of two at once came first nobody can tell");
}

#[test]
fn only_a_smaller_token_is_rejected() {
    let after = |token| wrote(5, "a").into_iter().chain([writes(1, token, "b"), told(1, "rejected")]);
    assert_eq!(broken(after(4)), None);
    assert_eq!(broken(after(5)), Some("not stale"));
    assert_eq!(broken(after(6)), Some("not stale"));
    assert_eq!(broken([writes(0, 0, "a"), told(0, "rejected")]), Some("not stale"));
}

#[test]
fn what_was_accepted_is_read_until_it_is_replaced() {
    let after = |value| wrote(5, "a").into_iter().chain(wrote(6, "b")).chain(reads(value));
    assert_eq!(broken(after(text("b"))), None);
    assert_eq!(broken(after(text("a"))), Some("kept"));
    assert_eq!(broken(after(Data::None)), Some("kept"));
    assert_eq!(broken(reads(Data::None)), None, "nothing was written yet");
    let equal = wrote(5, "a").into_iter().chain(wrote(5, "b")).chain(reads(text("a")));
    assert_eq!(broken(equal), Some("kept"));
}

#[test]
fn nothing_is_read_but_what_was_stored() {
    let rejected = wrote(5, "a").into_iter().chain([writes(1, 4, "b"), told(1, "rejected")]);
    assert_eq!(broken(rejected.chain(reads(text("b")))), Some("nothing else"));
    assert_eq!(broken(wrote(5, "a").into_iter().chain(reads(text("z")))), Some("nothing else"));
    let unknown = [writes(0, 5, "a"), Happens(Happening::Crashed { client: 0 })].into_iter().chain(reads(text("a")));
    assert_eq!(broken(unknown), None, "it may have been done");
}

#[test]
fn a_call_ends_without_an_exception_where_nothing_went_wrong() {
    let ends = || [writes(0, 5, "a"), Tell(0, "unfinished", text("TransportError"))];
    assert_eq!(broken(ends()), Some("reason"));
    let lost = Happening::RequestLost { client: 0 };
    assert_eq!(broken([Happens(lost)].into_iter().chain(ends())), None);
    let beside = [writes(1, 5, "b")].into_iter().chain(ends()).chain([told(1, "accepted")]);
    assert_eq!(broken(beside), None, "the other call may have been in its way");
}

#[test]
fn every_call_ends() {
    assert_eq!(broken(wrote(5, "a")), None);
    assert_eq!(broken([writes(0, 5, "a")]), Some("calls end"));
    assert_eq!(broken([writes(0, 5, "a"), Happens(Happening::Crashed { client: 0 })]), None);
}

/// What a client says to the database and hears from it, as pairs.
fn left_open(said: &[(&str, &str)]) -> bool {
    let mut property = NothingLeftOpen::default();
    let mut message = 0;
    for (text, answer) in said {
        message += 1;
        let call = Call::Other { to: "database".to_owned(), text: (*text).to_owned() };
        let answer = Reply::Other { text: (*answer).to_owned() };
        let called = Happening::Called { client: 0, call };
        let answered = Happening::Answered { client: 0, name: "database".to_owned(), reply: answer };
        for what in [called, answered] {
            property.see(0, &Event { message: Some(message), ..Event::at(0, what) }).expect("it is told at the end");
        }
    }
    property.end(9).is_err()
}

#[test]
fn a_transaction_that_was_begun_is_ended() {
    assert!(left_open(&[("begin()", "1")]));
    assert!(left_open(&[("begin()", "1"), ("get(1, job)", "None")]));
    assert!(left_open(&[("begin()", "1"), ("commit(1)", "None"), ("begin()", "2")]));
    assert!(!left_open(&[("begin()", "1"), ("commit(1)", "None")]));
    assert!(!left_open(&[("begin()", "1"), ("rollback(1)", "None")]));
    assert!(!left_open(&[("begin()", "1"), ("get(1, job)", "Deadlock")]), "the database has ended it");
}
