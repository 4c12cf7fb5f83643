//! The interpreter's parser brings the names of all characters in one version and the interpreter itself in another: 300 KB
//! more to download for `"\N{BULLET}"`. Here the second is the first, with the ideographs that were added since: the
//! interpreter's build asks for them.

use std::fmt;

pub use names::character;

/// Ideographs of Unicode 15.1 and 17, whose names are their numbers.
const ADDED: [std::ops::RangeInclusive<u32>; 2] = [0x2EBF0..=0x2EE5D, 0x323B0..=0x33479];

/// A character's name, to be displayed.
pub enum Name {
    /// From the table.
    Known(names::Name),
    /// Its number.
    Ideograph(char),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Known(name) => name.fmt(f),
            Name::Ideograph(c) => write!(f, "CJK UNIFIED IDEOGRAPH-{:04X}", *c as u32),
        }
    }
}

/// The character's name, if it has one.
pub fn name(c: char) -> Option<Name> {
    let is_added = ADDED.iter().any(|range| range.contains(&(c as u32)));
    names::name(c).map(Name::Known).or_else(|| is_added.then_some(Name::Ideograph(c)))
}
