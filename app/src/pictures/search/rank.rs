//! Which sections hold all words of a query, or some of them, and which of those come first. A query's word is found at the
//! beginning of a word: `renew` in "renewal", too.

use super::library::Section;
use super::terms::{Term, terms};

/// So many words are marked; [`super::snippet`] counts them in bits.
const MOST_MARKS: usize = 31;

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

/// What a word that has other names is worth more where it stands as it was typed.
const TYPED: u32 = 100;
/// If fewer places have all that is looked for, those that have some of it come after them.
const ENOUGH: usize = 3;

/// What was found.
#[derive(Default)]
pub struct Found {
    /// The sections by their number, the best first.
    pub hits: Vec<usize>,
    /// How many of them, from the first on, have all that was looked for.
    pub whole: usize,
    /// The words to be marked in them.
    pub marks: Vec<String>,
}

/// Looks for a query. Nothing is found without words.
pub fn find(sections: &[Section], query: &str) -> Found {
    let words = words(query);
    let terms = terms(&words, sections);
    let marks = terms.iter().flat_map(|term| &term.ways).flatten().take(MOST_MARKS).cloned().collect();
    let mut hits = best(sections, |section| whole(section, &terms, &words));
    let whole = hits.len();
    if whole < ENOUGH && terms.len() > 1 {
        let some = best(sections, |section| some(section, &terms));
        let more: Vec<usize> = some.into_iter().filter(|hit| !hits.contains(hit)).collect();
        hits.extend(more);
    }
    Found { hits, whole, marks }
}

fn best(sections: &[Section], worth: impl Fn(&Section) -> Option<u32>) -> Vec<usize> {
    let mut scored: Vec<(u32, usize)> =
        sections.iter().enumerate().filter_map(|(i, section)| Some((worth(section)?, i))).collect();
    scored.sort_unstable_by(|(a, i), (b, j)| {
        b.cmp(a).then_with(|| (sections[*i].order, i).cmp(&(sections[*j].order, j)))
    });
    scored.into_iter().map(|(_, i)| i).collect()
}

/// A section's texts in small letters.
struct Texts<'a> {
    section: &'a Section,
    heading: String,
    page: String,
}

impl<'a> Texts<'a> {
    fn of(section: &'a Section) -> Self {
        let (heading, page) = (section.heading.to_ascii_lowercase(), section.page.to_ascii_lowercase());
        Texts { section, heading, page }
    }

    /// What a word is worth here: in a page's title it is worth more than in a heading, and there more than any number in the
    /// text, where many help less and less.
    fn word(&self, word: &str) -> Option<u32> {
        let worth = self.section.heading_is_worth;
        let in_heading = places(&self.heading, word).map(|(_, whole)| worth + if whole { 15 } else { 0 }).max();
        let in_page = places(&self.page, word).next().map(|_| 2);
        let (mut often, mut found) = (0, false);
        for (_, whole) in places(&self.section.lower, word) {
            found = true;
            often += if whole { 3 } else { 2 };
        }
        let in_text = found.then(|| 40 * often / (often + 8));
        in_heading.or(in_page).or(in_text)?;
        Some(in_heading.unwrap_or(0) + in_page.unwrap_or(0) + in_text.unwrap_or(0))
    }

    /// What a term is worth here: its best way, and one that was not typed three quarters of that.
    fn term(&self, Term { ways }: &Term) -> Option<u32> {
        let way = |(i, way): (usize, &Vec<String>)| {
            let side_by_side = |pair: &[String]| follow(&self.heading, pair) || follow(&self.section.lower, pair);
            let sum = way.iter().map(|word| self.word(word)).sum::<Option<u32>>()?;
            match i {
                // Before any place that only has another name for it, be it in a title.
                0 if ways.len() > 1 => Some(sum + TYPED),
                0 => Some(sum),
                _ => way.windows(2).all(side_by_side).then_some(sum / way.len() as u32 * 3 / 4),
            }
        };
        ways.iter().enumerate().filter_map(way).max()
    }
}

/// What a section is worth that has all terms; none if it lacks one. None without terms.
fn whole(section: &Section, terms: &[Term], words: &[String]) -> Option<u32> {
    let texts = Texts::of(section);
    let mut sum = terms.iter().map(|term| texts.term(term)).sum::<Option<u32>>().filter(|_| !terms.is_empty())?;
    for pair in words.windows(2) {
        sum += if follow(&texts.heading, pair) { section.heading_is_worth / 2 } else { 0 };
        sum += if follow(&section.lower, pair) { 30 } else { 0 };
    }
    Some(sum)
}

/// What a section is worth that has some of the terms: how many comes first.
fn some(section: &Section, terms: &[Term]) -> Option<u32> {
    let texts = Texts::of(section);
    let found = terms.iter().filter(|term| !term.is_small()).filter_map(|term| texts.term(term));
    let (count, sum) = found.fold((0, 0), |(count, sum), worth| (count + 1, sum + worth));
    (count > 0).then_some(count * 10_000 + sum)
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
        let found = find(sections, query);
        found.hits[..found.whole].to_vec()
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
    fn where_few_places_have_all_words_those_that_have_most_of_them_follow() {
        let sections = [
            section("", "redlock"),
            section("", "the clock"),
            section("", "redlock and a clock"),
            section("", "nothing of it"),
        ];
        let found = find(&sections, "the redlock clock jumps");
        assert_eq!((found.whole, &found.hits[..1], found.hits.len()), (0, &[2][..], 3));
        let found = find(&sections, "redlock clock");
        assert_eq!((found.whole, found.hits), (1, vec![2, 0, 1]));
        // One word is there, or not.
        assert!(find(&sections, "zebra").hits.is_empty());
    }

    #[test]
    fn another_name_is_worth_less_than_what_was_typed_and_its_words_stand_side_by_side() {
        let sections = [section("", "a fencing token"), section("", "an epoch"), section("", "a token for fencing")];
        assert_eq!(found(&sections, "epoch"), [1, 0]);
    }

    #[test]
    fn what_is_worth_the_same_is_in_the_order_of_the_book() {
        let mut sections = [section("", "lease"), section("", "lease"), section("", "lease")];
        sections[0].order = 2;
        assert_eq!(found(&sections, "lease"), [1, 2, 0]);
    }
}
