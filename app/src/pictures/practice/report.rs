//! The report on a session: to read, to copy, to save as a file.

use super::deck::{self, Card, Deck};
use super::{Desk, Msg, back, behind, way};
use crate::pictures::link::{SharedRun, pack, to_address};
use crate::practice::past::{self, Entry};
use crate::practice::report::{Asked, Here, Way, file_name, markdown, score, time_used};
use crate::practice::session::Session;
use crate::practice::{AFTER, Grade};
use crate::timeline::carry;
use yew::platform::spawn_local;
use yew::prelude::*;

/// See the module.
pub struct Report {
    entry: Entry,
    /// None while they are made.
    ways: Option<Vec<Way>>,
    /// What the book says of the questions; none while it comes.
    book: Option<Vec<Asked>>,
    /// What came of copying or saving.
    status: &'static str,
}

impl Report {
    /// None if there is no such session.
    pub fn open(desk: &mut Desk, started: u64) -> Option<Self> {
        let (past, notice) = past::load();
        desk.tell(notice);
        let entry = past.find(started)?.clone();
        let (session, link) = (entry.session.clone(), desk.link.clone());
        spawn_local(async move { link.send_message(Msg::Made(made(&session).await)) });
        deck::load(desk.link.callback(Msg::Came));
        Some(Report { entry, ways: None, book: None, status: "" })
    }

    pub fn update(&mut self, desk: &mut Desk, msg: Msg) {
        match msg {
            Msg::Made(ways) => self.ways = Some(ways),
            // What does not come is left out.
            Msg::Came(deck) => self.book = Some(asked(&deck)),
            Msg::Graded(grade) => {
                self.entry.grade = Some(grade);
                let stored = past::change(self.entry.session.started, &mut |entry| entry.grade = Some(grade));
                desk.tell(
                    stored
                        .err()
                        .map(|_| "This browser did not store your grade: its storage is full or closed to the page."),
                );
            }
            Msg::Copy => carry::copy(&self.text(), desk.link.callback(Msg::Copied)),
            Msg::Copied(true) => self.status = "The report is copied.",
            Msg::Copied(false) => self.status = "This browser does not let the page copy. Save it as a file.",
            Msg::Save => {
                carry::save(&file_name(&self.entry.session, behind()), "text/markdown", &self.text());
                self.status = "The report is saved as a file.";
            }
            _ => {}
        }
    }

    pub fn view(&self, desk: &Desk) -> Html {
        let Entry { session, answers, .. } = &self.entry;
        let came_to =
            self.entry.score().map_or_else(|| "no run came to a report".to_owned(), |(passed, all)| score(passed, all));
        html! {
            <>
                <h2 tabindex="-1">{ "Report: " }{ session.title.clone() }</h2>
                <p>{ [&time_used(session), "; ", &came_to, "."].concat() }</p>
                <div class="panel-row" role="group" aria-label="How did it go, all in all?">
                    <span>{ "How did it go, all in all?" }</span>
                    { for Grade::ALL.into_iter().map(|grade| self.grade(desk, grade)) }
                </div>
                if answers.is_empty() { <p>{ way(AFTER, Some(session.started), "Answer the questions first") }</p> }
                if self.ways.is_some() && self.book.is_some() {
                    <p class="panel-row">
                        { desk.button("run", "Save as a file", || Msg::Save) }
                        { desk.button("", "Copy", || Msg::Copy) }
                        <span role="status">{ self.status }</span>
                    </p>
                    <pre class="practice-report" tabindex="0" role="region" aria-label="The report as Markdown">
                        { self.text() }
                    </pre>
                } else {
                    <p role="status">{ "The report is being made…" }</p>
                }
                { back() }
            </>
        }
    }

    fn grade(&self, desk: &Desk, grade: Grade) -> Html {
        let pressed = (self.entry.grade == Some(grade)).to_string();
        let onclick = desk.link.callback(move |_| Msg::Graded(grade));
        html! { <button type="button" aria-pressed={pressed} {onclick}>{ grade.word() }</button> }
    }

    fn text(&self) -> String {
        let href = web_sys::window().and_then(|w| w.location().href().ok()).unwrap_or_default();
        let page = href.split('#').next().unwrap_or_default();
        let book = self.book.as_deref().unwrap_or_default();
        markdown(&self.entry, self.ways.as_deref().unwrap_or_default(), &Here { page, behind: behind(), book })
    }
}

fn asked(deck: &Deck) -> Vec<Asked> {
    let (Deck::Whole(cards) | Deck::Part(cards)) = deck else { return Vec::new() };
    let asked = |card: &Card| Asked {
        page: (card.page.address, card.page.title),
        id: card.question.id,
        good: card.question.good,
    };
    cards.iter().map(asked).collect()
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
            from: None,
        };
        let json = run.to_json();
        let packed = pack(json.as_bytes()).await;
        ways.push(packed.and_then(|packed| to_address(&json, &packed)).map_or(Way::TooLong, Way::To));
    }
    ways
}
