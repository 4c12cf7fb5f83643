//! A run as a timeline: where the reader is in it, and what the page hears of that.

use super::life_cycle::LifeCycle;
use super::link::SharedRun;
use super::sharing::use_sharing;
use super::subject::{Subject, remember};
use super::{Shown, tell};
use crate::components::{GO, LINE};
use crate::timeline::{Move, Player, title};
use leasehold_checker::trace::Trace;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StoryProps {
    pub data: AttrValue,
    pub place: web_sys::Element,
}

/// A run that can be shown.
struct Run {
    name: AttrValue,
    title: AttrValue,
    trace: Rc<Trace>,
    source: AttrValue,
    /// What a link to it holds; none where no code stands beside the picture.
    link: Option<Rc<SharedRun>>,
}

impl Run {
    fn read(data: &str) -> Option<Self> {
        let mut shown = Shown::read(data)?;
        // Says where the trace breaks, so before that is taken out.
        let title = title(&shown.test).into();
        let trace = shown.test.trace.take().filter(|trace| !trace.events.is_empty())?;
        let subject = Subject::of(&shown);
        if let Some(subject) = &subject {
            remember(subject);
        }
        let link = subject.map(|subject| Rc::new(subject.share()));
        let Shown { test, source, .. } = shown;
        Some(Run { name: test.name.into(), title, trace: Rc::new(trace), source: source.into(), link })
    }
}

#[component]
pub fn Story(StoryProps { data, place }: &StoryProps) -> Html {
    let story = use_memo(data.clone(), |data| Run::read(data));
    let sharing = use_sharing(data, story.as_ref().as_ref().and_then(|run| run.link.clone()));
    // Belongs to this data: another run begins where it begins.
    let at = use_state(|| (data.clone(), None::<usize>));
    let Some(Run { name, title, trace, source, .. }) = &*story else { return Html::default() };
    let step = at.1.filter(|_| at.0 == *data).unwrap_or_else(|| Move::opening(trace));
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
            <Player name={name.clone()} title={title.clone()} trace={trace.clone()} {step} source={source.clone()}
                on_move={on_move.clone()} {on_line}>
                { sharing.buttons }
            </Player>
            <LifeCycle trace={trace.clone()} {step} {on_move} />
        </>
    }
}
