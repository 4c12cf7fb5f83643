//! The storage gate: the resource's own guard, which works whatever the clients believe.
//!
//! It keeps the greatest fencing token that it has seen for each resource, the high-water mark, and turns every write
//! away that brings a smaller one. Mark and value change in one step. An equal token passes, because it is the same
//! holder again: a second write, or a retry of one whose reply was lost. (Kleppmann, "How to do distributed locking",
//! 2016; Burrows, "The Chubby lock service", 2006, calls the token a sequencer.)
//!
//! ```
//! use leasehold_checker::model::storage_gate::{Stale, StorageGate};
//! let mut gate = StorageGate::default();
//! assert!(gate.write("job", 34, "by the second holder").is_ok());
//! assert_eq!(gate.write("job", 33, "by the first, who slept"), Err(Stale { mark: 34 }));
//! ```

use super::data::Data;
use std::collections::BTreeMap;

/// Values with their high-water marks, by resource. The default has a gate.
///
/// Tokens are `i128`: every token that the lock service mints and every number near it that learner's code may make
/// of one. A Python integer beyond that is no token of any service here; whoever calls the gate turns it away as a
/// wrong argument and does not clamp it, because two clamped tokens would count as equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StorageGate {
    gate: Gate,
    resources: BTreeMap<String, Resource>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Gate {
    #[default]
    Checks,
    Missing,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Resource {
    mark: i128,
    value: Data,
}

/// A write that was let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Written {
    /// The mark that the write met; none if it was the resource's first.
    pub mark_before: Option<i128>,
    /// The mark that it left.
    pub mark_after: i128,
}

/// A write that was turned away: a greater token was here before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stale {
    /// The resource's mark, greater than the write's token.
    pub mark: i128,
}

impl StorageGate {
    /// A storage that lets every write through, and still keeps the mark that a gate would have had: to show what
    /// goes wrong without one.
    pub fn without_gate() -> Self {
        StorageGate { gate: Gate::Missing, ..StorageGate::default() }
    }

    /// Writes a value with the token that goes with it. A write that is turned away changes nothing.
    pub fn write(&mut self, resource: &str, token: i128, value: impl Into<Data>) -> Result<Written, Stale> {
        let mark_before = self.mark(resource);
        if let Some(mark) = mark_before
            && token < mark
            && self.gate == Gate::Checks
        {
            return Err(Stale { mark });
        }
        let mark_after = mark_before.map_or(token, |mark| mark.max(token));
        self.resources.insert(resource.to_owned(), Resource { mark: mark_after, value: value.into() });
        Ok(Written { mark_before, mark_after })
    }

    /// The value of a resource; none before its first write. Reading asks for no token.
    pub fn read(&self, resource: &str) -> Option<&Data> {
        self.resources.get(resource).map(|r| &r.value)
    }

    /// The greatest token seen for a resource; none before its first write.
    pub fn mark(&self, resource: &str) -> Option<i128> {
        self.resources.get(resource).map(|r| r.mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_token_is_turned_away_and_changes_nothing() {
        let mut gate = StorageGate::default();
        gate.write("job", 5, "new").unwrap();
        let before = gate.clone();
        assert_eq!(gate.write("job", 4, "old"), Err(Stale { mark: 5 }));
        assert_eq!(gate, before);
    }

    #[test]
    fn an_equal_token_passes() {
        let mut gate = StorageGate::default();
        gate.write("job", 5, 1).unwrap();
        assert_eq!(gate.write("job", 5, 2), Ok(Written { mark_before: Some(5), mark_after: 5 }));
        assert_eq!(gate.read("job"), Some(&Data::Int(2)));
    }

    #[test]
    fn the_first_write_passes_whatever_its_token() {
        let mut gate = StorageGate::default();
        assert_eq!(gate.mark("job"), None);
        assert_eq!(gate.read("job"), None);
        assert_eq!(gate.write("job", -1, 1), Ok(Written { mark_before: None, mark_after: -1 }));
        assert_eq!(gate.mark("job"), Some(-1));
    }

    #[test]
    fn each_resource_has_its_own_mark() {
        let mut gate = StorageGate::default();
        gate.write("job", 5, 1).unwrap();
        assert!(gate.write("report", 1, 1).is_ok());
        assert_eq!((gate.mark("job"), gate.mark("report")), (Some(5), Some(1)));
    }

    #[test]
    fn a_value_of_none_is_a_write_too() {
        let mut gate = StorageGate::default();
        gate.write("job", 5, Data::None).unwrap();
        assert_eq!(gate.read("job"), Some(&Data::None));
    }

    #[test]
    fn without_a_gate_a_stale_write_wins_and_the_mark_stays() {
        let mut gate = StorageGate::without_gate();
        gate.write("job", 5, "new").unwrap();
        assert_eq!(gate.write("job", 4, "old"), Ok(Written { mark_before: Some(5), mark_after: 5 }));
        assert_eq!(gate.read("job"), Some(&Data::from("old")));
        assert!(gate.write("job", 6, "newer").is_ok());
        assert_eq!(gate.mark("job"), Some(6));
    }
}
