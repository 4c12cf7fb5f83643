//! The cards: think, reveal what a good answer says, judge oneself, the next. After a session they are the questions of its
//! kata first, and what is typed is kept in its report.

use super::deck::{self, Card, Deck};
use super::{back, focus, go, gone, today, told};
use crate::components::marked_up;
use crate::practice::past::{self, Answer};
use crate::practice::{Grade, REPORT, cards, deal, times};
use std::rc::Rc;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

const NOT_STORED: &str =
    "This browser stored neither your grade nor your answer: its storage is full or closed to the page.";

/// See [`Cards`].
#[derive(Properties, PartialEq)]
pub struct CardsProps {
    /// The session that they come after.
    pub session: Option<u64>,
}

/// Cards, one after the other.
pub struct Cards {
    deck: Loaded,
    known: cards::Cards,
    notices: Vec<&'static str>,
    /// The places of those that are dealt.
    dealt: Vec<usize>,
    /// Which of them is shown; beyond the last all are done.
    at: usize,
    is_open: bool,
    text: String,
    /// How many were graded so, in the order of [`Grade::ALL`].
    counts: [u32; 3],
    root: NodeRef,
    focus: Option<&'static str>,
}

enum Loaded {
    Coming,
    Missing,
    Here(Rc<[Card]>),
}

/// What happens to them.
pub enum Msg {
    /// The questions are there, or not.
    Came(Deck),
    /// Load them once more.
    Again,
    /// An answer is typed.
    Typed(String),
    /// Show what a good answer says.
    Open,
    /// The learner's judgement.
    Graded(Grade),
    /// Deal some that are new.
    New,
}

impl Component for Cards {
    type Message = Msg;
    type Properties = CardsProps;

    fn create(ctx: &Context<Self>) -> Self {
        let (known, notice) = cards::load();
        deck::load(ctx.link().callback(Msg::Came));
        Cards {
            deck: Loaded::Coming,
            known,
            notices: notice.into_iter().collect(),
            dealt: Vec::new(),
            at: 0,
            is_open: false,
            text: String::new(),
            counts: [0; 3],
            root: NodeRef::default(),
            focus: None,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Came(deck) => {
                let (cards, is_part) = match deck {
                    Deck::Whole(cards) => (cards, false),
                    Deck::Part(cards) => (cards, true),
                    Deck::Missing => {
                        self.deck = Loaded::Missing;
                        return true;
                    }
                };
                if is_part {
                    self.tell("Some pages could not be loaded, so their questions are missing here.");
                }
                self.deck = Loaded::Here(cards);
                self.deal(ctx);
                self.turn();
            }
            Msg::Again => {
                self.deck = Loaded::Coming;
                deck::load(ctx.link().callback(Msg::Came));
            }
            Msg::Typed(text) => {
                if let Some(card) = self.card() {
                    // A reload brings it back, see `turn`. What is not kept now is not kept when it is graded, and told then.
                    let _ = past::keep_draft(&card.id, &text);
                }
                self.text = text;
                // The field shows it already.
                return false;
            }
            Msg::Open => {
                self.is_open = true;
                self.focus = Some(".card-good");
            }
            Msg::Graded(grade) => self.grade(ctx, grade),
            Msg::New => {
                if let Loaded::Here(cards) = &self.deck {
                    let ids: Vec<&str> = cards.iter().map(|card| card.id.as_str()).collect();
                    self.dealt = deal::new(&ids, &self.known);
                    self.dealt.truncate(deal::NEW);
                    (self.at, self.counts) = (0, [0; 3]);
                    self.turn();
                }
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let body = match &self.deck {
            Loaded::Coming => html! { <p role="status">{ "The questions are on their way…" }</p> },
            Loaded::Missing => html! {
                <p>
                    { "The questions could not be loaded. " }
                    <button type="button" onclick={ctx.link().callback(|_| Msg::Again)}>{ "Try again" }</button>
                </p>
            },
            Loaded::Here(_) if ctx.props().session.is_some_and(|started| entry(started).is_none()) => return gone(),
            Loaded::Here(cards) => match self.card() {
                Some(card) => self.shown(ctx, card),
                None => self.done(ctx, cards),
            },
        };
        html! { <div ref={self.root.clone()} class="practice">{ told(&self.notices) }{ body }</div> }
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        if let Some(selector) = self.focus.take() {
            focus(&self.root, selector);
        }
    }
}

impl Cards {
    fn card(&self) -> Option<&Card> {
        let Loaded::Here(cards) = &self.deck else { return None };
        cards.get(*self.dealt.get(self.at)?)
    }

    fn tell(&mut self, notice: &'static str) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }

    fn deal(&mut self, ctx: &Context<Self>) {
        let Loaded::Here(cards) = &self.deck else { return };
        let ids: Vec<&str> = cards.iter().map(|card| card.id.as_str()).collect();
        self.dealt = match ctx.props().session.map(entry) {
            Some(Some(entry)) => {
                let answered: Vec<&str> = entry.answers.iter().map(|answer| answer.id.as_str()).collect();
                deal::after_session(&ids, &entry.session.kata, &self.known, today(), &answered)
            }
            Some(None) => Vec::new(),
            None => deal::due(&ids, &self.known, today()),
        };
    }

    /// To the card at [`Self::at`], or to the end.
    fn turn(&mut self) {
        self.is_open = false;
        self.text = self.card().map_or_else(String::new, |card| past::draft(&card.id));
        self.focus = Some("h2");
    }

    fn grade(&mut self, ctx: &Context<Self>, grade: Grade) {
        let Some(card) = self.card() else { return };
        let (id, ask) = (card.id.clone(), card.question.ask.to_owned());
        // Another window may have graded others.
        self.known = cards::load().0;
        self.known.grade(&id, grade, today());
        let mut stored = cards::store(&self.known);
        if let Some(started) = ctx.props().session {
            let answer = Answer { id, ask, text: std::mem::take(&mut self.text), grade };
            stored = stored.and(past::change(started, &mut |entry| entry.answer(answer.clone())));
        }
        if stored.is_err() {
            self.tell(NOT_STORED);
        }
        let _ = past::keep_draft("", "");
        self.counts[grade as usize] += 1;
        self.at += 1;
        match ctx.props().session {
            Some(started) if self.card().is_none() && stored.is_ok() => go(&[REPORT, &started.to_string()].concat()),
            _ => self.turn(),
        }
    }

    fn shown(&self, ctx: &Context<Self>, card: &Card) -> Html {
        let link = ctx.link();
        let is_open = self.is_open;
        let onkeydown = {
            let link = link.clone();
            Callback::from(move |event: KeyboardEvent| {
                if let Some(msg) = key(&event, is_open) {
                    event.prevent_default();
                    link.send_message(msg);
                }
            })
        };
        let oninput =
            link.callback(|event: InputEvent| Msg::Typed(event.target_unchecked_into::<HtmlInputElement>().value()));
        let kept = if ctx.props().session.is_some() {
            "Your answer, if you want to write it down. It is kept in the report."
        } else {
            "Your answer, if you want to write it down. It is not kept."
        };
        html! {
            <section class="card" aria-label="Card" {onkeydown}>
                <p class="card-page">
                    { ["Card ", &(self.at + 1).to_string(), " of ", &self.dealt.len().to_string(), " · "].concat() }
                    if is_open { <a href={card.page.address}>{ card.page.title }</a> } else { { card.page.title } }
                </p>
                <h2 tabindex="-1">{ marked_up(card.question.ask) }</h2>
                <label>
                    <span>{ kept }</span>
                    <textarea key={card.id.clone()} rows="5" {oninput} value={self.text.clone()} />
                </label>
                if is_open {
                    <div class="card-good" tabindex="-1" role="group" aria-label="What a good answer says">
                        <p>{ "A good answer says:" }</p>
                        <ul>{ for card.question.good.iter().map(|point| html! { <li>{ marked_up(point) }</li> }) }</ul>
                    </div>
                    <div key="judge" class="panel-row" role="group" aria-label="How was yours?">
                        <span>{ "How was yours?" }</span>
                        { for Grade::ALL.into_iter().map(|grade| self.button(ctx, card, grade)) }
                    </div>
                } else {
                    <div key="show" class="panel-row">
                        <button type="button" class="run" onclick={link.callback(|_| Msg::Open)}>
                            { "Show what a good answer says" }
                        </button>
                        <span class="coverage">{ "Answer first, aloud or in writing." }</span>
                    </div>
                }
                <p class="coverage">
                    { "Keys outside the field: " }<kbd>{ "Space" }</kbd>{ " or " }<kbd>{ "Enter" }</kbd>{ " shows, " }
                    <kbd>{ "1" }</kbd>{ " " }<kbd>{ "2" }</kbd>{ " " }<kbd>{ "3" }</kbd>{ " judge." }
                </p>
                if let Some(started) = ctx.props().session {
                    <p><a href={[REPORT, &started.to_string()].concat()}>{ "Leave the rest, to the report" }</a></p>
                } else { { back() } }
            </section>
        }
    }

    fn button(&self, ctx: &Context<Self>, card: &Card, grade: Grade) -> Html {
        let word = match grade {
            Grade::Missed => "Missed",
            Grade::Partly => "Partly",
            Grade::Well => "Well",
        };
        let when = match self.known.days(&card.id, grade, today()) {
            1 => " · again tomorrow".to_owned(),
            days => [" · again in ", &days.to_string(), " days"].concat(),
        };
        let number = (grade as usize + 1).to_string();
        html! {
            <button type="button" aria-keyshortcuts={number.clone()} onclick={ctx.link().callback(move |_| Msg::Graded(grade))}>
                <kbd>{ number }</kbd>{ " " }{ word }<span class="coverage">{ when }</span>
            </button>
        }
    }

    fn done(&self, ctx: &Context<Self>, cards: &[Card]) -> Html {
        let [missed, partly, well] = self.counts.map(|count| count.to_string());
        let ids: Vec<&str> = cards.iter().map(|card| card.id.as_str()).collect();
        let new = deal::new(&ids, &self.known).len();
        let next = self.known.next_day(today()).map(times::date);
        html! {
            <>
                <h2 tabindex="-1">
                    { match (self.counts, ctx.props().session) {
                        ([0, 0, 0], None) => "No card is due",
                        ([0, 0, 0], _) => "All is answered",
                        _ => "That was the last one",
                    } }
                </h2>
                if self.counts != [0; 3] {
                    <p>{ [&well, " well, ", &partly, " partly, ", &missed, " missed."].concat() }</p>
                }
                if let Some(started) = ctx.props().session {
                    <p><a href={[REPORT, &started.to_string()].concat()}>{ "To the report" }</a></p>
                } else {
                    if let Some(next) = next { <p>{ ["The next ones come on ", &next, "."].concat() }</p> }
                    if new > 0 {
                        <p class="panel-row">
                            <button type="button" class="run" onclick={ctx.link().callback(|_| Msg::New)}>
                                { ["Meet ", &new.min(deal::NEW).to_string(), " new ones"].concat() }
                            </button>
                            <span class="coverage">{ [&new.to_string(), " of ", &cards.len().to_string(), " cards are new to you."].concat() }</span>
                        </p>
                    }
                }
                { back() }
            </>
        }
    }
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

fn entry(started: u64) -> Option<past::Entry> {
    past::load().0.find(started).cloned()
}
