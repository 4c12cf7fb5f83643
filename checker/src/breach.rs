//! A rule that was broken, as every suite reports it.

use crate::python::Problem;
use std::borrow::Cow;

/// A rule that was broken.
#[derive(Clone, Debug)]
pub struct Breach {
    /// Which one; the same for every way to break it.
    pub rule: Cow<'static, str>,
    /// What happened, and the rule against it.
    pub message: String,
    /// Set if the learner's code ended instead of answering.
    pub problem: Option<Box<Problem>>,
    /// Events that make the bad one bad, as indices into the trace.
    pub witnesses: Vec<usize>,
}

/// The rule's name where learner code raised, hung or could not be called.
pub const CODE: &str = "code";

impl Breach {
    /// A broken rule with its witnesses.
    pub fn new(rule: impl Into<Cow<'static, str>>, message: impl Into<String>, witnesses: Vec<usize>) -> Self {
        Breach { rule: rule.into(), message: message.into(), problem: None, witnesses }
    }
}

impl From<Problem> for Breach {
    fn from(problem: Problem) -> Self {
        Breach {
            rule: CODE.into(),
            message: problem.message.clone(),
            problem: Some(Box::new(problem)),
            witnesses: Vec::new(),
        }
    }
}
