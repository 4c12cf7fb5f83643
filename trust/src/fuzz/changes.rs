//! Texts that are nearly right: seeds with a few small changes.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::sample::{Index, select};

/// What readers stumble over.
const PIECES: &[&str] = &[
    // Of any text.
    "\0",
    "\u{feff}",
    "\r\n",
    "\n",
    "\t",
    " ",
    "é",
    "𝕏",
    "\u{202e}",
    "\u{1f}",
    "\u{2028}",
    // Of JSON and TOML.
    "\"",
    "'",
    "\\",
    "\\u0000",
    "\\ud800",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "null",
    "true",
    "[[",
    "]]",
    "=",
    "\"\"\"",
    // Of addresses.
    "/",
    "#/",
    "%",
    "%2e%2e",
    "..",
    "?",
    "&",
    "-_",
    "+",
    // Of Markdown.
    "#",
    "## ",
    "{#",
    "}",
    "```",
    "![",
    "](",
    "<b>",
    "|",
    "|---|",
    "*",
    "- ",
    "> ",
    "&lt;",
    // Of Python.
    "(",
    ")",
    "    ",
    "lambda: ",
    "yield ",
    "await ",
    "self",
    "f'{",
    "**",
    "//",
    "@",
    ":=",
    "raise ",
    "del ",
    "global ",
    "return ",
    "while True: ",
    "class X: ",
    "def f(): ",
    "try:",
    "# ",
    "match ",
    "1_0",
    "0x",
    "1j",
    "...",
    "->",
    "import os",
];

/// What is written into the place of a number.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "7",
    "64",
    "127",
    "128",
    "255",
    "256",
    "640",
    "65535",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e999",
    "-0.0",
    "0.5",
    "NaN",
    "99999999999999999999999999",
];

/// One change; places and lengths are in characters.
#[derive(Clone, Debug)]
enum Change {
    Cut(Span),
    Repeat(Span),
    Reverse(Span),
    Replace(Span, String),
    Insert(Index, String),
    /// A piece, again and again: two to the power of this.
    Flood(Index, String, u32),
    Truncate(Index),
    /// The text up to here, then another seed from there on.
    Splice(Index, Index, Index),
    /// The nth run of digits.
    Number(Index, &'static str),
}

#[derive(Clone, Debug)]
struct Span {
    from: Index,
    length: usize,
}

/// Seeds with up to four changes; one time in sixteen, nothing of them at all.
pub fn texts(seeds: Vec<String>) -> impl Strategy<Value = String> {
    let seeds: Vec<Vec<char>> = seeds.iter().map(|seed| seed.chars().collect()).collect();
    let changed = (any::<Index>(), vec(change(), 1..=4)).prop_map(move |(seed, changes)| {
        let mut text = seeds[seed.index(seeds.len())].clone();
        for change in changes {
            change.make(&mut text, &seeds);
        }
        text.into_iter().collect::<String>()
    });
    let noise = vec(piece(), 0..60).prop_map(|pieces| pieces.concat());
    prop_oneof![15 => changed, 1 => noise]
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    prop_oneof![
        2 => span().prop_map(Change::Cut),
        1 => span().prop_map(Change::Repeat),
        1 => span().prop_map(Change::Reverse),
        2 => (span(), piece()).prop_map(|(span, piece)| Change::Replace(span, piece)),
        2 => (index(), piece()).prop_map(|(at, piece)| Change::Insert(at, piece)),
        1 => (index(), piece(), 1..12_u32).prop_map(|(at, piece, power)| Change::Flood(at, piece, power)),
        1 => index().prop_map(Change::Truncate),
        1 => (index(), index(), index()).prop_map(|(at, seed, from)| Change::Splice(at, seed, from)),
        2 => (index(), select(NUMBERS)).prop_map(|(at, number)| Change::Number(at, number)),
    ]
}

/// Mostly a few characters, sometimes some lines.
fn span() -> impl Strategy<Value = Span> {
    (any::<Index>(), prop_oneof![3 => 0..12_usize, 1 => 0..400_usize]).prop_map(|(from, length)| Span { from, length })
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => (32..127_u8).prop_map(|byte| char::from(byte).to_string()),
    ]
}

impl Span {
    fn of(&self, text: &[char]) -> std::ops::Range<usize> {
        let from = self.from.index(text.len() + 1);
        from..(from + self.length).min(text.len())
    }
}

impl Change {
    fn make(self, text: &mut Vec<char>, seeds: &[Vec<char>]) {
        let place = |at: Index, text: &[char]| at.index(text.len() + 1);
        match self {
            Change::Cut(span) => drop(text.drain(span.of(text))),
            Change::Repeat(span) => {
                let span = span.of(text);
                let again = text[span.clone()].to_vec();
                text.splice(span.end..span.end, again);
            }
            Change::Reverse(span) => {
                let span = span.of(text);
                text[span].reverse();
            }
            Change::Replace(span, piece) => drop(text.splice(span.of(text), piece.chars())),
            Change::Insert(at, piece) => {
                let at = place(at, text);
                text.splice(at..at, piece.chars());
            }
            Change::Flood(at, piece, power) => {
                let at = place(at, text);
                text.splice(at..at, piece.repeat(1 << power).chars());
            }
            Change::Truncate(at) => text.truncate(place(at, text)),
            Change::Splice(at, seed, from) => {
                let other = &seeds[seed.index(seeds.len())];
                text.truncate(place(at, text));
                text.extend(&other[place(from, other)..]);
            }
            Change::Number(at, number) => {
                let runs = numbers(text);
                if let Some(run) = runs.get(at.index(runs.len().max(1))) {
                    text.splice(run.clone(), number.chars());
                }
            }
        }
    }
}

/// The runs of digits.
fn numbers(text: &[char]) -> Vec<std::ops::Range<usize>> {
    let is_digit = |i: usize| text.get(i).is_some_and(char::is_ascii_digit);
    let begins = (0..text.len()).filter(|i| is_digit(*i) && (*i == 0 || !is_digit(i - 1)));
    begins.map(|from| from..(from..).find(|i| !is_digit(*i)).unwrap_or(text.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_whole() {
        let text: Vec<char> = "12,a3\n456".chars().collect();
        assert_eq!(numbers(&text), [0..2, 4..5, 6..9]);
    }
}
