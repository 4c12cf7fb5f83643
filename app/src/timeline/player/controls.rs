//! Buttons, speed and slider of a player.

use crate::timeline::layout::times::moment;
use crate::timeline::playing::SPEEDS;
use crate::timeline::steps::Move;
use leasehold_checker::trace::Trace;
use std::rc::Rc;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ControlsProps {
    pub trace: Rc<Trace>,
    pub step: usize,
    pub playing: bool,
    pub speed: usize,
    pub on_move: Callback<Move>,
    pub on_play: Callback<()>,
    pub on_speed: Callback<usize>,
    pub children: Html,
}

#[component]
pub fn Controls(props: &ControlsProps) -> Html {
    let ControlsProps { trace, step, playing, speed, on_move, on_play, on_speed, children } = props;
    let last = trace.events.len().saturating_sub(1);
    let button = |class: &'static str, to: Move, name: &'static str, sign: &'static str, disabled: bool| {
        let onclick = on_move.reform(move |_| to);
        // Disabled for assistive technology only: a button that loses the focus at the end would take the keys along.
        html! {
            <button type="button" {class} aria-label={name} title={name} aria-disabled={disabled.to_string()} {onclick}>
                { icon(sign) }
            </button>
        }
    };
    let (play, sign) =
        if *playing { ("Pause (Space)", "M5 3v10 M11 3v10") } else { ("Play (Space)", "M4 2.5l9 5.5-9 5.5z") };
    html! {
        <div class="player-bar">
            <div class="steps" role="group" aria-label="Steps">
                { button("step", Move::First, "First event (Home)", "M4 3v10 M13 3L7 8l6 5z", *step == 0) }
                { button("step step-back", Move::Back, "Back (left arrow)", "M11 3L5 8l6 5z", *step == 0) }
                <button type="button" class={if *playing { "step step-play step-pause" } else { "step step-play" }}
                    aria-label={play} title={play} onclick={on_play.reform(|_| ())}>{ icon(sign) }</button>
                { button("step step-on", Move::Forward, "Forward (right arrow)", "M5 3l6 5-6 5z", *step == last) }
                { button("step", Move::Last, "Last event (End)", "M12 3v10 M3 3l6 5-6 5z", *step == last) }
            </div>
            { slider(trace, *step, on_move) }
            <span class="steps-count">{ step + 1 }{ " / " }{ last + 1 }</span>
            { speeds(*speed, on_speed) }
            if trace.first_bad.is_some() {
                <button type="button" class="step step-bad" title="The first event that breaks a rule (B)" onclick={on_move.reform(|_| Move::Bad)}>
                    { "✗" }<span class="step-words">{ " Where it breaks" }</span>
                </button>
            }
            { children.clone() }
        </div>
    }
}

fn icon(sign: &'static str) -> Html {
    html! { <svg viewBox="0 0 16 16" aria-hidden="true"><path d={sign} /></svg> }
}

fn slider(trace: &Trace, step: usize, on_move: &Callback<Move>) -> Html {
    let Some(event) = trace.events.get(step) else { return Html::default() };
    let says = [&moment(event.at_us), ": ", &event.text(&trace.clients)].concat();
    let on_move = on_move.clone();
    let oninput = Callback::from(move |e: InputEvent| {
        let asked = e.target_dyn_into::<HtmlInputElement>().and_then(|slider| slider.value().parse().ok());
        if let Some(to) = asked {
            on_move.emit(Move::To(to));
        }
    });
    let max = trace.events.len().saturating_sub(1).to_string();
    html! {
        <input type="range" class="scrub" aria-label="Event" aria-valuetext={says} min="0" {max} value={step.to_string()} {oninput} />
    }
}

fn speeds(speed: usize, on_speed: &Callback<usize>) -> Html {
    let on_speed = on_speed.clone();
    let onchange = Callback::from(move |e: Event| {
        let chosen = e.target_dyn_into::<HtmlSelectElement>().map(|list| list.selected_index());
        if let Some(chosen) = chosen.and_then(|chosen| usize::try_from(chosen).ok()) {
            on_speed.emit(chosen);
        }
    });
    html! {
        <select class="speed" aria-label="Speed" title="Speed (+ and −)" {onchange}>
            { for SPEEDS.iter().enumerate().map(|(i, name)| html! { <option selected={i == speed}>{ *name }</option> }) }
        </select>
    }
}
