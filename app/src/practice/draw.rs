//! Which kata a session is about: one of those that were not drawn lately.

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
