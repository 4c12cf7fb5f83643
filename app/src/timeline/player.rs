//! A timeline to step through and to play: controls, the current event as a sentence with what it changed, the picture, and
//! all of it as text.

mod controls;
mod foot;
mod now;
mod scroll;

pub use now::title;

use super::diagram::{Diagram, heads};
use super::layout::layout_in;
use super::playing::{SPEEDS, USUAL, stays_ms};
use super::state_at::History;
use super::steps::{Focus, Move, Press, pressed};
use crate::components::into_view;
use controls::Controls;
use foot::Foot;
use gloo_timers::callback::Timeout;
use leasehold_checker::trace::Trace;
use now::Now;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

/// See [`Player`].
#[derive(Properties, PartialEq)]
pub struct PlayerProps {
    /// Whose story it is, in snake case.
    pub name: AttrValue,
    /// What one sees, in a line; see [`title`].
    pub title: AttrValue,
    /// The story. Another one opens anew, and does not play.
    pub trace: Rc<Trace>,
    /// The current event.
    pub step: usize,
    /// The code that ran; empty where there is none beside it to go to.
    #[prop_or_default]
    pub source: AttrValue,
    /// What its lines are called.
    #[prop_or("your line")]
    pub line_name: &'static str,
    /// Asks for another step.
    pub on_move: Callback<Move>,
    /// Asks to see a line of the code.
    #[prop_or_default]
    pub on_line: Callback<u32>,
    /// The reader is to find out where it breaks: the title does not say so, and what is still to come is veiled from the start.
    #[prop_or_default]
    pub secret: bool,
    /// More buttons for its bar.
    #[prop_or_default]
    pub children: Html,
}

/// The timeline of one test. It never plays by itself, and never moves the page but for a step that was asked for.
#[component]
pub fn Player(props: &PlayerProps) -> Html {
    let PlayerProps { name, title, trace, step, source, line_name, on_move, on_line, secret, children } = props;
    let (step, last) = (*step, trace.events.len().saturating_sub(1));
    // What the picture has for itself, in CSS pixels; known once it is there.
    let room = use_state_eq(|| 0);
    let picture = use_memo((trace.clone(), *room), |(trace, room)| Rc::new(layout_in(trace, *room)));
    let history = use_memo(trace.clone(), |trace| Rc::new(History::of(trace)));
    // Both hold the story that they are about: for another one neither is so.
    let is_this = |story: &Option<Rc<Trace>>| story.as_ref().is_some_and(|story| Rc::ptr_eq(story, trace));
    let touched = use_state(|| None::<Rc<Trace>>);
    let plays = use_state(|| None::<Rc<Trace>>);
    let playing = is_this(&plays) && step < last;
    let speed = use_state(|| USUAL);
    let (place, sight, current) = (use_node_ref(), use_node_ref(), use_node_ref());
    let asked = use_mut_ref(|| false);
    {
        let on_move = on_move.clone();
        use_effect_with((playing, step, *speed, trace.clone()), move |(playing, step, speed, trace)| {
            let next =
                playing.then(|| Timeout::new(stays_ms(trace, *step, *speed), move || on_move.emit(Move::Forward)));
            move || drop(next)
        });
    }
    {
        let (sight, current, asked, room) = (sight.clone(), current.clone(), asked.clone(), room.clone());
        let first = use_mut_ref(|| None::<Rc<Trace>>);
        use_effect_with((step, trace.clone()), move |(_, trace)| {
            let (Some(sight), Some(row)) = (sight.cast::<Element>(), current.cast::<Element>()) else { return };
            let opens = !first.replace(Some(trace.clone())).is_some_and(|known| Rc::ptr_eq(&known, trace));
            room.set(sight.first_element_child().map_or(0, |lanes| lanes.client_width()));
            scroll::show(&sight, &row, opens);
            if asked.replace(false) {
                into_view(&row);
            }
        });
    }
    if trace.events.is_empty() {
        return Html::default();
    }

    let touch = {
        let (touched, is_touched, trace) = (touched.clone(), is_this(&touched), trace.clone());
        move || {
            if !is_touched {
                touched.set(Some(trace.clone()));
            }
        }
    };
    let go = {
        let (on_move, current, plays, touch) = (on_move.clone(), current.clone(), plays.clone(), touch.clone());
        Callback::from(move |to: Move| {
            touch();
            if plays.is_some() {
                plays.set(None);
            }
            // Whoever asks for the step that is shown already wants to see it.
            if let Some(row) = current.cast::<Element>() {
                into_view(&row);
            }
            asked.replace(true);
            on_move.emit(to);
        })
    };
    let play = {
        let (on_move, trace) = (on_move.clone(), trace.clone());
        Callback::from(move |()| {
            touch();
            plays.set((!playing).then(|| trace.clone()));
            if !playing && step == last {
                on_move.emit(Move::First);
            }
        })
    };
    let on_speed = {
        let speed = speed.clone();
        Callback::from(move |to: usize| speed.set(to.min(SPEEDS.len() - 1)))
    };
    let onkeydown = {
        let (go, play, on_speed, speed) = (go.clone(), play.clone(), on_speed.clone(), *speed);
        Callback::from(move |e: KeyboardEvent| {
            if e.ctrl_key() || e.meta_key() || e.alt_key() {
                return;
            }
            let Some(press) = pressed(&e.key(), focus_of(&e)) else { return };
            e.prevent_default();
            match press {
                Press::Go(to) => go.emit(to),
                Press::Play => play.emit(()),
                Press::Faster => on_speed.emit(speed + 1),
                Press::Slower => on_speed.emit(speed.saturating_sub(1)),
            }
        })
    };
    // A page may have several players.
    let (titled, keys) = (["title-of-", name].concat(), ["keys-of-", name].concat());
    // Before the first step nothing is still to come.
    let fresh = !is_this(&touched);
    html! {
        <section ref={place.clone()} class="player" tabindex="0" role="group"
            aria-label="Timeline" aria-describedby={[&titled, " ", &keys].concat()} {onkeydown}>
            <div class="player-head">
                <p id={titled} class={if trace.first_bad.is_some() && !secret { "player-title player-title-bad" } else { "player-title" }}>
                    { title.clone() }
                </p>
                <Controls trace={trace.clone()} {step} {playing} speed={*speed} on_move={go.clone()} on_play={play} {on_speed}>
                    { children.clone() }
                </Controls>
                <Now trace={trace.clone()} history={(*history).clone()} {step} {playing} source={source.clone()}
                    line_name={*line_name} on_line={on_line.clone()} />
            </div>
            <div ref={sight} class="player-box" tabindex="0" role="group" aria-label="Picture">
                <div class="player-lanes">{ heads(&picture) }</div>
                <Diagram layout={(*picture).clone()} {step} on_move={go} {current} veiled={!fresh || *secret} />
            </div>
            <Foot name={name.clone()} title={title.clone()} trace={trace.clone()} history={(*history).clone()} {step}
                line_name={*line_name} {keys} {place} />
        </section>
    }
}

// What has the focus, be it a button, a field, or none of them.
fn focus_of(event: &KeyboardEvent) -> Focus {
    let taker = event
        .target_dyn_into::<Element>()
        .and_then(|target| target.closest("input, select, textarea, button, summary, a").ok().flatten());
    taker.map_or(Focus::Player, |taker| Focus::of(&taker.tag_name(), taker.get_attribute("type").as_deref()))
}
