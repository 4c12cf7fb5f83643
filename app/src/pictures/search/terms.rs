//! What a query asks for, in the words of the book: as typed; as others call it, see [`SYNONYMS`]; or with one letter put right.

use super::library::Section;
use super::rank::places;

/// Something that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The ways to say it, each as words in small letters; the first is as it was typed. The words of any other stand side by
    /// side where it is found.
    pub ways: Vec<Vec<String>>,
}

/// What the trade calls it, and how it is said here.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("setnx", &["nx", "redis"]),
    ("set nx", &["nx"]),
    ("nx", &["redis"]),
    ("px", &["ttl"]),
    ("expire", &["expiry", "ttl"]),
    ("gc pause", &["garbage", "long pause", "pause"]),
    ("gc", &["garbage", "pause"]),
    ("stop the world", &["garbage", "long pause", "pause"]),
    ("ntp", &["wall clock", "clock step"]),
    ("clock jump", &["clock step", "wall clock"]),
    ("clock skew", &["drift", "wall clock"]),
    ("split brain", &["two holders", "two leaders", "both hold"]),
    ("network partition", &["cut off", "partition"]),
    ("zk", &["zookeeper"]),
    ("k8s", &["kubernetes"]),
    ("mutual exclusion", &["mutex", "two holders"]),
    ("mutex", &["mutual exclusion", "two holders"]),
    ("advisory lock", &["postgres", "advisory"]),
    ("advisory", &["postgres", "storage gate"]),
    ("pg", &["postgres"]),
    ("select for update", &["row locked", "row lock"]),
    ("idempotency", &["repeatable", "second time", "reply is lost"]),
    ("idempotent", &["repeatable", "second time", "reply is lost"]),
    ("leader election", &["leader", "ephemeral"]),
    ("keepalive", &["heartbeat", "renewal"]),
    ("keep alive", &["keepalive", "heartbeat", "renewal"]),
    ("ping", &["heartbeat", "renewal"]),
    ("epoch", &["fencing token"]),
    ("generation", &["fencing token"]),
    ("sequencer", &["fencing token"]),
    ("zombie", &["stale write", "late write", "paused holder", "fencing token"]),
    ("cas", &["compare"]),
    ("compare and swap", &["compare"]),
    ("optimistic", &["compare", "version"]),
    ("thundering herd", &["herd"]),
    ("starvation", &["starve", "fair"]),
    ("recursive", &["re entrant", "reentrant"]),
    ("raft", &["consensus"]),
    ("paxos", &["consensus"]),
    ("quorum", &["majority"]),
    ("failover", &["replica", "redlock"]),
    ("race condition", &["check and write", "overlap"]),
    ("toctou", &["check and write", "look then act"]),
];
/// From so many letters on a word may have one wrong.
const LONG: usize = 5;
/// So many words that are one letter away are looked for at most.
const MOST_NEAR: usize = 6;
/// Words that say nothing of what is looked for.
const SMALL: [&str; 16] =
    ["a", "an", "and", "are", "can", "do", "does", "for", "how", "in", "is", "of", "the", "to", "what", "why"];

/// What these words ask for. A word that begins none in these sections is taken for one that does, if that is near.
pub fn terms(words: &[String], sections: &[Section]) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let known = SYNONYMS.iter().filter(|(name, _)| begins(rest, name)).max_by_key(|(name, _)| name.len());
        let (typed, others) = match known {
            Some((name, others)) => (rest.split_at(name.split(' ').count()), *others),
            None => ((std::slice::from_ref(first), after), &[][..]),
        };
        let mut ways = vec![typed.0.to_vec()];
        ways.extend(others.iter().map(|way| way.split(' ').map(str::to_owned).collect()));
        if others.is_empty() && !occurs(sections, first) {
            ways.extend(near(sections, first).into_iter().map(|word| vec![word]));
        }
        terms.push(Term { ways });
        rest = typed.1;
    }
    terms
}

impl Term {
    /// Is it one of the words that say nothing by themselves?
    pub fn is_small(&self) -> bool {
        matches!(&self.ways[..], [way] if matches!(&way[..], [word] if SMALL.contains(&word.as_str())))
    }
}

fn begins(words: &[String], name: &str) -> bool {
    let mut words = words.iter();
    name.split(' ').all(|part| words.next().is_some_and(|word| word == part))
}

fn occurs(sections: &[Section], word: &str) -> bool {
    let within = |text: &str| places(text, word).next().is_some();
    sections.iter().any(|section| {
        within(&section.lower)
            || within(&section.heading.to_ascii_lowercase())
            || within(&section.page.to_ascii_lowercase())
    })
}

/// Words of the sections that are one letter away; if there is none, the word without its ending.
fn near(sections: &[Section], word: &str) -> Vec<String> {
    if word.chars().count() < LONG {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    for section in sections {
        for text in [section.heading.to_ascii_lowercase().as_str(), &section.lower] {
            for other in text.split(|c: char| !c.is_alphanumeric()) {
                if found.len() < MOST_NEAR && is_near(word, other) && !found.iter().any(|known| known == other) {
                    found.push(other.to_owned());
                }
            }
        }
    }
    if found.is_empty() {
        let cut = |letters: usize| Some(word.char_indices().rev().nth(letters - 1)?.0);
        let stem = (1..=3).filter_map(cut).map(|at| &word[..at]).filter(|stem| stem.chars().count() >= LONG);
        found.extend(stem.filter(|stem| occurs(sections, stem)).take(1).map(str::to_owned));
    }
    found
}

/// Does one word become the other by a letter that is added, left out or changed, or by two that change places?
fn is_near(a: &str, b: &str) -> bool {
    if a.len().abs_diff(b.len()) > 4 {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    match (a, b) {
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        ([_, a @ ..], b) if a == b => true,
        (a, [_, b @ ..]) if a == b => true,
        ([a1, a2, a @ ..], [b1, b2, b @ ..]) => (a1, a2, a) == (b2, b1, b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::rank::words;
    use super::*;

    fn ways(query: &str, text: &str) -> Vec<Vec<String>> {
        let section = Section::new(String::new(), "", "", String::new(), text.to_owned(), 0);
        let joined = |term: Term| term.ways.iter().map(|way| way.join(" ")).collect();
        terms(&words(query), &[section]).into_iter().map(joined).collect()
    }

    #[test]
    fn what_the_trade_calls_it_is_looked_for_in_the_words_of_the_book_too() {
        assert_eq!(ways("a GC pause", "a pause"), [vec!["a"], vec!["gc pause", "garbage", "long pause", "pause"]]);
        assert_eq!(ways("epoch", ""), [["epoch", "fencing token"]]);
    }

    #[test]
    fn one_wrong_letter_in_a_long_word_is_put_right_and_in_a_short_one_not() {
        for typed in ["fenceing", "fencin", "fancing", "fecning", "fencingg"] {
            let found = ways(typed, "fencing a token");
            assert!(typed == "fencin" || found == [[typed, "fencing"]], "{found:?}");
        }
        assert_eq!(ways("lok", "lock"), [["lok"]]);
        // What begins a word is no mistake.
        assert_eq!(ways("tokens", "tokens, token"), [["tokens"]]);
        assert_eq!(ways("fncign", "fencing"), [["fncign"]]);
    }

    #[test]
    fn a_word_with_another_ending_is_found_by_its_stem() {
        assert_eq!(ways("acknowledging", "acknowledged"), [["acknowledging", "acknowledg"]]);
    }
}
