//! The page of a chapter without code: prose, and pictures to step through.

use crate::components::{Header, states, turn};
use crate::state::Move;
use crate::timeline::Player;
use leasehold_checker::report::{Outcome, Report};
use leasehold_exercises::{Chapter, Drawing, Picture};
use std::rc::Rc;
use yew::prelude::*;

/// The page of a chapter without code.
pub fn chapter(chapter: &'static Chapter) -> Html {
    let Chapter { title, summary, facts, parts, pictures, previous, next, .. } = chapter;
    let mut pictures = pictures.iter();
    html! {
        <>
            <Header title={*title} facts={*facts} />
            <main key={*title} class="sheet">
                <article class="chapter">
                    <p class="lede">{ *summary }</p>
                    { for parts.iter().map(|part| html! {
                        <>
                            <div class="prose">{ ours(part) }</div>
                            if let Some(picture) = pictures.next() { <Figure {picture} /> }
                        </>
                    }) }
                    { turn(*previous, *next) }
                </article>
            </main>
        </>
    }
}

/// HTML that the build script made from our own files.
fn ours(html: &'static str) -> Html {
    Html::from_html_unchecked(AttrValue::Static(html))
}

#[derive(Properties, PartialEq)]
struct FigureProps {
    picture: &'static Picture,
}

/// A picture, and where the reader is in it. One component for all kinds of them.
#[component]
fn Figure(FigureProps { picture }: &FigureProps) -> Html {
    let Picture { caption, drawing } = *picture;
    // The report is read once.
    let state = use_state(|| match drawing {
        Drawing::Trace(json) => (serde_json::from_str::<Report>(json).ok().map(Rc::new), None),
        _ => (None, None),
    });
    let (report, at) = (*state).clone();
    let go = {
        let report = report.clone();
        Callback::from(move |to: usize| state.set((report.clone(), Some(to))))
    };
    let drawn = match (drawing, report) {
        (Drawing::States(edges), _) => states(edges, at.unwrap_or(0), &go),
        (Drawing::Trace(_), Some(report)) => recorded(report, at, go),
        // The page's build has put a trace in the place of each run.
        _ => Html::default(),
    };
    html! { <figure class="picture"><figcaption>{ ours(caption) }</figcaption>{ drawn }</figure> }
}

/// A run that was made when the page was built, shown from its end: the whole picture.
fn recorded(report: Rc<Report>, at: Option<usize>, go: Callback<usize>) -> Html {
    let Some((test, trace)) = report.tests.first().and_then(|test| Some((test, test.trace.as_ref()?))) else {
        return Html::default();
    };
    let step = at.unwrap_or_else(|| Move::Last.from(0, trace));
    let on_move = {
        let report = report.clone();
        Callback::from(move |to: Move| {
            if let Some(trace) = &report.tests[0].trace {
                go.emit(to.from(step, trace));
            }
        })
    };
    let message = (test.outcome != Outcome::Passed).then(|| test.message.clone());
    html! {
        <>
            <Player {report} test=0 {step} {on_move} on_line={Callback::noop()} />
            { for message.map(|message| html! { <p class="message">{ message }</p> }) }
        </>
    }
}
