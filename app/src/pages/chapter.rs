//! The page of a chapter without code: prose, and pictures to step through.

use crate::components::{Header, States, Turn};
use crate::state::Move;
use crate::timeline::Player;
use leasehold_checker::report::{Outcome, Report};
use leasehold_exercises::{Chapter, Drawing, Picture};
use std::rc::Rc;
use yew::prelude::*;

/// See [`ChapterPage`].
#[derive(Properties, PartialEq)]
pub struct ChapterPageProps {
    /// The chapter.
    pub chapter: &'static Chapter,
}

/// The page of a chapter without code.
#[component]
pub fn ChapterPage(ChapterPageProps { chapter }: &ChapterPageProps) -> Html {
    let Chapter { title, summary, minutes, parts, pictures, previous, next, .. } = *chapter;
    let pictures = pictures.iter().map(Some).chain(std::iter::repeat(None));
    html! {
        <>
            <Header {title} facts={format!("To read · about {minutes} min")} />
            <main class="sheet">
                <article class="chapter">
                    <p class="lede">{ *summary }</p>
                    { for parts.iter().zip(pictures).map(|(part, picture)| html! {
                        <>
                            // The build script made this HTML from our own files.
                            <div class="prose">{ Html::from_html_unchecked(AttrValue::Static(part)) }</div>
                            { for picture.map(figure) }
                        </>
                    }) }
                    <Turn previous={*previous} next={*next} />
                </article>
            </main>
        </>
    }
}

fn figure(picture: &'static Picture) -> Html {
    html! {
        <figure class="picture">
            <figcaption>{ Html::from_html_unchecked(AttrValue::Static(picture.caption)) }</figcaption>
            {
                match picture.drawing {
                    Drawing::Trace(json) => html! { <Recorded {json} /> },
                    Drawing::States(edges) => html! { <States {edges} /> },
                    // The page's build has put the run in its place.
                    Drawing::Run { .. } => Html::default(),
                }
            }
        </figure>
    }
}

#[derive(Properties, PartialEq)]
struct RecordedProps {
    json: &'static str,
}

/// A run that was made when the page was built, shown from its end: the whole picture.
#[component]
fn Recorded(RecordedProps { json }: &RecordedProps) -> Html {
    let report = use_memo(*json, |json| serde_json::from_str::<Report>(json).ok().map(Rc::new));
    let moved = use_state(|| None);
    let Some(report) = (*report).clone() else { return Html::default() };
    let Some((test, trace)) = report.tests.first().and_then(|test| Some((test, test.trace.as_ref()?))) else {
        return Html::default();
    };
    let step = moved.unwrap_or_else(|| Move::Last.from(0, trace));
    let message = (test.outcome != Outcome::Passed).then(|| test.message.clone());
    let on_move = {
        let report = report.clone();
        Callback::from(move |to: Move| {
            if let Some(trace) = report.tests.first().and_then(|test| test.trace.as_ref()) {
                moved.set(Some(to.from(step, trace)));
            }
        })
    };
    html! {
        <>
            <Player {report} test=0 {step} {on_move} on_line={Callback::noop()} />
            if let Some(message) = message { <p class="message">{ message }</p> }
        </>
    }
}
