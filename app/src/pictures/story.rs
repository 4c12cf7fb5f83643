//! A run as a timeline: where the reader is in it, and what the page hears of that.

use super::life_cycle::LifeCycle;
use super::{Shown, tell};
use crate::components::{GO, LINE};
use crate::timeline::{Move, Player};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StoryProps {
    pub data: AttrValue,
    pub place: web_sys::Element,
}

#[component]
pub fn Story(StoryProps { data, place }: &StoryProps) -> Html {
    let shown = use_memo(data.clone(), |data| {
        let Shown { test, source, .. } = serde_json::from_str(data).ok()?;
        let trace = test.trace.filter(|trace| !trace.events.is_empty())?;
        Some((test.name, Rc::new(trace), !source.is_empty()))
    });
    // Belongs to this data: another run begins where it begins.
    let at = use_state(|| (data.clone(), None::<usize>));
    let Some((name, trace, has_code)) = &*shown else { return Html::default() };
    // A story opens where it goes wrong, or, if it does not, at its end.
    let step = at.1.filter(|_| at.0 == *data).unwrap_or_else(|| Move::Bad.from(trace.events.len() - 1, trace));
    let on_move = {
        let (trace, place, data) = (trace.clone(), place.clone(), data.clone());
        Callback::from(move |to: Move| {
            let step = to.from(step, &trace);
            tell(&place, LINE, trace.events[step].line.unwrap_or(0));
            at.set((data.clone(), Some(step)));
        })
    };
    let on_line = {
        let place = place.clone();
        Callback::from(move |line| tell(&place, GO, line))
    };
    html! {
        <>
            <Player name={name.clone()} trace={trace.clone()} {step} has_code={*has_code} on_move={on_move.clone()} {on_line} />
            <LifeCycle trace={trace.clone()} {step} {on_move} />
        </>
    }
}
