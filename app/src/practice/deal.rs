//! Which cards are dealt, and in which order. Cards are told by their places in the book's order.

use super::cards::Cards;

/// After the questions of the session's own kata so many others come, if they are due.
const OTHERS: usize = 3;
/// So many new ones at a time.
pub const NEW: usize = 5;

/// After a session: the questions of its kata, then a few others that are due; those that were answered already are left out.
pub fn after_session(ids: &[&str], kata: &str, cards: &Cards, today: u32, answered: &[&str]) -> Vec<usize> {
    let is_own = |id: &str| id.strip_prefix(kata).is_some_and(|rest| rest.starts_with('/'));
    let is_left = |id: &str| !answered.contains(&id);
    let had = answered.iter().filter(|id| !is_own(id)).count();
    let own = places(ids, &|id| is_own(id) && is_left(id));
    let others = places(ids, &|id| !is_own(id) && is_left(id) && cards.is_due(id, today));
    own.into_iter().chain(others.into_iter().take(OTHERS.saturating_sub(had))).collect()
}

/// All that are due.
pub fn due(ids: &[&str], cards: &Cards, today: u32) -> Vec<usize> {
    places(ids, &|id| cards.is_due(id, today))
}

/// Those that were never seen.
pub fn new(ids: &[&str], cards: &Cards) -> Vec<usize> {
    places(ids, &|id| cards.get(id).is_none())
}

fn places(ids: &[&str], is_dealt: &dyn Fn(&str) -> bool) -> Vec<usize> {
    (0..ids.len()).filter(|i| is_dealt(ids[*i])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice::Grade;

    const IDS: [&str; 7] = ["a/1", "a/2", "b/1", "b/2", "b/3", "b/4", "ab/1"];

    fn all_of_b_due() -> Cards {
        let mut cards = Cards::default();
        for id in ["a/2", "b/1", "b/2", "b/3", "b/4"] {
            cards.grade(id, Grade::Missed, 1);
        }
        cards
    }

    #[test]
    fn the_katas_own_questions_come_first_and_then_a_few_that_are_due() {
        let cards = all_of_b_due();
        assert_eq!(after_session(&IDS, "a", &cards, 2, &[]), [0, 1, 2, 3, 4]);
        assert_eq!(after_session(&IDS, "a", &cards, 1, &[]), [0, 1]);
    }

    #[test]
    fn what_was_answered_before_a_reload_is_not_asked_again() {
        let cards = all_of_b_due();
        assert_eq!(after_session(&IDS, "a", &cards, 2, &["a/1", "b/1", "b/2"]), [1, 4]);
        assert!(after_session(&IDS, "a", &cards, 2, &["a/1", "a/2", "b/1", "b/2", "b/3"]).is_empty());
    }

    #[test]
    fn due_cards_and_new_ones_are_dealt_in_the_books_order() {
        let cards = all_of_b_due();
        assert_eq!(due(&IDS, &cards, 2), [1, 2, 3, 4, 5]);
        assert_eq!(new(&IDS, &cards), [0, 6]);
    }
}
