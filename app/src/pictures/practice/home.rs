//! Where one begins: draw a kata, see what is due, look at what was done.

use super::{Desk, Msg, behind, go, today, way};
use crate::address;
use crate::pictures::contents::contents;
use crate::practice::past::{self, Past};
use crate::practice::session::{self, Session, wall_ms};
use crate::practice::{AFTER, CARDS, NOW, REPORT, cards, draw, report, times};
use crate::storage;
use leasehold_exercises::Entry;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What a kata may be, as its line in the contents says it.
const LEVELS: [&str; 4] = ["any", "warm-up", "solid", "hard"];
const MINUTES: [u32; 2] = [25, 45];

/// See the module.
pub struct Home {
    /// The contents of the book; none while they come.
    entries: Option<&'static [Entry]>,
    is_missing: bool,
    now: Option<Session>,
    past: Past,
    known: cards::Cards,
    level: usize,
    minutes: u32,
    limited: bool,
    drawn: Option<&'static Entry>,
    /// It fits into the time.
    fits: bool,
    /// Whether the session that runs is to be thrown away is being asked.
    is_asking: bool,
}

impl Home {
    pub fn open(desk: &mut Desk) -> Self {
        contents(desk.link.callback(Msg::Contents));
        let (now, told_of_now) = session::load();
        let (past, told_of_past) = past::load();
        let (known, told_of_cards) = cards::load();
        for notice in [told_of_now, told_of_past, told_of_cards] {
            desk.tell(notice);
        }
        Home {
            entries: None,
            is_missing: false,
            now,
            past,
            known,
            level: 0,
            minutes: MINUTES[0],
            limited: false,
            drawn: None,
            fits: true,
            is_asking: false,
        }
    }

    pub fn update(&mut self, desk: &mut Desk, msg: Msg) {
        match msg {
            Msg::Contents(entries) => {
                self.entries = entries;
                self.is_missing = entries.is_none();
            }
            Msg::Again => {
                self.is_missing = false;
                contents(desk.link.callback(Msg::Contents));
            }
            Msg::Level(level) => (self.level, self.drawn) = (level, None),
            Msg::Minutes(minutes) => (self.minutes, self.drawn) = (minutes, None),
            Msg::Limited(limited) => self.limited = limited,
            Msg::Draw => {
                self.drawn = self.draw();
                desk.focus = Some(".practice-drawn h3");
            }
            Msg::Begin => self.begin(desk),
            Msg::Discard => {
                self.is_asking = true;
                desk.focus = Some(".practice-ask");
            }
            Msg::NotYet => {
                self.is_asking = false;
                desk.focus = Some(".practice-discard");
            }
            Msg::Sure => {
                self.is_asking = false;
                if session::store(None).is_ok() {
                    self.now = None;
                }
                desk.focus = Some("h2");
            }
            _ => {}
        }
    }

    pub fn view(&self, desk: &Desk) -> Html {
        html! {
            <>
                <p class="practice-lede">
                    { "Half an interview is writing, the other half is talking about what you wrote. Draw a kata, write it against the \
                       clock without chapter or hints, and answer what an interviewer would ask next." }
                </p>
                <section>
                    if let Some(session) = &self.now { { self.under_way(desk, session) } } else { { self.start(desk) } }
                </section>
                <section>{ self.cards() }</section>
                <section>{ self.done() }</section>
            </>
        }
    }

    fn draw(&mut self) -> Option<&'static Entry> {
        let entries = self.entries?;
        let is_kata = |entry: &&'static Entry| address::kata(entry.address).is_some();
        let fits = |entry: &&'static Entry| {
            let level = entry.facts.split(" · ").nth(1);
            is_kata(entry) && (self.level == 0 || level == Some(LEVELS[self.level]))
        };
        let is_solved = |slug: &str| storage::peek(slug).is_some_and(|record| record.progress.is_solved());
        let kata = |entry: &'static Entry| draw::Kata {
            slug: slug(entry),
            minutes: draw::minutes(entry.facts),
            spoils: leasehold_exercises::spoils(slug(entry)).is_some_and(|other| !is_solved(other)),
        };
        let katas: Vec<draw::Kata> = entries.iter().filter(fits).map(kata).collect();
        let (slugs, fits) = draw::fitting(&katas, self.minutes);
        self.fits = fits;
        let lately: Vec<&str> = self.past.past.iter().map(|entry| entry.session.kata.as_str()).collect();
        let drawn = draw::draw(&slugs, &lately, self.drawn.map(slug), web_sys::js_sys::Math::random())?;
        entries.iter().filter(is_kata).find(|entry| slug(entry) == drawn)
    }

    fn begin(&mut self, desk: &mut Desk) {
        let Some(entry) = self.drawn else { return };
        // Another window may have begun one.
        self.now = session::now();
        if self.now.is_some() {
            desk.focus = Some("h2");
            return;
        }
        let session = Session::new(slug(entry), entry.title, self.minutes, self.limited, wall_ms());
        match session::store(Some(&session)) {
            Ok(()) => go(NOW),
            Err(_) => desk.tell(Some(
                "This browser does not store the session: its storage is full or closed to the page. Nothing was begun.",
            )),
        }
    }

    fn under_way(&self, desk: &Desk, session: &Session) -> Html {
        let left = session.left_s(wall_ms());
        let so_far = [
            session.title.as_str(),
            ": ",
            &times::clock(left.unsigned_abs()),
            if left < 0 { " over" } else { " left" },
            if session.paused.is_some() { ", paused." } else { "." },
        ];
        html! {
            <>
                <h2 tabindex="-1">{ "A session is under way" }</h2>
                <p>{ so_far.concat() }</p>
                if self.is_asking {
                    <div class="panel-row practice-ask" tabindex="-1" role="group" aria-label="Discard the session?">
                        <span>{ "Its code and its runs are thrown away. Discard it?" }</span>
                        { desk.button("", "Discard it", || Msg::Sure) }
                        { desk.button("", "Keep it", || Msg::NotYet) }
                    </div>
                } else {
                    <p class="panel-row">
                        { way(NOW, None, "Go on with it") }
                        { desk.button("quiet practice-discard", "Discard…", || Msg::Discard) }
                    </p>
                }
            </>
        }
    }

    fn start(&self, desk: &Desk) -> Html {
        let link = &desk.link;
        let level = |i: usize| radio("level", LEVELS[i], self.level == i, link.callback(move |_| Msg::Level(i)));
        let minutes = |n: u32| {
            let words = if n == 25 { "25 minutes" } else { "45 minutes" };
            radio("minutes", words, self.minutes == n, link.callback(move |_| Msg::Minutes(n)))
        };
        let checked = |event: Event| Msg::Limited(event.target_unchecked_into::<HtmlInputElement>().checked());
        html! {
            <>
                <h2 tabindex="-1">{ "Start a session" }</h2>
                <p class="needs-width">
                    { "A session is made for a window at least 1024 pixels wide. In this one the task, the editor and the results \
                       stand one below the other, and the editor comes when you ask for it." }
                </p>
                <div class="practice-start">
                    <fieldset><legend>{ "Level" }</legend>{ for (0..LEVELS.len()).map(level) }</fieldset>
                    <fieldset><legend>{ "Time" }</legend>{ for MINUTES.into_iter().map(minutes) }</fieldset>
                    <p><label>
                        <input type="checkbox" checked={self.limited} onchange={link.callback(checked)} />
                        { " Run Tests once a minute at most: think before you press it" }
                    </label></p>
                    if self.is_missing {
                        <p>{ "The katas could not be loaded. " }{ desk.button("", "Try again", || Msg::Again) }</p>
                    } else if let Some(entry) = self.drawn {
                        <div class="practice-drawn">
                            <h3 tabindex="-1">{ entry.title }</h3>
                            <p class="coverage">{ entry.facts }{ " with its chapter" }</p>
                            if !self.fits {
                                <p>
                                    { "No kata of this level fits into the time. This is the shortest: expect to finish a part of it, as \
                                       in many interviews." }
                                </p>
                            }
                            <p>{ entry.summary }</p>
                            <p class="panel-row">
                                { desk.button("run", "Start the clock", || Msg::Begin) }
                                { desk.button("", "Draw again", || Msg::Draw) }
                            </p>
                        </div>
                    } else if self.entries.is_some() {
                        <p>{ desk.button("run", "Draw a kata", || Msg::Draw) }</p>
                    }
                </div>
            </>
        }
    }

    fn cards(&self) -> Html {
        let is_here = |page: &str| self.entries.is_none_or(|entries| entries.iter().any(|entry| slug(entry) == page));
        let due = self.known.due(today(), &is_here);
        let words = match due {
            0 => "No card is due. New ones can be met at any time.".to_owned(),
            1 => "1 card is due.".to_owned(),
            due => [&due.to_string(), " cards are due."].concat(),
        };
        html! {
            <>
                <h2>{ "Cards" }</h2>
                <p class="practice-due">{ words }</p>
                <p>
                    { "Each is a question with the points of a good answer. What you knew comes back after 3, 7, 16 and 35 days, \
                       what you knew in part after at least 2, what you missed tomorrow. " }
                </p>
                <p>{ way(CARDS, None, if due > 0 { "Go through them" } else { "To the cards" }) }</p>
            </>
        }
    }

    fn done(&self) -> Html {
        html! {
            <>
                <h2>{ "Past sessions" }</h2>
                if self.past.past.is_empty() { <p>{ "None yet. The newest 20 are kept in this browser, with their code." }</p> }
                <ul class="practice-past">{ for self.past.past.iter().map(line) }</ul>
            </>
        }
    }
}

fn slug(entry: &'static Entry) -> &'static str {
    entry.address.rsplit('/').next().unwrap_or_default()
}

fn line(entry: &past::Entry) -> Html {
    let session = &entry.session;
    let mut facts = vec![times::date(times::day(session.started, behind())), report::time_used(session)];
    facts.push(entry.score().map_or_else(|| "no tests run".to_owned(), |(passed, all)| report::score(passed, all)));
    facts.extend(entry.grade.map(|grade| ["my grade: ", grade.word()].concat()));
    html! {
        <li>
            <a href={[REPORT, &session.started.to_string()].concat()}>{ session.title.clone() }</a>
            if entry.answers.is_empty() { { way(AFTER, Some(session.started), "Answer its questions") } }
            <p class="coverage">{ facts.join(" · ") }</p>
        </li>
    }
}

fn radio(name: &'static str, words: &'static str, checked: bool, onchange: Callback<Event>) -> Html {
    html! { <label><input type="radio" {name} {checked} {onchange} />{ " " }{ words }</label> }
}
