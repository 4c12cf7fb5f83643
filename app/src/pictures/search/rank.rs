//! Which sections hold all words of a query, and which of those come first. A query's word is found at the beginning of a
//! word: `renew` in "renewal", too.

use super::library::Section;

/// The words of a query, in small letters. `on_lost` is two.
pub fn words(query: &str) -> Vec<String> {
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(8).map(str::to_ascii_lowercase).collect()
}

/// Where a word is in a text of small letters, and whether it is a whole word there. Byte offsets.
pub fn places<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = (usize, bool)> + 'a {
    let begins = |at: &usize| !text[..*at].ends_with(char::is_alphanumeric);
    let whole = |at: usize| !text[at + word.len()..].starts_with(char::is_alphanumeric);
    text.match_indices(word).map(|(at, _)| at).filter(begins).map(move |at| (at, whole(at)))
}

/// The sections in which all words occur, the best first: by their number. None without words.
pub fn hits(sections: &[Section], words: &[String]) -> Vec<usize> {
    if words.is_empty() {
        return Vec::new();
    }
    let scored = sections.iter().enumerate().filter_map(|(i, section)| Some((score(section, words)?, i)));
    let mut scored: Vec<(u32, usize)> = scored.collect();
    scored.sort_unstable_by(|(a, i), (b, j)| {
        b.cmp(a).then_with(|| (sections[*i].order, i).cmp(&(sections[*j].order, j)))
    });
    scored.into_iter().map(|(_, i)| i).collect()
}

/// What a section is worth: a word in a page's title is worth more than one in a heading, and that more than any number in
/// the text, where many help less and less.
fn score(section: &Section, words: &[String]) -> Option<u32> {
    let heading = section.heading.to_ascii_lowercase();
    let page = section.page.to_ascii_lowercase();
    let text = &section.lower;
    let mut sum = 0;
    for word in words {
        let in_heading =
            places(&heading, word).map(|(_, whole)| section.heading_is_worth + if whole { 15 } else { 0 }).max();
        let in_page = places(&page, word).next().map(|_| 2);
        let (mut often, mut found) = (0, false);
        for (_, whole) in places(text, word) {
            found = true;
            often += if whole { 3 } else { 2 };
        }
        let in_text = found.then(|| 40 * often / (often + 8));
        in_heading.or(in_page).or(in_text)?;
        sum += in_heading.unwrap_or(0) + in_page.unwrap_or(0) + in_text.unwrap_or(0);
    }
    for pair in words.windows(2) {
        sum += if follow(&heading, pair) { section.heading_is_worth / 2 } else { 0 };
        sum += if follow(text, pair) { 30 } else { 0 };
    }
    Some(sum)
}

/// Do two words stand side by side somewhere?
fn follow(text: &str, pair: &[String]) -> bool {
    places(text, &pair[0]).filter(|(_, whole)| *whole).any(|(at, _)| {
        let rest = text[at + pair[0].len()..].trim_start_matches(|c: char| !c.is_alphanumeric());
        rest.starts_with(pair[1].as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::super::library::PAGE;
    use super::*;

    fn section(heading: &str, text: &str) -> Section {
        Section::new(String::new(), "A page", "", heading.to_owned(), text.to_owned(), 0)
    }

    fn found(sections: &[Section], query: &str) -> Vec<usize> {
        hits(sections, &words(query))
    }

    #[test]
    fn a_query_is_words_in_small_letters() {
        assert_eq!(words("  on_lost, Twice? "), ["on", "lost", "twice"]);
        assert!(words("-- ").is_empty());
    }

    #[test]
    fn a_word_is_found_where_a_word_begins() {
        let places = |text, word| places(text, word).collect::<Vec<_>>();
        assert_eq!(places("a renewal. renew", "renew"), [(2, false), (11, true)]);
        assert_eq!(places("prerenew", "renew"), []);
        assert_eq!(places("on_lost", "lost"), [(3, true)]);
        assert_eq!(places("größe ß", "ß"), [(8, true)]);
    }

    #[test]
    fn all_words_must_occur_somewhere_in_a_section() {
        let sections = [section("Leases", "expiry"), section("Leases", "and clocks"), section("Locks", "clocks")];
        assert_eq!(found(&sections, "lease clock"), [1]);
        assert_eq!(found(&sections, "page clock"), [1, 2]);
        assert!(found(&sections, "").is_empty());
    }

    #[test]
    fn a_title_is_worth_more_than_a_heading_and_that_more_than_text() {
        let text = section("Other", &"jitter ".repeat(50));
        let heading = section("On jitter", "word");
        let title =
            Section::new(String::new(), "Retry with jitter", "", "Retry with jitter".to_owned(), "word".to_owned(), 0);
        let title = Section { heading_is_worth: PAGE, ..title };
        let sections = [text, section("None", "word"), heading, title];
        assert_eq!(found(&sections, "jitter"), [3, 2, 0]);
    }

    #[test]
    fn whole_words_and_words_side_by_side_come_first() {
        let sections = [
            section("", "renewal"),
            section("", "renew"),
            section("", "token of fencing"),
            section("", "a fencing token"),
        ];
        assert_eq!(found(&sections, "renew"), [1, 0]);
        assert_eq!(found(&sections, "fencing token"), [3, 2]);
    }

    #[test]
    fn what_is_worth_the_same_is_in_the_order_of_the_book() {
        let mut sections = [section("", "lease"), section("", "lease"), section("", "lease")];
        sections[0].order = 2;
        assert_eq!(found(&sections, "lease"), [1, 2, 0]);
    }
}
