//! What is shown of a section: the part of its text in which most of a query's words stand, with the words marked.

use super::rank::places;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// As it is.
    Plain(&'a str),
    /// A word of the query.
    Found(&'a str),
}

/// A whole text, with the words marked.
pub fn marked<'a>(text: &'a str, words: &[String]) -> Vec<Piece<'a>> {
    pieces(text, &spans(text, words))
}

/// Some `room` bytes of a text, around the first place where most of the words are together; its beginning if there is none.
pub fn snippet<'a>(text: &'a str, words: &[String], room: usize) -> Vec<Piece<'a>> {
    let spans = spans(text, words);
    let mut best = (0, 0);
    for (i, (from, ..)) in spans.iter().enumerate() {
        let inside = spans[i..].iter().take_while(|span| span.1 <= from + room * 3 / 4);
        let different = inside.fold(0_u32, |seen, span| seen | 1 << span.2).count_ones();
        if different > best.0 {
            best = (different, *from);
        }
    }
    let start = if best.1 < room / 4 { 0 } else { word_at(text, best.1 - room / 4) };
    let end = if text.len() - start <= room { text.len() } else { word_at(text, start + room) };
    let inside: Vec<Span> = spans
        .iter()
        .filter(|span| start <= span.0 && span.1 <= end)
        .map(|(from, to, word)| (from - start, to - start, *word))
        .collect();
    let mut out = Vec::new();
    if start > 0 {
        out.push(Piece::Plain("… "));
    }
    out.extend(pieces(text[start..end].trim_end(), &inside));
    if end < text.len() {
        out.push(Piece::Plain(" …"));
    }
    out
}

/// From, to, and which of the words.
type Span = (usize, usize, usize);

/// Where the words are, in order, none over another.
fn spans(text: &str, words: &[String]) -> Vec<Span> {
    let lower = text.to_ascii_lowercase();
    let mut all: Vec<Span> = Vec::new();
    for (i, word) in words.iter().enumerate() {
        all.extend(places(&lower, word).map(|(at, _)| (at, at + word.len(), i)));
    }
    all.sort_unstable();
    let mut end = 0;
    all.retain(|span| {
        let is_free = span.0 >= end;
        end = if is_free { span.1 } else { end };
        is_free
    });
    all
}

/// Where the word begins that is at or after this byte.
fn word_at(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    text[at..].find(' ').map_or(at, |space| at + space + 1)
}

fn pieces<'a>(text: &'a str, spans: &[Span]) -> Vec<Piece<'a>> {
    let mut out = Vec::new();
    let mut at = 0;
    for (from, to, _) in spans {
        if *from > at {
            out.push(Piece::Plain(&text[at..*from]));
        }
        out.push(Piece::Found(&text[*from..*to]));
        at = *to;
    }
    if at < text.len() {
        out.push(Piece::Plain(&text[at..]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::rank::words;
    use super::*;

    fn shown(pieces: &[Piece<'_>]) -> String {
        let piece = |piece: &Piece<'_>| match piece {
            Piece::Plain(text) => (*text).to_owned(),
            Piece::Found(text) => format!("[{text}]"),
        };
        pieces.iter().map(piece).collect()
    }

    #[test]
    fn the_words_are_marked_where_words_begin() {
        assert_eq!(shown(&marked("A Lease, released; leases", &words("lease"))), "A [Lease], released; [lease]s");
        assert_eq!(shown(&marked("a lease", &words("le lease"))), "a [le]ase");
        assert_eq!(shown(&marked("", &words("a"))), "");
    }

    #[test]
    fn the_part_is_shown_in_which_most_words_are_together() {
        let text =
            format!("a token at first. {}then a fencing token comes. {}", "So on. ".repeat(40), "And on. ".repeat(40));
        let part = shown(&snippet(&text, &words("fencing token"), 80));
        assert!(part.starts_with("… ") && part.ends_with(" …"), "{part}");
        assert!(part.contains("then a [fencing] [token] comes."), "{part}");
        assert!(part.len() < 120, "{part}");
    }

    #[test]
    fn without_a_word_it_is_the_beginning_and_a_short_text_is_whole() {
        assert_eq!(shown(&snippet("Short text ", &words("no"), 80)), "Short text");
        assert_eq!(shown(&snippet("one two three four five", &words("zero"), 9)), "one two three …");
    }

    #[test]
    fn letters_of_several_bytes_are_never_cut() {
        let text = "ä – ö ".repeat(60) + "lease" + &" – ü".repeat(60);
        for room in 20..60 {
            assert!(shown(&snippet(&text, &words("lease"), room)).contains("[lease]"));
        }
    }
}
