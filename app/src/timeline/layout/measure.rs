//! How wide words are. Which font a reader has is not known here, so letters are taken for as wide as in the widest of
//! the usual ones; what is too long ends with an ellipsis.

/// Width of words in a font of `size` pixels, rounded up.
pub fn width(words: &str, size: i32) -> i32 {
    let hundredths: i32 = words.chars().map(of).sum();
    (hundredths * size + 99) / 100
}

/// The words, cut so that they are no wider than `room`.
pub fn shortened(words: &str, size: i32, room: i32) -> String {
    if width(words, size) <= room {
        return words.to_owned();
    }
    let mut left = room * 100 - of('…') * size;
    let kept = words.chars().take_while(|letter| {
        left -= of(*letter) * size;
        left >= 0
    });
    let mut out: String = kept.collect();
    out.truncate(out.trim_end_matches([' ', ',', ':', '·']).len());
    out.push('…');
    out
}

// Hundredths of the font's size.
fn of(letter: char) -> i32 {
    match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '·' | 'I' => 33,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '"' | '/' | '-' => 42,
        'm' | 'w' | 'M' | 'W' | '…' | '@' | '%' => 98,
        '→' | '×' | '+' | '<' | '>' | '=' | '−' | '✗' | '◆' => 84,
        'A'..='Z' => 72,
        '0'..='9' => 64,
        'a'..='z' | '_' => 61,
        c if c.is_ascii() => 64,
        _ => 100,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_fit_stay_and_others_end_with_an_ellipsis() {
        assert_eq!(shortened("node 1", 12, 100), "node 1");
        let cut = shortened("a call with more arguments than there is room", 12, 120);
        assert!(cut.starts_with("a call with") && cut.ends_with('…'), "{cut}");
        assert!(width(&cut, 12) <= 120);
        assert_eq!(shortened("wide", 12, 2), "…");
    }
}
