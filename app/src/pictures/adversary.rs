//! "Break it yourself": levels in which the player is what goes wrong. `#/break` lists them, `#/break/slug` is one.
//!
//! All decisions are made in [`game`]; this module fetches the levels, keeps the worker and does what the game says. The
//! engine runs and judges (`leasehold_checker::suites::attack`).

mod board;
mod code;
mod game;
mod level;
mod levels;
mod markers;
mod places;
mod progress;
mod signs;
mod words;

use crate::address;
use crate::components::{focus, watch_width};
use crate::engine::Engine;
use board::Refs;
use game::{Effect, EngineState, Focus, Game, Msg, WATCHDOG_MS};
use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use level::{Level, Message, Move, Order};
use progress::Progress;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

/// Two records of what was reached in the levels as one, each as it was stored; none if `key` is not theirs or one of them can't be
/// read.
pub fn joined_levels(key: &str, here: &str, there: &str) -> Option<String> {
    if key == progress::KEY { progress::joined(here, there) } else { None }
}

/// See [`Adversary`].
#[derive(Properties, PartialEq)]
pub struct AdversaryProps {
    /// The address.
    pub data: AttrValue,
}

/// The list of levels, or one level.
pub struct Adversary {
    levels: Levels,
    progress: Progress,
    notice: Option<&'static str>,
    /// The level that was opened last.
    game: Option<Game>,
    /// It is what the address asks for.
    is_in_level: bool,
    engine: Option<Engine>,
    watchdog: Option<Timeout>,
    refs: Refs,
    focus: Option<Where>,
    /// The place and step that were in view last.
    seen: usize,
    is_wide: bool,
    _widened: Option<EventListener>,
}

/// Where the focus is to go once the page is drawn.
enum Where {
    /// To the name of the level that was just opened.
    Title,
    /// Within a level.
    In(Focus),
}

/// The file of the levels.
enum Levels {
    Coming,
    Missing,
    Here(Vec<Rc<Level>>),
}

/// What happens to [`Adversary`].
pub enum Happens {
    /// The file of the levels came, or did not.
    Came(Option<String>),
    /// It is to be fetched once more.
    Fetch,
    /// The window is wide enough now.
    Wide,
    /// Something in the level.
    Played(Msg),
}

impl Component for Adversary {
    type Message = Happens;
    type Properties = AdversaryProps;

    fn create(ctx: &Context<Self>) -> Self {
        let (progress, notice) = progress::restore();
        let (is_wide, widened) = watch_width(ctx.link().callback(|()| Happens::Wide));
        fetch(ctx);
        Adversary {
            levels: Levels::Coming,
            progress,
            notice,
            game: None,
            is_in_level: false,
            engine: None,
            watchdog: None,
            refs: Refs::default(),
            focus: None,
            seen: 0,
            is_wide,
            _widened: widened,
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, _: &Self::Properties) -> bool {
        self.focus = Some(Where::Title);
        self.turn(ctx);
        true
    }

    fn update(&mut self, ctx: &Context<Self>, happens: Happens) -> bool {
        match happens {
            Happens::Fetch => {
                self.levels = Levels::Coming;
                fetch(ctx);
            }
            Happens::Came(text) => {
                self.levels = text.as_deref().and_then(level::read).map_or(Levels::Missing, Levels::Here);
                // The keys work at once, unless the player went somewhere meanwhile.
                self.focus = is_focus_free().then_some(Where::Title);
                self.turn(ctx);
            }
            Happens::Wide => {
                self.is_wide = true;
                self.play(ctx, Msg::Wide);
            }
            Happens::Played(msg) => self.play(ctx, msg),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let levels = match &self.levels {
            Levels::Coming => return html! { <p class="levels-lede">{ "The levels are on their way…" }</p> },
            Levels::Missing => {
                return html! {
                    <p class="levels-lede">
                        { "The levels could not be loaded. " }
                        <button type="button" onclick={ctx.link().callback(|_| Happens::Fetch)}>{ "Try again" }</button>
                    </p>
                };
            }
            Levels::Here(levels) => levels,
        };
        let send = ctx.link().callback(Happens::Played);
        html! {
            <>
                if let Some(notice) = self.notice { <p class="notice">{ notice }</p> }
                if let Some(game) = self.game.as_ref().filter(|_| self.is_in_level) {
                    { board::board(game, levels, &self.progress, &self.refs, &send) }
                } else {
                    if !slug(&ctx.props().data).is_empty() { <p class="notice">{ "There is no such level." }</p> }
                    { levels::levels(levels, &self.progress) }
                }
            </>
        }
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        let Some(root) = self.refs.root.cast::<Element>() else { return };
        let find = |selector: &str| root.query_selector(selector).ok().flatten();
        let at = self.game.as_ref().map_or(0, |game| game.at);
        if std::mem::replace(&mut self.seen, at) != at
            && let Some(place) = find(".place-here")
        {
            into_box(&place, ".places");
        }
        let to = self.focus.take().and_then(|to| match to {
            Where::Title => find("h2"),
            Where::In(Focus::Place) => find(".place-here .place-name"),
            Where::In(Focus::Options) => find(".option[aria-pressed=true]").or_else(|| find(".option")),
        });
        if let Some(element) = to {
            focus(&element);
        }
    }
}

impl Adversary {
    /// To what the address asks for. Without a level the worker stays: another one will want it.
    fn turn(&mut self, ctx: &Context<Self>) {
        let Levels::Here(levels) = &self.levels else { return };
        let slug = slug(&ctx.props().data);
        let level = levels.iter().find(|level| level.slug == slug).cloned();
        self.is_in_level = level.is_some();
        let Some(level) = level else { return };
        let effects = match &mut self.game {
            Some(game) => game.open(level),
            None => {
                self.game = Some(Game::new(level, EngineState::Asleep));
                Vec::new()
            }
        };
        self.perform(ctx, effects);
        if self.is_wide {
            self.play(ctx, Msg::Wide);
        }
    }

    fn play(&mut self, ctx: &Context<Self>, msg: Msg) {
        let effects = self.game.as_mut().map(|game| game.update(msg)).unwrap_or_default();
        self.perform(ctx, effects);
    }

    fn perform(&mut self, ctx: &Context<Self>, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::StartEngine => self.start(ctx),
                Effect::Attack(id) => self.send(ctx, "attack", id),
                Effect::Shortest(id) => self.send(ctx, "shortest", id),
                Effect::Focus(to) => self.focus = Some(Where::In(to)),
                Effect::Keep(record) => {
                    let Some(game) = &self.game else { continue };
                    self.progress.add(&game.level.slug, record);
                    if progress::keep(&self.progress).is_err() {
                        self.notice = Some("This browser did not store what you reached: it will be forgotten.");
                    }
                }
            }
        }
    }

    fn start(&mut self, ctx: &Context<Self>) {
        self.watchdog = None;
        // The old one ends before the new one begins.
        self.engine = None;
        let link = ctx.link().clone();
        let heard = move |said: Result<&str, String>| {
            let message = match said {
                Ok(text) => level::message(text),
                Err(message) => Some(Message::Failed(message)),
            };
            if let Some(message) = message {
                link.send_message(Happens::Played(Msg::Heard(message)));
            }
        };
        match Engine::start(Rc::new(heard)) {
            Ok(engine) => self.engine = Some(engine),
            Err(message) => failed(ctx, message),
        }
    }

    fn send(&mut self, ctx: &Context<Self>, r#type: &'static str, id: u32) {
        let (Some(game), Some(engine)) = (&self.game, &self.engine) else { return };
        let moves: Vec<Move> = game.moves.iter().map(|wanted| wanted.order.clone()).collect();
        if let Err(message) = engine.send(&Order { r#type, id, level: &game.level.json, moves: &moves }) {
            return failed(ctx, message);
        }
        let timed_out = ctx.link().callback(move |()| Happens::Played(Msg::TimedOut(id)));
        self.watchdog = Some(Timeout::new(WATCHDOG_MS, move || timed_out.emit(())));
    }
}

fn failed(ctx: &Context<Adversary>, message: String) {
    ctx.link().send_message(Happens::Played(Msg::Heard(Message::Failed(message))));
}

fn fetch(ctx: &Context<Adversary>) {
    address::fetch("levels.json", ctx.link().callback(Happens::Came));
}

/// The level that an address names; empty if it names none.
fn slug(address: &str) -> &str {
    address.strip_prefix("#/break/").unwrap_or_default()
}

/// Scrolls the box around an element as little as it takes to see it there. On a narrow screen the page stays where it is.
fn into_box(element: &Element, around: &str) {
    let Some(around) = element.closest(around).ok().flatten() else { return };
    let (place, seen) = (element.get_bounding_client_rect(), around.get_bounding_client_rect());
    let by = (place.bottom() - seen.bottom()).max(0.0);
    let by = by.min(place.top() - seen.top());
    around.set_scroll_top(around.scroll_top() + by.round() as i32);
}

fn is_focus_free() -> bool {
    let active = web_sys::window().and_then(|w| w.document()).and_then(|d| d.active_element());
    active.is_none_or(|active| matches!(active.tag_name().as_str(), "BODY" | "MAIN"))
}
