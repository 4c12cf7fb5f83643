//! Each rule fires on the shortest story that breaks it, and holds still on the nearest one that does not.

use super::*;
use crate::time::SECOND_US;

const MS: u64 = 1_000;

/// A story of client A's waits, told to a property. Times are milliseconds.
struct Story<P> {
    property: P,
    events: usize,
    calls: u32,
}

impl<P: Property + Default> Story<P> {
    fn new() -> Self {
        Story { property: P::default(), events: 0, calls: 0 }
    }

    /// acquire() is called for `name`, with a ttl of 4 s, base 0.25 s, cap 2 s.
    fn waits(&mut self, at: u64, client: usize, name: &str, budget_ms: u64) -> Result<(), Violation> {
        let number = |ms: u64| Data::Float((ms as f64 / 1_000.0).into());
        let map =
            [("ttl", number(4_000)), ("budget", number(budget_ms)), ("base", number(250)), ("cap", number(2_000))]
                .into_iter()
                .chain([("name", Data::Str(name.to_owned()))]);
        self.tell(at, client, "waits", &Data::Map(map.map(|(key, value)| (key.to_owned(), value)).collect()))
    }

    fn waited(&mut self, at: u64, end: &str, token: Option<i64>) -> Result<(), Violation> {
        let token = token.map_or(Data::None, Data::Int);
        let map = [("name", Data::Str("job".to_owned())), ("end", Data::Str(end.to_owned())), ("token", token)];
        self.tell(at, 0, "waited", &Data::Map(map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()))
    }

    fn tell(&mut self, at: u64, client: usize, kind: &str, value: &Data) -> Result<(), Violation> {
        self.property.noted(&Note { index: self.events, at_us: at * MS, client, kind, value })
    }

    fn see(&mut self, at: u64, what: Happening) -> Result<(), Violation> {
        self.events += 1;
        let event = Event { message: Some(self.calls), ..Event::at(at * MS, what) };
        self.property.see(self.events, &event)
    }

    fn asks(&mut self, at: u64, client: usize, name: &str) -> Result<(), Violation> {
        self.calls += 1;
        let call = Call::Acquire { name: name.to_owned(), ttl_us: 4 * SECOND_US };
        self.see(at, Happening::Called { client, call })
    }

    fn hears(&mut self, at: u64, client: usize, name: &str, reply: Reply) -> Result<(), Violation> {
        self.see(at, Happening::Answered { client, name: name.to_owned(), reply })
    }

    /// A refused try of A's.
    fn fails(&mut self, at: u64, until: u64) -> Result<(), Violation> {
        self.asks(at, 0, "job")?;
        self.hears(until, 0, "job", Reply::Refused)
    }
}

fn granted() -> Reply {
    Reply::Granted { token: "7".to_owned(), expires_us: 0 }
}

/// A wait of a second for `job`, by A, that has begun.
fn begun() -> Story<Waits> {
    let mut story = Story::new();
    story.waits(0, 0, "job", 1_000).expect("nothing is asked yet");
    story
}

fn breaks<P: Property>(story: &Story<P>, told: Result<(), Violation>, rule: &str) {
    assert!(told.is_err(), "{rule}");
    assert_eq!(story.property.rule(), rule);
}

#[test]
fn a_wait_that_tries_at_its_deadline_keeps_all_rules() {
    let mut story = begun();
    for (at, until) in [(0, 30), (280, 310), (800, 830), (1_000, 1_030)] {
        story.fails(at, until).expect("within the back-off and the budget");
    }
    story.waited(1_030, "none", None).expect("the last try was at the deadline");
    story.property.end(2_000 * MS).expect("it has ended");
}

#[test]
fn a_wait_that_begins_late_or_pauses_too_long_breaks_the_back_off() {
    let mut story = begun();
    let late = story.fails(5, 30);
    breaks(&story, late, "first try");
    let mut story = begun();
    story.fails(0, 30).expect("at once");
    let long = story.fails(285, 300);
    breaks(&story, long, "back-off");
}

#[test]
fn a_wait_ends_at_its_deadline_neither_before_nor_after() {
    let mut story = begun();
    story.fails(0, 30).expect("at once");
    let early = story.waited(30, "none", None);
    breaks(&story, early, "last try");
    let mut story = begun();
    for (at, until) in [(0, 30), (280, 310), (700, 990)] {
        story.fails(at, until).expect("within the budget");
    }
    let past = story.fails(1_020, 1_050);
    breaks(&story, past, "deadline");
    let mut story = begun();
    story.fails(0, 1_200).expect("an answer that was slow");
    let late = story.waited(1_400, "none", None);
    breaks(&story, late, "ends in time");
    let mut story = begun();
    story.fails(0, 30).expect("at once");
    let never = story.property.end(60_000 * MS);
    breaks(&story, never, "ends in time");
}

#[test]
fn a_try_under_way_when_the_deadline_passes_is_the_last() {
    let mut story = begun();
    for (at, until) in [(0, 30), (280, 310), (790, 1_790)] {
        story.fails(at, until).expect("within the budget");
    }
    story.waited(1_790, "none", None).expect("nothing is left of the budget");
}

#[test]
fn a_process_that_slept_may_be_late_once() {
    let mut story = begun();
    story.fails(0, 30).expect("at once");
    story.see(100, Happening::Paused { client: 0, until_us: 9_000 * MS }).expect("a pause");
    story.see(9_000, Happening::Woke { client: 0 }).expect("a pause");
    story.fails(9_000, 9_030).expect("one more try is as good as none");
    let twice = story.fails(9_100, 9_130);
    breaks(&story, twice, "deadline");
}

#[test]
fn a_grant_is_returned_while_it_runs_and_only_then() {
    let mut story = begun();
    story.asks(0, 0, "job").expect("at once");
    story.hears(3_999, 0, "job", granted()).expect("slow");
    story.waited(3_999, "granted", Some(7)).expect("it still runs");
    let mut story = begun();
    story.asks(0, 0, "job").expect("at once");
    story.hears(4_000, 0, "job", granted()).expect("slow");
    let over = story.waited(4_000, "granted", Some(7));
    breaks(&story, over, "grant runs");
    let mut story = begun();
    story.asks(0, 0, "job").expect("at once");
    story.hears(30, 0, "job", granted()).expect("quick");
    let dropped = story.asks(100, 0, "job");
    breaks(&story, dropped, "grant is kept");
    let mut story = begun();
    story.asks(0, 0, "job").expect("at once");
    story.hears(1_100, 0, "job", granted()).expect("slow");
    let dropped = story.waited(1_100, "none", None);
    breaks(&story, dropped, "grant is kept");
    let mut story = begun();
    story.fails(0, 30).expect("at once");
    let made_up = story.waited(30, "granted", Some(8));
    breaks(&story, made_up, "grant is kept");
}

#[test]
fn tries_come_one_at_a_time_and_none_after_the_end() {
    let mut story = begun();
    story.asks(0, 0, "job").expect("at once");
    let second = story.asks(10, 0, "job");
    breaks(&story, second, "one try at a time");
    let mut story = begun();
    story.fails(0, 30).expect("at once");
    story.tell(50, 0, "cancelled", &Data::Str("job".to_owned())).expect("nothing is asked");
    let after = story.asks(60, 0, "job");
    breaks(&story, after, "nothing after the end");
    let mut story = begun();
    let other = story.asks(0, 0, "report");
    breaks(&story, other, "right call");
}

/// A release by A's process of what it was granted for `job`.
fn gives_back(story: &mut Story<Waits>, at: u64) -> Result<(), Violation> {
    story.calls += 1;
    story.see(at, Happening::Called { client: 0, call: Call::Release { name: "job".to_owned() } })
}

#[test]
fn what_came_too_late_is_given_back_before_the_end_or_not_at_all() {
    let late = || {
        let mut story = begun();
        story.asks(0, 0, "job").expect("at once");
        story.hears(4_000, 0, "job", granted()).expect("slow");
        story
    };
    let mut story = late();
    gives_back(&mut story, 4_000).expect("it has not ended");
    story.hears(4_030, 0, "job", Reply::Released).expect("quick");
    story.waited(4_030, "none", None).expect("nothing is left of the budget");
    let mut story = late();
    story.waited(4_000, "none", None).expect("nothing is left of the budget");
    story.tell(4_010, 0, "gives back", &Data::Str("job".to_owned())).expect("the application's own");
    gives_back(&mut story, 4_010).expect("the application's own");
    let after = gives_back(&mut story, 4_020);
    breaks(&story, after, "nothing after the end");
}

/// The pauses of eight waiters with a minute each, as thousandths of the longest, drawn by `share` from the number of
/// the waiter and of the pause.
fn spread(share: impl Fn(u64, u64) -> u64) -> Result<(), Violation> {
    let mut story = Story::<Spread>::new();
    for waiter in 0..8 {
        let name = format!("job {waiter}");
        story.waits(0, 0, &name, 60_000)?;
        let (mut at, mut longest) = (0, 250);
        for n in 0..25 {
            story.asks(at, 0, &name)?;
            story.hears(at + 30, 0, &name, Reply::Refused)?;
            at += 30 + longest * share(waiter, n) / 1_000;
            longest = (longest * 2).min(2_000);
        }
    }
    story.property.end(60_000 * MS)
}

#[test]
fn pauses_that_are_spread_evenly_pass_and_others_do_not() {
    let even = |waiter: u64, n: u64| (waiter * 137 + n * 389 + waiter * n * 31) % 1_000;
    assert_eq!(spread(even), Ok(()));
    assert!(spread(|_, _| 1_000).is_err_and(|v| v.message.contains("in step")));
    assert!(spread(|waiter, n| 500 + even(waiter, n) / 2).is_err_and(|v| v.message.contains("on average")));
    assert!(spread(|waiter, n| 400 + even(waiter, n) / 5).is_err_and(|v| v.message.contains("always between")));
    assert!(spread(|waiter, n| even(waiter, n % 6)).is_err_and(|v| v.message.contains("the same ones again")));
    assert!(spread(|waiter, n| 250 + even(waiter, n) / 2).is_err_and(|v| v.message.contains("quarter")));
}

#[test]
fn a_herd_is_more_than_half_of_the_waiters_at_one_later_instant() {
    let run = |times: [u64; 4]| {
        let mut story = Story::<NoHerd>::new();
        for client in 0..4 {
            story.waits(0, client, "job", 8_000)?;
        }
        for client in 0..4 {
            story.asks(0, client, "job")?;
        }
        let mut second: Vec<(u64, usize)> = times.into_iter().zip(0..).collect();
        second.sort_unstable();
        second.into_iter().try_for_each(|(at, client)| story.asks(at, client, "job"))
    };
    assert_eq!(run([100, 101, 150, 220]), Ok(()));
    assert!(run([100, 101, 105, 220]).is_err());
}

#[test]
fn most_waiters_ask_at_their_deadline() {
    let run = |met: usize| {
        let mut story = Story::<MeetsDeadlines>::new();
        for client in 0..4 {
            story.waits(0, client, "job", 1_000 + client as u64 * 100)?;
        }
        for client in 0..4 {
            let before = if client < met { 0 } else { 20 };
            story.asks(1_000 + client as u64 * 100 - before, client, "job")?;
        }
        story.property.end(2_000 * MS)
    };
    assert_eq!(run(3), Ok(()));
    assert!(run(1).is_err());
}
