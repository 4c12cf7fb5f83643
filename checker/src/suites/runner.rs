//! What all suites share: named tests, the search, a second look at every failure, the report.

use super::Suite;
use crate::breach::Breach;
use crate::explore::replay::{BadReplay, Replay};
use crate::python::{Module, Object, Problem, Program, Python};
use crate::report::{Bound, Outcome, Search as Reached, TestReport};
use crate::signs;
use crate::trace::Trace;
use std::marker::PhantomData;

/// The name of the first test of every suite.
pub const LOADS: &str = "loads";

/// Of a run that breaks nothing a report holds so many events,
const MOST_SHOWN: usize = 200;
/// and of all of them together so many: the longest are cut first.
const MOST_SHOWN_IN_ALL: usize = 2_200;

/// So many ticks for a test that ends in an exception are nearly as bad as no end: its rest can only be slow.
const HEAVY: u64 = 20_000;

/// How far a search shall go, and where its drawn schedules come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The bound to be complete to; the suite's own if none is given.
    pub bound: Option<u32>,
    /// The first of the seeds for what is drawn.
    pub seed: u64,
    /// The report ends with the first test that does not pass: for those who only want to know whether one fails. (Where the
    /// learner's code is itself a test, it does not.)
    pub ends_at_failure: bool,
}

/// Hears of a search under way: how far it has come, and how many schedules are to come at least, if that is known.
pub type Progress<'a> = &'a mut dyn FnMut(&Reached, Option<u64>);

/// A kata, as far as its suite is concerned.
pub trait Kata: 'static {
    /// Its slug.
    const SLUG: &'static str;
    /// The name of the test that searches.
    const SEARCH: &'static str;
    /// What the first test says when it passes.
    const LOADED: &'static str;
    /// How many ticks all tests together may take, so that slow code gets its verdict all the same.
    const TICKS: u64;
    /// What runs one schedule on the file.
    type Trial: Trial;
    /// What says which schedules to try.
    type Hunt: Hunt<Self::Trial>;

    /// Looks whether what the task names is there.
    ///
    /// # Errors
    /// What is missing, or what the file raised.
    fn load(py: &Python<'_>, program: &Program) -> Result<(), Problem>;
    /// For a file that loads.
    fn trial(py: &Python<'_>, program: Program) -> Self::Trial;
    /// The named tests, in order.
    fn tests() -> Vec<Test<<Self::Trial as Trial>::Schedule>>;
    /// The search, from its beginning.
    fn hunt(py: &Python<'_>, trial: &mut Self::Trial, options: &Options) -> Self::Hunt;
    /// The schedule of a replay string.
    ///
    /// # Errors
    /// It names something that this kata has not.
    fn schedule(replay: Replay) -> Result<<Self::Trial as Trial>::Schedule, BadReplay>;
}

/// A named test: the rule, and the schedules that try it. The first is the one that is shown when all pass.
pub struct Test<S> {
    /// The rule in snake case.
    pub name: &'static str,
    /// The rule in a sentence.
    pub rule: &'static str,
    /// What is tried.
    pub schedules: Vec<S>,
}

/// Looks whether objects of a class can have the methods that the task names: its own, or bound to each when it is made.
///
/// # Errors
/// That there is no such class, or the first method that is missing.
pub fn offers_methods(
    py: &Python<'_>,
    program: &Program,
    module: &Module,
    class: &str,
    methods: &[&'static str],
) -> Result<(), Problem> {
    let it = module.get(py, class)?;
    if it.has_method(py, "__getattr__") {
        return Ok(());
    }
    let own: Vec<&'static str> = methods.iter().copied().filter(|method| !program.sets_attribute(method)).collect();
    has_methods(py, &it, class, &own)
}

/// Looks whether an object, or a class, has the methods that the task names.
///
/// # Errors
/// The first that is missing.
pub fn has_methods(py: &Python<'_>, it: &Object, class: &str, methods: &[&'static str]) -> Result<(), Problem> {
    match methods.iter().find(|method| !it.has_method(py, method)) {
        Some(method) => Err(Problem::missing(format!("{class} has no method {method}. The task names it."))),
        None => Ok(()),
    }
}

/// Runs schedules on a file.
pub trait Trial {
    /// What is run.
    type Schedule: Clone;
    /// What a run shows besides a breach.
    type Observed;

    /// Runs one.
    fn run(&mut self, py: &Python<'_>, schedule: &Self::Schedule, show: Show<'_>) -> (Option<Breach>, Self::Observed);
    /// Makes the next run start from the file.
    fn forget(&mut self);
    /// From now on every run starts from the file.
    fn start_fresh_always(&mut self);
    /// Whether every run starts from the file.
    fn starts_fresh_always(&self) -> bool;
    /// The string's content for a run.
    fn replay(&self, schedule: &Self::Schedule, observed: &Self::Observed) -> Replay;
    /// The schedule that does what this run did, whatever made it.
    fn settled(&self, schedule: &Self::Schedule, _observed: &Self::Observed) -> Self::Schedule {
        schedule.clone()
    }
    /// How much a run that breaks nothing has to tell to somebody who watches it; 0 if nobody took over from anybody.
    fn telling(&self, _schedule: &Self::Schedule, _observed: &Self::Observed) -> u8 {
        0
    }
    /// How much happened: the fewer, the better a failure explains itself.
    fn size(&self, _observed: &Self::Observed) -> usize {
        0
    }
    /// Where the file acted otherwise than when the schedule was made.
    fn misfit(&self, _observed: &Self::Observed) -> Option<String> {
        None
    }
}

/// What a run is for.
pub enum Show<'t> {
    /// For its verdict only.
    Nothing,
    /// For its verdict, within a search: it may end where another one has been.
    Search,
    /// To be looked at.
    Trace(&'t mut Trace),
}

/// The schedules of a search, one after the other.
pub trait Hunt<T: Trial> {
    /// The next one to try; none when all were.
    fn next(&mut self) -> Option<T::Schedule>;
    /// Hears what a run showed.
    fn ran(&mut self, _schedule: &T::Schedule, _observed: &T::Observed) {}
    /// What its bound counts.
    fn by(&self) -> Bound;
    /// The bound, and up to which one everything was tried.
    fn reached(&self) -> (u32, u32);
    /// What a search that found nothing says, given how many schedules it ran.
    fn praise(&self, schedules: u64) -> String;
    /// The first words of what one that was stopped says: up to where nothing was found.
    fn so_far(&self, schedules: u64) -> String;
    /// A failing schedule made shorter; `fails` runs one and gives it back, settled, if the same rule is broken.
    fn shrink(&self, schedule: T::Schedule, fails: &mut dyn FnMut(&T::Schedule) -> Option<T::Schedule>) -> T::Schedule;
    /// After a failure: how many more of the same kind are worth trying for a shorter story.
    fn look_further(&self) -> u64 {
        0
    }
    /// How many schedules there are still to come before the next mark, if that is known.
    fn left(&self) -> Option<u64> {
        None
    }
}

/// A search that can be run in parts.
pub struct Search<K: Kata> {
    hunt: K::Hunt,
    schedules: u64,
    found: Option<Found<K>>,
    /// The run to show if none breaks a rule, and how much it has to tell: the first, until one tells more.
    best: Option<(u8, <K::Trial as Trial>::Schedule)>,
    further: u64,
    stopped: bool,
    done: bool,
}

struct Found<K: Kata> {
    schedule: <K::Trial as Trial>::Schedule,
    breach: Breach,
    size: usize,
}

impl<K: Kata> Search<K> {
    /// From its beginning.
    pub fn new(hunt: K::Hunt) -> Self {
        Search { hunt, schedules: 0, found: None, best: None, further: 0, stopped: false, done: false }
    }

    /// How many schedules were run.
    pub fn schedules(&self) -> u64 {
        self.schedules
    }

    /// How far it has come.
    pub fn reached(&self) -> Reached {
        let (bound, complete_to) = self.hunt.reached();
        let by = self.hunt.by();
        Reached { bound, by, complete: complete_to == bound, complete_to, schedules: self.schedules }
    }

    /// How many schedules there are still to come, if that is known.
    pub fn left(&self) -> Option<u64> {
        self.hunt.left()
    }

    /// Runs so many more schedules, or to the end; true at the end.
    pub fn step(&mut self, py: &Python<'_>, trial: &mut K::Trial, most: u64) -> bool {
        for _ in 0..most {
            if self.done {
                return true;
            }
            if py.suite_budget_is_used_up() {
                self.stopped = self.found.is_none();
                self.done = true;
                return true;
            }
            let Some(schedule) = self.hunt.next() else {
                self.done = true;
                return true;
            };
            self.schedules += 1;
            let (breach, observed) = py.quietly(|| trial.run(py, &schedule, Show::Search));
            self.hunt.ran(&schedule, &observed);
            if let Some(breach) = breach {
                self.failed(trial, &schedule, &observed, breach);
            } else {
                let telling = trial.telling(&schedule, &observed);
                if self.best.as_ref().is_none_or(|(best, _)| telling > *best) {
                    self.best = Some((telling, trial.settled(&schedule, &observed)));
                }
            }
            if self.found.is_some() {
                if self.further == 0 {
                    self.done = true;
                    return true;
                }
                self.further -= 1;
            }
        }
        self.done
    }

    fn failed(
        &mut self,
        trial: &K::Trial,
        schedule: &<K::Trial as Trial>::Schedule,
        observed: &<K::Trial as Trial>::Observed,
        breach: Breach,
    ) {
        let size = trial.size(observed);
        let schedule = trial.settled(schedule, observed);
        match &mut self.found {
            None => {
                self.further = self.hunt.look_further();
                self.found = Some(Found { schedule, breach, size });
            }
            Some(best) if best.breach.rule == breach.rule && size < best.size => {
                *best = Found { schedule, breach, size };
            }
            Some(_) => {}
        }
    }

    /// The verdict. None if a failure turned out to come from an earlier run and not from the file.
    pub fn report(mut self, py: &Python<'_>, trial: &mut K::Trial) -> Option<TestReport> {
        let reached = self.reached();
        // A broken rule is one, however much work was left; code that was stopped for want of it has broken none.
        let found = self.found.take();
        if found.as_ref().is_some_and(|f| f.breach.problem.is_some() && py.suite_budget_is_used_up()) {
            self.stopped = true;
        }
        let Some(Found { schedule, breach: first, .. }) = found.filter(|_| !self.stopped) else {
            let (message, best) = if self.stopped {
                let so_far = self.hunt.so_far(self.schedules);
                let limit = "Then the search stopped at its limit: your code does a lot of work in each call.";
                (format!("{so_far} {limit}"), None)
            } else {
                (self.hunt.praise(self.schedules), self.best.take())
            };
            let (trace, replay) = best.and_then(|(_, schedule)| shown::<K>(py, trial, &schedule)).unzip();
            let report = TestReport { replay, ..TestReport::passed(K::SEARCH, message, trace) };
            return Some(TestReport { search: Some(reached), ..report });
        };
        // To run it again, and to make it shorter.
        py.give_suite_budget(K::TICKS);
        if !is_the_files_own(py, trial, &schedule, &first) {
            return None;
        }
        let mut fails = |schedule: &<K::Trial as Trial>::Schedule| {
            let (breach, observed) = trial.run(py, schedule, Show::Nothing);
            breach.is_some_and(|b| b.rule == first.rule).then(|| trial.settled(schedule, &observed))
        };
        let schedule = py.quietly(|| self.hunt.shrink(schedule, &mut fails));
        let mut trace = Trace::default();
        let (breach, observed) = py.output_under(K::SEARCH, || trial.run(py, &schedule, Show::Trace(&mut trace)));
        let replay = trial.replay(&schedule, &observed).encode(K::SLUG);
        let report = match breach {
            Some(breach) if breach.rule == first.rule => failed(K::SEARCH, replay, &breach, trace),
            _ => TestReport {
                message: format!(
                    "This failed once and did not fail again in the same schedule: {} If your code uses id() or the \
                     order of a set, that may be why; otherwise it is a defect of this checker.",
                    first.message
                ),
                replay: Some(replay),
                trace: Some(trace),
                ..TestReport::blank(K::SEARCH, Outcome::Failed)
            },
        };
        Some(TestReport { search: Some(reached), ..report })
    }
}

/// A run that broke nothing, to be looked at. None if it does so this time.
fn shown<K: Kata>(
    py: &Python<'_>,
    trial: &mut K::Trial,
    schedule: &<K::Trial as Trial>::Schedule,
) -> Option<(Trace, String)> {
    py.give_suite_budget(K::TICKS);
    let mut trace = Trace::default();
    let (breach, observed) = py.quietly(|| trial.run(py, schedule, Show::Trace(&mut trace)));
    trace.keep_first(MOST_SHOWN);
    breach.is_none().then(|| (trace, trial.replay(schedule, &observed).encode(K::SLUG)))
}

/// The suite of a kata.
pub const fn suite<K: Kata>(task: &'static str, in_output: &'static str) -> Suite {
    Suite {
        kata: K::SLUG,
        task,
        in_output,
        tests: names::<K>,
        check: |py, source, options, progress| (check::<K>(py, source, options, progress), None),
        replay: replay::<K>,
        deeper: deeper::<K>,
    }
}

fn names<K: Kata>() -> Vec<&'static str> {
    let mut names = vec![LOADS];
    names.extend(K::tests().iter().map(|t| t.name));
    names.push(K::SEARCH);
    names
}

fn check<K: Kata>(py: &Python<'_>, source: &str, options: &Options, progress: Progress<'_>) -> Vec<TestReport> {
    let program = match load::<K>(py, source) {
        Ok(program) => program,
        Err(problem) => {
            let mut tests = vec![TestReport::problem(LOADS, &problem)];
            let rest = names::<K>().into_iter().skip(1);
            tests.extend(rest.map(|name| TestReport::not_run(name, "Not run: the file did not load.")));
            return tests;
        }
    };
    let mut trial = K::trial(py, program);
    let output = py.take_output();
    py.put_output(&output);
    if let Some(tests) = run_all::<K>(py, &mut trial, options, progress) {
        return tests;
    }
    // A run saw what another one had left behind, where nobody looked for it. Once more, each from the file.
    signs::begins(LOADS);
    trial.start_fresh_always();
    py.take_output();
    py.put_output(&output);
    run_all::<K>(py, &mut trial, options, progress).unwrap_or_default()
}

/// Compiles and runs the file and looks whether what the task names is there.
fn load<K: Kata>(py: &Python<'_>, source: &str) -> Result<Program, Problem> {
    let program = py.compile(source)?;
    py.output_under(LOADS, || K::load(py, &program))?;
    Ok(program)
}

/// All tests; none if a failure turned out to come from an earlier run and not from the file.
fn run_all<K: Kata>(
    py: &Python<'_>,
    trial: &mut K::Trial,
    options: &Options,
    progress: Progress<'_>,
) -> Option<Vec<TestReport>> {
    py.give_suite_budget(K::TICKS);
    let mut tests = vec![TestReport::passed(LOADS, K::LOADED, None)];
    signs::ended(&tests[0]);
    let mut stops = 0;
    for test in K::tests() {
        // Code that loops for ever does so in most tests; after a few, more of the same tells nothing new.
        if stops >= 3 {
            let why = "Not run: in three tests already the code was stopped, or raised after far more work than a lock needs.";
            tests.push(TestReport::not_run(test.name, why));
            continue;
        }
        signs::begins(test.name);
        let before = py.suite_budget_left();
        let report = py.output_under(test.name, || run_test::<K>(py, trial, &test))?;
        signs::ended(&report);
        let is_heavy = report.outcome == Outcome::Error && before.saturating_sub(py.suite_budget_left()) > HEAVY;
        stops += u32::from(report.outcome == Outcome::Stopped || is_heavy);
        let failed = report.outcome != Outcome::Passed;
        tests.push(report);
        if failed && options.ends_at_failure {
            return Some(tests);
        }
    }
    tests.push(if stops > 0 {
        TestReport::not_run(K::SEARCH, "Not run: the code was stopped, or did far too much work, in a test above.")
    } else {
        signs::begins(K::SEARCH);
        let mut search = Search::<K>::new(K::hunt(py, trial, options));
        // Who asks for a bound has time for it: only a single run is limited then.
        while !search.step(py, trial, 500) {
            progress(&search.reached(), search.left());
            if options.bound.is_some() {
                py.give_suite_budget(K::TICKS);
            }
        }
        search.report(py, trial)?
    });
    cut_longest(&mut tests);
    Some(tests)
}

/// Keeps a report small. What a failure shows is left alone.
fn cut_longest(tests: &mut [TestReport]) {
    let passed = tests.iter_mut().filter(|test| test.outcome == Outcome::Passed);
    let mut traces: Vec<&mut Trace> = passed.filter_map(|test| test.trace.as_mut()).collect();
    let in_all = |most: usize| traces.iter().map(|t| t.events.len().min(most)).sum::<usize>();
    let most = (1..=MOST_SHOWN).rev().find(|most| in_all(*most) <= MOST_SHOWN_IN_ALL).unwrap_or(1);
    traces.iter_mut().for_each(|trace| trace.keep_first(most));
}

fn run_test<K: Kata>(
    py: &Python<'_>,
    trial: &mut K::Trial,
    test: &Test<<K::Trial as Trial>::Schedule>,
) -> Option<TestReport> {
    let mut shown = None;
    for schedule in &test.schedules {
        let mut trace = Trace::default();
        let (breach, observed) = trial.run(py, schedule, Show::Trace(&mut trace));
        let replay = || trial.replay(schedule, &observed).encode(K::SLUG);
        if let Some(breach) = breach {
            let report = failed(test.name, replay(), &breach, trace);
            return is_the_files_own(py, trial, schedule, &breach).then_some(report);
        }
        if shown.is_none() {
            let replay = replay();
            trace.keep_first(MOST_SHOWN);
            shown = Some((trace, replay));
        }
    }
    let (trace, replay) = shown.unzip();
    Some(TestReport { replay, ..TestReport::passed(test.name, test.rule, trace) })
}

/// A failure is the file's own if it comes again in a process of its own.
fn is_the_files_own<T: Trial>(py: &Python<'_>, trial: &mut T, schedule: &T::Schedule, breach: &Breach) -> bool {
    if trial.starts_fresh_always() {
        return true;
    }
    trial.forget();
    let again = py.quietly(|| trial.run(py, schedule, Show::Nothing).0);
    trial.forget();
    again.is_some_and(|b| b.rule == breach.rule)
}

fn failed(name: &str, replay: String, breach: &Breach, mut trace: Trace) -> TestReport {
    trace.first_bad = trace.events.len().checked_sub(1);
    trace.witnesses.clone_from(&breach.witnesses);
    let mut report = match &breach.problem {
        Some(problem) => TestReport::problem(name, problem),
        None => TestReport {
            message: breach.message.clone(),
            line: trace.first_bad.and_then(|i| trace.events[i].line),
            ..TestReport::blank(name, Outcome::Failed)
        },
    };
    report.replay = Some(replay);
    report.trace = Some(trace);
    report
}

fn replay<K: Kata>(py: &Python<'_>, source: &str, replay: Replay) -> Result<TestReport, super::ReplayError> {
    let schedule = K::schedule(replay)?;
    let program = load::<K>(py, source).map_err(super::ReplayError::Load)?;
    let mut trial = K::trial(py, program);
    let mut trace = Trace::default();
    let (breach, observed) = trial.run(py, &schedule, Show::Trace(&mut trace));
    if let Some(misfit) = trial.misfit(&observed) {
        return Err(BadReplay::NoLongerFits(misfit).into());
    }
    let replay = trial.replay(&schedule, &observed).encode(K::SLUG);
    Ok(match breach {
        Some(breach) => failed("replay", replay, &breach, trace),
        None => TestReport {
            replay: Some(replay),
            ..TestReport::passed("replay", "This schedule breaks no rule.", Some(trace))
        },
    })
}

/// A search that goes further than the suite's own, in parts that the caller asks for.
pub trait Deeper {
    /// Runs so many more schedules, or to the end; then the report.
    fn step(&mut self, py: &Python<'_>, most: u64) -> Option<TestReport>;
    /// How far it has come, and how many schedules there are to come at least, if that is known.
    fn progress(&self) -> (Reached, Option<u64>);
}

/// Begins one.
pub(super) type Begin = fn(&Python<'_>, &str, &Options) -> Result<Box<dyn Deeper>, Problem>;

struct DeeperOf<K: Kata> {
    trial: K::Trial,
    search: Option<Search<K>>,
    options: Options,
    kata: PhantomData<K>,
}

fn deeper<K: Kata>(py: &Python<'_>, source: &str, options: &Options) -> Result<Box<dyn Deeper>, Problem> {
    let program = load::<K>(py, source)?;
    let mut trial = K::trial(py, program);
    py.give_suite_budget(K::TICKS);
    let search = Some(Search::new(K::hunt(py, &mut trial, options)));
    Ok(Box::new(DeeperOf::<K> { trial, search, options: *options, kata: PhantomData }))
}

impl<K: Kata> Deeper for DeeperOf<K> {
    fn step(&mut self, py: &Python<'_>, most: u64) -> Option<TestReport> {
        py.give_suite_budget(K::TICKS);
        let search = self.search.as_mut()?;
        if !search.step(py, &mut self.trial, most) {
            return None;
        }
        let report = self.search.take().and_then(|s| s.report(py, &mut self.trial));
        if report.is_none() {
            // See `check`: once more, each run from the file.
            self.trial.start_fresh_always();
            self.search = Some(Search::new(K::hunt(py, &mut self.trial, &self.options)));
        }
        report
    }

    fn progress(&self) -> (Reached, Option<u64>) {
        let nothing = Reached { bound: 0, by: Bound::Operations, complete: false, complete_to: 0, schedules: 0 };
        self.search.as_ref().map_or((nothing, None), |s| (s.reached(), s.left()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Event, Happening};

    fn of(outcome: Outcome, events: usize) -> TestReport {
        let events = vec![Event::at(0, Happening::Woke { client: 0 }); events];
        let trace = Trace { events, ..Trace::default() };
        TestReport { trace: Some(trace), ..TestReport::blank("test", outcome) }
    }

    #[test]
    fn passed_tests_share_the_room_and_a_failure_has_all_it_needs() {
        let mut tests = vec![of(Outcome::Failed, 900), of(Outcome::Passed, 30)];
        tests.extend((0..20).map(|_| of(Outcome::Passed, 200)));
        cut_longest(&mut tests);
        let left: Vec<usize> = tests.iter().map(|t| t.trace.as_ref().map_or(0, |t| t.events.len())).collect();
        assert_eq!(left[..3], [900, 30, 108]);
        assert!(left[1..].iter().sum::<usize>() <= MOST_SHOWN_IN_ALL);
    }
}
