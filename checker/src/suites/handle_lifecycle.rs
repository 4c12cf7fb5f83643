//! Kata 4: `LockHandle(service, clock, name, ttl, on_lost=None)` with `async acquire()`, `renew()` and `release()`,
//! `is_held()`, `state`, `fencing_token` and `async with`.
//!
//! What the task leaves open is allowed in every reading: when, past the deadline, `state` turns from held to lost before
//! anybody renews or releases; whether a renewal that ends when the handle is over returns False or lets its error go on;
//! whether a second release waits for the first; whether two renewals at once are one request; whether a lease whose
//! deadline has passed is given back; whether a grant that was never held, or whose deadline has passed, is given back again
//! when no answer came; whether a renewal that is cancelled past the deadline notes the loss itself; what becomes of an error
//! that `on_lost` raises.

mod properties;

use super::Suite;
use super::runner::{self, Kata, Options, Test};
use super::worlds::{self, Plan, Reach, Scenario, WorldHunt, WorldLab};
use crate::explore::replay::{BadReplay, Replay};
use crate::model::lock_service::LockService;
use crate::python::{Problem, Program, Python};
use crate::sim::disturbance::Disturbance::{DelayReply, LoseReply, LoseRequest, Pause, StepWall};
use crate::sim::disturbance::{Cue, Disturbance, Faults};
use crate::sim::property::Property;
use crate::sim::rules::OneHolder;
use crate::sim::server::Server;
use crate::sim::servers::LockServer;
use crate::sim::world::{Settings, TICK_US};
use crate::time::SECOND_US;
use properties::{OneRelease, OverIsOver};

/// The suite.
pub const SUITE: Suite =
    runner::suite::<HandleLifecycle>("LockHandle: one attempt to hold a lock, from asking to the end", "");

/// The kata.
pub struct HandleLifecycle;

const TTL_US: u64 = 10 * SECOND_US;

const ONE: Settings = Settings {
    clients: 1,
    horizon_us: 60 * SECOND_US,
    ttl_us: TTL_US,
    faults: Faults {
        pauses: true,
        pauses_of_waiters: true,
        wall_steps: true,
        lost_requests: true,
        lost_replies: true,
        delays: true,
        ..Faults::NONE
    },
    ..Settings::DEFAULT
};

const PAIR: Settings = Settings { clients: 2, ..ONE };

/// The worlds, by the function of the driver that plays them. The search goes through the first ones.
static SCENARIOS: [Scenario; 51] = [
    scenario("one client works in a block for 8 s and renews twice", "work", ONE),
    scenario("one task renews while another one releases", "crossing", ONE),
    scenario("released while the request is under way", "given_up_and_cut_off", ONE),
    scenario("two tasks renew, half a second apart", "overtaken", ONE),
    scenario("one client acquires, renews and releases", "simple", ONE),
    scenario("one client has given no on_lost", "untold", ONE),
    scenario("one client with another lock and a ttl of 2.25 s", "odd", ONE),
    scenario("another client has the lock", "refused", PAIR),
    scenario("another client has the lock, and then the handle is asked again", "refused_and_asked", PAIR),
    scenario("another client has the lock, and the block is not entered", "refused_block", PAIR),
    scenario("the service rejects a ttl of 0", "wrong_ttl", ONE),
    scenario("renewed, released and acquired before anything was acquired", "unasked", ONE),
    scenario("the task that acquires is cancelled", "cancelled", ONE),
    scenario("a task that renews is cancelled", "cancelled_renewal", ONE),
    scenario("a task that releases is cancelled", "cancelled_release", ONE),
    scenario("released while the request is under way; another client wants the lock 4 s later", "given_up", PAIR),
    scenario("an operator frees the lock; one task renews, and another releases", "release_beside_renewal", ONE),
    scenario("one client with a ttl of 4 s, up to its deadline", "slow", ONE),
    scenario("one client with a ttl of half a second", "late_grant", ONE),
    scenario("nobody renews until the deadline has come", "idle", ONE),
    scenario("nobody renews, and the release comes at the deadline", "idle_release", ONE),
    scenario("the block takes longer than the lease", "overslept", ONE),
    scenario("one renewal, and then nothing until the deadline", "unsure", ONE),
    scenario("the only renewal comes a quarter of a second before the deadline", "last_moment", ONE),
    scenario("an operator frees the lock, and the client renews", "freed", ONE),
    scenario("an operator frees the lock, and the client releases", "freed_release", ONE),
    scenario("two tasks renew at once, and both are rejected", "both_rejected", ONE),
    scenario("two tasks renew, and an operator frees the lock in between", "success_after_loss", ONE),
    scenario("released while a renewal is under way", "success_after_release", ONE),
    scenario("released twice", "twice", ONE),
    scenario("two tasks release at once", "both_release", ONE),
    scenario("looked at and renewed while a release is under way", "release_under_way", ONE),
    scenario("acquired a second time in every state", "again", ONE),
    scenario("a block that ends well", "blocks", ONE),
    scenario("a block that releases by itself", "block_left_early", ONE),
    scenario("a block that ends with an error", "body_fails", ONE),
    scenario("a block that ends with a TransportError of its own", "storage_fails", ONE),
    scenario("a block that loses the lock and ends with an error", "body_fails_after_loss", ONE),
    scenario("a block that ends with an error, its lock freed by an operator", "body_fails_after_unseen_loss", ONE),
    scenario("a block that loses the lock and ends well", "block_after_loss", ONE),
    scenario("a block that ends well, its lock freed by an operator", "block_after_unseen_loss", ONE),
    scenario("the task is cancelled in its block", "body_cancelled", ONE),
    scenario("two tasks acquire at once", "both_acquire", ONE),
    scenario("two clients work in blocks, one after the other", "rivals", PAIR),
    scenario("the handle is made 4 s before it is used", "made_early", ONE),
    scenario("a process takes the lock with a second handle, past the deadline of the first", "next_handle", ONE),
    scenario("the only renewal comes a second before the deadline", "last_second", ONE),
    scenario("two tasks renew, right before the deadline", "overlapping", ONE),
    scenario("a block in which another handle is refused", "nested_refused", ONE),
    scenario("one client is looked at many times past its deadline", "looks", ONE),
    scenario("released while the request is under way; another client has the lock", "given_up_and_refused", PAIR),
];

const SEARCHED: usize = 4;

const fn scenario(about: &'static str, start: &'static str, settings: Settings) -> Scenario {
    Scenario { about, start, settings, servers, properties }
}

fn servers() -> Vec<Box<dyn Server>> {
    vec![Box::new(LockServer::new(LockService::new(7)))]
}

fn properties() -> Vec<Box<dyn Property>> {
    vec![Box::<OneHolder>::default(), Box::<OverIsOver>::default(), Box::<OneRelease>::default()]
}

impl Kata for HandleLifecycle {
    const SLUG: &'static str = "handle-lifecycle";
    const SEARCH: &'static str = "no_few_disturbances_break_it";
    const LOADED: &'static str = "The file loads and defines LockHandle and NotAcquired.";
    const TICKS: u64 = 2_500_000;
    type Trial = WorldLab;
    type Hunt = WorldHunt;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        let module = program.run(py)?;
        module.get(py, "NotAcquired")?;
        runner::offers_methods(
            py,
            program,
            &module,
            "LockHandle",
            &["acquire", "renew", "release", "is_held", "__aenter__", "__aexit__"],
        )
    }

    fn trial(py: &Python<'_>, program: Program) -> WorldLab {
        WorldLab::new(py, program, include_str!("handle_lifecycle/driver.py"), &SCENARIOS)
    }

    fn tests() -> Vec<Test<Plan>> {
        worlds::tests(TESTS, |start: &str| SCENARIOS.iter().position(|s| s.start == start).unwrap_or(usize::MAX))
    }

    fn hunt(_: &Python<'_>, _: &mut WorldLab, options: &Options) -> WorldHunt {
        WorldHunt::new(SEARCHED, Reach { bound: 2, most: 4_000, drawn: 150 }, options)
    }

    fn schedule(replay: Replay) -> Result<Plan, BadReplay> {
        worlds::plan(replay, &SCENARIOS)
    }
}

/// Slow, but in time.
const SLOW: Disturbance = DelayReply(9 * SECOND_US / 10);
const HALF: Disturbance = DelayReply(SECOND_US / 2);
const HOUR: i64 = 3600 * SECOND_US as i64;

const fn cue(about: &'static str, nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about, nth, what }
}

const fn acquire(what: Disturbance) -> Cue {
    cue("locks.acquire", 0, what)
}

/// Something goes wrong with the nth renewal, from 0.
const fn renewal(nth: u32, what: Disturbance) -> Cue {
    cue("locks.renew", nth, what)
}

const fn release(nth: u32, what: Disturbance) -> Cue {
    cue("locks.release", nth, what)
}

/// Something happens where a task goes on after sleeping, the nth time, from 0.
const fn wake(nth: u32, what: Disturbance) -> Cue {
    cue("wake", nth, what)
}

/// The named tests.
const TESTS: &[worlds::Named<&'static str>] = &[
    (
        "a_grant_makes_it_held",
        "Granted means held: True, state, is_held() and the fencing token say so, renewals go on, and release() frees the \
         lock.",
        &[("simple", &[]), ("blocks", &[]), ("odd", &[])],
    ),
    ("a_refused_try_ends_it", "Refused means released: acquire() asks once and returns False.", &[("refused", &[])]),
    (
        "a_try_that_ends_with_an_error_ends_it",
        "An acquire whose request or reply was lost, that the service rejects or that is cancelled leaves the handle \
         released, and the error goes on.",
        &[
            ("simple", &[acquire(LoseReply)]),
            ("simple", &[acquire(LoseRequest)]),
            ("simple", &[acquire(DelayReply(2 * TTL_US))]),
            ("work", &[acquire(LoseReply)]),
            ("wrong_ttl", &[]),
            ("cancelled", &[]),
        ],
    ),
    (
        "a_grant_that_comes_past_its_deadline_is_none",
        "A grant whose deadline passed before the answer was there was never held.",
        &[
            ("late_grant", &[acquire(SLOW)]),
            // The answer comes at the very deadline, half a second after the request was sent.
            ("late_grant", &[acquire(DelayReply(SECOND_US / 2 - 2 * TICK_US))]),
            ("simple", &[acquire(Pause(TTL_US))]),
            ("simple", &[acquire(Pause(TTL_US + SECOND_US))]),
            ("work", &[acquire(Pause(2 * TTL_US))]),
        ],
    ),
    (
        "a_grant_for_a_released_handle_is_given_back",
        "When release() comes while the request is under way, the handle is released for good, and the grant goes back.",
        &[
            ("given_up", &[]),
            ("given_up", &[acquire(SLOW)]),
            ("given_up", &[acquire(LoseRequest)]),
            ("given_up_and_cut_off", &[release(0, LoseReply)]),
            ("given_up_and_cut_off", &[release(0, LoseRequest)]),
            // Nothing was granted: nothing goes back.
            ("given_up_and_refused", &[]),
            ("given_up_and_refused", &[acquire(SLOW)]),
        ],
    ),
    (
        "a_handle_is_used_once",
        "A second acquire() or async with, in whatever state, raises RuntimeError, asks nobody and changes nothing.",
        &[("again", &[]), ("both_acquire", &[]), ("unasked", &[]), ("again", &[acquire(LoseReply)])],
    ),
    (
        "the_deadline_counts_from_before_the_request",
        "The lease is sure to run for a ttl from when the request was sent, however late the answer comes, and no longer.",
        &[
            ("idle", &[]),
            ("slow", &[acquire(SLOW)]),
            ("unsure", &[renewal(0, SLOW)]),
            ("unsure", &[renewal(0, Pause(2 * SECOND_US))]),
            ("made_early", &[]),
            ("next_handle", &[]),
        ],
    ),
    (
        "the_deadline_never_moves_back",
        "The deadline counts from the last request that succeeded, in whatever order the answers come: look at it again \
         after an await.",
        &[
            ("overtaken", &[renewal(0, SLOW)]),
            ("overtaken", &[]),
            ("overlapping", &[renewal(0, SLOW)]),
            ("overlapping", &[renewal(0, LoseReply)]),
        ],
    ),
    (
        "a_renewal_without_an_answer_changes_nothing",
        "After an error (or when it is cancelled) the handle is held as before, with the deadline as it was, and the error goes \
         on.",
        &[
            ("unsure", &[renewal(0, LoseReply)]),
            ("unsure", &[renewal(0, LoseRequest)]),
            ("simple", &[renewal(0, LoseRequest)]),
            ("simple", &[renewal(1, LoseReply)]),
            ("work", &[renewal(1, LoseReply)]),
            ("cancelled_renewal", &[]),
        ],
    ),
    (
        "a_rejected_renewal_is_a_loss",
        "When the service says that the grant is over, the handle is lost at once, and on_lost has been called.",
        &[("freed", &[]), ("freed", &[renewal(0, SLOW)])],
    ),
    (
        "on_lost_may_be_left_out",
        "A handle without on_lost is lost like any other, and tells nobody.",
        &[("untold", &[])],
    ),
    (
        "past_the_deadline_it_is_lost_without_asking",
        "renew() looks at the clock first: from the deadline on the handle is lost, and the service is not asked.",
        &[
            ("idle", &[]),
            ("simple", &[wake(0, Pause(TTL_US))]),
            ("simple", &[wake(1, Pause(TTL_US))]),
            ("work", &[wake(0, Pause(2 * TTL_US))]),
            ("unsure", &[renewal(0, Pause(TTL_US))]),
        ],
    ),
    (
        "an_answer_past_the_deadline_comes_too_late",
        "If the deadline passes while a renewal is under way, the handle is lost, whatever the answer is.",
        &[
            ("last_moment", &[renewal(0, HALF)]),
            ("last_moment", &[renewal(0, LoseRequest)]),
            ("last_moment", &[renewal(0, LoseReply)]),
            ("last_moment", &[renewal(0, Pause(SECOND_US / 4))]),
            ("last_moment", &[]),
            ("last_second", &[renewal(0, LoseRequest)]),
        ],
    ),
    (
        "release_past_the_deadline_finds_it_lost",
        "Work that took longer than the lease was not protected: release() finds the handle lost, and on_lost tells.",
        &[("idle_release", &[]), ("overslept", &[]), ("simple", &[wake(2, Pause(TTL_US))])],
    ),
    (
        "lost_is_told_once",
        "on_lost is called once for a handle that is lost, however many tasks find out.",
        &[
            ("both_rejected", &[]),
            ("both_rejected", &[renewal(0, SLOW)]),
            ("both_rejected", &[renewal(0, LoseReply)]),
            ("idle", &[]),
            ("freed", &[]),
        ],
    ),
    (
        "a_success_that_was_under_way_revives_nothing",
        "Lost and released are for good: a renewal that succeeds afterwards returns False and changes nothing.",
        &[
            ("success_after_loss", &[renewal(0, SLOW)]),
            ("success_after_release", &[]),
            ("success_after_release", &[renewal(0, SLOW)]),
        ],
    ),
    (
        "no_loss_is_told_after_release",
        "A renewal that is rejected or fails after release() changes nothing, and nothing is told.",
        &[
            ("success_after_release", &[renewal(0, Pause(SECOND_US))]),
            ("success_after_release", &[renewal(0, LoseRequest)]),
            ("crossing", &[]),
            ("crossing", &[renewal(0, SLOW)]),
            ("crossing", &[renewal(0, LoseReply)]),
            ("release_beside_renewal", &[]),
            ("release_beside_renewal", &[renewal(0, SLOW)]),
        ],
    ),
    (
        "over_asks_for_nothing",
        "renew() of a handle that is not held is False at once, without a call to the service; so is another release().",
        &[("freed", &[]), ("twice", &[]), ("unasked", &[]), ("idle", &[]), ("refused_and_asked", &[])],
    ),
    (
        "released_from_the_call_on",
        "release() makes the handle released before it asks, so that nobody relies on the lock while the answer is to come.",
        &[
            ("release_under_way", &[]),
            ("release_under_way", &[release(0, SLOW)]),
            ("release_under_way", &[release(0, LoseReply)]),
        ],
    ),
    (
        "release_is_sent_once",
        "Released twice, one after the other or by two tasks at once: the service is asked once.",
        &[
            ("twice", &[]),
            ("both_release", &[]),
            ("both_release", &[release(0, SLOW)]),
            ("both_release", &[release(0, LoseReply)]),
            ("twice", &[release(0, LoseReply)]),
            ("block_left_early", &[]),
        ],
    ),
    (
        "released_whatever_the_answer",
        "A release that is rejected, that is cancelled or whose answer is lost ends the handle all the same.",
        &[
            ("simple", &[release(0, LoseReply)]),
            ("simple", &[release(0, LoseRequest)]),
            ("freed_release", &[]),
            ("freed_release", &[release(1, LoseReply)]),
            ("cancelled_release", &[]),
        ],
    ),
    (
        "is_held_only_looks",
        "is_held() and state change nothing, ask nobody and tell nobody, past the deadline too.",
        &[("looks", &[]), ("idle", &[]), ("idle_release", &[])],
    ),
    (
        "a_refused_lock_keeps_the_block_from_running",
        "async with runs its block only while it holds the lock: otherwise it raises NotAcquired, or the error.",
        &[("refused_block", &[]), ("blocks", &[acquire(LoseReply)]), ("blocks", &[acquire(Pause(2 * TTL_US))])],
    ),
    (
        "the_block_gives_the_lock_back",
        "However the block ends, the lock is released.",
        &[("blocks", &[]), ("body_fails", &[]), ("body_cancelled", &[]), ("block_left_early", &[]), ("rivals", &[])],
    ),
    (
        "the_error_of_the_body_comes_through",
        "An error in the block reaches the caller, whatever goes wrong with the release.",
        &[
            ("body_fails", &[]),
            ("body_fails", &[release(0, LoseReply)]),
            ("body_fails", &[release(0, LoseRequest)]),
            ("storage_fails", &[]),
            ("storage_fails", &[release(0, LoseReply)]),
            ("nested_refused", &[]),
            ("body_cancelled", &[release(0, LoseReply)]),
            ("body_fails_after_loss", &[]),
            ("body_fails_after_unseen_loss", &[]),
            ("body_fails", &[wake(0, Pause(2 * TTL_US))]),
        ],
    ),
    (
        "a_failing_release_spoils_no_good_block",
        "A block that ended well raises nothing on leaving, whatever goes wrong with the release.",
        &[
            ("blocks", &[release(0, LoseReply)]),
            ("blocks", &[release(0, LoseRequest)]),
            ("block_after_loss", &[]),
            ("block_after_unseen_loss", &[]),
            ("overslept", &[]),
        ],
    ),
    (
        "the_wall_clock_does_not_matter",
        "Deadlines come from the monotonic clock; the wall clock may step either way.",
        &[
            ("simple", &[wake(0, StepWall(HOUR))]),
            ("simple", &[wake(1, StepWall(-HOUR))]),
            ("simple", &[renewal(0, StepWall(HOUR))]),
            ("idle", &[wake(0, StepWall(-HOUR))]),
        ],
    ),
];
