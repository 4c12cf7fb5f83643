//! Kata 5: `Renewer(service, clock, grant, asked_at, on_lost)` with `async run()`, `stop()` and `is_held()`.
//!
//! What the task leaves open is allowed in every reading: whether the pause between two renewals counts from the
//! request or from the answer, how soon a failed one is tried again, how many transport errors in a row are borne beyond the
//! first, whether an answer that comes after the deadline is taken, giving up within the last second, and whether a loss is
//! still told that is there, or may be, when stop() is called (the lease is lost by its deadline, though no task has had its
//! turn, and after a loss stop() does nothing).

pub(super) mod properties;

use super::Suite;
use super::runner::{self, Kata, Options, Test};
use super::worlds::{self, Plan, Reach, Scenario, WorldHunt, WorldLab};
use crate::explore::replay::{BadReplay, Replay};
use crate::model::lock_service::LockService;
use crate::model::storage_gate::StorageGate;
use crate::python::{Problem, Program, Python};
use crate::sim::disturbance::Disturbance::{DelayReply, LoseReply, LoseRequest, Partition, Pause, StepWall};
use crate::sim::disturbance::{Cue, Disturbance, Faults};
use crate::sim::property::Property;
use crate::sim::server::Server;
use crate::sim::servers::{LockServer, StorageServer};
use crate::sim::world::Settings;
use crate::time::SECOND_US;
use properties::{Jitter, KeepsTrying, NoHail, NoLateRenewal, NoNeedlessLoss, Pace, RenewalsEnd, ToldInTime};

/// The suite.
pub const SUITE: Suite = runner::suite::<RenewalDaemon>("Renewer: keeps a lease alive and says when it is lost", "");

/// The kata.
pub struct RenewalDaemon;

const TTL_US: u64 = 10 * SECOND_US;

const SETTINGS: Settings = Settings {
    clients: 1,
    horizon_us: 60 * SECOND_US,
    ttl_us: TTL_US,
    faults: Faults {
        pauses: true,
        wall_steps: true,
        lost_requests: true,
        lost_replies: true,
        delays: true,
        ..Faults::NONE
    },
    ..Settings::DEFAULT
};

const CALM: Settings = Settings { horizon_us: 11_000 * SECOND_US, faults: Faults::NONE, ..SETTINGS };
const PAIR: Settings = Settings { clients: 2, ..SETTINGS };

const fn scenario(about: &'static str, start: &'static str, settings: Settings) -> Scenario {
    Scenario { about, start, settings, servers, properties }
}

const ONE: usize = 0;
const RIVALS: usize = 1;
const LONG: usize = 2;
const SHORT: usize = 3;
const NOTHING: usize = 4;
const UNDER_WAY: usize = 5;
const FREED: usize = 6;
const FREED_UNDER_WAY: usize = 7;
const LATE: usize = 8;
const BRINK: usize = 9;
const ODD: usize = 10;
const PACE: usize = 11;
const JITTER: usize = 12;
const LATE_WRITE: usize = 13;

static SCENARIOS: [Scenario; 14] = [
    scenario("one client holds the lock for 14 s", "one", SETTINGS),
    scenario("two clients want the lock, one after the other", "rivals", PAIR),
    scenario("one client holds the lock for a thousand ttl", "long", CALM),
    scenario("one client is done before the first renewal", "short", SETTINGS),
    scenario("one client is done before run() has begun", "nothing", SETTINGS),
    scenario("one client is done while a renewal is under way", "stop_under_way", SETTINGS),
    scenario("an operator frees the lock of a client that works", "freed", SETTINGS),
    scenario("one client is done while a renewal is under way that will be rejected", "stop_under_way_freed", SETTINGS),
    scenario("one client sleeps between the grant and the renewer", "late", SETTINGS),
    scenario("one client asks at the very deadline", "brink", SETTINGS),
    Scenario { properties: Vec::new, ..scenario("one client holds the lock with a ttl of 2.25 s", "odd", CALM) },
    Scenario { properties: pace, ..scenario("one client holds the lock for thirty ttl", "thirty", CALM) },
    Scenario {
        properties: jitter,
        ..scenario("two clients hold a lock each for thirty ttl", "thirty", Settings { clients: 2, ..CALM })
    },
    Scenario {
        servers: with_storage,
        ..scenario("two clients take the lock and write, one after the other", "late_write", PAIR)
    },
];

/// The worlds that the search goes through: the first. It has all that can go wrong; others add length and company.
const SEARCHED: usize = 1;

fn servers() -> Vec<Box<dyn Server>> {
    vec![Box::new(LockServer::new(LockService::new(7)))]
}

fn with_storage() -> Vec<Box<dyn Server>> {
    vec![Box::new(LockServer::new(LockService::new(7))), Box::new(StorageServer::new(StorageGate::default()))]
}

fn properties() -> Vec<Box<dyn Property>> {
    vec![
        Box::<ToldInTime>::default(),
        Box::<RenewalsEnd>::default(),
        Box::<NoLateRenewal>::default(),
        Box::<NoNeedlessLoss>::default(),
        Box::<KeepsTrying>::default(),
        Box::<NoHail>::default(),
    ]
}

fn pace() -> Vec<Box<dyn Property>> {
    vec![Box::<Pace>::default()]
}

fn jitter() -> Vec<Box<dyn Property>> {
    vec![Box::<Jitter>::default()]
}

impl Kata for RenewalDaemon {
    const SLUG: &'static str = "renewal-daemon";
    const SEARCH: &'static str = "no_few_disturbances_break_it";
    const LOADED: &'static str = "The file loads and defines Renewer.";
    const TICKS: u64 = 2_500_000;
    type Trial = WorldLab;
    type Hunt = WorldHunt;

    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem> {
        let module = program.run(py)?;
        runner::offers_methods(py, program, &module, "Renewer", &["run", "stop", "is_held"])
    }

    fn trial(py: &Python<'_>, program: Program) -> WorldLab {
        WorldLab::new(py, program, include_str!("renewal_daemon/driver.py"), &SCENARIOS)
    }

    fn tests() -> Vec<Test<Plan>> {
        worlds::tests(TESTS, |world| world)
    }

    fn hunt(_: &Python<'_>, _: &mut WorldLab, options: &Options) -> WorldHunt {
        WorldHunt::new(SEARCHED, Reach { bound: 2, most: 4_000, drawn: 200 }, options)
    }

    fn schedule(replay: Replay) -> Result<Plan, BadReplay> {
        worlds::plan(replay, &SCENARIOS)
    }
}

const RENEW: &str = "locks.renew";
const HALF: u64 = SECOND_US / 2;

/// Something goes wrong with the nth renewal, from 0.
const fn renewal(nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about: RENEW, nth, what }
}

/// Something happens where a task of the process goes on after sleeping, the nth time, from 0.
const fn wake(nth: u32, what: Disturbance) -> Cue {
    Cue { client: 0, about: "wake", nth, what }
}

const fn acquire(what: Disturbance) -> Cue {
    Cue { client: 0, about: "locks.acquire", nth: 0, what }
}

/// The second renewal goes out so many quarters of a second late, and then something happens to it. It was due 3 to 4
/// seconds after the first, so among 22 to 28 quarters some bring it to within half a second of the deadline.
const fn late_renewal(quarters: u64, what: Disturbance) -> [Cue; 2] {
    [renewal(1, Pause(quarters * SECOND_US / 4)), renewal(1, what)]
}

const HOUR: i64 = 3600 * SECOND_US as i64;

/// The named tests.
const TESTS: &[worlds::Named<usize>] = &[
    (
        "a_healthy_lease_never_dies_over_1000_ttl",
        "As long as renewals succeed, the lease goes on: each one moves the deadline.",
        &[(LONG, &[])],
    ),
    ("a_fractional_ttl_is_kept", "Whatever the ttl is, the lease is kept by it.", &[(ODD, &[])]),
    (
        "renewals_come_about_every_third_of_the_ttl",
        "Between two renewals pass a third of the ttl, give or take a tenth of it.",
        &[(PACE, &[])],
    ),
    (
        "renewals_are_spread_by_chance",
        "The pause is drawn anew each time, so that renewers which began together do not go on together.",
        &[(JITTER, &[])],
    ),
    (
        "one_failed_attempt_is_survived",
        "A renewal whose request or reply is lost is tried again before the deadline.",
        &[
            (ONE, &[renewal(0, LoseRequest)]),
            (ONE, &[renewal(2, LoseRequest)]),
            (ONE, &[renewal(0, LoseReply)]),
            (ONE, &[renewal(1, DelayReply(2 * TTL_US))]),
            (ONE, &[renewal(1, DelayReply(HALF))]),
        ],
    ),
    (
        "failures_do_not_add_up_over_successes",
        "A renewal that succeeds wipes out the failures before it.",
        &[(
            LONG,
            &[
                renewal(0, LoseRequest),
                renewal(3, LoseReply),
                renewal(6, LoseRequest),
                renewal(9, LoseReply),
                renewal(12, LoseRequest),
                renewal(15, LoseReply),
                renewal(18, LoseRequest),
                renewal(21, LoseReply),
                renewal(24, LoseRequest),
                renewal(27, LoseReply),
                renewal(30, LoseRequest),
                renewal(33, LoseReply),
            ],
        )],
    ),
    (
        "a_rejected_renewal_is_a_loss_at_once",
        "When the service says that the grant is over, on_lost is called then, not at the deadline.",
        &[(FREED, &[]), (FREED, &[renewal(1, DelayReply(HALF))]), (FREED, &[renewal(1, LoseReply)])],
    ),
    (
        "a_lease_that_can_not_be_renewed_is_lost_at_its_deadline",
        "When no renewal gets through, the lease is lost at the latest when its deadline passes.",
        &[
            (ONE, &[renewal(0, Partition(3 * TTL_US))]),
            (ONE, &[renewal(1, Partition(3 * TTL_US))]),
            (BRINK, &[renewal(0, Partition(3 * TTL_US))]),
            // The service hears every renewal, and its answers are lost.
            (
                ONE,
                &[
                    renewal(1, LoseReply),
                    renewal(2, LoseReply),
                    renewal(3, LoseReply),
                    renewal(4, LoseReply),
                    renewal(5, LoseReply),
                    renewal(6, LoseReply),
                    renewal(7, LoseReply),
                    renewal(8, LoseReply),
                    renewal(9, LoseReply),
                ],
            ),
        ],
    ),
    (
        "a_slow_answer_does_not_lengthen_the_lease",
        "The deadline counts from when the request was sent, however late the answer comes.",
        &[
            (ONE, &[renewal(0, DelayReply(9 * SECOND_US / 10)), renewal(1, Partition(3 * TTL_US))]),
            (ONE, &[acquire(DelayReply(9 * SECOND_US / 10)), renewal(0, Partition(3 * TTL_US))]),
        ],
    ),
    (
        "the_deadline_holds_while_a_renewal_is_under_way",
        "Lost at the latest when the deadline passes, also while an answer is still to come.",
        &[
            (ONE, &late_renewal(22, LoseRequest)),
            (ONE, &late_renewal(23, LoseRequest)),
            (ONE, &late_renewal(24, LoseRequest)),
            (ONE, &late_renewal(25, LoseRequest)),
            (ONE, &late_renewal(26, LoseRequest)),
            (ONE, &late_renewal(27, LoseRequest)),
            (ONE, &late_renewal(28, LoseRequest)),
        ],
    ),
    (
        "a_late_success_does_not_revive_it",
        "Lost is for good: a renewal that succeeds after the loss brings nothing back.",
        &[
            (ONE, &late_renewal(22, DelayReply(HALF))),
            (ONE, &late_renewal(23, DelayReply(HALF))),
            (ONE, &late_renewal(24, DelayReply(HALF))),
            (ONE, &late_renewal(25, DelayReply(HALF))),
            (ONE, &late_renewal(26, DelayReply(HALF))),
            (ONE, &late_renewal(27, DelayReply(HALF))),
            (ONE, &late_renewal(28, DelayReply(HALF))),
        ],
    ),
    (
        "a_pause_past_the_ttl_is_a_loss",
        "After a pause that outlasts the lease it is lost, without asking: is_held() says so at once, on_lost is called.",
        &[
            // The whole story: pause, expiry, takeover, and a write that comes too late.
            (LATE_WRITE, &[Cue { client: 0, about: "storage.write", nth: 0, what: Pause(2 * TTL_US) }]),
            (ONE, &[wake(0, Pause(TTL_US))]),
            (ONE, &[wake(1, Pause(TTL_US))]),
            (ONE, &[wake(2, Pause(TTL_US))]),
            (ONE, &[wake(3, Pause(TTL_US))]),
            (ONE, &[wake(4, Pause(3 * TTL_US))]),
            (ONE, &[renewal(1, Pause(3 * TTL_US))]),
            (RIVALS, &[wake(0, Pause(2 * TTL_US))]),
            (LATE, &[]),
        ],
    ),
    (
        "a_pause_within_the_ttl_is_none",
        "A pause that leaves time to renew costs nothing.",
        &[
            (ONE, &[wake(0, Pause(2 * SECOND_US))]),
            (ONE, &[wake(1, Pause(2 * SECOND_US))]),
            (ONE, &[wake(0, Pause(5 * SECOND_US))]),
            (ONE, &[wake(1, Pause(5 * SECOND_US))]),
            (ONE, &[wake(2, Pause(5 * SECOND_US))]),
            (ONE, &[renewal(1, Pause(2 * SECOND_US))]),
        ],
    ),
    (
        "nothing_renews_after_stop",
        "stop() ends the renewals, and run() returns. Nothing is told after it.",
        &[(SHORT, &[]), (ONE, &[]), (NOTHING, &[])],
    ),
    (
        "stop_during_a_renewal_ends_it",
        "When stop() falls into a renewal that is under way, its outcome changes nothing any more.",
        &[
            (UNDER_WAY, &[]),
            (UNDER_WAY, &[renewal(1, LoseRequest)]),
            (UNDER_WAY, &[renewal(1, LoseReply)]),
            (UNDER_WAY, &[renewal(1, DelayReply(HALF))]),
            (FREED_UNDER_WAY, &[]),
            (FREED_UNDER_WAY, &[renewal(1, DelayReply(HALF))]),
        ],
    ),
    (
        "the_wall_clock_does_not_matter",
        "Deadlines come from the monotonic clock; the wall clock may step either way.",
        &[
            (ONE, &[wake(0, StepWall(HOUR))]),
            (ONE, &[wake(1, StepWall(-HOUR))]),
            (ONE, &[renewal(1, StepWall(HOUR))]),
            (ONE, &[wake(1, StepWall(-HOUR)), renewal(1, Partition(3 * TTL_US))]),
        ],
    ),
];
