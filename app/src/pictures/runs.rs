//! Runs that a picture asks for: one or two files, each under one schedule. The worker is the pictures' own, beside the one
//! of the page, is started when the first run is asked for, and is kept for the next one.
//!
//! [`Runs`] decides, natively tested; [`Bench`] does what it says and shows how far it is.

mod bench;

pub use bench::Bench;

use leasehold_checker::report::{Outcome, TestReport};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// One run that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The kata's slug.
    pub kata: String,
    /// The whole file.
    pub source: Rc<str>,
    /// The schedule; none: the whole suite is run, and of its report the test is taken.
    pub replay: Option<String>,
    /// The named test that it belongs to.
    pub test: String,
}

/// What came of it; or, in a sentence, why nothing did.
pub type Answer = Result<TestReport, String>;

/// How far the runs are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The interpreter is on its way.
    Loading {
        /// Bytes so far.
        received: u64,
        /// Bytes in all, 0 if that is not known.
        total: u64,
    },
    /// It starts.
    Starting,
    /// A run is under way.
    Running,
    /// All answers are there.
    Ended,
    /// The interpreter was lost. In a sentence.
    Failed(String),
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Send [`Runs::order`] to the worker, and set the watchdog.
    Send,
    /// Hand over the answers.
    End,
    /// End the worker: it is not to be trusted any more.
    Drop,
}

/// Runs under way.
pub struct Runs {
    wanted: Rc<[Wanted]>,
    /// How far they are.
    pub phase: Phase,
    /// One for each run that has ended.
    pub answers: Vec<Answer>,
}

/// What a worker says, as far as it matters here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    r#type: String,
    id: u32,
    received: u64,
    total: u64,
    message: String,
    error: Option<String>,
    test: Option<Box<TestReport>>,
    report: Option<Tests>,
}

#[derive(Debug, Deserialize)]
struct Tests {
    tests: Vec<TestReport>,
}

#[derive(Serialize)]
struct Order<'a> {
    r#type: &'static str,
    id: u32,
    kata: &'a str,
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<&'a str>,
}

impl Runs {
    /// Before a worker is there.
    pub fn new(wanted: Rc<[Wanted]>) -> Self {
        Runs { wanted, phase: Phase::Loading { received: 0, total: 0 }, answers: Vec::new() }
    }

    /// The order to send now, as JSON.
    pub fn order(&self) -> Option<impl Serialize> {
        let wanted = self.wanted.get(self.answers.len())?;
        let replay = wanted.replay.as_deref();
        let r#type = if replay.is_some() { "replay" } else { "run" };
        Some(Order { r#type, id: self.id(), kata: &wanted.kata, source: &wanted.source, replay })
    }

    /// The number of the run under way.
    pub fn id(&self) -> u32 {
        self.answers.len() as u32 + 1
    }

    /// The interpreter waits for orders.
    pub fn ready(&mut self) -> Effect {
        self.phase = if self.answers.len() < self.wanted.len() { Phase::Running } else { Phase::Ended };
        if self.phase == Phase::Running { Effect::Send } else { Effect::End }
    }

    /// The worker says something.
    pub fn heard(&mut self, text: &str) -> Option<Effect> {
        let Ok(said) = serde_json::from_str::<Said>(text) else {
            return Some(self.fail("Page and interpreter are of different versions. Reload the page.".to_owned()));
        };
        let is_mine = self.phase == Phase::Running && said.id == self.id();
        match said.r#type.as_str() {
            "progress" => self.phase = Phase::Loading { received: said.received, total: said.total },
            "starting" => self.phase = Phase::Starting,
            "ready" => return Some(self.ready()),
            "failed" => return Some(self.lost(&said.message)),
            "crashed" if is_mine => return Some(self.lost(&said.message)),
            "replayed" if is_mine => {
                let answer = said.test.map(|test| *test);
                return Some(self.answered(answer.ok_or_else(|| sentence(&said.error.unwrap_or_default()))));
            }
            "report" if is_mine => {
                let tests = said.report.map(|report| report.tests).unwrap_or_default();
                return Some(self.answered(self.pick(tests)));
            }
            _ => {}
        }
        None
    }

    /// The worker as a whole failed; `message` is the browser's.
    pub fn lost(&mut self, message: &str) -> Effect {
        let what = match self.phase {
            Phase::Running => "The run ended the Python interpreter",
            _ => "The Python interpreter could not be loaded",
        };
        let why = if message.is_empty() { String::new() } else { [" (", message, ")"].concat() };
        self.fail([what, &why, "."].concat())
    }

    /// A run has not ended in time.
    pub fn timed_out(&mut self, id: u32) -> Option<Effect> {
        let is_mine = self.phase == Phase::Running && id == self.id();
        is_mine.then(|| self.fail("The run did not end within 5 seconds, so it was ended from outside.".to_owned()))
    }

    fn fail(&mut self, sentence: String) -> Effect {
        self.phase = Phase::Failed(sentence);
        Effect::Drop
    }

    fn answered(&mut self, answer: Answer) -> Effect {
        self.answers.push(answer);
        self.ready()
    }

    // Of a file that does not load the first test tells why, and no other is run.
    fn pick(&self, mut tests: Vec<TestReport>) -> Answer {
        let name = self.wanted.get(self.answers.len()).map(|wanted| wanted.test.as_str()).unwrap_or_default();
        let ran = |test: &TestReport| test.outcome != Outcome::NotRun;
        let named = tests.iter().position(|test| test.name == name && ran(test));
        let unloaded = !tests.is_empty() && !tests.iter().skip(1).any(ran);
        match named.or(unloaded.then_some(0)) {
            Some(at) => Ok(tests.swap_remove(at)),
            None => Err("The kata has no test of this name any more.".to_owned()),
        }
    }
}

/// The engine words errors as parts of a sentence.
fn sentence(error: &str) -> String {
    let mut letters = error.chars();
    let first: String = letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    [first.as_str(), letters.as_str(), if error.ends_with('.') { "" } else { "." }].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = r#"{"name":"replay","outcome":"failed","message":"two holders","line":3,"replay":null,
        "search":null,"trace":null}"#;

    fn wanted(replay: Option<&str>) -> Wanted {
        Wanted { kata: "k".into(), source: "x".into(), replay: replay.map(Into::into), test: "the_rule".into() }
    }

    fn runs(wanted: &[Wanted]) -> Runs {
        Runs::new(wanted.into())
    }

    fn order(runs: &Runs) -> String {
        serde_json::to_string(&runs.order().unwrap()).unwrap()
    }

    #[test]
    fn two_runs_come_one_after_the_other() {
        let mut runs = runs(&[wanted(Some("AQ")), wanted(Some("AQ"))]);
        assert_eq!(runs.heard(r#"{"type":"progress","received":1,"total":2}"#), None);
        assert_eq!(runs.phase, Phase::Loading { received: 1, total: 2 });
        assert_eq!(runs.heard(r#"{"type":"starting"}"#), None);
        assert_eq!(runs.heard(r#"{"type":"ready"}"#), Some(Effect::Send));
        assert_eq!(order(&runs), r#"{"type":"replay","id":1,"kata":"k","source":"x","replay":"AQ"}"#);
        assert_eq!(runs.heard(&format!(r#"{{"type":"replayed","id":1,"test":{TEST}}}"#)), Some(Effect::Send));
        assert!(order(&runs).contains(r#""id":2"#));
        let misfit = r#"{"type":"replayed","id":2,"error":"the schedule no longer fits"}"#;
        assert_eq!(runs.heard(misfit), Some(Effect::End));
        assert_eq!(runs.answers[0].as_ref().unwrap().message, "two holders");
        assert_eq!(runs.answers[1], Err("The schedule no longer fits.".to_owned()));
        assert_eq!(runs.phase, Phase::Ended);
    }

    #[test]
    fn a_test_without_a_schedule_is_found_in_the_whole_report() {
        let report = |name: &str, first: &str| {
            let other = TEST.replace("\"replay\",", "\"other\",").replace("failed", first);
            let outcome = if first == "error" { "not_run" } else { "failed" };
            let named = TEST.replace("\"replay\",", &format!("\"{name}\",")).replace("failed", outcome);
            format!(r#"{{"type":"report","id":1,"report":{{"tests":[{other},{named}]}}}}"#)
        };
        let answer = |said: &str| {
            let mut runs = runs(&[wanted(None)]);
            runs.ready();
            assert_eq!(order(&runs), r#"{"type":"run","id":1,"kata":"k","source":"x"}"#);
            runs.heard(said);
            runs.answers.remove(0)
        };
        assert_eq!(answer(&report("the_rule", "passed")).unwrap().name, "the_rule");
        assert!(answer(&report("another", "passed")).unwrap_err().contains("no test of this name"));
        // It did not load: that is what there is to tell.
        assert_eq!(answer(&report("the_rule", "error")).unwrap().name, "other");
    }

    #[test]
    fn a_worker_that_is_lost_is_dropped_and_told() {
        let mut runs = runs(&[wanted(Some("AQ"))]);
        assert_eq!(runs.heard(r#"{"type":"failed","message":"the server answered 503"}"#), Some(Effect::Drop));
        let failed = |runs: &Runs, word: &str| matches!(&runs.phase, Phase::Failed(text) if text.contains(word));
        assert!(failed(&runs, "(the server answered 503)"));
        runs.ready();
        assert_eq!(runs.timed_out(9), None);
        assert_eq!(runs.timed_out(1), Some(Effect::Drop));
        assert!(failed(&runs, "5 seconds"));
        assert_eq!(runs.timed_out(1), None);
        runs.ready();
        assert_eq!(runs.heard(r#"{"type":"crashed","id":1,"message":"unreachable"}"#), Some(Effect::Drop));
        assert!(failed(&runs, "ended the Python interpreter (unreachable)"));
        assert_eq!(runs.heard("not json"), Some(Effect::Drop));
        assert!(failed(&runs, "different versions"));
    }

    #[test]
    fn answers_to_what_nobody_asked_are_passed_over() {
        let mut runs = runs(&[wanted(Some("AQ"))]);
        runs.ready();
        for text in
            [r#"{"type":"replayed","id":5,"error":"x"}"#, r#"{"type":"tried","id":1}"#, r#"{"type":"report","id":0}"#]
        {
            assert_eq!(runs.heard(text), None);
        }
        assert!(runs.answers.is_empty());
    }
}
