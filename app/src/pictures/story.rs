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

/// The title of a run in which the reader is to find the mistake.
const FIND: &str = "One of these rows breaks a rule. Step through the run, and find it";

/// Whether the words beside a picture have the reader look for the mistake: then it does not open there, and does not say so.
fn asks(place: &web_sys::Element) -> bool {
    let figure = place.closest("figure").ok().flatten();
    let caption = figure.and_then(|figure| figure.query_selector("figcaption").ok().flatten());
    caption.and_then(|caption| caption.text_content()).is_some_and(|words| is_riddle(&words))
}

fn is_riddle(caption: &str) -> bool {
    caption.contains("in which row") || caption.contains("Find the")
}

#[component]
pub fn Story(StoryProps { data, place }: &StoryProps) -> Html {
    let story = use_memo(data.clone(), |data| Run::read(data));
    let sharing = use_sharing(data, story.as_ref().as_ref().and_then(|run| run.link.clone()));
    // Belongs to this data: another run begins where it begins.
    let at = use_state(|| (data.clone(), None::<usize>));
    let asks = use_memo(place.clone(), asks);
    // Once it was seen, it is seen.
    let is_found = use_state(|| false);
    let is_secret = *asks && !*is_found && story.as_ref().as_ref().is_some_and(|run| run.trace.first_bad.is_some());
    use_effect_with((place.clone(), is_secret), |(place, is_secret)| {
        let _ = place.toggle_attribute_with_force("secret", *is_secret);
    });
    let Some(Run { name, title, trace, source, .. }) = &*story else { return Html::default() };
    let opening = if is_secret { 0 } else { Move::opening(trace) };
    let step = at.1.filter(|_| at.0 == *data).unwrap_or(opening);
    let title = if is_secret { &AttrValue::Static(FIND) } else { title };
    let on_move = {
        let (trace, place, data) = (trace.clone(), place.clone(), data.clone());
        Callback::from(move |to: Move| {
            let step = to.from(step, &trace);
            if trace.first_bad.is_some_and(|bad| bad <= step) {
                is_found.set(true);
            }
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
                secret={is_secret} on_move={on_move.clone()} {on_line}>
                { sharing.buttons }
            </Player>
            <LifeCycle trace={trace.clone()} {step} {on_move} />
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::is_riddle;
    use leasehold_exercises::{chapters, museum};

    #[test]
    fn captions_that_ask_for_the_mistake_are_riddles_and_others_are_not() {
        assert!(is_riddle("Step through the run: in which row is the mistake made?"));
        assert!(!is_riddle("One request is lost. Look at how much time was left when the client stopped trying."));
    }

    #[test]
    fn the_book_asks_before_it_shows() {
        let pages = chapters().iter().chain(museum());
        let asked = pages.flat_map(|page| page.pictures).filter(|picture| is_riddle(picture.caption)).count();
        assert!(asked >= 2, "{asked}");
    }
}
