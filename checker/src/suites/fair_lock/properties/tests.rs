//! Each rule fires on the shortest story that breaks it, and holds still on the nearest one that does not.

use super::*;

const A: usize = 0;
const B: usize = 1;
const C: usize = 2;
const TURN_US: u64 = 8 * SECOND_US;

/// A story of a queue with turns of 8 s. Times are quarters of a second.
struct Story {
    queue: Queue,
    at_us: u64,
    broken: Option<(&'static str, String)>,
}

fn story() -> Story {
    Story { queue: Queue::new(TURN_US), at_us: 0, broken: None }
}

fn quarters(at: u64) -> u64 {
    at * SECOND_US / 4
}

impl Story {
    fn keep(mut self, result: Result<(), Violation>) -> Self {
        if let (Err(violation), None) = (result, &self.broken) {
            self.broken = Some((self.queue.rule(), violation.message));
        }
        self
    }

    fn at(mut self, at: u64) -> Self {
        self.at_us = quarters(at);
        self
    }

    fn happens(mut self, what: Happening) -> Self {
        let result = self.queue.see(0, &Event::at(self.at_us, what));
        self.keep(result)
    }

    fn tells(mut self, client: usize, kind: &str, value: Data) -> Self {
        let result = self.queue.noted(&Note { index: 0, at_us: self.at_us, client, kind, value: &value });
        self.keep(result)
    }

    fn asks(self, client: usize, wait: i64) -> Self {
        self.tells(client, "asks", Data::Int(wait * SECOND_US as i64)).calls(client, "commit({}, {}, None)")
    }

    fn calls(self, client: usize, text: &str) -> Self {
        let call = Call::Other { to: "cache".to_owned(), text: text.to_owned() };
        self.happens(Happening::Called { client, call })
    }

    fn committed(self, client: usize) -> Self {
        let reply = Reply::Other { text: "committed".to_owned() };
        self.happens(Happening::Served { client, name: "cache".to_owned(), reply })
    }

    fn given(self, client: usize, ticket: i64, until: u64) -> Self {
        let until_us = Data::Int(i64::try_from(quarters(until)).unwrap());
        let turn = [("ticket".to_owned(), Data::Int(ticket)), ("until_us".to_owned(), until_us)];
        self.tells(client, "granted", Data::Map(turn.into()))
    }

    /// Asks and is given a turn at once, which lasts as long as it may.
    fn takes(self, client: usize, ticket: i64) -> Self {
        let until = (self.at_us + TURN_US) * 4 / SECOND_US;
        self.asks(client, 60).committed(client).given(client, ticket, until)
    }

    fn gives_back(self, client: usize) -> Self {
        self.tells(client, "frees", Data::Bool(true))
    }

    fn freed(self, client: usize) -> Self {
        self.gives_back(client).tells(client, "freed", Data::None)
    }

    fn not_held(self, client: usize) -> Self {
        self.gives_back(client).tells(client, "not_held", Data::None)
    }

    fn none(self, client: usize) -> Self {
        self.tells(client, "refused", Data::None)
    }

    #[track_caller]
    fn breaks(self, rule: &str) {
        let (broken, message) = self.broken.expect("nothing was broken");
        assert_eq!(broken, rule, "{message}");
    }

    #[track_caller]
    fn holds(mut self) {
        let result = self.queue.end(self.at_us);
        assert_eq!(self.keep(result).broken, None);
    }
}

#[test]
fn a_turn_is_its_owners_alone_until_its_end() {
    let two =
        |at| story().takes(A, 1).at(1).asks(B, 60).committed(B).at(at).calls(B, "read('job')").given(B, 2, at + 32);
    two(31).breaks("one at a time");
    two(32).holds();
    story().takes(A, 1).at(4).freed(A).at(5).takes(B, 2).holds();
}

#[test]
fn a_crashed_owner_is_nobody_to_be_alone() {
    story().takes(A, 1).at(2).happens(Happening::Crashed { client: A }).at(3).takes(B, 2).holds();
}

#[test]
fn a_turn_that_is_over_is_not_given() {
    let slow = |at| story().asks(A, 60).happens(Happening::Paused { client: A, until_us: quarters(at) }).at(at);
    slow(32).happens(Happening::Woke { client: A }).given(A, 1, 32).breaks("over is over");
    slow(31).happens(Happening::Woke { client: A }).given(A, 1, 32).holds();
}

#[test]
fn a_turn_counts_from_before_the_request() {
    story().asks(A, 60).at(1).given(A, 1, 33).breaks("a turn's length");
    story().asks(A, 60).at(1).given(A, 1, 32).holds();
    story().asks(A, 60).at(1).given(A, 1, 20).breaks("a turn's length");
    // A turn may have begun when it came, and been heard of by a read.
    story().asks(A, 60).at(1).calls(A, "read('job')").given(A, 1, 33).holds();
}

#[test]
fn tickets_rise() {
    story().takes(A, 5).at(4).freed(A).at(8).takes(A, 5).breaks("rising tickets");
    story().takes(A, -5).at(4).freed(A).at(8).takes(A, -4).holds();
}

#[test]
fn who_came_first_is_served_first() {
    let line =
        |c: u64| story().takes(A, 1).at(2).asks(B, 60).committed(B).at(c).asks(C, 60).committed(C).at(8).freed(A).at(9);
    line(4).calls(C, "read('job')").given(C, 3, 41).breaks("in order");
    line(4).calls(B, "read('job')").given(B, 2, 41).holds();
    // So soon after another nobody can tell who was first.
    line(3).calls(C, "read('job')").given(C, 2, 41).holds();
    // Who takes no ticket stands in line all the same: it should have taken one at once.
    let none = |c: u64| story().takes(A, 1).at(2).asks(B, 60).at(c).asks(C, 60).committed(C).at(14).freed(A).at(15);
    none(7).calls(C, "read('job')").given(C, 3, 47).breaks("in order");
    none(6).calls(C, "read('job')").given(C, 3, 47).holds();
}

#[test]
fn a_waiter_that_slept_through_its_turn_has_no_place() {
    let pause = |until| {
        let line = story().takes(A, 1).at(2).asks(B, 60).committed(B).at(4).asks(C, 60).committed(C).at(6);
        let line = line.happens(Happening::Paused { client: B, until_us: quarters(until) });
        line.at(8).freed(A).at(40).calls(C, "read('job')").given(C, 3, 72)
    };
    pause(60).holds();
    pause(20).breaks("in order");
}

#[test]
fn the_queue_moves_on() {
    let idle = |at| story().takes(A, 1).at(2).asks(B, 60).committed(B).at(4).freed(A).at(at);
    idle(9).holds();
    idle(10).calls(B, "read('job')").breaks("moves on");
    // A lapsed turn: B has seen all of it.
    let lapsed = |at| story().takes(A, 1).at(0).asks(B, 60).committed(B).at(at);
    lapsed(37).holds();
    lapsed(38).calls(B, "read('job')").breaks("moves on");
    // Who came late may count from there.
    let late = |at| story().takes(A, 1).at(30).asks(B, 60).committed(B).at(at).calls(B, "read('job')");
    late(67).holds();
    late(68).breaks("moves on");
}

#[test]
fn a_dead_ticket_costs_a_turn() {
    let dead = |at| {
        let line = story().takes(A, 1).at(2).asks(B, 60).committed(B).at(3).asks(C, 60).committed(C);
        line.happens(Happening::Crashed { client: B }).at(4).freed(A).at(at).calls(C, "read('job')")
    };
    dead(44).holds();
    dead(48).breaks("moves on");
}

#[test]
fn a_free_lock_is_given() {
    story().asks(A, 0).none(A).breaks("free is given");
    story().takes(B, 1).at(1).asks(A, 0).none(A).holds();
    story().asks(A, 0).happens(Happening::ReplyLost { client: A }).at(4).none(A).holds();
}

#[test]
fn waiting_is_bounded() {
    let wait = |at| story().takes(B, 1).asks(A, 4).committed(A).at(at);
    wait(13).none(A).breaks("bounded waiting");
    wait(14).none(A).holds();
    wait(19).none(A).holds();
    wait(20).none(A).breaks("bounded waiting");
    let lost = |at| story().takes(B, 1).asks(A, 4).happens(Happening::ReplyLost { client: A }).at(at);
    lost(26).none(A).holds();
    lost(27).none(A).breaks("bounded waiting");
}

#[test]
fn a_holder_goes_in_again_at_once() {
    let again = |at| story().takes(A, 1).tells(A, "reenters", Data::Int(0)).at(at);
    again(4).tells(A, "reentered", Data::None).holds();
    again(5).tells(A, "reentered", Data::None).breaks("re-entry");
}

#[test]
fn a_late_release_raises() {
    let late = || story().takes(A, 1).at(32).takes(B, 2).at(36);
    late().freed(A).breaks("late release");
    late().not_held(A).holds();
    // Nobody has taken over: as it likes.
    story().takes(A, 1).at(36).freed(A).holds();
    story().takes(A, 1).at(36).not_held(A).holds();
    story().takes(A, 1).at(31).not_held(A).breaks("still held");
}

#[test]
fn a_release_ends() {
    let release = || story().takes(A, 1).at(8).gives_back(A);
    release().at(16).calls(A, "read('job')").holds();
    release().at(17).calls(A, "read('job')").breaks("release ends");
    // Lost messages take their time, but no longer than the turn.
    let lost = |at| (0..6).fold(release(), |s, _| s.happens(Happening::ReplyLost { client: A })).at(at);
    lost(46).holds();
    lost(47).calls(A, "read('job')").breaks("release ends");
}

#[test]
fn looks_are_no_hail() {
    let looks = |each: u64| (0..120).fold(story(), |s, n| s.at(n / each).calls(A, "read('job')"));
    looks(8).breaks("no hail");
    looks(6).holds();
}
