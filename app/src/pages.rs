//! The pages.

mod chapter;
mod contents;
mod kata;

pub use kata::KataPage;

use crate::address::{self, Place, Tool};
use crate::components::{Header, Picture};
use crate::practice::seat::Seat;
use crate::practice::{self, session};
use gloo_events::EventListener;
use leasehold_exercises::{Chapter, Entry, Kata, first};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

/// The page for this address.
pub struct Root {
    /// The file that is asked for; none if it need not come.
    file: Option<String>,
    asked: Asked,
    /// Of the session of practice that goes on at this address.
    seat: Option<Seat>,
    _moved: Option<EventListener>,
}

/// What the address asks for.
enum Asked {
    /// It is on its way.
    Coming,
    /// A kata.
    Kata(&'static Kata),
    /// A chapter without code.
    Chapter(&'static Chapter),
    /// One large picture, with the address.
    Tool(&'static Tool, AttrValue),
    /// The contents of the book.
    Contents(&'static [Entry]),
    /// Those of the museum: itself, its pages and their cards.
    Museum(&'static Entry, &'static [Entry]),
    /// It can't be had.
    Missing,
}

/// What happens to [`Root`].
pub enum RootMsg {
    /// The address is another one, or the same is to be tried again.
    Moved,
    /// A file came, or did not.
    Came(String, Option<String>),
}

impl Component for Root {
    type Message = RootMsg;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let moved = ctx.link().callback(|()| RootMsg::Moved);
        let listener =
            web_sys::window().map(|window| EventListener::new(&window, "hashchange", move |_| moved.emit(())));
        let mut root = Root { file: None, asked: Asked::Coming, seat: None, _moved: listener };
        root.ask(ctx);
        root
    }

    fn update(&mut self, ctx: &Context<Self>, msg: RootMsg) -> bool {
        match msg {
            RootMsg::Moved => self.ask(ctx),
            // Another one may have been asked for meanwhile.
            RootMsg::Came(file, text) if self.file.as_ref() == Some(&file) => {
                self.asked = text.and_then(|text| Asked::read(&file, text)).unwrap_or(Asked::Missing);
            }
            RootMsg::Came(..) => return false,
        }
        true
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        self.set_title();
        show_card();
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        match self.asked {
            Asked::Kata(kata) => {
                let key = [kata.slug, if self.seat.is_some() { " in practice" } else { "" }].concat();
                html! { <KataPage {key} {kata} seat={self.seat} /> }
            }
            Asked::Chapter(chapter) => chapter::chapter(chapter),
            Asked::Contents(entries) => contents::contents(entries),
            Asked::Museum(museum, entries) => contents::museum(museum, entries),
            Asked::Tool(tool, ref address) => html! {
                <>
                    <Header title={tool.title} facts="" open={tool.kind} />
                    <main key={tool.kind} class="sheet sheet-tool"><Picture kind={tool.kind} data={address.clone()} /></main>
                </>
            },
            Asked::Coming => html! { <p class="opening">{ "The page is on its way…" }</p> },
            Asked::Missing => html! {
                <main class="opening">
                    <h1>{ "There is no such page here, or it could not be loaded." }</h1>
                    <p>
                        <button type="button" onclick={ctx.link().callback(|_| RootMsg::Moved)}>{ "Try again" }</button>
                        { " or open " }<a href={address::CONTENTS}>{ "the contents" }</a>
                        { " or " }<a href="#">{ "the first kata" }</a>{ "." }
                    </p>
                </main>
            },
        }
    }
}

impl Asked {
    /// What a file holds, by its name.
    fn read(file: &str, text: String) -> Option<Asked> {
        match file.rsplit_once('.')?.1 {
            "kata" => Kata::from_file(text).map(Asked::Kata),
            "chapter" | "museum" => Chapter::from_file(text).map(Asked::Chapter),
            _ if file.starts_with("museum") => {
                Entry::from_file(text)?.split_first().map(|(museum, entries)| Asked::Museum(museum, entries))
            }
            _ => Entry::from_file(text).map(Asked::Contents),
        }
    }

    fn title(&self) -> Option<&'static str> {
        match self {
            Asked::Kata(kata) => Some(kata.title),
            Asked::Chapter(chapter) => Some(chapter.title),
            Asked::Tool(tool, _) => Some(tool.title),
            Asked::Contents(_) => Some("contents"),
            Asked::Museum(museum, _) => Some(museum.title),
            Asked::Coming | Asked::Missing => None,
        }
    }
}

impl Root {
    /// What stands in the browser's tab.
    fn set_title(&self) {
        if let (Some(title), Some(document)) = (self.asked.title(), web_sys::window().and_then(|w| w.document())) {
            document.set_title(&["Leasehold: ", title].concat());
        }
    }

    fn ask(&mut self, ctx: &Context<Self>) {
        let hash = address::hash();
        self.file = None;
        self.seat = None;
        let mut place = address::read(&hash);
        if hash == practice::NOW
            && let Some(session) = session::now()
        {
            place = address::read(&["#/kata/", &session.kata].concat());
            self.seat = Some(Seat { started: session.started });
        }
        self.asked = match place {
            Place::First => Asked::Kata(first()),
            Place::Tool(tool) => Asked::Tool(tool, hash.into()),
            Place::File(file) => {
                self.file = Some(file.clone());
                address::fetch(&file.clone(), ctx.link().callback(move |text| RootMsg::Came(file.clone(), text)));
                Asked::Coming
            }
        };
    }
}

/// Goes to the card that the address names, once it is there.
fn show_card() {
    let hash = address::hash();
    let found = address::card(&hash).and_then(|(_, id)| web_sys::window()?.document()?.get_element_by_id(id));
    if let Some(heading) = found {
        heading.scroll_into_view();
        // A failure leaves the focus where it was.
        let _ = heading.unchecked_into::<HtmlElement>().focus();
    }
}
