//! The interpreter's parser knows the names of all characters, for `"\N{BULLET}"`. Its tables find one at once and take 300 KB of
//! the download; as a text to be read from its beginning they are 110 KB, and nobody waits for the millisecond. The names
//! come from the crate that this one stands in for, when it is built.

mod table;

static NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/names.txt"));
/// Other names, of Unicode 16: of control characters, abbreviations, corrections.
static ALIASES: &str = include_str!("aliases.txt");

/// The character's name, if it has one.
pub fn name(c: char) -> Option<String> {
    if table::is_computed(c) {
        return table::computed_name(c);
    }
    table::listed(NAMES).find(|(_, other)| *other == c).map(|(name, _)| name.to_owned())
}

/// The character of a name, in whatever case.
pub fn character(name: &str) -> Option<char> {
    let name = name.to_ascii_uppercase();
    if let Some(computed) = table::computed_character(&name) {
        return computed;
    }
    let find = |text| table::listed(text).find(|(other, _)| *other == name).map(|(_, c)| c);
    find(NAMES).or_else(|| find(ALIASES))
}
