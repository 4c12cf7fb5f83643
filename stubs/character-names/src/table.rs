//! Names that are listed, and names that follow from a character's number.

const SYLLABLE: &str = "HANGUL SYLLABLE ";
const IDEOGRAPH: &str = "CJK UNIFIED IDEOGRAPH-";

const FIRST: [&str; 19] =
    ["G", "GG", "N", "D", "DD", "R", "M", "B", "BB", "S", "SS", "", "J", "JJ", "C", "K", "T", "P", "H"];
const SECOND: [&str; 21] = [
    "A", "AE", "YA", "YAE", "EO", "E", "YEO", "YE", "O", "WA", "WAE", "OE", "YO", "U", "WEO", "WE", "WI", "YU", "EU",
    "YI", "I",
];
const THIRD: [&str; 28] = [
    "", "G", "GG", "GS", "N", "NJ", "NH", "D", "L", "LG", "LM", "LB", "LS", "LT", "LP", "LH", "M", "B", "BS", "S",
    "SS", "NG", "J", "C", "K", "T", "P", "H",
];

fn is_syllable(number: u32) -> bool {
    (0xAC00..=0xD7A3).contains(&number)
}

fn is_ideograph(number: u32) -> bool {
    matches!(number,
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0x20000..=0x2A6DF | 0x2A700..=0x2B739 | 0x2B740..=0x2B81D
        | 0x2B820..=0x2CEA1 | 0x2CEB0..=0x2EBE0 | 0x2EBF0..=0x2EE5D | 0x30000..=0x3134A | 0x31350..=0x323AF)
}

/// Whether its name follows from its number.
pub fn is_computed(c: char) -> bool {
    is_syllable(c.into()) || is_ideograph(c.into())
}

/// Such a name.
pub fn computed_name(c: char) -> Option<String> {
    let number = u32::from(c);
    if is_syllable(number) {
        let at = (number - 0xAC00) as usize;
        let parts = [SYLLABLE, FIRST[at / 28 / 21], SECOND[at / 28 % 21], THIRD[at % 28]];
        return Some(parts.concat());
    }
    is_ideograph(number).then(|| format!("{IDEOGRAPH}{number:04X}"))
}

/// The character of such a name: `Some(None)` if the name only begins like one.
pub fn computed_character(name: &str) -> Option<Option<char>> {
    if let Some(sounds) = name.strip_prefix(SYLLABLE) {
        // The longest sound that fits, as the names' grammar has it.
        let longest = |sounds: &str, all: &[&str]| {
            let fits = all.iter().enumerate().filter(|(_, sound)| sounds.starts_with(**sound));
            fits.max_by_key(|(_, sound)| sound.len()).map(|(at, sound)| (at as u32, sound.len()))
        };
        let syllable = || {
            let (first, length) = longest(sounds, &FIRST)?;
            let sounds = &sounds[length..];
            let (second, length) = longest(sounds, &SECOND)?;
            let sounds = &sounds[length..];
            let (third, length) = longest(sounds, &THIRD)?;
            (length == sounds.len()).then(|| char::from_u32(0xAC00 + (first * 21 + second) * 28 + third))?
        };
        return Some(syllable());
    }
    let digits = name.strip_prefix(IDEOGRAPH)?;
    let is_hex = digits.len() <= 5 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let number = if is_hex { u32::from_str_radix(digits, 16).ok() } else { None };
    Some(number.filter(|number| is_ideograph(*number)).and_then(char::from_u32))
}

/// The lines of a list: a name, and after a tab how far its number is from the one before, in hex; one if nothing is said.
pub fn listed(text: &str) -> impl Iterator<Item = (&str, char)> {
    let mut number = 0;
    text.lines().filter_map(move |line| {
        let (name, step) = line.split_once('\t').unwrap_or((line, "1"));
        number += u32::from_str_radix(step, 16).ok()?;
        Some((name, char::from_u32(number)?))
    })
}
