//! The interpreter's parser brings the names of all characters in one version and the interpreter itself in another: 300 KB
//! more to download for `"\N{BULLET}"`. Here the second is the first, with the ideographs that were added since: the
//! interpreter's build asks for them.

pub use names::character;

/// Ideographs of Unicode 17, whose names are their numbers.
const ADDED: std::ops::RangeInclusive<u32> = 0x323B0..=0x33479;

/// The character's name, if it has one.
pub fn name(c: char) -> Option<String> {
    let number = u32::from(c);
    names::name(c).or_else(|| ADDED.contains(&number).then(|| format!("CJK UNIFIED IDEOGRAPH-{number:04X}")))
}
