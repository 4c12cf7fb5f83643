//! The pages.

mod kata;

pub use kata::KataPage;

use crate::address;
use gloo_events::EventListener;
use leasehold_exercises::{Kata, first};
use yew::prelude::*;

/// The page for this address.
pub struct Root {
    slug: String,
    asked: Asked,
    _moved: Option<EventListener>,
}

/// What the address asks for.
enum Asked {
    /// It is on its way.
    Coming,
    /// Here it is.
    Here(&'static Kata),
    /// It can't be had.
    Missing,
}

/// What happens to [`Root`].
pub enum RootMsg {
    /// The address is another one, or the same is to be tried again.
    Moved,
    /// A kata came, or did not.
    Came(String, Option<&'static Kata>),
}

impl Component for Root {
    type Message = RootMsg;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let moved = ctx.link().callback(|()| RootMsg::Moved);
        let listener =
            web_sys::window().map(|window| EventListener::new(&window, "hashchange", move |_| moved.emit(())));
        let mut root = Root { slug: String::new(), asked: Asked::Coming, _moved: listener };
        root.ask(ctx);
        root
    }

    fn update(&mut self, ctx: &Context<Self>, msg: RootMsg) -> bool {
        match msg {
            RootMsg::Moved => self.ask(ctx),
            // Another one may have been asked for meanwhile.
            RootMsg::Came(slug, kata) if slug == self.slug => {
                self.asked = kata.map_or(Asked::Missing, Asked::Here);
            }
            RootMsg::Came(..) => return false,
        }
        true
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        self.set_title();
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        match self.asked {
            Asked::Here(kata) => html! { <KataPage key={kata.slug} {kata} /> },
            Asked::Coming => html! { <p class="opening">{ "The kata is on its way…" }</p> },
            Asked::Missing => html! {
                <main class="opening">
                    <h1>{ "There is no such kata here, or it could not be loaded." }</h1>
                    <p>
                        <button type="button" onclick={ctx.link().callback(|_| RootMsg::Moved)}>{ "Try again" }</button>
                        { " or open " }<a href={address::of(first().slug)}>{ "the first kata" }</a>{ "." }
                    </p>
                </main>
            },
        }
    }
}

impl Root {
    /// What stands in the browser's tab.
    fn set_title(&self) {
        if let (Asked::Here(kata), Some(document)) = (&self.asked, web_sys::window().and_then(|w| w.document())) {
            document.set_title(&["Leasehold: ", kata.title].concat());
        }
    }

    fn ask(&mut self, ctx: &Context<Self>) {
        self.slug = address::slug();
        if self.slug.is_empty() || self.slug == first().slug {
            self.asked = Asked::Here(first());
        } else {
            self.asked = Asked::Coming;
            let slug = self.slug.clone();
            address::fetch(&self.slug, ctx.link().callback(move |kata| RootMsg::Came(slug.clone(), kata)));
        }
    }
}
