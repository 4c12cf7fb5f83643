//! The page of a chapter without code: prose, and pictures to step through.

use crate::components::{self, Header, questions, turn};
use crate::protocol::Report;
use leasehold_checker::report::Outcome;
use leasehold_exercises::{Chapter, Drawing, Edge, Picture};
use yew::prelude::*;

/// The page of a chapter without code.
pub fn chapter(chapter: &'static Chapter) -> Html {
    let Chapter { title, summary, facts, parts, pictures, previous, next, .. } = chapter;
    let mut pictures = pictures.iter();
    html! {
        <>
            <Header title={*title} facts={*facts} />
            <main id="main" tabindex="-1" key={*title} class="sheet">
                <article class="chapter">
                    <p class="lede">{ *summary }</p>
                    { for parts.iter().map(|part| html! {
                        <>
                            <div class="prose">{ ours(part) }</div>
                            { for pictures.next().map(figure) }
                        </>
                    }) }
                    { questions(chapter.questions) }
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

fn figure(Picture { caption, drawing }: &'static Picture) -> Html {
    let drawn = match *drawing {
        Drawing::States(edges) => html! { <components::Picture kind="states" data={ways(edges)} /> },
        Drawing::Explorer(settings) => html! { <components::Picture kind="ttl" data={settings} /> },
        Drawing::Trace(json) => recorded(json),
        // The page's build has put a trace in the place of each run.
        Drawing::Run { .. } => Html::default(),
    };
    html! { <figure class="picture"><figcaption>{ ours(caption) }</figcaption>{ drawn }</figure> }
}

fn ways(edges: &[Edge]) -> AttrValue {
    let ways: Vec<_> = edges.iter().map(|edge| [edge.from, edge.to, edge.by, edge.why]).collect();
    serde_json::to_string(&ways).unwrap_or_default().into()
}

/// A run that was made when the page was built.
fn recorded(json: &str) -> Html {
    let report = serde_json::from_str::<Report>(json).ok();
    let Some((report, test)) = report.as_ref().and_then(|report| Some((report, report.tests.first()?))) else {
        return Html::default();
    };
    html! {
        <>
            <components::Picture kind="timeline" data={components::timeline(&report.kata, test, "")} />
            if test.outcome != Outcome::Passed {
                <p class="message">{ test.message.clone() }</p>
            }
        </>
    }
}
