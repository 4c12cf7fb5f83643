//! Kata 5: `Renewer(service, clock, grant, asked_at, on_lost)` with `async run()`, `stop()` and `is_held()`.
//!
//! What the task leaves open is allowed in every reading: how often exactly it renews, how many transport errors in a
//! row it bears while the deadline is far, how close to the deadline it gives up.

use super::Suite;
use super::runner::{self, Kata, Options, Test};
use super::worlds::{self, Plan, Reach, Scenario, What, WorldHunt, WorldLab};
use crate::explore::replay::{BadReplay, Replay};
use crate::model::lock_service::LockService;
use crate::python::{Problem, Program, Python};
use crate::sim::disturbance::{Cue, Disturbance, Faults};
use crate::sim::property::{Property, Violation};
use crate::sim::rules::{LossIsTold, RenewalsEnd};
use crate::sim::server::Server;
use crate::sim::servers::LockServer;
use crate::sim::world::{Settings, TICK_US};
use crate::time::{SECOND_US, seconds};
use crate::trace::{Call, Event, Happening, Reply};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

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

const ONE: usize = 0;
const RIVALS: usize = 1;
const LONG: usize = 2;
const SHORT: usize = 3;

static SCENARIOS: [Scenario; 4] = [
    Scenario { about: "one client holds the lock for 14 s", start: "one", settings: SETTINGS, servers, properties },
    Scenario {
        about: "two clients want the lock, one after the other",
        start: "rivals",
        settings: Settings { clients: 2, ..SETTINGS },
        servers,
        properties,
    },
    Scenario {
        about: "one client holds the lock for a thousand ttl",
        start: "long",
        settings: Settings { horizon_us: 11_000 * SECOND_US, faults: Faults::NONE, ..SETTINGS },
        servers,
        properties,
    },
    Scenario {
        about: "one client is done before the first renewal",
        start: "short",
        settings: SETTINGS,
        servers,
        properties,
    },
];

/// The worlds that the search goes through: not the long one.
const SEARCHED: usize = 2;

fn servers() -> Vec<Box<dyn Server>> {
    vec![Box::new(LockServer::new(LockService::new(7)))]
}

fn properties() -> Vec<Box<dyn Property>> {
    vec![
        Box::new(LossIsTold::new(2 * TICK_US)),
        Box::new(RenewalsEnd::default()),
        Box::new(NoLateRenewal::default()),
        Box::new(NoNeedlessLoss::default()),
        Box::new(Cadence::default()),
    ]
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
        let class = module.get(py, "Renewer")?;
        for method in ["run", "stop", "is_held"] {
            if !class.has_method(py, method) {
                return Err(Problem::missing(format!("Renewer has no method {method}. The task names it.")));
            }
        }
        Ok(())
    }

    fn trial(py: &Python<'_>, program: Program) -> WorldLab {
        WorldLab::new(py, program, include_str!("renewal_daemon/driver.py"), &SCENARIOS)
    }

    fn tests() -> Vec<Test<Plan>> {
        let script = |world, cues| Plan { world, what: What::Script(cues) };
        TESTS
            .iter()
            .map(|(name, rule, runs)| Test {
                name,
                rule,
                schedules: runs.iter().map(|(world, cues)| script(*world, cues)).collect(),
            })
            .collect()
    }

    fn hunt(_: &Python<'_>, _: &mut WorldLab, options: &Options) -> WorldHunt {
        WorldHunt::new(SEARCHED, Reach { bound: 2, most: 4_000, drawn: 200 }, options)
    }

    fn schedule(replay: Replay) -> Result<Plan, BadReplay> {
        worlds::plan(replay, &SCENARIOS)
    }
}

const fn cue(client: usize, about: &'static str, nth: u32, what: Disturbance) -> Cue {
    Cue { client, about, nth, what }
}

const RENEW: &str = "locks.renew";

type Runs = &'static [(usize, &'static [Cue])];

/// The named tests: name, rule, and the worlds with what goes wrong in them.
const TESTS: &[(&str, &str, Runs)] = &[
    (
        "a_healthy_lease_never_dies_over_1000_ttl",
        "As long as renewals succeed, the lease goes on: each one moves the deadline.",
        &[(ONE, &[]), (LONG, &[])],
    ),
    (
        "one_failed_attempt_is_survived",
        "A renewal whose request or reply is lost is tried again before the deadline.",
        &[
            (ONE, &[cue(0, RENEW, 0, Disturbance::LoseRequest)]),
            (ONE, &[cue(0, RENEW, 2, Disturbance::LoseRequest)]),
            (ONE, &[cue(0, RENEW, 0, Disturbance::LoseReply)]),
            (ONE, &[cue(0, RENEW, 1, Disturbance::DelayReply(SECOND_US / 2))]),
        ],
    ),
    (
        "nothing_renews_after_stop",
        "stop() ends the renewals, also one that was about to be sent, and run() returns.",
        &[
            (SHORT, &[]),
            (ONE, &[]),
            // The work ends while a renewal is under way.
            (ONE, &[cue(0, RENEW, 6, Disturbance::LoseReply)]),
        ],
    ),
    (
        "a_pause_past_the_ttl_is_a_loss",
        "After a pause that outlasts the lease the handle is lost: is_held() says so at once, on_lost is called once.",
        &[
            (ONE, &[cue(0, "wake", 1, Disturbance::Pause(TTL_US))]),
            (ONE, &[cue(0, RENEW, 1, Disturbance::Pause(3 * TTL_US))]),
            (RIVALS, &[cue(0, RENEW, 0, Disturbance::Pause(2 * TTL_US))]),
        ],
    ),
    (
        "a_pause_within_the_ttl_is_none",
        "A pause that leaves time to renew costs nothing.",
        &[(ONE, &[cue(0, "wake", 1, Disturbance::Pause(2 * SECOND_US))])],
    ),
    (
        "a_lease_that_can_not_be_renewed_is_lost_at_its_deadline",
        "When no renewal gets through, the handle is lost at the latest when its deadline passes.",
        &[(ONE, &[cue(0, RENEW, 0, Disturbance::Partition(3 * TTL_US))])],
    ),
    (
        "the_wall_clock_does_not_matter",
        "Deadlines come from the monotonic clock; the wall clock may step either way.",
        &[
            (ONE, &[cue(0, "wake", 0, Disturbance::StepWall(3600 * SECOND_US as i64))]),
            (ONE, &[cue(0, "wake", 1, Disturbance::StepWall(-3600 * SECOND_US as i64))]),
        ],
    ),
];

/// No renewal is sent once the lease is over by the service's view: a look at the monotonic clock would have told.
#[derive(Debug, Default)]
struct NoLateRenewal(BTreeMap<usize, (u64, usize)>);

impl Property for NoLateRenewal {
    fn rule(&self) -> &'static str {
        "no late renewal"
    }

    fn sentence(&self) -> &'static str {
        "Before each attempt the deadline is looked at: too close, and the handle is lost without asking."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        match &event.what {
            Happening::Expired { client, .. } => {
                self.0.insert(*client, (event.at_us, index));
            }
            Happening::Served { client, reply: Reply::Granted { .. }, .. } => {
                self.0.remove(client);
            }
            Happening::Called { client, call: Call::Renew { name, .. } } => {
                // A pause between the look and the call is not the code's doing.
                let decided_us = event.decided_us.unwrap_or(event.at_us);
                if let Some((over, expiry)) = self.0.get(client).filter(|(over, _)| decided_us >= *over) {
                    let at = seconds(event.at_us);
                    let message =
                        format!("At {at} a renewal of {name} was sent, whose lease was over at {}.", seconds(*over));
                    return Err(Violation::new(message, [*expiry]));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.iter().for_each(|(client, (over, _))| (client, over).hash(&mut hasher));
    }
}

/// A lease is not given up while it can still be renewed: not without two attempts that failed, a rejection, or a
/// deadline so close that nothing would come back in time.
#[derive(Debug, Default)]
struct NoNeedlessLoss(BTreeMap<usize, Knows>);

/// What a client's process can know of its lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Knows {
    /// When the last acquire or renewal that succeeded was sent.
    sent: u64,
    success: u64,
    failures: u32,
    /// The loss is told by the service, or may be assumed.
    rejected: bool,
}

impl Property for NoNeedlessLoss {
    fn rule(&self) -> &'static str {
        "no needless loss"
    }

    fn sentence(&self) -> &'static str {
        "A lease that is renewed in time is not lost, and one failed attempt is retried."
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        match &event.what {
            Happening::Called { client, call: Call::Acquire { .. } | Call::Renew { .. } } => {
                // What the code can know is when it decided to ask.
                self.0.entry(*client).or_default().sent = event.decided_us.unwrap_or(event.at_us);
            }
            Happening::Answered { client, reply, .. } => {
                let knows = self.0.entry(*client).or_default();
                match reply {
                    Reply::Granted { .. } => {
                        *knows = Knows { success: knows.sent, sent: knows.sent, ..Knows::default() }
                    }
                    // An answer that comes after the deadline may be taken or not: the handle may be lost by then.
                    Reply::Renewed { .. } => {
                        knows.rejected |= event.at_us >= knows.success + TTL_US;
                        (knows.success, knows.failures) = (knows.sent, 0);
                    }
                    Reply::NotRenewed => knows.rejected = true,
                    Reply::TimedOut => knows.failures += 1,
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn noted(&mut self, note: &crate::sim::property::Note<'_>) -> Result<(), Violation> {
        let Some(knows) = self.0.get(&note.client).filter(|_| note.kind == "lost") else { return Ok(()) };
        // Two failures, or less than a third of the lease left: then it is a matter of taste.
        let close = note.at_us + TTL_US / 3 >= knows.success + TTL_US;
        if knows.rejected || knows.failures >= 2 || close {
            return Ok(());
        }
        let failures = match knows.failures {
            0 => "no renewal had failed",
            _ => "one renewal had failed",
        };
        let message = format!(
            "At {} on_lost was called, although {failures} and the lease was sure to run until {}.",
            seconds(note.at_us),
            seconds(knows.success + TTL_US)
        );
        Err(Violation::new(message, [note.index]))
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}

/// Renewals come about every third of the ttl: not in a hail, and not so late that a failure can't be retried.
#[derive(Debug, Default)]
struct Cadence(BTreeMap<usize, (u64, u32)>);

impl Property for Cadence {
    fn rule(&self) -> &'static str {
        "cadence"
    }

    fn sentence(&self) -> &'static str {
        "Renew about every third of the ttl, a little more or less by chance."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        let Happening::Called { client, call: Call::Renew { name, .. } } = &event.what else { return Ok(()) };
        let (since, count) = self.0.entry(*client).or_insert((event.at_us, 0));
        if event.at_us >= *since + TTL_US {
            (*since, *count) = (event.at_us, 0);
        }
        *count += 1;
        // Three a ttl are due; twice that and more in a row is a hail, however many of them failed.
        if *count > 12 {
            let message = format!("{name} was renewed {count} times within one ttl from {} on.", seconds(*since));
            return Err(Violation::new(message, [index]));
        }
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}
