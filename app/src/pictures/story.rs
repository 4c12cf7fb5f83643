//! A run as a timeline: where the reader is in it, and what the page hears of that.

use super::sharing::use_sharing;
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
        Some((AttrValue::from(test.name), Rc::new(trace), AttrValue::from(source)))
    });
    let sharing = use_sharing(data);
    // Belongs to this data: another run begins where it begins.
    let at = use_state(|| (data.clone(), None::<usize>));
    let Some((name, trace, source)) = &*shown else { return Html::default() };
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
            { sharing.panel }
            <Player name={name.clone()} title="" trace={trace.clone()} {step} source={source.clone()} {on_move} {on_line}>
                { sharing.buttons }
            </Player>
        </>
    }
}
