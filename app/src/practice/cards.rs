//! When a card comes again: Leitner's boxes with fixed days. What was known moves on a box, what was known in part stays and
//! comes no sooner than in two days, what was missed begins anew. Days are numbers, see [`super::times::day`].

use super::Grade;
use super::rows::{self, Row, field, number, row};
use crate::storage::SaveError;

/// Where they are stored.
pub const KEY: &str = "leasehold:cards";
/// After so many days a card of each box comes again.
const DAYS: [u32; 5] = [1, 3, 7, 16, 35];
/// What was known in part comes again no sooner than after so many: what was missed is the more urgent.
const PARTLY: u32 = 2;
/// So many are kept. There are a hundred questions; the rest is room for those that are still to be written.
const MOST: usize = 2_000;

/// What is known of one card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cards {
    cards: Vec<(String, Card)>,
}

/// What a card is known by: the page's slug and the question's own name there. Neither changes with the wording.
pub fn id(page: &str, question: &str) -> String {
    [page, "/", question].concat()
}

impl Cards {
    /// What is known of a card; none if it is new.
    pub fn get(&self, id: &str) -> Option<Card> {
        self.cards.iter().find(|(other, _)| other == id).map(|(_, card)| *card)
    }

    /// Must it be shown today? A calendar that went back hides no card.
    pub fn is_due(&self, id: &str, today: u32) -> bool {
        self.get(id).is_some_and(|card| card.due <= today || card.seen > today)
    }

    /// How many of them are due, on pages of which `is_here` knows.
    pub fn due(&self, today: u32, is_here: &dyn Fn(&str) -> bool) -> usize {
        let page = |id: &str| is_here(id.split('/').next().unwrap_or_default());
        self.cards.iter().filter(|(id, _)| page(id) && self.is_due(id, today)).count()
    }

    /// The first day on which another one comes.
    pub fn next_day(&self, today: u32) -> Option<u32> {
        self.cards.iter().map(|(_, card)| card.due).filter(|due| *due > today).min()
    }

    /// The days until a card would come again if it were graded so.
    pub fn days(&self, id: &str, grade: Grade, today: u32) -> u32 {
        days(self.step(id, grade, today), grade)
    }

    /// Takes in a grade.
    pub fn grade(&mut self, id: &str, grade: Grade, today: u32) {
        let step = self.step(id, grade, today);
        let card = Card { step: step as u8, due: today.saturating_add(days(step, grade)), seen: today };
        // The last one is the one that was seen last.
        self.cards.retain(|(other, _)| other != id);
        self.cards.push((id.to_owned(), card));
        if self.cards.len() > MOST {
            self.cards.remove(0);
        }
    }

    /// Takes a grade back: the card is again what was known of it before.
    pub fn take_back(&mut self, id: &str, before: Option<Card>) {
        self.cards.retain(|(other, _)| other != id);
        self.cards.extend(before.map(|card| (id.to_owned(), card)));
    }

    /// As rows, see [`read`].
    pub fn rows(&self) -> Vec<Row> {
        let row = |(id, card): &(String, Card)| {
            row(&[id, &card.step.to_string(), &card.due.to_string(), &card.seen.to_string()])
        };
        self.cards.iter().map(row).collect()
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

fn days(step: usize, grade: Grade) -> u32 {
    if grade == Grade::Partly { DAYS[step].max(PARTLY) } else { DAYS[step] }
}

/// Reads the rows of the record, each a card: its id, its box, the day on which it comes, the day on which it was seen. None
/// if they are something else.
pub fn read(rows: &[Row]) -> Option<Cards> {
    let mut cards = Cards::default();
    for row in rows {
        let day = |i: usize| u32::try_from(number(row, i)?).ok();
        let step = u8::try_from(number(row, 1)?).ok()?;
        cards.cards.push((field(row, 0).to_owned(), Card { step, due: day(2)?, seen: day(3)? }));
    }
    Some(cards)
}

/// The record, and what the learner must be told of it.
pub fn load() -> (Cards, Option<&'static str>) {
    rows::load(KEY, read)
}

/// Stores it.
///
/// # Errors
/// The browser does not store it.
pub fn store(cards: &Cards) -> Result<(), SaveError> {
    rows::store(KEY, cards.rows())
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
        assert_eq!(cards.get("a/b").unwrap(), Card { step: 0, due: 3, seen: 1 });
        cards.grade("a/b", Grade::Well, 3);
        cards.grade("a/b", Grade::Partly, 6);
        assert_eq!(cards.get("a/b").unwrap(), Card { step: 1, due: 9, seen: 6 });
        cards.grade("a/b", Grade::Missed, 9);
        assert_eq!(cards.get("a/b").unwrap(), Card { step: 0, due: 10, seen: 9 });
    }

    #[test]
    fn the_better_an_answer_the_later_its_card_comes_from_the_first_day_on() {
        let cards = Cards::default();
        assert_eq!(Grade::ALL.map(|grade| cards.days("a/b", grade, 1)), [1, 2, 3]);
    }

    #[test]
    fn a_grade_that_is_taken_back_leaves_no_trace() {
        let mut cards = Cards::default();
        cards.grade("a/b", Grade::Well, 1);
        let before = cards.clone();
        cards.grade("a/b", Grade::Missed, 4);
        cards.take_back("a/b", before.get("a/b"));
        assert_eq!(cards, before);
        cards.take_back("a/b", None);
        assert_eq!(cards, Cards::default());
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
    fn a_record_comes_back_from_its_rows() {
        let mut cards = Cards::default();
        cards.grade("a/b", Grade::Well, 1);
        cards.grade("a/c", Grade::Missed, 1);
        assert_eq!(cards.rows()[0], ["a/b", "1", "4", "1"]);
        assert_eq!(read(&cards.rows()), Some(cards));
        for wrong in [["a", "x", "1", "1"], ["a", "1", "", "1"], ["a", "256", "1", "1"], ["a", "1", "1", "4294967296"]]
        {
            assert_eq!(read(&[row(&wrong)]), None);
        }
    }

    #[test]
    fn a_box_that_no_card_can_be_in_does_no_harm() {
        let mut cards = read(&[row(&["a/b", "255", "4294967295", "0"])]).unwrap();
        assert_eq!(cards.days("a/b", Grade::Well, 1), 35);
        cards.grade("a/b", Grade::Well, u32::MAX);
        assert_eq!(cards.get("a/b").unwrap().due, u32::MAX);
    }
}
