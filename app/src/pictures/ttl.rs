//! How long should a lease be? Sliders, and what a simulation makes of them as they move: how often a live holder loses its
//! lock, how long a dead one blocks the next, and one life to look at. The simulation is `leasehold_checker::sizing`, which
//! needs neither the worker nor Python.

mod charts;
mod dials;
mod state;
pub mod text;
mod words;

use crate::address;
use crate::timeline::{Move, Player};
use dials::{ASKS, DIALS, Dial, MORE};
use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use leasehold_checker::sizing::{Field, Outcome, PRESETS, Preset, Settings, Waiter, simulate};
use leasehold_checker::trace::Trace;
use state::{Change, State};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Where the explorer has a page of its own, and what it was set to.
const ADDRESS: &str = "#/ttl";
/// How long nothing must move until the result is said and stands in the address, in milliseconds: a screen reader should not
/// read what is over, and browsers allow only so many changes of the address.
const SETTLED_MS: u32 = 600;

/// What the page is for.
const LEAD: &str = "Too short, and a pause or a lost message costs a live holder its lock. Too long, \
                    and a dead holder blocks the next one. Each time you move a slider, 400 lives of a lock are played with \
                    what you set.";

/// See [`Explorer`].
#[derive(Properties, PartialEq)]
pub struct ExplorerProps {
    /// The page's address, or, within a chapter, only what stands behind it: see [`text`].
    pub data: AttrValue,
}

impl Reducible for State {
    type Action = Change;

    fn reduce(self: Rc<Self>, change: Change) -> Rc<Self> {
        Rc::new(self.after(change))
    }
}

/// The explorer.
#[component]
pub fn Explorer(ExplorerProps { data }: &ExplorerProps) -> Html {
    let has_page = data.starts_with(ADDRESS);
    let state = {
        let data = data.clone();
        use_reducer(move || State::of_text(asked(&data)))
    };
    let found = use_memo(state.wanted, |wanted| {
        let outcome = simulate(wanted);
        let trace = Rc::new(outcome.shown.trace.clone());
        (outcome, trace)
    });
    let (outcome, trace) = &*found;
    let change = {
        let dispatcher = state.dispatcher();
        Callback::from(move |change| dispatcher.dispatch(change))
    };
    use_address(has_page, change.clone());
    let said = use_settled(has_page, outcome);
    let heading = if has_page { "h2" } else { "h3" };
    let fits = if outcome.formula.holds() { "ttl-good" } else { "ttl-bad" };
    html! {
        <>
            if has_page { <p class="levels-lede">{ LEAD }</p> }
            <div class="ttl">
                if has_page { { presets(&state.wanted, &change) } }
                <div class="ttl-dials" role="group" aria-label="Settings">
                    { for state.said.iter().map(|said| html! { <p class="ttl-said">{ said.clone() }</p> }) }
                    { controls(&state, outcome, &change) }
                    if !has_page { { ways_out(data, outcome, &change) } }
                </div>
                <div class="ttl-found">
                    <section>
                        <@{heading}>{ words::lost(outcome) }</@>
                        { charts::lost(outcome) }
                    </section>
                    <section>
                        <@{heading} class={fits}>{ words::rule(outcome) }</@>
                        <p>{ words::sum(outcome) }</p>
                        { charts::rule(outcome) }
                    </section>
                    <div class="ttl-facts">
                    <dl>
                        { fact("After a crash, the next holder waits", words::takeover(outcome)) }
                        { fact("Who lost the lease goes on unaware for", words::unaware(outcome)) }
                        { fact("Calls to the service, for each lock", words::load(outcome)) }
                    </dl>
                    <ul class="ttl-advice" aria-label="What to do">
                        { for outcome.advice.iter().map(|advice| html! { <li>{ advice.clone() }</li> }) }
                    </ul>
                    </div>
                </div>
                <section class="ttl-life">
                    <@{heading}>{ "One of these lives" }</@>
                    // A new one for each setting: a player that stays would tell a screen reader of every move of a slider.
                    <Life key={text::write(&outcome.settings)} title={words::shown(outcome)} trace={trace.clone()} />
                </section>
                <p class="announcement" role="status">{ said }</p>
            </div>
        </>
    }
}

fn fact(name: &'static str, value: String) -> Html {
    html! { <><dt>{ name }</dt><dd>{ value }</dd></> }
}

/// From a chapter to the explorer's own page, and back to what the chapter has set.
fn ways_out(data: &AttrValue, outcome: &Outcome, change: &Callback<Change>) -> Html {
    let again = data.to_string();
    html! {
        <p class="ttl-ways">
            <button type="button" onclick={change.reform(move |_| Change::Text(again.clone()))}>{ "Start again" }</button>
            <a href={[ADDRESS, "/", &text::write(&outcome.settings)].concat()}>{ "Open it on a page of its own" }</a>
        </p>
    }
}

fn presets(settings: &Settings, change: &Callback<Change>) -> Html {
    let chosen = PRESETS.iter().find(|preset| preset.settings == *settings);
    let why = match chosen {
        Some(preset) => preset.why,
        None if *settings == Settings::default() => {
            "A usual client of a lease of 15 s. The buttons set other clients, each with a reason for its numbers."
        }
        None => "Settings of your own. The buttons set those of others, each with a reason for its numbers.",
    };
    let button = |preset: &'static Preset| {
        let pressed = chosen.is_some_and(|chosen| chosen.name == preset.name);
        html! {
            <button type="button" aria-pressed={pressed.to_string()} onclick={change.reform(move |_| Change::Preset(preset))}>
                { preset.name }
            </button>
        }
    };
    html! {
        <div class="ttl-presets">
            <div role="group" aria-label="Settings to begin with">{ for PRESETS.iter().map(button) }</div>
            <p>{ why }</p>
        </div>
    }
}

/// All sliders and switches.
fn controls(state: &State, outcome: &Outcome, change: &Callback<Change>) -> Html {
    let dial = |dial: &'static Dial| control(dial, outcome, change);
    let third = checkbox("a third of the ttl", state.third, change.reform(Change::Third));
    let is_woken = outcome.settings.waiter == Waiter::Woken;
    let woken = checkbox("Waiters are told when the lock is free", is_woken, change.reform(Change::Woken));
    html! {
        <>
            { for DIALS.iter().map(|d| html! {
                <div>
                    { dial(d) }
                    if d.field == Field::Interval { { third.clone() } }
                </div>
            }) }
            <details>
                <summary>{ "Retries and waiters" }</summary>
                { for MORE.iter().map(dial) }
                { woken }
                if !is_woken { { dial(&ASKS) } }
            </details>
            // Not within, where nobody would see it.
            { for MORE.iter().chain([&ASKS]).map(|dial| complaint(dial.field, outcome)) }
        </>
    }
}

fn checkbox(name: &'static str, checked: bool, change: Callback<bool>) -> Html {
    let onchange = change.reform(|e: Event| e.target_unchecked_into::<HtmlInputElement>().checked());
    html! { <label class="ttl-check"><input type="checkbox" {checked} {onchange} />{ name }</label> }
}

/// A slider that goes through its stops. It stands where the simulation played it; why it is not where it was pulled to, is
/// said below it.
fn control(dial: &'static Dial, outcome: &Outcome, change: &Callback<Change>) -> Html {
    let Dial { field, name, means } = *dial;
    let stops = dials::stops(field);
    let value = dials::value(&outcome.settings, field);
    let told = dials::told(field, value);
    let (at, last) = (dials::nearest(&stops, value), stops.len() - 1);
    let oninput = change.reform(move |e: InputEvent| {
        let at = e.target_unchecked_into::<HtmlInputElement>().value().parse().unwrap_or(at);
        Change::Dial(field, stops.get(at).copied().unwrap_or(value))
    });
    html! {
        <label class="dial">
            <span class="dial-name">{ name }</span>
            <span class="dial-value">{ told.clone() }</span>
            <input type="range" min="0" max={last.to_string()} value={at.to_string()} aria-label={name} aria-valuetext={told} {oninput} />
            <span class="dial-means">{ means }</span>
            if DIALS.contains(dial) { { complaint(field, outcome) } }
        </label>
    }
}

/// Why a setting is not what was asked for.
fn complaint(field: Field, outcome: &Outcome) -> Html {
    let said = outcome.complaints.iter().filter(|complaint| complaint.field == field);
    said.map(|complaint| html! { <span class="ttl-said">{ complaint.reason.clone() }</span> }).collect()
}

/// What an address, or a chapter, sets.
fn asked(data: &str) -> &str {
    data.strip_prefix(ADDRESS).unwrap_or(data).trim_start_matches('/')
}

/// Links and the browser's own buttons lead to other settings.
#[hook]
fn use_address(has_page: bool, change: Callback<Change>) {
    use_effect_with(has_page, move |has_page| {
        let window = web_sys::window().filter(|_| *has_page);
        let listener = window.map(|window| {
            EventListener::new(&window, "hashchange", move |_| {
                let hash = address::hash();
                if hash.starts_with(ADDRESS) {
                    change.emit(Change::Text(asked(&hash).to_owned()));
                }
            })
        });
        move || drop(listener)
    });
}

/// What is said once nothing has moved for a while; then the settings stand in the address, too. Not before the first move.
#[hook]
fn use_settled(has_page: bool, outcome: &Outcome) -> String {
    let said = use_state(String::new);
    let first = use_mut_ref(|| true);
    let (settings, summary) = (outcome.settings, words::summary(outcome));
    {
        let said = said.clone();
        use_effect_with(settings, move |settings| {
            let settings = *settings;
            let is_first = first.replace(false);
            let timeout = (!is_first).then(|| {
                Timeout::new(SETTLED_MS, move || {
                    said.set(summary);
                    if has_page {
                        show_address(&settings);
                    }
                })
            });
            move || drop(timeout)
        });
    }
    (*said).clone()
}

/// Puts the settings into the address in the place of what stands there: every move of a slider would else be a step of the
/// browser's history.
fn show_address(settings: &Settings) {
    let text = text::write(settings);
    let address = if text.is_empty() { ADDRESS.to_owned() } else { [ADDRESS, "/", &text].concat() };
    if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address));
    }
}

#[derive(Properties, PartialEq)]
struct LifeProps {
    title: String,
    trace: Rc<Trace>,
}

/// The life to look at.
#[component]
fn Life(LifeProps { title, trace }: &LifeProps) -> Html {
    let at = use_state(|| Move::opening(trace));
    let step = *at;
    let on_move = {
        let trace = trace.clone();
        Callback::from(move |to: Move| at.set(to.from(step, &trace)))
    };
    html! { <Player name="ttl" title={title.clone()} trace={trace.clone()} {step} {on_move} /> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leasehold_exercises::{Drawing, chapters, katas};

    #[test]
    fn the_address_and_a_chapter_ask_for_the_same() {
        for data in ["#/ttl/watchdog-30-s", "watchdog-30-s", "/watchdog-30-s"] {
            assert_eq!(asked(data), "watchdog-30-s");
        }
        assert_eq!(asked(ADDRESS), "");
    }

    #[test]
    fn what_the_book_sets_is_within_all_bounds() {
        let drawn =
            chapters().iter().flat_map(|chapter| chapter.pictures).filter_map(|picture| match picture.drawing {
                Drawing::Explorer(settings) => Some(settings),
                _ => None,
            });
        let prose = chapters().iter().flat_map(|chapter| chapter.parts.iter().copied());
        let prose = prose.chain(katas().iter().map(|kata| kata.chapter_html));
        let linked = prose.flat_map(|html| html.split("href=\"").skip(1)).filter_map(|rest| rest.split('"').next());
        let texts: Vec<&str> = drawn.chain(linked.filter(|link| link.starts_with(ADDRESS)).map(asked)).collect();
        assert!(texts.len() > 5, "{texts:?}");
        for text in texts {
            let (settings, said) = text::read(text);
            assert_eq!((said, settings.clamped().1), (vec![], vec![]), "{text}");
            assert_eq!(text::write(&settings), text);
        }
    }
}
