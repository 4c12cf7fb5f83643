//! Kata 9: `FairLock(cache, clock, name, turn_s)` with `async acquire(wait_s)` and `async release()`.
//!
//! What the task leaves open is allowed in every reading: what the record looks like, where the count is kept, whether a
//! turn begins when it comes or when it is claimed, whether waiters measure a turn by the record or by what they have seen
//! themselves, whether they poll or watch, whether one that gives up takes its ticket away or leaves it to be passed over,
//! what a release says of a turn that is over and that nobody has taken.

mod properties;

use super::Suite;
use super::runner::{self, Kata, Options, Test};
use super::worlds::{self, Plan, Reach, Scenario, WorldHunt, WorldLab};
use crate::explore::replay::{BadReplay, Replay};
use crate::python::{Problem, Program, Python};
use crate::sim::disturbance::Disturbance::{Crash, DelayReply, LoseReply, LoseRequest, Pause, RestartServer, StepWall};
use crate::sim::disturbance::{Cue, Disturbance, Faults};
use crate::sim::property::Property;
use crate::sim::server::Server;
use crate::sim::servers::CacheServer;
use crate::sim::world::{Settings, TICK_US};
use crate::time::SECOND_US;
use properties::Queue;

/// The suite.
pub const SUITE: Suite =
    runner::suite::<FairLock>("FairLock: tickets served in order, over a cache with transactions", "");

/// The kata.
pub struct FairLock;

const TURN_US: u64 = 8 * SECOND_US;

const SETTINGS: Settings = Settings {
    clients: 3,
    horizon_us: 400 * SECOND_US,
    // A pause is twice this: long enough to lose a turn.
    ttl_us: TURN_US,
    faults: Faults { pauses_of_waiters: true, crashes: true, lost_requests: true, lost_replies: true, ..Faults::NONE },
    ..Settings::DEFAULT
};

const fn clients(clients: usize) -> Settings {
    Settings { clients, ..SETTINGS }
}

const THREE: usize = 0;
const ALONE: usize = 1;
const SHORT_TURNS: usize = 2;
const FIVE: usize = 3;
const FIRST: usize = 4;
const LATER: usize = 5;
const CROWD: usize = 6;
const DEAD_HOLDER: usize = 7;
const DEAD_WAITER: usize = 8;
const NEWCOMERS: usize = 9;
const LONG_LINE: usize = 10;
const SLOW: usize = 11;
const SLOW_INSIDE: usize = 12;
const NOBODY: usize = 13;
const INSIDE: usize = 14;
const INSIDE_END: usize = 15;
const AGAIN: usize = 16;
const AGAIN_TAKEN: usize = 17;
const TO_THE_END: usize = 18;
const IMPATIENT: usize = 19;
const GIVES_UP: usize = 20;
const STRANGERS: usize = 21;
const NAMES: usize = 22;
const HOURS: usize = 23;
const CROSSING: usize = 24;
const WAITS: usize = 25;
const TWO: usize = 26;
const AFTER_A_PAUSE: usize = 27;
const BOTH: usize = 28;
const AT_ITS_END: usize = 29;
const EXACT: usize = 30;
const DEAD_AND_QUIET: usize = 31;
const BEHIND: usize = 32;

static SCENARIOS: [Scenario; 33] = [
    world("A works, goes in a second time, and B and C come meanwhile", "three", SETTINGS),
    world("one client takes a free lock over and over", "alone", clients(1)),
    Scenario { properties: short, ..world("A never gives back; turns last 2.5 s", "short_turns", clients(2)) },
    world("five come one after the other, twice", "five", clients(5)),
    world("A and B want a new lock at about the same time, over and over", "first", clients(2)),
    world("B and C come and A gives back at about the same time, over and over", "later", SETTINGS),
    world("six come at one instant", "crowd", clients(6)),
    world("A never gives back; B and C wait, D comes much later", "dead_holder", clients(4)),
    world("B, C and D wait for A, and B dies", "dead_waiter", clients(4)),
    world("A never gives back; B waits, and others come behind it", "newcomers", clients(6)),
    world("A, B and C work nearly a whole turn each; D, E and F wait", "long_line", clients(6)),
    world("A works longer than its turn; B, C and D wait", "slow", clients(4)),
    world("A works longer than its turn, inside two acquires; B, C and D wait", "slow_inside", clients(4)),
    world("A works longer than its turn, and nobody waits", "nobody_took_over", clients(2)),
    world("A goes in three times; B waits", "inside", clients(2)),
    world("A goes in again shortly before the end of its turn; B waits", "inside_to_the_end", clients(2)),
    world("A's turn runs out inside two acquires, and it asks anew", "again_after_the_end", clients(2)),
    world("A's turn is taken over inside two acquires, and it asks anew", "again_after_a_takeover", clients(2)),
    world("A gives back at the very end of its turn; B and C wait", "to_the_end", SETTINGS),
    world("A works for 7 s; B gives up twice, C waits", "impatient", SETTINGS),
    world("B's patience ends just when A gives back; C waits", "gives_up_at_its_turn", SETTINGS),
    world("B gives back what it does not hold", "strangers", SETTINGS),
    Scenario { properties: Vec::new, ..world("A and B use two locks", "names", clients(2)) },
    world(
        "A and B use the lock now and then, for a day",
        "hours",
        Settings { horizon_us: 100_000 * SECOND_US, ..clients(2) },
    ),
    world(
        "A and B use the lock, with quiet times between",
        "crossing",
        Settings { horizon_us: 1_000 * SECOND_US, ..clients(2) },
    ),
    world("A works nearly a whole turn and B waits", "waits", clients(2)),
    world("A takes a free lock, and B comes soon after", "two", clients(2)),
    world("A takes a free lock, and others come when it is through", "after_a_pause", clients(5)),
    Scenario { properties: Vec::new, ..world("two owners live in one process", "both", clients(1)) },
    world("A asks again just when its turn is over", "just_at_its_end", clients(2)),
    Scenario { properties: exact, ..world("A and B take turns, and no end may be late", "two", clients(2)) },
    world(
        "A never gives back, and nobody comes for most of a day",
        "dead_and_quiet",
        Settings { horizon_us: 100_000 * SECOND_US, ..clients(2) },
    ),
    world("A holds the lock, B waits, and C comes well after B, over and over", "behind", SETTINGS),
];

/// The worlds that the search goes through: the first.
const SEARCHED: usize = 1;

const fn world(about: &'static str, start: &'static str, settings: Settings) -> Scenario {
    Scenario { about, start, settings, servers, properties }
}

fn servers() -> Vec<Box<dyn Server>> {
    vec![Box::<CacheServer>::default()]
}

fn properties() -> Vec<Box<dyn Property>> {
    vec![Box::new(Queue::new(TURN_US))]
}

fn exact() -> Vec<Box<dyn Property>> {
    vec![Box::new(Queue::exact(TURN_US))]
}

fn short() -> Vec<Box<dyn Property>> {
    vec![Box::new(Queue::new(5 * SECOND_US / 2))]
}

impl Kata for FairLock {
    const SLUG: &'static str = "fair-lock";
    const SEARCH: &'static str = "no_few_disturbances_break_it";
    const LOADED: &'static str = "The file loads and defines FairLock and NotHeld.";
    const TICKS: u64 = 4_000_000;
    type Trial = WorldLab;
    type Hunt = WorldHunt;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        let module = program.run(py)?;
        runner::offers_methods(py, program, &module, "FairLock", &["acquire", "release"])?;
        module.get(py, "NotHeld").map(drop)
    }

    fn trial(py: &Python<'_>, program: Program) -> WorldLab {
        let mut lab = WorldLab::new(py, program, include_str!("fair_lock/driver.py"), &SCENARIOS);
        // Every turn has a name of its own, drawn by chance: hardly two states are alike.
        lab.uses_seen = false;
        lab
    }

    fn tests() -> Vec<Test<Plan>> {
        worlds::tests(TESTS, |world| world)
    }

    fn hunt(_: &Python<'_>, _: &mut WorldLab, options: &Options) -> WorldHunt {
        WorldHunt::new(SEARCHED, Reach { bound: 1, most: 1_000, drawn: 100 }, options)
    }

    fn schedule(replay: Replay) -> Result<Plan, BadReplay> {
        worlds::plan(replay, &SCENARIOS)
    }
}

const fn commit(client: usize, nth: u32, what: Disturbance) -> Cue {
    Cue { client, about: "cache.commit", nth, what }
}

const fn read(client: usize, nth: u32, what: Disturbance) -> Cue {
    Cue { client, about: "cache.read", nth, what }
}

/// Something happens where a task of the process goes on after sleeping, the nth time, from 0.
const fn wake(client: usize, nth: u32, what: Disturbance) -> Cue {
    Cue { client, about: "wake", nth, what }
}

const HOUR: i64 = 3600 * SECOND_US as i64;
const NEARLY: Disturbance = DelayReply(SECOND_US * 15 / 16);

/// The named tests.
const TESTS: &[worlds::Named<usize>] = &[
    (
        "a_free_lock_is_given_at_once",
        "A lock that nobody holds or waits for is given at once, also with wait_s = 0, for a whole turn.",
        &[(ALONE, &[]), (TWO, &[])],
    ),
    (
        "tickets_are_served_in_order",
        "Who came first is served first, and within a second of the end of the turn before.",
        &[(FIVE, &[]), (CROWD, &[]), (BEHIND, &[])],
    ),
    (
        "first_comers_do_not_share_a_ticket",
        "Of two that find no record, one makes it, and the other finds out that it was not the first.",
        &[(FIRST, &[])],
    ),
    (
        "a_commit_that_came_too_late_is_tried_again",
        "A commit that finds the record changed has done nothing: read again, decide again, commit again.",
        &[(LATER, &[]), (TO_THE_END, &[])],
    ),
    (
        "a_dead_holder_is_passed_over",
        "A turn that is not given back ends after turn_s, and the next ticket is served.",
        &[
            (DEAD_HOLDER, &[]),
            (DEAD_HOLDER, &[wake(0, 1, Crash)]),
            (SHORT_TURNS, &[]),
            (WAITS, &[]),
            (THREE, &[wake(0, 1, Crash)]),
        ],
    ),
    (
        "a_dead_waiter_is_passed_over",
        "A ticket whose owner died while it waited is passed over when its turn has lasted turn_s.",
        &[
            (DEAD_WAITER, &[wake(1, 1, Crash)]),
            (DEAD_WAITER, &[wake(1, 2, Crash)]),
            (DEAD_WAITER, &[wake(1, 1, Crash), wake(2, 2, Crash)]),
            (DEAD_WAITER, &[commit(1, 1, Crash)]),
            (DEAD_WAITER, &[read(1, 1, Crash)]),
            (THREE, &[wake(1, 1, Crash)]),
        ],
    ),
    (
        "newcomers_do_not_lengthen_a_dead_turn",
        "However many line up behind a dead owner, its turn ends turn_s after it began.",
        &[(NEWCOMERS, &[])],
    ),
    (
        "a_live_waiter_keeps_its_place",
        "However long it waits, a waiter that lives is served in its turn; a short pause costs nothing.",
        &[
            (LONG_LINE, &[]),
            (LONG_LINE, &[wake(1, 1, Pause(11 * SECOND_US))]),
            (LONG_LINE, &[wake(3, 4, Pause(5 * SECOND_US))]),
            (LONG_LINE, &[read(1, 2, LoseReply)]),
            (LONG_LINE, &[read(1, 2, LoseRequest)]),
        ],
    ),
    (
        "sleeping_long_is_not_seeing_long",
        "A waiter that was paused does not take the time that it slept for the time that a turn has lasted.",
        &[
            (LONG_LINE, &[read(2, 3, Pause(SECOND_US * 15 / 2))]),
            (LONG_LINE, &[read(3, 2, Pause(SECOND_US * 15 / 2)), read(4, 2, Pause(SECOND_US * 15 / 2))]),
            (LONG_LINE, &[wake(2, 3, Pause(10 * SECOND_US))]),
            (LONG_LINE, &[commit(3, 0, Pause(10 * SECOND_US))]),
        ],
    ),
    (
        "a_waiter_that_was_passed_over_lines_up_again",
        "After a pause that cost its turn, a waiter takes a new ticket, behind those that wait.",
        &[
            (DEAD_WAITER, &[wake(1, 1, Pause(20 * SECOND_US))]),
            (DEAD_WAITER, &[wake(1, 2, Pause(12 * SECOND_US))]),
            (THREE, &[wake(1, 1, Pause(2 * TURN_US))]),
            (THREE, &[wake(2, 1, Pause(3 * TURN_US))]),
        ],
    ),
    (
        "a_turn_that_is_over_is_not_told",
        "A pause or a slow answer on the way takes its time from the turn; none of it left is no turn.",
        &[
            (ALONE, &[commit(0, 0, Pause(TURN_US))]),
            // The answer comes just at the end.
            (ALONE, &[commit(0, 0, Pause(TURN_US - 2 * TICK_US))]),
            (ALONE, &[commit(0, 0, Pause(2 * TURN_US))]),
            (ALONE, &[commit(0, 1, Pause(2 * TURN_US)), commit(0, 3, Pause(2 * TURN_US))]),
            (ALONE, &[commit(0, 2, Pause(2 * TURN_US)), commit(0, 4, Pause(2 * TURN_US))]),
            (AFTER_A_PAUSE, &[commit(0, 0, Pause(TURN_US - TICK_US))]),
            (AFTER_A_PAUSE, &[commit(0, 0, Pause(TURN_US))]),
            (AFTER_A_PAUSE, &[commit(0, 0, Pause(2 * TURN_US))]),
            (AFTER_A_PAUSE, &[commit(0, 1, Pause(2 * TURN_US))]),
            (AFTER_A_PAUSE, &[read(0, 1, Pause(2 * TURN_US))]),
            (EXACT, &[]),
            (TWO, &[commit(0, 0, NEARLY)]),
            (TWO, &[commit(0, 1, NEARLY)]),
            (TWO, &[commit(0, 0, NEARLY), commit(0, 1, NEARLY)]),
            (TWO, &[read(0, 1, NEARLY)]),
            (WAITS, &[commit(1, 0, NEARLY), commit(1, 1, NEARLY)]),
        ],
    ),
    (
        "a_late_release_advances_nothing",
        "A release after a takeover raises NotHeld, and the queue stays where it is.",
        &[(SLOW, &[]), (SLOW_INSIDE, &[]), (NOBODY, &[]), (THREE, &[wake(0, 0, Pause(TURN_US + SECOND_US / 2))])],
    ),
    (
        "a_stranger_can_not_release",
        "A release by an owner that does not hold the lock raises NotHeld, and the queue stays where it is.",
        &[(STRANGERS, &[])],
    ),
    (
        "the_holder_goes_in_again_without_a_ticket",
        "A holder's acquire gives the turn that it has, at once, and makes it no longer.",
        &[(INSIDE, &[]), (INSIDE_END, &[])],
    ),
    (
        "only_the_last_release_frees",
        "A turn that was acquired three times is over after three releases, not before and not never.",
        &[(INSIDE, &[]), (INSIDE, &[commit(0, 1, LoseReply)]), (INSIDE, &[commit(0, 2, LoseReply)])],
    ),
    (
        "a_turn_that_ran_out_is_not_gone_into_again",
        "A holder whose turn is over and asks again takes a new ticket, and counts from one.",
        &[
            (AGAIN, &[]),
            (AGAIN_TAKEN, &[]),
            (AT_ITS_END, &[]),
            // A pause while the holder goes in again, if it asks the cache for that.
            (INSIDE, &[commit(0, 1, Pause(TURN_US))]),
            (INSIDE, &[read(0, 1, Pause(2 * TURN_US))]),
        ],
    ),
    (
        "a_lost_answer_takes_no_second_ticket",
        "Whether a commit was done can be read from the record: a ticket that was taken is not taken again.",
        &[
            (TWO, &[commit(0, 0, LoseReply)]),
            (TWO, &[commit(0, 0, LoseRequest)]),
            (TWO, &[commit(0, 1, LoseReply)]),
            (TWO, &[commit(0, 1, LoseRequest)]),
            (THREE, &[commit(1, 0, LoseReply)]),
            (THREE, &[commit(1, 0, LoseRequest)]),
            (THREE, &[commit(1, 1, LoseReply)]),
            (THREE, &[commit(1, 1, LoseRequest)]),
            (THREE, &[commit(2, 0, LoseReply), commit(2, 1, LoseReply)]),
            (THREE, &[commit(1, 0, LoseReply), commit(2, 0, LoseReply)]),
            (THREE, &[read(1, 0, LoseReply), commit(1, 0, LoseReply)]),
        ],
    ),
    (
        "a_lost_answer_advances_the_queue_once",
        "A release whose answer is lost is looked after until it is known; the next one's turn is not given away.",
        &[
            (TWO, &[wake(0, 1, Disturbance::Partition(20 * SECOND_US))]),
            (THREE, &[commit(0, 1, LoseReply)]),
            (THREE, &[commit(0, 2, LoseReply)]),
            (THREE, &[commit(0, 3, LoseReply)]),
            (THREE, &[commit(0, 4, LoseReply)]),
            (THREE, &[commit(0, 1, LoseRequest)]),
            (THREE, &[commit(0, 2, LoseRequest)]),
            (THREE, &[commit(0, 3, LoseRequest)]),
            (THREE, &[commit(0, 4, LoseRequest)]),
            (THREE, &[read(0, 1, LoseReply)]),
            (THREE, &[read(0, 2, LoseReply)]),
            (THREE, &[commit(1, 1, LoseReply), commit(1, 2, LoseReply)]),
            (THREE, &[commit(1, 2, LoseReply), commit(1, 3, LoseReply)]),
        ],
    ),
    (
        "waiting_is_bounded",
        "acquire gives None when its budget is over, and the ticket is in nobody's way for longer than a turn.",
        &[
            (IMPATIENT, &[]),
            (GIVES_UP, &[]),
            (IMPATIENT, &[wake(1, 3, Disturbance::Partition(30 * SECOND_US))]),
            (IMPATIENT, &[commit(1, 0, Disturbance::Partition(30 * SECOND_US))]),
        ],
    ),
    ("waiting_is_no_hail", "Between two looks at the record a waiter sleeps, or waits for a watch.", &[(WAITS, &[])]),
    (
        "giving_up_in_doubt_leaves_nothing_behind",
        "A waiter that gives up without knowing whether its turn had come takes a new ticket the next time.",
        &[
            (GIVES_UP, &[commit(1, 0, LoseReply)]),
            (GIVES_UP, &[commit(1, 1, LoseReply)]),
            (GIVES_UP, &[commit(1, 2, LoseReply)]),
            (GIVES_UP, &[commit(1, 3, LoseReply)]),
            (GIVES_UP, &[commit(1, 1, LoseReply), commit(1, 2, LoseReply)]),
            (GIVES_UP, &[commit(1, 1, LoseReply), read(1, 0, LoseReply)]),
            (GIVES_UP, &[commit(1, 1, LoseRequest), commit(1, 2, LoseRequest)]),
            (IMPATIENT, &[commit(1, 0, LoseReply)]),
            (IMPATIENT, &[commit(1, 1, LoseReply)]),
            (IMPATIENT, &[commit(1, 2, LoseReply)]),
        ],
    ),
    (
        "the_record_outlives_quiet_times",
        "Tickets rise for ever: no part of the record is forgotten while nobody uses the lock.",
        &[(HOURS, &[]), (CROSSING, &[]), (DEAD_AND_QUIET, &[])],
    ),
    (
        "a_restart_of_the_cache_is_survived",
        "The cache keeps its keys when it restarts, and forgets its watches: waiters look for themselves.",
        &[
            (WAITS, &[read(1, 0, RestartServer)]),
            (FIVE, &[commit(0, 0, RestartServer), commit(0, 1, RestartServer), commit(4, 0, RestartServer)]),
            (FIVE, &[read(4, 0, RestartServer), commit(1, 1, RestartServer)]),
        ],
    ),
    ("each_object_is_an_owner", "Two FairLocks of one name are two owners, in one process as well.", &[(BOTH, &[])]),
    ("each_lock_has_its_own_queue", "Locks with other names have nothing to do with each other.", &[(NAMES, &[])]),
    (
        "the_wall_clock_does_not_matter",
        "Turns and budgets are counted on the monotonic clock; the wall clock may step either way.",
        &[
            (DEAD_HOLDER, &[wake(1, 0, StepWall(-HOUR))]),
            (WAITS, &[wake(1, 0, StepWall(HOUR))]),
            (WAITS, &[wake(1, 1, StepWall(HOUR))]),
            (IMPATIENT, &[wake(1, 2, StepWall(-HOUR))]),
        ],
    ),
];
