//! What a run made of a handle: the drawing of its states beside a timeline, with the state it is in, the ways that it has
//! taken so far, and those among them that no handle may take.

pub mod follow;
mod forbidden;

use super::states::{STATES, Way, state, way};
use crate::timeline::Move;
use follow::{Handle, Life, Taken, handles, life_cycle, telling};
use leasehold_checker::time::seconds;
use leasehold_checker::trace::{Happening, Trace};
use std::rc::Rc;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// See [`LifeCycle`].
#[derive(Properties, PartialEq)]
pub struct LifeCycleProps {
    /// The run.
    pub trace: Rc<Trace>,
    /// The current event.
    pub step: usize,
    /// Asks for another step.
    pub on_move: Callback<Move>,
}

/// Nothing, if no handle changes its state in this run.
#[component]
pub fn LifeCycle(LifeCycleProps { trace, step, on_move }: &LifeCycleProps) -> Html {
    let all = use_memo(trace.clone(), |trace| handles(trace));
    // Belongs to this run: in another one others are telling.
    let chosen = use_state(|| (trace.clone(), None::<usize>));
    let at = chosen.1.filter(|_| chosen.0 == *trace).unwrap_or_else(|| telling(trace, &all));
    let Some(handle) = all.get(at) else { return Html::default() };
    let life = life_cycle(trace, handle, *step);
    let choose = {
        let trace = trace.clone();
        Callback::from(move |to| chosen.set((trace.clone(), Some(to))))
    };
    html! {
        <div class="life states" role="group" aria-label="Life of a handle">
            { choice(trace, &all, at, choose) }
            <svg viewBox="0 0 610 268" role="group" aria-label="States of the handle and the ways it took">
                <defs>
                    <marker id="life-tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="11" markerHeight="11"
                        markerUnits="userSpaceOnUse" orient="auto">
                        <path d="M0 0L8 4L0 8z" />
                    </marker>
                </defs>
                { for life.ways.iter().map(|taken| drawn(trace, taken, *step, on_move)) }
                { for STATES.map(|name| state(name, if life.state == Some(name) { "state state-now" } else { "state" })) }
            </svg>
            <p class="life-told">{ told(trace, handle, &life, *step) }</p>
        </div>
    }
}

/// Which handle it is, or a list to choose from.
fn choice(trace: &Trace, all: &[Handle], at: usize, choose: Callback<usize>) -> Html {
    let name = |handle: &Handle| [who(trace, handle), "'s handle of ", &handle.name].concat();
    if let [only] = all {
        return html! { <p class="life-name">{ name(only) }</p> };
    }
    let onchange = choose.reform(move |e: yew::events::Event| {
        e.target_unchecked_into::<HtmlSelectElement>().value().parse().unwrap_or(at)
    });
    html! {
        <label>
            { "Life of " }
            <select {onchange}>
                { for all.iter().enumerate().map(|(i, handle)| html! {
                    <option value={i.to_string()} selected={i == at}>{ name(handle) }</option>
                }) }
            </select>
        </label>
    }
}

fn who<'a>(trace: &'a Trace, handle: &Handle) -> &'a str {
    trace.clients.get(handle.client).map_or("?", String::as_str)
}

/// A way. Who took it can be led there; one that the design has and nobody took is only drawn.
fn drawn(trace: &Trace, taken: &Taken, step: usize, on_move: &Callback<Move>) -> Html {
    let Taken { from, to, .. } = *taken;
    let so_far = taken.so_far(step);
    let Way { line, words: (x, y), anchor } = if taken.is_allowed { way(from, to) } else { forbidden::way(from, to) };
    let mut class = vec!["way"];
    if !taken.is_allowed {
        class.push("way-forbidden");
    }
    if so_far > 0 {
        class.push("way-taken");
    }
    if taken.steps.contains(&step) {
        class.push("way-now");
    }
    let class = class.join(" ");
    let label = label(trace, taken, so_far);
    let shape = html! {
        <>
            <path class="way-reach" d={line.clone()} />
            <path class="way-line" d={line} marker-end="url(#life-tip)" />
            <text x={x.to_string()} y={y.to_string()} text-anchor={anchor}>{ label.clone() }</text>
        </>
    };
    let Some(next) = taken.next(step) else {
        return html! { <g {class} aria-hidden="true">{ shape }</g> };
    };
    let name = [
        from,
        " to ",
        to,
        if taken.is_allowed { "" } else { ", which no handle may" },
        ": taken ",
        &times(so_far),
        " of ",
        &taken.steps.len().to_string(),
        " so far. Go to ",
        &seconds(trace.events[next].at_us),
        ": ",
        &label,
    ];
    let go = on_move.reform(move |_: ()| Move::To(next));
    let onkeydown = {
        let go = go.clone();
        Callback::from(move |e: KeyboardEvent| {
            if matches!(e.key().as_str(), "Enter" | " ") {
                e.prevent_default();
                go.emit(());
            }
        })
    };
    html! {
        <g {class} role="button" tabindex="0" aria-label={name.concat()} onclick={go.reform(|_| ())} {onkeydown}>{ shape }</g>
    }
}

/// What led there, and how often; of a forbidden way when.
fn label(trace: &Trace, taken: &Taken, so_far: usize) -> String {
    let mut label = match taken.steps.first() {
        Some(first) if !taken.is_allowed => {
            ["✗ ", &seconds(trace.events[*first].at_us.saturating_add(5_000) / 10_000 * 10_000)].concat()
        }
        _ => taken.by.to_owned(),
    };
    if so_far > 0 && (taken.is_allowed || so_far > 1) {
        label.push_str(" × ");
        label.push_str(&so_far.to_string());
    }
    label
}

fn times(count: usize) -> String {
    match count {
        0 => "none".to_owned(),
        1 => "once".to_owned(),
        _ => [&count.to_string(), " times"].concat(),
    }
}

/// The state in words, why it is in it, and what it should never have done.
fn told(trace: &Trace, handle: &Handle, life: &Life, step: usize) -> Html {
    let Some(state) = life.state else { return html! { "It is not there yet." } };
    let why = trace.events.get(step).and_then(|event| match &event.what {
        Happening::State { client, handle: name, by, .. } if *client == handle.client && *name == handle.name => {
            Some(by)
        }
        _ => None,
    });
    let wrong = life.ways.iter().filter(|taken| !taken.is_allowed && taken.so_far(step) > 0);
    html! {
        <>
            { "It is " }<strong>{ state }</strong>
            if let Some(why) = why { { ": " }{ why.clone() } }
            { "." }
            { for wrong.map(|taken| html! {
                <strong class="life-wrong">{ [" From ", taken.from, " to ", taken.to, ": no handle may go there."].concat() }</strong>
            }) }
        </>
    }
}
