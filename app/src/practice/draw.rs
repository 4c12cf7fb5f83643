//! Which kata a session is about: one that fits into it, gives nothing away, and was not drawn lately.

/// A kata that may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kata<'a> {
    /// Its slug.
    pub slug: &'a str,
    /// How long it takes with its chapter, in minutes.
    pub minutes: u32,
    /// Its starter contains the solution of a kata that the learner has not solved.
    pub spoils: bool,
}

/// The slugs to draw from for a session of so many minutes, and whether they fit into it.
///
/// What gives a solution away comes only where nothing else is left. Without its chapter, and by somebody who has read it, a
/// kata takes about half of its time: it fits if its time is no more than twice that of the session. If none does, it is
/// the shortest.
pub fn fitting<'a>(katas: &[Kata<'a>], session: u32) -> (Vec<&'a str>, bool) {
    let has_other = katas.iter().any(|kata| !kata.spoils);
    let open = || katas.iter().filter(|kata| !has_other || !kata.spoils);
    let shortest = open().map(|kata| kata.minutes).min().unwrap_or(0);
    let fits = shortest <= session * 2;
    let most = if fits { session * 2 } else { shortest };
    (open().filter(|kata| kata.minutes <= most).map(|kata| kata.slug).collect(), fits)
}

/// The minutes in the facts of a kata's line in the contents: `Kata 3 · warm-up · about 30 min`.
pub fn minutes(facts: &str) -> u32 {
    let last = facts.rsplit(" · ").next().unwrap_or_default();
    last.split(' ').find_map(|word| word.parse().ok()).unwrap_or(0)
}

/// Draws one of the slugs. `lately` are those of past sessions, the newest first; `not` is the one that was just refused.
/// `luck` is from 0 up to 1. None only if there are no slugs.
///
/// Whatever was never drawn comes first; if all were, the half of them whose turn is longest ago.
pub fn draw<'a>(slugs: &[&'a str], lately: &[&str], not: Option<&str>, luck: f64) -> Option<&'a str> {
    let turn = |slug: &str| lately.iter().position(|late| *late == slug).unwrap_or(usize::MAX);
    let others: Vec<&str> = slugs.iter().copied().filter(|slug| Some(*slug) != not).collect();
    let half = others.len().div_ceil(2);
    // How many have waited for longer; of those that were never drawn none has.
    let before = |slug: &str| others.iter().filter(|other| turn(other) > turn(slug)).count();
    let is_new = |slug: &&str| turn(slug) == usize::MAX;
    let has_new = others.iter().any(is_new);
    let among: Vec<&str> =
        others.iter().copied().filter(|slug| if has_new { is_new(slug) } else { before(slug) < half }).collect();
    let place = (luck * among.len() as f64) as usize;
    among.get(place.min(among.len().saturating_sub(1))).or(slugs.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 4] = ["a", "b", "c", "d"];

    fn all(lately: &[&str], not: Option<&str>) -> Vec<&'static str> {
        let mut drawn: Vec<_> = (0..100).filter_map(|i| draw(&ALL, lately, not, f64::from(i) / 100.0)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        drawn
    }

    fn kata(slug: &str, minutes: u32, spoils: bool) -> Kata<'_> {
        Kata { slug, minutes, spoils }
    }

    #[test]
    fn what_takes_more_than_twice_the_session_is_drawn_only_where_nothing_fits_and_then_the_shortest() {
        let katas = [kata("a", 20, false), kata("b", 50, false), kata("c", 60, false), kata("d", 120, false)];
        assert_eq!(fitting(&katas, 25), (vec!["a", "b"], true));
        assert_eq!(fitting(&katas, 45), (vec!["a", "b", "c"], true));
        assert_eq!(fitting(&katas[2..], 25), (vec!["c"], false));
        assert_eq!(fitting(&[], 25), (vec![], true));
    }

    #[test]
    fn a_kata_that_shows_the_solution_of_an_unsolved_one_is_drawn_only_where_no_other_is_left() {
        let katas = [kata("a", 60, false), kata("b", 20, true)];
        assert_eq!(fitting(&katas, 25), (vec!["a"], false));
        assert_eq!(fitting(&katas[1..], 25), (vec!["b"], true));
    }

    #[test]
    fn every_kata_of_the_book_says_its_minutes_and_most_fit_into_a_long_session() {
        let facts = leasehold_exercises::contents().iter().filter(|entry| entry.address.starts_with("#/kata/"));
        let all: Vec<u32> = facts.map(|entry| minutes(entry.facts)).collect();
        assert_eq!(all.len(), leasehold_exercises::COUNT);
        assert!(all.iter().all(|minutes| *minutes >= 15), "{all:?}");
        assert!(all.iter().filter(|minutes| **minutes <= 90).count() > 10, "{all:?}");
    }

    #[test]
    fn what_was_never_drawn_comes_first() {
        assert_eq!(all(&[], None), ALL);
        assert_eq!(all(&["a", "c"], None), ["b", "d"]);
        assert_eq!(all(&["a", "c"], Some("b")), ["d"]);
    }

    #[test]
    fn when_all_were_drawn_it_is_one_whose_turn_is_long_ago() {
        assert_eq!(all(&["d", "b", "a", "c", "d"], None), ["a", "c"]);
    }

    #[test]
    fn drawn_again_it_is_another_one_if_there_is_any() {
        assert!(!all(&[], Some("a")).contains(&"a"));
        assert_eq!(draw(&["a"], &[], Some("a"), 0.5), Some("a"));
        assert_eq!(draw(&[], &[], None, 0.5), None);
    }

    #[test]
    fn no_luck_leads_beyond_the_end() {
        for luck in [0.0, 0.999_999_9, 1.0, f64::NAN] {
            assert!(draw(&ALL, &[], None, luck).is_some());
        }
    }
}
