//! When a card comes again: Leitner's boxes with fixed days. What was known moves on a box, what was known in part stays,
//! what was missed begins anew. Days are numbers, see [`super::times::day`].

use super::Grade;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where they are stored.
pub const KEY: &str = "leasehold:cards";
/// Version of the record.
const VERSION: u32 = 1;
/// After so many days a card of each box comes again.
const DAYS: [u32; 5] = [1, 3, 7, 16, 35];
/// So many are kept. There are a hundred questions; the rest is room for those that are still to be written.
const MOST: usize = 2_000;

/// What is known of one card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Its box, from 0.
    pub step: u8,
    /// The day on which it comes again.
    pub due: u32,
    /// The day on which it was last seen.
    pub seen: u32,
}

/// All cards that were ever graded, by [`id`].
///
/// A card whose question is gone stays and is not shown: the question may only be in a file that did not come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cards {
    version: u32,
    cards: BTreeMap<String, Card>,
}

impl Default for Cards {
    fn default() -> Self {
        Cards { version: VERSION, cards: BTreeMap::new() }
    }
}

/// What a card is known by: the page's slug and the question's own name there. Neither changes with the wording.
pub fn id(page: &str, question: &str) -> String {
    [page, "/", question].concat()
}

impl Cards {
    /// What is known of a card; none if it is new.
    pub fn get(&self, id: &str) -> Option<Card> {
        self.cards.get(id).copied()
    }

    /// Must it be shown today? A calendar that went back hides no card.
    pub fn is_due(&self, id: &str, today: u32) -> bool {
        self.get(id).is_some_and(|card| card.due <= today || card.seen > today)
    }

    /// How many of them are due, on pages of which `is_here` knows.
    pub fn due(&self, today: u32, is_here: &dyn Fn(&str) -> bool) -> usize {
        let page = |id: &str| is_here(id.split('/').next().unwrap_or_default());
        self.cards.keys().filter(|id| page(id) && self.is_due(id, today)).count()
    }

    /// The first day on which another one comes.
    pub fn next_day(&self, today: u32) -> Option<u32> {
        self.cards.values().map(|card| card.due).filter(|due| *due > today).min()
    }

    /// The days until a card would come again if it were graded so.
    pub fn days(&self, id: &str, grade: Grade, today: u32) -> u32 {
        DAYS[self.step(id, grade, today)]
    }

    /// Takes in a grade.
    pub fn grade(&mut self, id: &str, grade: Grade, today: u32) {
        let step = self.step(id, grade, today);
        let card = Card { step: step as u8, due: today.saturating_add(DAYS[step]), seen: today };
        self.cards.insert(id.to_owned(), card);
        while self.cards.len() > MOST {
            let oldest = self.cards.iter().min_by_key(|(_, card)| card.seen).map(|(id, _)| id.clone());
            self.cards.remove(&oldest.unwrap_or_default());
        }
    }

    // Twice on a day is no proof of two boxes: the second time can only take back.
    fn step(&self, id: &str, grade: Grade, today: u32) -> usize {
        let card = self.get(id);
        let before = card.map_or(0, |card| usize::from(card.step));
        let is_again = card.is_some_and(|card| card.seen == today);
        let step = match grade {
            Grade::Missed => 0,
            Grade::Partly => before,
            Grade::Well if is_again => before,
            Grade::Well => before + 1,
        };
        step.min(DAYS.len() - 1)
    }
}

/// Reads a stored text; none if it is no record of this version.
pub fn read(stored: &str) -> Option<Cards> {
    serde_json::from_str::<Cards>(stored).ok().filter(|cards| cards.version == VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_comes_after_longer_and_longer() {
        let (mut cards, mut today) = (Cards::default(), 100);
        let mut days = Vec::new();
        for _ in 0..6 {
            cards.grade("a/b", Grade::Well, today);
            let due = cards.get("a/b").unwrap().due;
            days.push(due - today);
            assert!(!cards.is_due("a/b", due - 1) && cards.is_due("a/b", due));
            today = due;
        }
        assert_eq!(days, [3, 7, 16, 35, 35, 35]);
    }

    #[test]
    fn what_was_missed_begins_anew_and_what_was_known_in_part_stays() {
        let mut cards = Cards::default();
        cards.grade("a/b", Grade::Partly, 1);
        assert_eq!(cards.get("a/b").unwrap(), Card { step: 0, due: 2, seen: 1 });
        cards.grade("a/b", Grade::Well, 2);
        cards.grade("a/b", Grade::Partly, 5);
        assert_eq!(cards.get("a/b").unwrap(), Card { step: 1, due: 8, seen: 5 });
        cards.grade("a/b", Grade::Missed, 8);
        assert_eq!(cards.get("a/b").unwrap(), Card { step: 0, due: 9, seen: 8 });
    }

    #[test]
    fn the_second_time_on_a_day_can_only_take_back() {
        let mut cards = Cards::default();
        cards.grade("a/b", Grade::Well, 1);
        cards.grade("a/b", Grade::Well, 1);
        assert_eq!(cards.get("a/b").unwrap().step, 1);
        assert_eq!(cards.days("a/b", Grade::Well, 1), 3);
        cards.grade("a/b", Grade::Missed, 1);
        assert_eq!(cards.get("a/b").unwrap().step, 0);
    }

    #[test]
    fn a_new_card_is_not_due_and_a_calendar_that_went_back_hides_none() {
        let mut cards = Cards::default();
        assert!(!cards.is_due("a/b", 7));
        cards.grade("a/b", Grade::Well, 50);
        assert!(cards.is_due("a/b", 7));
        assert!(!cards.is_due("a/b", 50));
    }

    #[test]
    fn only_cards_of_pages_that_are_there_are_counted() {
        let mut cards = Cards::default();
        cards.grade("here/b", Grade::Missed, 1);
        cards.grade("gone/b", Grade::Missed, 1);
        assert_eq!(cards.due(2, &|page| page == "here"), 1);
        assert_eq!((cards.next_day(1), cards.next_day(2)), (Some(2), None));
    }

    #[test]
    fn the_record_has_a_bound_and_the_oldest_goes() {
        let mut cards = Cards::default();
        for i in 0..=MOST as u32 {
            cards.grade(&id("page", &i.to_string()), Grade::Well, i);
        }
        assert_eq!(cards.cards.len(), MOST);
        assert_eq!(cards.get("page/0"), None);
    }

    #[test]
    fn a_record_comes_back_as_it_was_stored() {
        let mut cards = Cards::default();
        cards.grade("a/b", Grade::Well, 1);
        let text = serde_json::to_string(&cards).unwrap();
        assert_eq!(text, r#"{"version":1,"cards":{"a/b":{"step":1,"due":4,"seen":1}}}"#);
        assert_eq!(read(&text), Some(cards));
    }

    #[test]
    fn a_box_that_no_card_can_be_in_does_no_harm() {
        let text = r#"{"version":1,"cards":{"a/b":{"step":255,"due":4294967295,"seen":0}}}"#;
        let mut cards = read(text).unwrap();
        assert_eq!(cards.days("a/b", Grade::Well, 1), 35);
        cards.grade("a/b", Grade::Well, u32::MAX);
        assert_eq!(cards.get("a/b").unwrap().due, u32::MAX);
    }
}
