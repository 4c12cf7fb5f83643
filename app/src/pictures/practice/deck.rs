//! All questions of the book, from the files of its pages. They stay for as long as the page does.

use crate::address::{self, Place};
use crate::pictures::contents::contents;
use crate::practice::cards::id;
use leasehold_exercises::{Chapter, Entry, Kata, Question, first};
use std::cell::RefCell;
use std::rc::Rc;
use yew::Callback;

/// A question.
pub struct Card {
    /// See [`id`].
    pub id: String,
    /// The page that it belongs to.
    pub page: &'static Entry,
    /// What is asked, and what a good answer says.
    pub question: &'static Question,
}

/// What came of loading.
#[derive(Clone)]
pub enum Deck {
    /// All of it.
    Whole(Rc<[Card]>),
    /// Some pages did not come.
    Part(Rc<[Card]>),
    /// Nothing came.
    Missing,
}

thread_local! {
    static DECK: RefCell<Option<Rc<[Card]>>> = const { RefCell::new(None) };
}

/// Hands on all questions, in the order of the book.
pub fn load(came: Callback<Deck>) {
    if let Some(cards) = DECK.with_borrow(Clone::clone) {
        return came.emit(Deck::Whole(cards));
    }
    contents(Callback::from(move |entries: Option<&'static [Entry]>| match entries {
        Some(entries) => fetch_pages(entries, came.clone()),
        None => came.emit(Deck::Missing),
    }));
}

/// The pages of which one came, or not, by their places in the book.
struct Coming {
    left: usize,
    pages: Vec<Option<&'static [Question]>>,
}

fn fetch_pages(entries: &'static [Entry], came: Callback<Deck>) {
    let files: Vec<_> = entries.iter().filter_map(|page| Some((page, file(page.address)?))).collect();
    let pages: Rc<[&'static Entry]> = files.iter().map(|(page, _)| *page).collect();
    let coming = Rc::new(RefCell::new(Coming { left: files.len(), pages: vec![None; files.len()] }));
    for (i, (_, file)) in files.into_iter().enumerate() {
        let (pages, coming, came, name) = (pages.clone(), coming.clone(), came.clone(), file.clone());
        let read = move |text: Option<String>| {
            let mut coming = coming.borrow_mut();
            coming.pages[i] = text.and_then(|text| questions(&name, text));
            coming.left -= 1;
            if coming.left == 0 {
                came.emit(whole(&pages, &coming.pages));
            }
        };
        address::fetch(&file, Callback::from(read));
    }
}

/// The file of a page; none of one without questions.
fn file(address: &str) -> Option<String> {
    match address::read(address) {
        Place::File(file) if !file.ends_with("contents") => Some(file),
        Place::First => Some([first().slug, ".kata"].concat()),
        _ => None,
    }
}

fn questions(file: &str, text: String) -> Option<&'static [Question]> {
    if file.ends_with(".kata") {
        Kata::from_file(text).map(|kata| kata.questions)
    } else {
        Chapter::from_file(text).map(|chapter| chapter.questions)
    }
}

fn whole(pages: &[&'static Entry], came: &[Option<&'static [Question]>]) -> Deck {
    let mut cards = Vec::new();
    for (page, questions) in pages.iter().zip(came) {
        let slug = page.address.rsplit('/').next().unwrap_or_default();
        cards.extend(questions.unwrap_or_default().iter().map(|question| Card {
            id: id(slug, question.id),
            page,
            question,
        }));
    }
    let cards: Rc<[Card]> = cards.into();
    if came.iter().all(Option::is_some) {
        DECK.set(Some(cards.clone()));
        Deck::Whole(cards)
    } else if cards.is_empty() {
        Deck::Missing
    } else {
        Deck::Part(cards)
    }
}
