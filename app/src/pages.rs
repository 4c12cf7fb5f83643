//! The pages.

mod chapter;
mod contents;
mod kata;

pub use kata::KataPage;

use crate::address::{self, Place, Tool};
use crate::components::{Header, Picture};
use crate::keys;
use crate::practice::seat::Seat;
use crate::practice::{self, session};
use gloo_events::EventListener;
use leasehold_exercises::{Chapter, Entry, Kata, first};
use wasm_bindgen::prelude::wasm_bindgen;
use yew::prelude::*;

/// The page for this address.
pub struct Root {
    /// The file that is asked for; none if it need not come.
    file: Option<String>,
    asked: Asked,
    /// The files that came, so that the way back to them is short.
    known: Vec<(String, Asked)>,
    /// The page is another one, or another section of it is asked for, and nobody has gone there yet.
    arrives: bool,
    /// Of the session of practice that goes on at this address.
    seat: Option<Seat>,
    _listeners: [Option<EventListener>; 2],
}

/// What the address asks for.
#[derive(Clone)]
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
        let listeners = [listener, keys::bind()];
        let mut root = Root {
            file: None,
            asked: Asked::Coming,
            known: Vec::new(),
            arrives: true,
            seat: None,
            _listeners: listeners,
        };
        root.ask(ctx);
        root
    }

    fn update(&mut self, ctx: &Context<Self>, msg: RootMsg) -> bool {
        match msg {
            RootMsg::Moved => self.ask(ctx),
            // Another one may have been asked for meanwhile.
            RootMsg::Came(file, text) if self.file.as_ref() == Some(&file) => {
                self.asked = text.and_then(|text| Asked::read(&file, text)).unwrap_or(Asked::Missing);
                if !matches!(self.asked, Asked::Missing) {
                    self.known.push((file, self.asked.clone()));
                }
            }
            RootMsg::Came(..) => return false,
        }
        true
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        if self.arrives && !matches!(self.asked, Asked::Coming) {
            self.arrives = false;
            self.set_title();
            arrive();
        }
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let page = match self.asked {
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
                    <main id="main" tabindex="-1" key={tool.kind} class="sheet sheet-tool"><Picture kind={tool.kind} data={address.clone()} /></main>
                </>
            },
            Asked::Coming => html! { <p class="opening">{ "The page is on its way…" }</p> },
            Asked::Missing => html! {
                <main id="main" tabindex="-1" class="opening">
                    <h1>{ "There is no such page here, or it could not be loaded." }</h1>
                    <p>
                        <button type="button" onclick={ctx.link().callback(|_| RootMsg::Moved)}>{ "Try again" }</button>
                        { " or open " }<a href={address::CONTENTS}>{ "the contents" }</a>
                        { " or " }<a href="#">{ "the first kata" }</a>{ "." }
                    </p>
                </main>
            },
        };
        html! { <>{ skips(matches!(self.asked, Asked::Kata(_))) }{ page }</> }
    }
}

/// Links past the strip at the top, for whoever goes by Tab. app/editor/places.js follows them.
fn skips(with_editor: bool) -> Html {
    html! {
        <nav class="skips" aria-label="Skip to">
            if with_editor {
                <a href="#chapter">{ "To the chapter" }</a>
                <a class="only-wide" href="#code">{ "To the editor" }</a>
                <a class="only-wide" href="#results">{ "To the results" }</a>
            } else {
                <a href="#main">{ "To the page" }</a>
            }
        </nav>
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
        let before = std::mem::replace(&mut self.asked, Asked::Coming);
        self.arrives = true;
        let file = self.file.take();
        self.seat = None;
        let mut place = address::read(&hash);
        if hash == practice::NOW
            && let Some(session) = session::now()
        {
            place = address::read(&[address::KATA, &session.kata].concat());
            self.seat = Some(Seat { started: session.started });
        }
        self.asked = match place {
            Place::First => Asked::Kata(first()),
            Place::Tool(tool) => {
                // It goes to parts of itself by itself.
                self.arrives = !matches!(before, Asked::Tool(open, _) if open == tool);
                Asked::Tool(tool, hash.into())
            }
            Place::File(name) => {
                let known = self.known.iter().find(|(file, _)| *file == name).map(|(_, asked)| asked.clone());
                if known.is_none() && !(file.as_ref() == Some(&name) && matches!(before, Asked::Coming)) {
                    let asked = name.clone();
                    address::fetch(&name, ctx.link().callback(move |text| RootMsg::Came(asked.clone(), text)));
                }
                self.file = Some(name);
                known.unwrap_or(Asked::Coming)
            }
        };
    }
}

#[wasm_bindgen]
extern "C" {
    // In app/editor/places.js: goes to where one was in the page, to its section, or to its top.
    fn arrive();
}
