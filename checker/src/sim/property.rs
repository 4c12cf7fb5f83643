//! What must hold in a world, as values: each looks at events as they happen and says when one breaks its rule.

use crate::breach::Breach;
use crate::model::data::Data;
use crate::trace::Event;
use std::hash::Hasher;

/// A rule that is watched during a run.
pub trait Property {
    /// Its name, in a word or two.
    fn rule(&self) -> &'static str;
    /// The rule in a plain sentence.
    fn sentence(&self) -> &'static str;
    /// Looks at the event with this index in the trace.
    ///
    /// # Errors
    /// The event breaks the rule.
    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation>;
    /// A driver told something, see `note` in `lib/_leasehold`.
    ///
    /// # Errors
    /// What it told breaks the rule.
    fn noted(&mut self, _note: &Note<'_>) -> Result<(), Violation> {
        Ok(())
    }
    /// The run is over: what should have happened has, or never will.
    ///
    /// # Errors
    /// Something that had to happen did not.
    fn end(&mut self, _now_us: u64) -> Result<(), Violation> {
        Ok(())
    }
    /// What it remembers, for telling whether two runs have come to the same state.
    fn digest(&self, hasher: &mut dyn Hasher);
}

/// What a driver told.
#[derive(Debug)]
pub struct Note<'a> {
    /// The index of the last event in the trace.
    pub index: usize,
    /// When, virtual microseconds.
    pub at_us: u64,
    /// Which client's.
    pub client: usize,
    /// What kind of thing.
    pub kind: &'a str,
    /// The thing.
    pub value: &'a Data,
}

/// How a rule was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What happened, in a sentence.
    pub message: String,
    /// Events that make the bad one bad.
    pub witnesses: Vec<usize>,
}

impl Violation {
    /// With the events that make it one.
    pub fn new(message: impl Into<String>, witnesses: impl IntoIterator<Item = usize>) -> Self {
        Violation { message: message.into(), witnesses: witnesses.into_iter().collect() }
    }
}

/// As a breach of the property's rule.
pub(crate) fn breach(property: &dyn Property, violation: Violation) -> Breach {
    Breach::new(property.rule(), format!("{} {}", violation.message, property.sentence()), violation.witnesses)
}
