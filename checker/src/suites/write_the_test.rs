//! Kata 11: the roles are turned. The learner writes a fake lock service and `check(make_service, seed)`, a test that has
//! to complain of our wrong lock services and to leave our right ones in peace.
//!
//! The services under test are native ([`locks`]): from Python nothing can be seen of them but what they answer. Every
//! one of them is run with two seeds, the wrong ones in two readings of what the contract leaves open. What counts is
//! whether `check` raised.

mod heard;
mod locks;

use super::runner::{LOADS, Options, Progress};
use super::sequential::Processes;
use super::{Findings, ReplayError, Suite};
use crate::explore::replay::Replay;
use crate::python::{Arg, Driver, Exception, Module, Object, Problem, ProblemKind, Program, Python, Value};
use crate::random::split_mix;
use crate::report::{Outcome, Score, TestReport};
use crate::signs;
use crate::trace::{Call, Reply, Trace};
use heard::{Asked, Heard, complained, micros};
use locks::{Bug, LEVELS, Level, RIGHT, Reading, Service, Wrong};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The suite.
pub const SUITE: Suite = Suite {
    kata: "write-the-test",
    task: "FakeClock, FakeLockService and a test that catches wrong locks",
    in_output: "Of the calls of check, only those on your fake and on right services are heard.",
    tests: names,
    check,
    replay,
    deeper,
};

/// How many ticks one call of `check` may take; the starter names the number.
const TICKS_PER_CHECK: u64 = 150_000;
/// The same where it is called with the learner's own fake, whose work counts as well.
const TICKS_WITH_THE_FAKE: u64 = 4 * TICKS_PER_CHECK;
/// How many all tests together may take.
const TICKS: u64 = 4_500_000;
/// After so many checks that were stopped, more of the same tells nothing new.
const MOST_STOPS: u32 = 3;

const DRIVER: &str = include_str!("write_the_test/fake.py");

/// A test of the fake: its name, the driver's function, the rule.
type FakeTest = (&'static str, &'static str, &'static str);

const FAKE_TESTS: [FakeTest; 9] = [
    (
        "the_fake_clock_moves_only_when_told",
        "clock_moves_only_when_told",
        "The clock stands still until advance() moves it, and never goes back.",
    ),
    (
        "the_fake_grants_what_is_free_and_nothing_else",
        "grants_what_is_free",
        "The fake grants a free lock and refuses a held one, whoever asks, and refusals change nothing.",
    ),
    (
        "the_fake_ends_a_lease_at_its_expiry",
        "ends_leases_at_their_expiry",
        "The fake's leases are over at the instant of their expiry, and not before.",
    ),
    (
        "the_fakes_fencing_tokens_grow_with_every_grant",
        "fencing_tokens_grow",
        "The fake's fencing tokens grow from grant to grant, whatever the name.",
    ),
    (
        "the_fakes_ownership_tokens_are_drawn_anew",
        "ownership_tokens_are_drawn",
        "The fake draws a new ownership token for every grant.",
    ),
    (
        "the_fake_renews_only_the_grant_that_holds",
        "renews_only_the_grant_that_holds",
        "The fake renews the grant that holds the lock, to now plus ttl, and no other.",
    ),
    (
        "the_fake_releases_only_the_grant_that_holds",
        "releases_only_the_grant_that_holds",
        "The fake frees the lock for the grant that holds it and for no other.",
    ),
    (
        "a_lost_request_changes_nothing",
        "a_lost_request_changes_nothing",
        "A call whose request is lost raises TransportError and changes nothing.",
    ),
    (
        "a_lost_reply_is_done_all_the_same",
        "a_lost_reply_is_done_all_the_same",
        "A call whose reply is lost raises TransportError and is done.",
    ),
];

const AGREES: FakeTest = (
    "the_fake_agrees_with_a_right_service",
    "agrees_with_a_right_service",
    "In 60 schedules of 25 calls the fake and a right service gave the same answers.",
);

const SPARES_THE_FAKE: &str = "check_spares_your_own_fake";
const SPARES: &str = "check_spares_right_services";
const SAME_CALLS: &str = "the_same_seed_makes_the_same_calls";

fn names() -> Vec<&'static str> {
    let fake = FAKE_TESTS.iter().chain([&AGREES]).map(|test| test.0);
    let levels = LEVELS.iter().map(|level| level.test);
    [LOADS].into_iter().chain(fake).chain([SPARES_THE_FAKE, SPARES, SAME_CALLS]).chain(levels).collect()
}

fn check(py: &Python<'_>, source: &str, options: &Options, _: Progress<'_>) -> Findings {
    let (driver, program) = match load(py, source) {
        Ok(loaded) => loaded,
        Err(problem) => {
            let rest = names().into_iter().skip(1);
            let rest = rest.map(|name| TestReport::not_run(name, "Not run: the file did not load."));
            return (std::iter::once(TestReport::problem(LOADS, &problem)).chain(rest).collect(), None);
        }
    };
    py.give_suite_budget(TICKS);
    let loaded = "The file loads, and FakeClock, FakeLockService and check are there.";
    let mut bench = Bench { processes: Processes::new(program), seed: options.seed, stops: 0, first: None };
    let mut tests = vec![TestReport::passed(LOADS, loaded, None)];
    let mut add = |name: &str, test: &mut dyn FnMut() -> TestReport| {
        signs::begins(name);
        tests.push(test());
        tests.last().into_iter().for_each(signs::ended);
    };
    for test in FAKE_TESTS.iter().chain([&AGREES]) {
        add(test.0, &mut || bench.of_the_fake(py, &driver, test));
    }
    add(SPARES_THE_FAKE, &mut || bench.spares_the_fake(py));
    let mut score = Score::default();
    add(SPARES, &mut || bench.spares_right_ones(py, &mut score));
    add(SAME_CALLS, &mut || bench.makes_the_same_calls(py));
    for level in LEVELS.iter() {
        add(level.test, &mut || bench.level(py, level, &mut score));
    }
    (tests, Some(score))
}

fn replay(_: &Python<'_>, _: &str, _: Replay) -> Result<TestReport, ReplayError> {
    Err(ReplayError::Nothing)
}

fn deeper(_: &Python<'_>, _: &str, _: &Options) -> Result<Box<dyn super::Deeper>, Problem> {
    Err(Problem::missing("In this kata it is your test that searches: there is nothing to search deeper."))
}

/// Compiles and runs the file and looks whether what the task names is there.
fn load(py: &Python<'_>, source: &str) -> Result<(Driver, Program), Problem> {
    // Before learner code has run at all.
    let driver = py.run_driver(DRIVER)?;
    let program = py.compile(source)?;
    py.output_under(LOADS, || {
        let module = program.run(py)?;
        let clock = module.get(py, "FakeClock")?.call(py, &[])?;
        if !clock.has_method(py, "advance") {
            return Err(Problem::missing("FakeClock has no method advance. The task names it."));
        }
        let service = module.get(py, "FakeLockService")?.call(py, &[Arg::Object(&clock)])?;
        let methods = ["acquire", "renew", "release", "lose_next_request", "lose_next_reply"];
        if let Some(method) = methods.iter().find(|method| !service.has_method(py, method)) {
            return Err(Problem::missing(format!("FakeLockService has no method {method}. The task names it.")));
        }
        module.get(py, "check").map(|_| ())
    })?;
    Ok((driver, program))
}

/// The learner's file, and what is known of it.
struct Bench {
    processes: Processes,
    seed: u64,
    /// How often it was stopped.
    stops: u32,
    /// The calls that it made of the first right service.
    first: Option<u64>,
}

/// What a call of `check` came to.
struct Ran {
    verdict: Verdict,
    /// The calls that it made, as a number.
    calls: u64,
    /// Where the clock of a service went back.
    went_back: Option<(f64, f64)>,
    /// What was said to the last service, and by it.
    heard: Option<Trace>,
}

enum Verdict {
    /// Nothing was raised. What it returned, if that was anything.
    Spared(Option<String>),
    /// It raised.
    Complained(Problem),
    /// Its budget ended.
    Stopped(Problem),
}

impl Bench {
    fn of_the_fake(&mut self, py: &Python<'_>, driver: &Driver, test: &FakeTest) -> TestReport {
        let (name, _, rule) = *test;
        if self.stops >= MOST_STOPS {
            return stopped_too_often(name);
        }
        let mut result = py.output_under(name, || self.ask_driver(py, driver, test));
        if !matches!(result, Ok(None)) {
            // Once more, where nothing has run before.
            self.processes.forget();
            result = py.quietly(|| self.ask_driver(py, driver, test));
            self.processes.forget();
        }
        match result {
            Ok(None) => TestReport::passed(name, rule, None),
            Ok(Some(message)) => TestReport { message, ..TestReport::blank(name, Outcome::Failed) },
            Err(problem) => {
                self.stops += u32::from(problem.kind == ProblemKind::Stopped);
                TestReport::problem(name, &problem)
            }
        }
    }

    /// What the driver's function says against the fake.
    fn ask_driver(&mut self, py: &Python<'_>, driver: &Driver, test: &FakeTest) -> Result<Option<String>, Problem> {
        let module = self.take(py)?;
        let (clock, service) = (module.get(py, "FakeClock")?, module.get(py, "FakeLockService")?);
        let services = Rc::new(Services::default());
        let make = factory(py, RIGHT[0], None, &services);
        let mut args = vec![Arg::Object(&clock), Arg::Object(&service)];
        if test.0 == AGREES.0 {
            args.push(Arg::Object(&make));
        }
        py.set_seed(self.seed);
        let said = driver.get(py, test.1).call_within(py, TICKS_PER_CHECK, &args);
        services.retire();
        self.processes.put(module);
        Ok(match said?.value(py) {
            Value::Str(message) => Some(message),
            _ => None,
        })
    }

    fn take(&mut self, py: &Python<'_>) -> Result<Module, Problem> {
        py.set_time_us(0);
        self.processes.take(py).map_err(|breach| match breach.problem {
            Some(problem) => *problem,
            None => Problem::missing(breach.message),
        })
    }

    /// Calls `check` with a maker of such services; without one, with the learner's own fake.
    fn run(&mut self, py: &Python<'_>, service: Option<(Reading, Option<Bug>)>, seed: u64, ambient: u64) -> Ran {
        let services = Rc::new(Services::default());
        let ticks = if service.is_some() { TICKS_PER_CHECK } else { TICKS_WITH_THE_FAKE };
        let result = self.take(py).and_then(|module| {
            let make = match service {
                Some((reading, bug)) => factory(py, reading, bug, &services),
                None => module.get(py, "FakeLockService")?,
            };
            let check = module.get(py, "check")?;
            py.set_seed(ambient);
            let seed = i64::try_from(self.seed.wrapping_add(seed) & 0x7fff_ffff).unwrap_or_default();
            let result = check.call_within(py, ticks, &[Arg::Object(&make), Arg::Int(seed)]);
            services.retire();
            self.processes.put(module);
            result
        });
        let verdict = match result {
            Ok(returned) => Verdict::Spared(match returned.value(py) {
                Value::None => None,
                _ => Some(returned.describe(py)),
            }),
            Err(problem) if problem.kind == ProblemKind::Stopped => {
                self.stops += 1;
                Verdict::Stopped(in_words(py, problem, ticks))
            }
            Err(problem) => Verdict::Complained(problem),
        };
        let heard = services.heard.take().told();
        Ran { verdict, calls: services.calls.get(), went_back: services.went_back.get(), heard }
    }

    fn spares_the_fake(&mut self, py: &Python<'_>) -> TestReport {
        if self.stops >= MOST_STOPS {
            return stopped_too_often(SPARES_THE_FAKE);
        }
        match py.output_under(SPARES_THE_FAKE, || self.run(py, None, 1, 1)).verdict {
            Verdict::Spared(_) => {}
            Verdict::Stopped(problem) => return TestReport::problem(SPARES_THE_FAKE, &problem),
            Verdict::Complained(problem) => {
                let message = format!(
                    "check(FakeLockService, 1) complained of your own fake: {}\nOne of the two reads the contract wrongly. If \
                     the tests of the fake pass, it is the check.",
                    problem.message
                );
                return alarm(SPARES_THE_FAKE, message, &problem);
            }
        }
        TestReport::passed(SPARES_THE_FAKE, "The check does not complain of the fake that stands beside it.", None)
    }

    fn makes_the_same_calls(&mut self, py: &Python<'_>) -> TestReport {
        if self.stops >= MOST_STOPS {
            return stopped_too_often(SAME_CALLS);
        }
        // In a process of its own, and where all else that is random is different.
        self.processes.forget();
        let second = py.quietly(|| self.run(py, Some((RIGHT[0], None)), 1, 77));
        if let Verdict::Stopped(problem) = second.verdict {
            return TestReport::problem(SAME_CALLS, &problem);
        }
        if self.first == Some(second.calls) {
            let message = "With the same seed the check does the same, so that what it finds can be found again.";
            return TestReport::passed(SAME_CALLS, message, second.heard);
        }
        let message = "check(make_service, 1) was called twice, and the second time it made other calls of the service. A failure that can't \
                       be had again can't be understood. Draw from random.Random(seed) and from nothing else: not from the \
                       functions of the module `random`, and not from tokens, id() or the time.";
        TestReport { message: message.to_owned(), ..TestReport::blank(SAME_CALLS, Outcome::Failed) }
    }

    fn spares_right_ones(&mut self, py: &Python<'_>, score: &mut Score) -> TestReport {
        score.right = count(&RIGHT);
        if self.stops >= MOST_STOPS {
            return stopped_too_often(SPARES);
        }
        let mut first: Option<TestReport> = None;
        let mut heard = None;
        for (reading, seed) in RIGHT.iter().zip([1, 2].into_iter().cycle()) {
            if self.stops >= MOST_STOPS {
                break;
            }
            let ran = py.output_under(SPARES, || self.run(py, Some((*reading, None)), seed, seed));
            self.first.get_or_insert(ran.calls);
            let report = match ran.verdict {
                Verdict::Spared(_) => {
                    score.spared += 1;
                    heard = heard.or(ran.heard);
                    continue;
                }
                Verdict::Stopped(problem) => TestReport::problem(SPARES, &problem),
                Verdict::Complained(problem) => {
                    let message = match ran.went_back {
                        Some((from, to)) => format!(
                            "check(make_service, {seed}) gave a service a clock that went back, from {from} s to {to} s. The \
                             contract rules that out, so nothing can be said of what the service does then."
                        ),
                        None => format!(
                            "check(make_service, {seed}) complained of a right service, {}: {}\nNothing in the contract \
                             forbids what it did.",
                            reading.name, problem.message
                        ),
                    };
                    alarm(SPARES, message, &problem)
                }
            };
            score.false_alarms.push(reading.name.to_owned());
            first.get_or_insert(report);
        }
        let alarms = count(&score.false_alarms);
        let Some(mut report) = first else {
            let message = format!("The check leaves {} right services in peace, however they are made.", score.right);
            return TestReport::passed(SPARES, message, heard);
        };
        if alarms > 1 {
            report.message.push_str(&format!("\nSo it went with {alarms} of {} right services.", score.right));
        }
        report
    }

    fn level(&mut self, py: &Python<'_>, level: &Level, score: &mut Score) -> TestReport {
        score.wrong += count(level.locks);
        let why_not = if self.stops >= MOST_STOPS {
            Some(stopped_too_often(level.test))
        } else {
            let tells_nothing = "Not run: the check complains of every right service, so its complaints tell nothing.";
            let no_work_left = "Not run: the calls of check before this had taken all the work that the suite has patience \
                                for. A shorter check gets further.";
            let why_not = (score.spared == 0).then_some(tells_nothing);
            let why_not = why_not.or_else(|| py.suite_budget_is_used_up().then_some(no_work_left));
            why_not.map(|message| TestReport::not_run(level.test, message))
        };
        if let Some(report) = why_not {
            return report;
        }
        let mut survivors: Vec<&Wrong> = Vec::new();
        let mut by_luck: Vec<&Wrong> = Vec::new();
        let mut returned: Vec<String> = Vec::new();
        let mut stopped = None;
        let mut caught = None;
        for lock in level.locks {
            if self.stops >= MOST_STOPS {
                break;
            }
            match py.quietly(|| self.escape(py, lock, &mut caught)) {
                None => {
                    score.killed += 1;
                    continue;
                }
                Some(Escape::Unseen) => {}
                Some(Escape::Sometimes) => by_luck.push(lock),
                Some(Escape::Returned(what)) => returned.push(what),
                Some(Escape::Stopped(problem)) => {
                    stopped.get_or_insert((lock, problem));
                }
            }
            survivors.push(lock);
        }
        if survivors.is_empty() {
            return TestReport::passed(level.test, level.rule, caught);
        }
        score.survivors.extend(survivors.iter().map(|lock| lock.name.to_owned()));
        let mut message =
            format!("Not caught, of {} wrong locks: {}.\n{}", level.locks.len(), named(&survivors), level.advice);
        if let Some(what) = returned.first() {
            message.push_str(&format!(
                "\ncheck returned something on {} of them, such as {what}. What it returns does not count: raise an \
                 AssertionError.",
                returned.len()
            ));
        }
        if !by_luck.is_empty() {
            message.push_str(&format!(
                "\nCaught in one of two runs, with other seeds and other tokens, and so by luck: {}.",
                named(&by_luck)
            ));
        }
        if let Some((lock, problem)) = &stopped {
            message.push_str(&format!("\nOn “{}” {}", lock.name, problem.message));
        }
        let stopped = stopped.map(|(_, problem)| problem);
        let outcome = if stopped.is_some() { Outcome::Stopped } else { Outcome::Failed };
        TestReport { message, line: stopped.and_then(|p| p.line), ..TestReport::blank(level.test, outcome) }
    }

    /// How a wrong lock came through, if it did. Each is tried in two readings, so that none of them gives it away.
    /// The first one that is caught is `shown`: what the check heard, and what it said of it.
    fn escape(&mut self, py: &Python<'_>, lock: &Wrong, shown: &mut Option<Trace>) -> Option<Escape> {
        let at = lock.bug as usize;
        let mut caught = false;
        for (seed, reading) in [(1, at), (2, at + RIGHT.len() / 2)] {
            if self.stops >= MOST_STOPS {
                return Some(Escape::Unseen);
            }
            let ran = self.run(py, Some((RIGHT[reading % RIGHT.len()], Some(lock.bug))), seed, seed);
            match ran.verdict {
                Verdict::Complained(problem) => {
                    caught = true;
                    if shown.is_none() {
                        *shown = ran.heard.map(|trace| complained(trace, &problem.message));
                    }
                }
                Verdict::Stopped(problem) => return Some(Escape::Stopped(problem)),
                Verdict::Spared(_) if caught => return Some(Escape::Sometimes),
                Verdict::Spared(Some(what)) => return Some(Escape::Returned(what)),
                Verdict::Spared(None) => return Some(Escape::Unseen),
            }
        }
        None
    }
}

/// How a wrong lock came through.
enum Escape {
    /// Nothing was found.
    Unseen,
    /// One run found it, the other did not.
    Sometimes,
    /// Nothing was raised, but this was returned.
    Returned(String),
    /// The check never ended.
    Stopped(Problem),
}

/// The locks' names in a row.
fn named(locks: &[&Wrong]) -> String {
    locks.iter().map(|lock| format!("“{}”", lock.name)).collect::<Vec<_>>().join(", ")
}

fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}

/// What a check is told that was stopped.
fn in_words(py: &Python<'_>, problem: Problem, ticks: u64) -> Problem {
    if py.suite_budget_is_used_up() {
        return problem;
    }
    let place = problem.line.map(|line| format!(" at line {line}")).unwrap_or_default();
    let message = format!(
        "check was stopped{place}: it had taken its {ticks} loop rounds and calls. A loop that waits for something \
         may wait for ever on a wrong lock: give it a bound. If there is none, try fewer or shorter schedules; what \
         `random` does for you counts, too."
    );
    Problem { message, ..problem }
}

fn stopped_too_often(name: &str) -> TestReport {
    TestReport::not_run(name, "Not run: the code was stopped three times already.")
}

/// A failed test with the place where learner code complained.
fn alarm(name: &str, message: String, problem: &Problem) -> TestReport {
    TestReport {
        message,
        line: problem.line,
        traceback: problem.traceback.clone(),
        ..TestReport::blank(name, Outcome::Failed)
    }
}

/// The services that a call of `check` made.
#[derive(Default)]
struct Services {
    made: RefCell<Vec<Rc<Running>>>,
    /// What was asked of them, as a number.
    calls: Cell<u64>,
    /// Where the clock of one went back.
    went_back: Cell<Option<(f64, f64)>>,
    heard: RefCell<Heard>,
}

impl Services {
    fn note(&self, parts: &[u64]) {
        let all = parts.iter().fold(self.calls.get(), |all, part| split_mix(all ^ part).1);
        self.calls.set(all);
    }

    /// Lets go of what belongs to the learner: a circle through objects of ours is never collected.
    fn retire(&self) {
        for running in self.made.take() {
            running.clock.take();
            running.grants.take();
        }
    }
}

/// A service under test.
struct Running {
    service: RefCell<Service>,
    clock: RefCell<Option<Object>>,
    /// The last time that it was told.
    last: Cell<f64>,
    /// By ownership token, where a renewal changes them.
    grants: RefCell<BTreeMap<String, Object>>,
}

impl Running {
    fn now(&self, py: &Python<'_>, services: &Services) -> Result<f64, Exception> {
        let clock = self.clock.borrow().clone();
        let clock = clock.ok_or_else(|| py.value_error("this service belongs to a check that is over"))?;
        let now = clock.ask(py)?.number(py)?;
        let last = self.last.replace(now);
        if now < last {
            services.went_back.set(Some((last, now)));
            return Err(py.value_error("the clock of this service went back"));
        }
        Ok(now)
    }
}

/// `make_service(clock)`: what `check` gets.
fn factory(py: &Python<'_>, reading: Reading, bug: Option<Bug>, services: &Rc<Services>) -> Object {
    let services = Rc::clone(services);
    py.function("make_service", &["clock"], move |py, args| {
        let running = Rc::new(Running {
            service: RefCell::new(Service::new(reading, bug)),
            clock: RefCell::new(args.first().cloned()),
            last: Cell::new(f64::NEG_INFINITY),
            grants: RefCell::default(),
        });
        services.note(&[0]);
        services.heard.borrow_mut().begin();
        services.made.borrow_mut().push(Rc::clone(&running));
        let (to, by) = (Rc::clone(&running), Rc::clone(&services));
        let acquire =
            py.function("acquire", &["name", "client_id", "ttl"], move |py, args| acquire(py, &to, &by, args));
        let (to, by) = (Rc::clone(&running), Rc::clone(&services));
        let renew =
            py.function("renew", &["name", "ownership_token", "ttl"], move |py, args| renew(py, &to, &by, args));
        let by = Rc::clone(&services);
        let release =
            py.function("release", &["name", "ownership_token"], move |py, args| release(py, &running, &by, args));
        py.record(&[("acquire", acquire), ("renew", renew), ("release", release)])
    })
}

fn acquire(py: &Python<'_>, running: &Running, services: &Services, args: &[Object]) -> Result<Object, Exception> {
    let [name, client, ttl] = args else { return Ok(py.none()) };
    let (name, client, ttl) = (key(py, name)?, key(py, client)?, ttl.number(py)?);
    let now = running.now(py, services)?;
    services.note(&[1, digest(&name), digest(&client), ttl.to_bits(), now.to_bits()]);
    look_at(py, running, ttl)?;
    let drawn = u128::from(draw(py)) << 64 | u128::from(draw(py));
    let granted = running.service.borrow_mut().acquire(now, &name, &client, ttl, drawn);
    let asked = Asked { now, name: &name, call: Call::Acquire { name: name.clone(), ttl_us: micros(ttl) } };
    let reply = granted.as_ref().map_or(Reply::Refused, |granted| Reply::Granted {
        token: granted.fencing.to_string(),
        expires_us: micros(granted.expires_at),
    });
    let ownership = granted.as_ref().map(|granted| granted.ownership.as_str());
    services.heard.borrow_mut().acquired(asked, &client, reply, ownership);
    let Some(granted) = granted else { return Ok(py.none()) };
    let grant = py.record(&[
        ("ownership_token", py.object(&Arg::Str(&granted.ownership))),
        ("fencing_token", py.object(&Arg::Int(granted.fencing))),
        ("expires_at", py.object(&Arg::Float(granted.expires_at))),
    ])?;
    if running.service.borrow().reading().renewal_updates {
        running.grants.borrow_mut().insert(granted.ownership, grant.clone());
    }
    Ok(grant)
}

fn renew(py: &Python<'_>, running: &Running, services: &Services, args: &[Object]) -> Result<Object, Exception> {
    let [name, token, ttl] = args else { return Ok(py.none()) };
    let (name, token, ttl) = (key(py, name)?, shown(py, token), ttl.number(py)?);
    let now = running.now(py, services)?;
    services.note(&[2, digest(&name), ttl.to_bits(), now.to_bits()]);
    look_at(py, running, ttl)?;
    let end = running.service.borrow_mut().renew(now, &name, &token, ttl);
    services.note(&[u64::from(end.is_some())]);
    let asked = Asked { now, name: &name, call: Call::Renew { name: name.clone(), ttl_us: micros(ttl) } };
    let reply = end.map_or(Reply::NotRenewed, |end| Reply::Renewed { expires_us: micros(end) });
    services.heard.borrow_mut().showed(asked, &token, reply);
    let grant = running.grants.borrow().get(&token).cloned();
    if let (Some(end), Some(grant)) = (end, grant) {
        grant.set(py, "expires_at", &py.object(&Arg::Float(end)))?;
    }
    Ok(py.truth(end.is_some()))
}

fn release(py: &Python<'_>, running: &Running, services: &Services, args: &[Object]) -> Result<Object, Exception> {
    let [name, token] = args else { return Ok(py.none()) };
    let (name, token) = (key(py, name)?, shown(py, token));
    let now = running.now(py, services)?;
    services.note(&[3, digest(&name), now.to_bits()]);
    let released = running.service.borrow_mut().release(now, &name, &token);
    services.note(&[u64::from(released)]);
    let asked = Asked { now, name: &name, call: Call::Release { name: name.clone() } };
    let reply = if released { Reply::Released } else { Reply::NotReleased };
    services.heard.borrow_mut().showed(asked, &token, reply);
    Ok(py.truth(released))
}

/// A ttl that is none is refused by those who do.
fn look_at(py: &Python<'_>, running: &Running, ttl: f64) -> Result<(), Exception> {
    let refuses = running.service.borrow().reading().refuses_bad_ttl;
    if refuses && !(ttl > 0.0 && ttl.is_finite()) {
        return Err(py.value_error("a ttl is a positive number of seconds"));
    }
    Ok(())
}

/// A name or a client. Both are texts; other plain values do no harm.
fn key(py: &Python<'_>, object: &Object) -> Result<String, Exception> {
    match object.value(py) {
        Value::Str(text) => Ok(text),
        Value::Other(class) => Err(py.type_error(&format!("names and client ids are str, not {class}"))),
        _ => Ok(object.describe(py)),
    }
}

/// A token that is shown. What is no text is no token: the empty one is nobody's.
fn shown(py: &Python<'_>, object: &Object) -> String {
    match object.value(py) {
        Value::Str(text) => text,
        _ => String::new(),
    }
}

fn digest(text: &str) -> u64 {
    text.bytes().fold(text.len() as u64, |all, byte| split_mix(all ^ u64::from(byte)).1)
}

fn draw(py: &Python<'_>) -> u64 {
    let (state, drawn) = split_mix(py.seed());
    py.set_seed(state);
    drawn
}
