//! The search over all there is to read. There is no index: the files of the pages are fetched when it is first opened, cut
//! into sections, and looked through with every key. [`cut`], [`rank`] and [`snippet`] are pure.

mod cut;
mod library;
mod rank;
mod snippet;
mod terms;

use library::Library;
use rank::Found;
use snippet::Piece;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement};
use yew::prelude::*;

/// So many places are shown.
const SHOWN: usize = 40;
/// So many bytes of a section's text are.
const ROOM: usize = 180;

/// The dialog's inside.
pub struct Search {
    query: String,
    found: Found,
    /// Which of those shown Enter opens.
    at: usize,
}

/// What happens to [`Search`].
pub enum Happens {
    /// A file came, or did not.
    Came,
    /// Another query.
    Typed(String),
    /// Another place is to be chosen.
    Chosen(usize),
    /// What could not be loaded is to be tried again.
    Again,
}

impl Component for Search {
    type Message = Happens;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        Library::open(ctx.link().callback(|()| Happens::Came));
        Search { query: String::new(), found: Found::default(), at: 0 }
    }

    fn update(&mut self, ctx: &Context<Self>, happens: Happens) -> bool {
        match happens {
            Happens::Typed(query) => {
                self.query = query;
                self.at = 0;
                self.look();
            }
            Happens::Came => self.look(),
            Happens::Chosen(at) => self.at = at,
            Happens::Again => Library::open(ctx.link().callback(|()| Happens::Came)),
        }
        true
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        if let Some(hit) = hit(self.at) {
            crate::components::into_view(&hit);
        }
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let shown = self.found.hits.len().min(SHOWN);
        let oninput = link.batch_callback(|e: InputEvent| {
            e.target_dyn_into::<HtmlInputElement>().map(|field| Happens::Typed(field.value()))
        });
        let (chosen, at) = (link.callback(Happens::Chosen), self.at);
        let onkeydown = Callback::from(move |e: KeyboardEvent| {
            match e.key().as_str() {
                "ArrowDown" if shown > 0 => chosen.emit((at + 1) % shown),
                "ArrowUp" if shown > 0 => chosen.emit((at + shown - 1) % shown),
                "Enter" => {
                    if let Some(hit) = hit(at) {
                        hit.unchecked_into::<HtmlElement>().click();
                    }
                }
                _ => return,
            }
            e.prevent_default();
        });
        let some = shown > 0;
        Library::with(|library| {
            html! {
                <div class="search">
                    <input type="text" role="combobox" tabindex="0" aria-label="Words to look for" aria-autocomplete="list"
                        autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go"
                        aria-expanded={some.to_string()} aria-controls={some.then_some("hits")}
                        aria-activedescendant={some.then(|| id(at))} value={self.query.clone()} {oninput} {onkeydown} />
                    <p role="status">{ self.status(library) }</p>
                    if !library.missing.is_empty() {
                        <p>
                            { "These could not be loaded: " }{ library.missing_titles() }{ ". " }
                            <button type="button" onclick={link.callback(|_| Happens::Again)}>{ "Try again" }</button>
                        </p>
                    }
                    if some {
                        <div id="hits" class="hits" role="listbox" aria-label="Places found">
                            { for self.found.hits.iter().take(SHOWN).enumerate().map(|(i, hit)| self.hit(library, i, *hit)) }
                        </div>
                    }
                </div>
            }
        })
    }
}

impl Search {
    fn look(&mut self) {
        self.found = Library::with(|library| rank::find(&library.sections, &self.query));
        self.at = self.at.min(self.found.hits.len().min(SHOWN).saturating_sub(1));
    }

    fn status(&self, library: &Library) -> String {
        let found = match (self.found.hits.len(), rank::words(&self.query).is_empty()) {
            (_, true) => "Chapters, katas, the museum, what leasehold gives you, and interview questions.".to_owned(),
            (0, _) => "Nothing has any of these words.".to_owned(),
            (all, _) if self.found.whole == 0 => {
                [&all.to_string(), " places have some of these words, and none has all. The best come first."].concat()
            }
            (all, _) if self.found.whole < all => [
                "All of these words: ",
                &self.found.whole.to_string(),
                " of ",
                &all.to_string(),
                " places; the others have some.",
            ]
            .concat(),
            (1, _) => "1 place.".to_owned(),
            (all, _) if all > SHOWN => {
                [&all.to_string(), " places, of which the best ", &SHOWN.to_string(), " are here."].concat()
            }
            (all, _) => [&all.to_string(), " places."].concat(),
        };
        match library.coming {
            0 => found,
            coming => [&found, " Pages still to come: ", &coming.to_string(), "."].concat(),
        }
    }

    fn hit(&self, library: &Library, i: usize, hit: usize) -> Html {
        let section = &library.sections[hit];
        let words = &self.found.marks;
        html! {
            <a id={id(i)} class="hit" role="option" tabindex="-1" href={section.address.clone()}
                aria-selected={(i == self.at).to_string()}>
                <span class="hit-heading">{ drawn(snippet::marked(&section.heading, words)) }</span>
                <span class="hit-where">{ section.place }{ section.page }</span>
                <span class="hit-text">{ drawn(snippet::snippet(&section.text, words, ROOM)) }</span>
            </a>
        }
    }
}

fn drawn(pieces: Vec<Piece<'_>>) -> Html {
    let piece = |piece: Piece<'_>| match piece {
        Piece::Plain(text) => html! { { text.to_owned() } },
        Piece::Found(text) => html! { <mark>{ text.to_owned() }</mark> },
    };
    pieces.into_iter().map(piece).collect()
}

fn id(i: usize) -> String {
    ["hit-", &i.to_string()].concat()
}

fn hit(i: usize) -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id(&id(i))
}
