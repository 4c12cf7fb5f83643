//! The report on a session: to read, to copy, to save as a file.

use super::{back, behind, gone, here, told};
use crate::pictures::link::{SharedRun, pack, to_address};
use crate::practice::past::{self, Entry};
use crate::practice::report::{Here, Way, file_name, markdown, score, time_used};
use crate::practice::session::Session;
use crate::practice::{AFTER, Grade};
use crate::timeline::carry;
use yew::platform::spawn_local;
use yew::prelude::*;

/// See [`ReportPage`].
#[derive(Properties, PartialEq)]
pub struct ReportPageProps {
    /// The session's number.
    pub started: u64,
}

/// The page of a report.
#[component]
pub fn ReportPage(ReportPageProps { started }: &ReportPageProps) -> Html {
    let started = *started;
    let entry = use_state(|| past::load().0.find(started).cloned());
    let ways = use_state(|| None::<Vec<Way>>);
    let status = use_state(|| "");
    let notice = use_state(|| None::<&'static str>);
    {
        let (entry, ways) = (entry.clone(), ways.clone());
        use_effect_with((), move |()| {
            if let Some(entry) = (*entry).clone() {
                spawn_local(async move { ways.set(Some(made(&entry.session).await)) });
            }
        });
    }
    let Some(shown) = (*entry).clone() else { return gone() };
    let page = here();
    let text = ways.as_ref().map(|ways| markdown(&shown, ways, &Here { page: &page, behind: behind() }));
    let on_grade = |grade: Grade| {
        let (entry, notice) = (entry.clone(), notice.clone());
        Callback::from(move |_: MouseEvent| {
            let stored = past::change(started, &mut |entry| entry.grade = Some(grade));
            notice.set(
                stored
                    .err()
                    .map(|_| "This browser did not store your grade: its storage is full or closed to the page."),
            );
            entry.set((*entry).clone().map(|entry| Entry { grade: Some(grade), ..entry }));
        })
    };
    let grade = |grade: Grade| {
        let pressed = (shown.grade == Some(grade)).to_string();
        html! { <button type="button" aria-pressed={pressed} onclick={on_grade(grade)}>{ grade.word() }</button> }
    };
    html! {
        <div class="practice">
            { told(&notice.iter().copied().collect::<Vec<_>>()) }
            <h2 tabindex="-1">{ "Report: " }{ shown.session.title.clone() }</h2>
            <p>{ time_used(&shown.session) }{ ". " }
                { shown.score().map_or_else(|| "No run came to a report".to_owned(), |(passed, all)| score(passed, all)) }{ "." }
            </p>
            <div class="panel-row" role="group" aria-label="How did it go, all in all?">
                <span>{ "How did it go, all in all?" }</span>
                { for Grade::ALL.into_iter().map(grade) }
            </div>
            if shown.answers.is_empty() {
                <p><a href={[AFTER, &started.to_string()].concat()}>{ "Answer the questions" }</a>{ ": the report will hold your answers." }</p>
            }
            if let Some(text) = text {
                { carried(&shown.session, &text, &status) }
                <pre class="practice-report" tabindex="0" role="region" aria-label="The report as Markdown">{ text }</pre>
            } else {
                <p role="status">{ "The links to the timelines are being made…" }</p>
            }
            { back() }
        </div>
    }
}

fn carried(session: &Session, text: &str, status: &UseStateHandle<&'static str>) -> Html {
    let on_copy = {
        let (text, status) = (text.to_owned(), status.clone());
        Callback::from(move |_: MouseEvent| {
            let status = status.clone();
            let done = move |copied| {
                let words = if copied {
                    "The report is copied."
                } else {
                    "This browser does not let the page copy. Save it as a file."
                };
                status.set(words);
            };
            carry::copy(&text, Callback::from(done));
        })
    };
    let on_save = {
        let (text, name, status) = (text.to_owned(), file_name(session, behind()), status.clone());
        Callback::from(move |_: MouseEvent| {
            carry::save(&name, "text/markdown", &text);
            status.set("The report is saved as a file.");
        })
    };
    html! {
        <p class="panel-row">
            <button type="button" class="run" onclick={on_save}>{ "Save as a file" }</button>
            <button type="button" onclick={on_copy}>{ "Copy" }</button>
            <span role="status">{ **status }</span>
        </p>
    }
}

/// The ways to the timelines of the last run.
async fn made(session: &Session) -> Vec<Way> {
    let mut ways = Vec::new();
    for failed in &session.failed {
        if !failed.drawn {
            ways.push(Way::None);
            continue;
        }
        let run = SharedRun {
            kata: session.kata.clone(),
            code: session.tried.clone(),
            replay: failed.replay.clone(),
            test: failed.name.clone(),
        };
        let json = run.to_json();
        let packed = pack(json.as_bytes()).await;
        ways.push(packed.and_then(|packed| to_address(&json, &packed)).map_or(Way::TooLong, Way::To));
    }
    ways
}
