//! A value as it goes over the simulated wire.

use std::collections::BTreeMap;
use std::fmt;

/// A plain value, copied whole: what one side changes later the other does not see.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Data {
    /// `None`.
    #[default]
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An `int` of 64 bits.
    Int(i64),
    /// A `float`.
    Float(Float),
    /// A `str`.
    Str(String),
    /// A `list` or `tuple`.
    List(Vec<Data>),
    /// A `dict` with `str` keys.
    Map(BTreeMap<String, Data>),
}

/// A float that is equal to another when its bits are.
#[derive(Clone, Copy, Debug)]
pub struct Float(pub f64);
impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}
impl Eq for Float {}
impl PartialOrd for Float {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Float {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
impl std::hash::Hash for Float {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}
impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}
