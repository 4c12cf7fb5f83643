//! The cards: think, reveal what a good answer says, judge oneself, the next. After a session they are the questions of its
//! kata first, and what is typed is kept in its report.

use super::deck::{self, Card, Deck};
use super::{Desk, Msg, back, today, way};
use crate::components::marked_up;
use crate::practice::past::{self, Answer};
use crate::practice::{Grade, REPORT, cards, deal, times};
use std::rc::Rc;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

const NOT_STORED: &str =
    "This browser stored neither your grade nor your answer: its storage is full or closed to the page.";

/// Cards, one after the other.
pub struct Cards {
    /// The session that they come after.
    session: Option<u64>,
    deck: Loaded,
    known: cards::Cards,
    /// The places of those that are dealt.
    dealt: Vec<usize>,
    /// Which of them is shown; beyond the last all are done.
    at: usize,
    is_open: bool,
    text: String,
    /// How many were graded so, in the order of [`Grade::ALL`].
    counts: [u32; 3],
    /// What was graded last, as long as that can be taken back.
    last: Option<Last>,
}

/// A grade, and what was before it.
struct Last {
    grade: Grade,
    /// The days until the card comes again.
    days: u32,
    before: Option<cards::Card>,
    text: String,
}

enum Loaded {
    Coming,
    Missing,
    Here(Rc<[Card]>),
}

impl Cards {
    /// None if there is no such session.
    pub fn open(desk: &mut Desk, session: Option<u64>) -> Option<Self> {
        if session.is_some_and(|started| past::load().0.find(started).is_none()) {
            return None;
        }
        let (known, notice) = cards::load();
        desk.tell(notice);
        deck::load(desk.link.callback(Msg::Came));
        let (dealt, text) = (Vec::new(), String::new());
        Some(Cards {
            session,
            deck: Loaded::Coming,
            known,
            dealt,
            at: 0,
            is_open: false,
            text,
            counts: [0; 3],
            last: None,
        })
    }

    pub fn update(&mut self, desk: &mut Desk, msg: Msg) {
        match msg {
            Msg::Came(Deck::Missing) => self.deck = Loaded::Missing,
            Msg::Came(Deck::Whole(cards)) => self.begin(desk, cards),
            Msg::Came(Deck::Part(cards)) => {
                desk.tell(Some("Some pages could not be loaded, so their questions are missing here."));
                self.begin(desk, cards);
            }
            Msg::Again => {
                self.deck = Loaded::Coming;
                deck::load(desk.link.callback(Msg::Came));
            }
            Msg::Typed(text) => {
                if let Some(card) = self.card() {
                    // A reload brings it back, see `turn`. What is not kept now is told of when it is graded.
                    let _ = past::keep_draft(&card.id, &text);
                }
                self.text = text;
            }
            Msg::Open => {
                self.is_open = true;
                desk.focus = Some(".card-good");
            }
            Msg::Graded(grade) => self.grade(desk, grade),
            Msg::TakeBack => self.take_back(desk),
            Msg::New => {
                self.dealt = deal::new(&self.ids(), &self.known);
                self.dealt.truncate(deal::NEW);
                (self.at, self.counts, self.last) = (0, [0; 3], None);
                self.turn(desk);
            }
            _ => {}
        }
    }

    pub fn view(&self, desk: &Desk) -> Html {
        match (&self.deck, self.card()) {
            (Loaded::Coming, _) => html! { <p role="status">{ "The questions are on their way…" }</p> },
            (Loaded::Missing, _) => html! {
                <p>{ "The questions could not be loaded. " }{ desk.button("", "Try again", || Msg::Again) }</p>
            },
            (Loaded::Here(_), Some(card)) => self.shown(desk, card),
            (Loaded::Here(cards), None) => self.done(desk, cards.len()),
        }
    }

    fn ids(&self) -> Vec<&str> {
        let Loaded::Here(cards) = &self.deck else { return Vec::new() };
        cards.iter().map(|card| card.id.as_str()).collect()
    }

    fn card(&self) -> Option<&Card> {
        let Loaded::Here(cards) = &self.deck else { return None };
        cards.get(*self.dealt.get(self.at)?)
    }

    fn begin(&mut self, desk: &mut Desk, cards: Rc<[Card]>) {
        self.deck = Loaded::Here(cards);
        let ids = self.ids();
        self.dealt = match self.session.and_then(|started| past::load().0.find(started).cloned()) {
            Some(entry) => {
                let answered: Vec<&str> = entry.answers.iter().map(|answer| answer.id.as_str()).collect();
                deal::after_session(&ids, &entry.session.kata, &self.known, today(), &answered)
            }
            None => deal::due(&ids, &self.known, today()),
        };
        self.turn(desk);
    }

    /// To the card at [`Self::at`], or to the end.
    fn turn(&mut self, desk: &mut Desk) {
        self.is_open = false;
        self.text = self.card().map_or_else(String::new, |card| past::draft(&card.id));
        desk.focus = Some("h2");
    }

    fn grade(&mut self, desk: &mut Desk, grade: Grade) {
        let Some(card) = self.card() else { return };
        let (id, ask) = (card.id.clone(), card.question.ask.to_owned());
        // Another window may have graded others.
        self.known = cards::load().0;
        let (days, before) = (self.known.days(&id, grade, today()), self.known.get(&id));
        let text = std::mem::take(&mut self.text);
        self.last = Some(Last { grade, days, before, text: text.clone() });
        self.known.grade(&id, grade, today());
        let mut stored = cards::store(&self.known);
        if let Some(started) = self.session {
            let answer = Answer { id, ask, text, grade };
            stored = stored.and(past::change(started, &mut |entry| entry.answer(answer.clone())));
        }
        desk.tell(stored.err().map(|_| NOT_STORED));
        let _ = past::keep_draft("", "");
        self.counts[grade as usize] += 1;
        self.at += 1;
        self.turn(desk);
    }

    /// Back to the card that was graded last, open and with what was typed.
    fn take_back(&mut self, desk: &mut Desk) {
        let Some(Last { grade, before, text, .. }) = self.last.take() else { return };
        self.at -= 1;
        self.counts[grade as usize] -= 1;
        let Some(id) = self.card().map(|card| card.id.clone()) else { return };
        self.known = cards::load().0;
        self.known.take_back(&id, before);
        let mut stored = cards::store(&self.known);
        if let Some(started) = self.session {
            stored = stored.and(past::change(started, &mut |entry| entry.answers.retain(|answer| answer.id != id)));
        }
        desk.tell(stored.err().map(|_| NOT_STORED));
        let _ = past::keep_draft(&id, &text);
        (self.text, self.is_open) = (text, true);
        desk.focus = Some(".card-good");
    }

    /// What was graded last, and the way back to it.
    fn graded(&self, desk: &Desk) -> Html {
        let Some(Last { grade, days, .. }) = &self.last else { return Html::default() };
        html! {
            <p class="panel-row coverage">
                <span>{ ["The card before: ", grade.word(), ", ", &again(*days), "."].concat() }</span>
                { desk.button("quiet", "Take that back", || Msg::TakeBack) }
            </p>
        }
    }

    fn shown(&self, desk: &Desk, card: &Card) -> Html {
        let link = desk.link.clone();
        let is_open = self.is_open;
        let onkeydown = move |event: KeyboardEvent| {
            if let Some(msg) = key(&event, is_open) {
                event.prevent_default();
                link.send_message(msg);
            }
        };
        let typed = |event: InputEvent| Msg::Typed(event.target_unchecked_into::<HtmlInputElement>().value());
        let oninput = desk.link.callback(typed);
        let (kept, leave) = match self.session {
            Some(_) => (
                "It is kept in the report.",
                html! { <p>{ way(REPORT, self.session, "Leave the rest, to the report") }</p> },
            ),
            None => ("It is not kept.", back()),
        };
        let page = card.page;
        html! {
            <section class="card" aria-label="Card" {onkeydown}>
                <p class="card-page">
                    { ["Card ", &(self.at + 1).to_string(), " of ", &self.dealt.len().to_string(), " · "].concat() }
                    if is_open { { way(page.address, None, page.title) } } else { { page.title } }
                </p>
                <h2 tabindex="-1">{ marked_up(card.question.ask) }</h2>
                <label>
                    <span>{ "Your answer, if you want to write it down. " }{ kept }</span>
                    <textarea key={card.id.clone()} rows="5" {oninput} value={self.text.clone()} />
                </label>
                if is_open {
                    <div class="card-good" tabindex="-1" role="group" aria-label="What a good answer says">
                        <p>{ "A good answer says:" }</p>
                        <ul>{ for card.question.good.iter().map(|point| html! { <li>{ marked_up(point) }</li> }) }</ul>
                    </div>
                    <div key="judge" class="panel-row" role="group" aria-label="How was yours?">
                        <span>{ "How was yours?" }</span>
                        { for Grade::ALL.into_iter().map(|grade| self.judge(desk, card, grade)) }
                    </div>
                } else {
                    <div key="show" class="panel-row">
                        { desk.button("run", "Show what a good answer says", || Msg::Open) }
                        <span class="coverage">{ "Answer first, aloud or in writing." }</span>
                    </div>
                }
                <p class="coverage">{ "Keys outside the field: Space or Enter shows, 1, 2 and 3 judge." }</p>
                { self.graded(desk) }
                { leave }
            </section>
        }
    }

    fn judge(&self, desk: &Desk, card: &Card, grade: Grade) -> Html {
        let when = [" · ", &again(self.known.days(&card.id, grade, today()))].concat();
        let (word, msg): (_, fn() -> Msg) = match grade {
            Grade::Missed => ("1 Missed", || Msg::Graded(Grade::Missed)),
            Grade::Partly => ("2 Partly", || Msg::Graded(Grade::Partly)),
            Grade::Well => ("3 Well", || Msg::Graded(Grade::Well)),
        };
        desk.button("", [word, &when].concat(), msg)
    }

    fn done(&self, desk: &Desk, all: usize) -> Html {
        let [missed, partly, well] = self.counts.map(|count| count.to_string());
        let is_none = self.counts == [0; 3];
        let new = deal::new(&self.ids(), &self.known).len();
        let next = self.known.next_day(today()).map(times::date);
        let heading = match (is_none, self.session) {
            (true, None) => "No card is due",
            (true, _) => "All is answered",
            _ => "That was the last one",
        };
        html! {
            <>
                <h2 tabindex="-1">{ heading }</h2>
                if !is_none { <p>{ [&well, " well, ", &partly, " partly, ", &missed, " missed."].concat() }</p> }
                { self.graded(desk) }
                if self.session.is_some() {
                    <p>{ way(REPORT, self.session, "To the report") }</p>
                } else {
                    if let Some(next) = next { <p>{ ["The next ones come on ", &next, "."].concat() }</p> }
                    if new > 0 {
                        <p class="panel-row">
                            { desk.button("run", ["Meet ", &new.min(deal::NEW).to_string(), " new ones"].concat(), || Msg::New) }
                            <span class="coverage">
                                { [&new.to_string(), " of ", &all.to_string(), " cards are new to you."].concat() }
                            </span>
                        </p>
                    }
                }
                { back() }
            </>
        }
    }
}

fn again(days: u32) -> String {
    if days == 1 { "again tomorrow".to_owned() } else { ["again in ", &days.to_string(), " days"].concat() }
}

/// What a key means here. In a field keys type, and on a button or a link Space and Enter are its own.
fn key(event: &KeyboardEvent, is_open: bool) -> Option<Msg> {
    let within = event.target_dyn_into::<Element>().map(|element| element.tag_name()).unwrap_or_default();
    if within == "TEXTAREA" || event.ctrl_key() || event.meta_key() || event.alt_key() || event.repeat() {
        return None;
    }
    match (event.key().as_str(), is_open) {
        (" " | "Enter", false) if within != "BUTTON" && within != "A" => Some(Msg::Open),
        ("1", true) => Some(Msg::Graded(Grade::Missed)),
        ("2", true) => Some(Msg::Graded(Grade::Partly)),
        ("3", true) => Some(Msg::Graded(Grade::Well)),
        _ => None,
    }
}
