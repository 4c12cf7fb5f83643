//! The command: the page's verdicts for people who want their own editor.
//!
//! Exit codes: 0 all tests passed, 1 a test failed (or the replayed schedule breaks a rule), 2 wrong usage or a file
//! that can't be read.

use leasehold_checker::memory::{self, Counted};
use leasehold_checker::report::{Outcome, Report, Score, Search, TestReport, Verdict};
use leasehold_checker::signs;
use leasehold_checker::silence::{self, Silence};
use leasehold_checker::suites::given_up::{self, Known, Reason};
use leasehold_checker::suites::runner::Progress;
use leasehold_checker::suites::{self, Options};
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

const USAGE: &str = "\
leasehold list                                   the katas
leasehold check KATA FILE [--json] [--bound K] [--seed N]
                                                 run the kata's tests on a Python file; search to bound K and draw
                                                 longer schedules from seed N on
leasehold replay KATA FILE REPLAY-STRING [--json]
                                                 run one schedule and print its timeline
";

/// Room for deep recursion in learner code: the interpreter's own guard speaks long before this ends.
const STACK: usize = 4 << 20;

/// The greatest bound that can be asked for: with each one more there are several times as many schedules.
const MOST_BOUND: u64 = 12;

/// How often the watcher looks for a sign of life.
const LOOK: Duration = Duration::from_millis(100);

/// When memory ends, this thread stands still, and the watcher sees why.
#[global_allocator]
static MEMORY: Counted = Counted(|| {
    loop {
        std::thread::park();
    }
});

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let order = Order::of(&args);
    let known = Arc::new(Mutex::new(Known::default()));
    let hears = Arc::clone(&known);
    let (tell, told) = mpsc::channel();
    let beat = tell.clone();
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        signs::listen(move |sign| hears.lock().unwrap_or_else(PoisonError::into_inner).hear(&sign));
        let outcome = run(&args, &mut |reached, left| {
            let _ = beat.send(Told::Progress(reached.clone(), left));
        });
        // Nobody listens any more only if the time was up.
        let _ = tell.send(Told::Outcome(outcome));
    });
    let mut line = Line::default();
    let outcome = match worker.map(|_| line.wait(&told)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(GaveUp::Ended(reason))) => {
            let known = std::mem::take(&mut *known.lock().unwrap_or_else(PoisonError::into_inner));
            order.give_up(known, reason)
        }
        Ok(Err(GaveUp::Failed)) => Err("The checker itself failed. That is a defect of Leasehold, \
             not of your code: please report it with the file that you checked."
            .to_owned()),
        Err(e) => Err(format!("no thread could be started: {e}")),
    };
    match outcome {
        Ok(code) => code,
        Err(message) => {
            eprintln!("leasehold: {message}");
            ExitCode::from(2)
        }
    }
}

/// Why there is no outcome.
enum GaveUp {
    Ended(Reason),
    /// The thread panicked.
    Failed,
}

/// What was asked for, as far as a run that was given up needs it.
struct Order {
    kata: String,
    is_replay: bool,
    wants_json: bool,
}

impl Order {
    fn of(args: &[String]) -> Self {
        let mut words = args.iter().filter(|a| !a.starts_with('-'));
        let is_replay = words.next().is_some_and(|word| word == "replay");
        let kata = words.next().cloned().unwrap_or_default();
        Order { kata, is_replay, wants_json: args.iter().any(|a| a == "--json") }
    }

    /// Prints the verdict. The thread that runs the code can't be ended, so the process is.
    fn give_up(&self, known: Known, reason: Reason) -> ! {
        let report = given_up::report(&self.kata, known, signs::line(), reason);
        let json = if self.is_replay {
            report.first_failure().and_then(|test| serde_json::to_string(test).ok())
        } else {
            serde_json::to_string(&report).ok()
        };
        let text = match (json.filter(|_| self.wants_json), report.first_failure()) {
            (Some(json), _) => format!("{json}\n"),
            (None, Some(test)) if self.is_replay => failure(test),
            (None, _) => text(&report),
        };
        let _ = say(&text);
        std::process::exit(1)
    }
}

/// Prints. Who has heard enough (`leasehold check … | head`) closes the pipe, and nothing is wrong with that.
fn say(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(format!("nothing could be printed: {error}"))
        }
        _ => Ok(()),
    }
}

/// What the thread that runs the suite tells.
enum Told {
    Progress(Search, Option<u64>),
    Outcome(Result<ExitCode, String>),
}

/// The line on the terminal that says how far a long search is.
#[derive(Default)]
struct Line {
    is_shown: bool,
}

impl Line {
    /// Waits for the outcome as long as there are signs of life. Progress is shown to whoever sits at a terminal.
    fn wait(&mut self, told: &mpsc::Receiver<Told>) -> Result<Result<ExitCode, String>, GaveUp> {
        let mut silence = Silence::default();
        let outcome = loop {
            match told.recv_timeout(LOOK) {
                Ok(Told::Progress(reached, left)) => self.show(&reached, left),
                Ok(Told::Outcome(outcome)) => break Ok(outcome),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if memory::is_exhausted() {
                        break Err(GaveUp::Ended(Reason::Memory));
                    }
                    if silence.is_a_hang(signs::beats(), silence::worked()) {
                        break Err(GaveUp::Ended(Reason::Silent));
                    }
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break Err(GaveUp::Failed),
            }
        };
        if self.is_shown {
            eprint!("\r\x1b[K");
        }
        outcome
    }

    fn show(&mut self, reached: &Search, left: Option<u64>) {
        // Short searches need no line.
        if reached.schedules >= 5_000 && std::io::stderr().is_terminal() {
            self.is_shown = true;
            let left = left.map(|n| format!(", at least {n} to come")).unwrap_or_default();
            let Search { schedules, complete_to, bound, .. } = reached;
            eprint!("\r\x1b[K  {schedules} schedules tried, all up to {complete_to} of {bound}{left}");
        }
    }
}

fn run(args: &[String], progress: Progress<'_>) -> Result<ExitCode, String> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["list"] => {
            let list: String =
                suites::SUITES.iter().map(|suite| format!("{:<24} {}\n", suite.kata, suite.task)).collect();
            say(&list).map(|()| ExitCode::SUCCESS)
        }
        ["check", rest @ ..] => check(rest, progress),
        ["replay", rest @ ..] => replay(rest),
        ["help" | "--help" | "-h"] => say(USAGE).map(|()| ExitCode::SUCCESS),
        _ => Err(format!("this is not how it is used.\n\n{USAGE}")),
    }
}

fn check(rest: &[&str], progress: Progress<'_>) -> Result<ExitCode, String> {
    let CheckArgs { kata, file, json, options } = CheckArgs::read(rest)?;
    let source = read(file)?;
    let report = suites::check_with(kata, &source, &options, progress)
        .ok_or_else(|| format!("there is no kata {kata}; `leasehold list` names them"))?;
    if json {
        let json = serde_json::to_string(&report).map_err(|e| format!("the report can't be written: {e}"))?;
        say(&format!("{json}\n"))?;
    } else {
        say(&text(&report))?;
    }
    Ok(code(report.verdict == Verdict::Passed))
}

fn replay(rest: &[&str]) -> Result<ExitCode, String> {
    let (flags, plain): (Vec<&str>, Vec<&str>) = rest.iter().partition(|w| w.starts_with("--"));
    let [kata, file, string] = plain.as_slice() else {
        return Err(format!("replay takes a kata, a file and a replay string.\n\n{USAGE}"));
    };
    if let Some(unknown) = flags.iter().find(|f| **f != "--json") {
        return Err(format!("there is no option {unknown}.\n\n{USAGE}"));
    }
    let test = suites::replay(kata, &read(file)?, string).map_err(|e| e.to_string())?;
    let passed = test.outcome == Outcome::Passed;
    if flags.is_empty() {
        let praise = if passed { format!("{}\n", test.message) } else { String::new() };
        say(&(failure(&test) + &praise))?;
    } else {
        let json = serde_json::to_string(&test).map_err(|e| format!("the report can't be written: {e}"))?;
        say(&format!("{json}\n"))?;
    }
    Ok(code(passed))
}

struct CheckArgs<'a> {
    kata: &'a str,
    file: &'a str,
    json: bool,
    options: Options,
}

impl<'a> CheckArgs<'a> {
    fn read(rest: &[&'a str]) -> Result<Self, String> {
        let mut plain = Vec::new();
        let mut json = false;
        let mut options = Options::default();
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let (name, joined) = word.split_once('=').map_or((*word, None), |(name, value)| (name, Some(value)));
            let mut number = |least: u64, most: u64| {
                let value = joined.or_else(|| words.next().copied());
                let number = value.and_then(|v| v.parse::<u64>().ok()).filter(|n| (least..=most).contains(n));
                number.ok_or_else(|| {
                    let got = value.map_or_else(|| "nothing".to_owned(), |v| format!("{v:?}"));
                    format!("{name} takes a whole number from {least} to {most}, not {got}.\n\n{USAGE}")
                })
            };
            match name {
                "--json" => json = true,
                "--bound" => options.bound = u32::try_from(number(1, MOST_BOUND)?).ok(),
                "--seed" => options.seed = number(0, u64::MAX)?,
                _ if name.starts_with('-') => return Err(format!("there is no option {name}.\n\n{USAGE}")),
                _ => plain.push(*word),
            }
        }
        let [kata, file] = plain.as_slice() else { return Err(format!("check takes a kata and a file.\n\n{USAGE}")) };
        Ok(CheckArgs { kata, file, json, options })
    }
}

fn code(passed: bool) -> ExitCode {
    if passed { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn read(file: &str) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|e| format!("{file} can't be read: {e}"))?;
    String::from_utf8(bytes).map_err(|e| {
        format!("{file} is not UTF-8 text (byte {}); save it as UTF-8 and try again", e.utf8_error().valid_up_to() + 1)
    })
}

/// The report for people: a line a test, the first failure in full, the count at the end.
fn text(report: &Report) -> String {
    let mut out = String::new();
    let shown = report.first_failure().map(|t| t.name.as_str());
    for test in &report.tests {
        let (sign, word) = sign(test.outcome);
        out.push_str(&format!("{sign} {word:<8} {}\n", test.name));
        if shown == Some(test.name.as_str()) {
            out.push_str(&failure(test));
        }
        if let (Outcome::Passed, Some(_)) = (test.outcome, &test.search) {
            out.push_str(&format!("           {}\n", test.message));
        }
    }
    if !report.output.is_empty() {
        out.push_str(&format!("\nprinted:\n{}", report.output));
    }
    if let Some(score) = &report.score {
        out.push_str(&meter(score));
    }
    let passed = report.tests.iter().filter(|t| t.outcome == Outcome::Passed).count();
    out.push_str(&format!("\n{passed} of {} tests passed\n", report.tests.len()));
    out
}

/// How a learner's test did on locks of ours, and who came through.
fn meter(score: &Score) -> String {
    let Score { killed, wrong, spared, right, survivors, false_alarms } = score;
    let mut out = format!("\nwrong locks caught: {killed} of {wrong}\nright locks spared: {spared} of {right}\n");
    for (what, names) in [("got away", survivors), ("false alarm", false_alarms)] {
        out.extend(names.iter().map(|name| format!("  {what}: {name}\n")));
    }
    out
}

/// What went wrong, the timeline, and how to see it again.
fn failure(test: &TestReport) -> String {
    let mut out = String::new();
    if test.outcome != Outcome::Passed {
        out.push_str(&format!("\n  {}\n", test.message));
        if let Some(line) = test.line {
            out.push_str(&format!("  line {line}\n"));
        }
        if let Some(traceback) = &test.traceback {
            out.push_str(&format!("\n{traceback}\n"));
        }
    }
    if let Some(trace) = &test.trace {
        out.push_str(&format!("\n{}", trace.text()));
    }
    if let (Some(replay), true) = (&test.replay, test.outcome != Outcome::Passed) {
        out.push_str(&format!("\n  replay {replay}\n"));
    }
    out.push('\n');
    out
}

fn sign(outcome: Outcome) -> (&'static str, &'static str) {
    match outcome {
        Outcome::Passed => ("✓", "passed"),
        Outcome::Failed => ("✗", "failed"),
        Outcome::Error => ("✗", "error"),
        Outcome::Stopped => ("✗", "stopped"),
        Outcome::NotRun => ("·", "not run"),
    }
}
