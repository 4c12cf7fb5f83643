//! Interview practice: where one begins (`#/practice`), the cards (`#/practice/cards`, `#/practice/after/NUMBER`), the report
//! (`#/practice/report/NUMBER`), and the strip with the clock above the editor. See [`crate::practice`].
//!
//! One component with one message for all of them: each of its own would cost kilobytes.

mod cards;
mod deck;
mod home;
mod report;
mod seat;

use crate::components::focus;
use crate::practice::report::Way;
use crate::practice::session::wall_ms;
use crate::practice::{AFTER, CARDS, Grade, HOME, REPORT, times};
use deck::Deck;
use leasehold_exercises::Entry;
use web_sys::Element;
use yew::html::Scope;
use yew::prelude::*;

/// See [`Practice`].
#[derive(Properties, PartialEq)]
pub struct PracticeProps {
    /// The address; for the strip the number of the session alone.
    pub data: AttrValue,
}

/// What the address asks for.
pub struct Practice {
    desk: Desk,
    page: Page,
    root: NodeRef,
}

/// What all pages have.
pub struct Desk {
    link: Scope<Practice>,
    /// What could not be read or stored.
    notices: Vec<&'static str>,
    /// What gets the focus once it is drawn.
    focus: Option<&'static str>,
}

enum Page {
    Home(home::Home),
    Cards(cards::Cards),
    Report(report::Report),
    Seat(seat::Seat),
    /// There is no such session.
    Gone,
}

/// What happens. Each page hears what is its own.
pub enum Msg {
    /// The contents of the book are there, or not.
    Contents(Option<&'static [Entry]>),
    /// The questions are there, or not.
    Came(Deck),
    /// Load once more.
    Again,
    /// Another level, by its place.
    Level(usize),
    /// Another length.
    Minutes(u32),
    /// Run Tests once a minute at most, or not.
    Limited(bool),
    /// Draw a kata.
    Draw,
    /// Start the clock.
    Begin,
    /// An answer is typed.
    Typed(String),
    /// Show what a good answer says.
    Open,
    /// The learner's judgement of an answer or of the session.
    Graded(Grade),
    /// The last judgement is taken back.
    TakeBack,
    /// Deal some cards that are new.
    New,
    /// The links are made.
    Made(Vec<Way>),
    /// Copy the report.
    Copy,
    /// It is copied, or not.
    Copied(bool),
    /// Save the report as a file.
    Save,
    /// A second has gone.
    Tick,
    /// Stop the clock, or let it go on.
    Pause,
    /// Ask whether the session is to end.
    End,
    /// It ends: the way to the questions was taken.
    On,
    /// Ask whether it is to be thrown away.
    Discard,
    /// Yes.
    Sure,
    /// Not yet.
    NotYet,
}

impl Component for Practice {
    type Message = Msg;
    type Properties = PracticeProps;

    fn create(ctx: &Context<Self>) -> Self {
        let mut desk = Desk { link: ctx.link().clone(), notices: Vec::new(), focus: None };
        let page = Page::open(&ctx.props().data, &mut desk);
        Practice { desk, page, root: NodeRef::default() }
    }

    fn changed(&mut self, ctx: &Context<Self>, _: &Self::Properties) -> bool {
        (self.desk.notices, self.desk.focus) = (Vec::new(), Some("h2"));
        self.page = Page::open(&ctx.props().data, &mut self.desk);
        true
    }

    fn update(&mut self, _: &Context<Self>, msg: Msg) -> bool {
        let desk = &mut self.desk;
        match &mut self.page {
            Page::Home(page) => page.update(desk, msg),
            Page::Cards(page) => page.update(desk, msg),
            Page::Report(page) => page.update(desk, msg),
            Page::Seat(page) => page.update(desk, msg),
            Page::Gone => {}
        }
        true
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let desk = &self.desk;
        let (class, shown) = match &self.page {
            Page::Home(page) => ("practice", page.view(desk)),
            Page::Cards(page) => ("practice", page.view(desk)),
            Page::Report(page) => ("practice", page.view(desk)),
            Page::Seat(page) => ("seat-place", page.view(desk)),
            Page::Gone => (
                "practice",
                html! {
                    <p>{ "There is no such session in this browser. Only the newest are kept." }{ back() }</p>
                },
            ),
        };
        html! {
            <div ref={self.root.clone()} {class}>
                <div role="alert">{ for desk.notices.iter().map(|notice| html! { <p class="notice">{ *notice }</p> }) }</div>
                { shown }
            </div>
        }
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        let Some(selector) = self.desk.focus.take() else { return };
        let found = self.root.cast::<Element>().and_then(|root| root.query_selector(selector).ok().flatten());
        if let Some(element) = found {
            focus(&element);
        }
    }
}

impl Page {
    fn open(data: &str, desk: &mut Desk) -> Page {
        let number = |before: &str| data.strip_prefix(before).and_then(|number| number.parse::<u64>().ok());
        if let Some(started) = number("") {
            Page::Seat(seat::Seat::open(desk, started))
        } else if let Some(started) = number(REPORT) {
            report::Report::open(desk, started).map_or(Page::Gone, Page::Report)
        } else if let Some(started) = number(AFTER) {
            cards::Cards::open(desk, Some(started)).map_or(Page::Gone, Page::Cards)
        } else if data == CARDS {
            cards::Cards::open(desk, None).map_or(Page::Gone, Page::Cards)
        } else {
            Page::Home(home::Home::open(desk))
        }
    }
}

impl Desk {
    fn tell(&mut self, notice: Option<&'static str>) {
        self.notices.extend(notice.filter(|notice| !self.notices.contains(notice)));
    }

    /// A button with words alone.
    fn button(&self, class: &'static str, words: impl Into<AttrValue>, msg: fn() -> Msg) -> Html {
        let onclick = self.link.callback(move |_: MouseEvent| msg());
        html! { <button type="button" {class} {onclick}>{ words.into() }</button> }
    }
}

/// A link with words alone, to an address that may end in the number of a session.
fn way(address: &str, number: Option<u64>, words: &'static str) -> Html {
    let number = number.map(|number| number.to_string()).unwrap_or_default();
    html! { <a href={[address, &number].concat()}>{ words }</a> }
}

/// A way back to where one begins.
fn back() -> Html {
    html! { <p>{ way(HOME, None, "Back to interview practice") }</p> }
}

/// How many minutes this place is behind UTC.
fn behind() -> i32 {
    web_sys::js_sys::Date::new_0().get_timezone_offset() as i32
}

/// Today as a number.
fn today() -> u32 {
    times::day(wall_ms(), behind())
}

/// To another address within the page.
fn go(hash: &str) {
    if let Some(window) = web_sys::window() {
        let _ = window.location().set_hash(hash);
    }
}
