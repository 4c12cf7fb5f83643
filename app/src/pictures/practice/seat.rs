//! The strip above the editor during a session: the clock, its pause, the end. It reads the session from its record, once a
//! second, since the page writes there too.

use super::{Desk, Msg, go, way};
use crate::pictures::subject::typed;
use crate::practice::past;
use crate::practice::session::{self, Session, wall_ms};
use crate::practice::{AFTER, HOME, ON, times};
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Interval;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

/// The strip.
pub struct Seat {
    /// The session's number.
    started: u64,
    asked: Option<Ask>,
    is_full: bool,
    _ticks: Interval,
    _on: Option<EventListener>,
}

/// What is asked twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    End,
    Discard,
}

impl Seat {
    pub fn open(desk: &mut Desk, started: u64) -> Self {
        let link = desk.link.clone();
        let ticks = Interval::new(1_000, move || link.send_message(Msg::Tick));
        Seat { started, asked: None, is_full: false, _ticks: ticks, _on: listen(desk) }
    }

    pub fn update(&mut self, desk: &mut Desk, msg: Msg) {
        // With every second; the record is read where it is drawn.
        if matches!(msg, Msg::Tick) {
            return;
        }
        let Some(mut session) = self.session() else { return };
        match msg {
            Msg::Pause => {
                if session.paused.is_some() {
                    session.go_on(wall_ms());
                } else {
                    session.pause(wall_ms());
                }
                self.is_full = session::store(Some(&session)).is_err();
            }
            Msg::End | Msg::Discard => {
                self.asked = Some(if matches!(msg, Msg::End) { Ask::End } else { Ask::Discard });
                desk.focus = Some(".seat-ask");
            }
            Msg::NotYet => {
                self.asked = None;
                desk.focus = Some(".seat-end");
            }
            // From below a verdict that all has passed: what it does is said there, so it is not asked again.
            Msg::On => {
                self.asked = Some(Ask::End);
                self.leave(session);
            }
            Msg::Sure => self.leave(session),
            _ => {}
        }
    }

    pub fn view(&self, desk: &Desk) -> Html {
        let Some(session) = self.session() else {
            return html! { <p class="seat-strip">{ "This session is over. " }{ way(HOME, None, "To interview practice") }</p> };
        };
        let now = wall_ms();
        let left = session.left_s(now);
        let class = if left <= 0 { "seat-strip seat-over" } else { "seat-strip" };
        let of = [
            if left < 0 { " over " } else { " left of " },
            &session.minutes.to_string(),
            match session.paused {
                Some(_) => " min, paused: typing lets it go on",
                None if left <= 0 => " min. The time is over; you may go on.",
                None => " min",
            },
        ];
        html! {
            <div {class}>
                <p class="seat-clock" role="timer" aria-live="off">
                    <strong>{ times::clock(left.unsigned_abs()) }</strong>{ of.concat() }
                </p>
                if session.limited { <p>{ next_run(&session, now) }</p> }
                <p class="announcement" role="status">{ announced(left) }</p>
                if self.is_full {
                    <p role="alert">{ "The browser's storage is full: nothing was changed. Copy your code, then make room." }</p>
                }
                <span class="run-bar-rest"></span>
                { self.buttons(desk, session.paused.is_some()) }
            </div>
        }
    }

    fn buttons(&self, desk: &Desk, is_paused: bool) -> Html {
        let (question, word) = match self.asked {
            Some(Ask::End) => ("End the coding part? The questions come next, without a clock.", "End it"),
            Some(Ask::Discard) => ("Throw this session away, with its code and its runs?", "Discard it"),
            None => {
                return html! {
                    <div key="ways" class="panel-row">
                        { desk.button("", if is_paused { "Go on" } else { "Pause" }, || Msg::Pause) }
                        { desk.button("seat-end", "On to the questions…", || Msg::End) }
                        { desk.button("quiet", "Discard…", || Msg::Discard) }
                    </div>
                };
            }
        };
        html! {
            <div key="ask" class="panel-row seat-ask" tabindex="-1" role="group" aria-label={question}>
                <span>{ question }</span>
                { desk.button("", word, || Msg::Sure) }
                { desk.button("", "Not yet", || Msg::NotYet) }
            </div>
        }
    }

    fn session(&self) -> Option<Session> {
        session::now().filter(|session| session.started == self.started)
    }

    fn leave(&mut self, mut session: Session) {
        let left = match self.asked.take() {
            Some(Ask::End) => {
                let now = wall_ms();
                session.go_on(now);
                session.ended = Some(now);
                // What stands in the editor counts, also if storage was too full to take it.
                session.code = typed().or(session.code);
                past::end(session).map(|()| go(&[AFTER, &self.started.to_string()].concat()))
            }
            _ => session::store(None).map(|()| go(HOME)),
        };
        self.is_full = left.is_err();
    }
}

/// The way on that stands below a verdict is the page's; taken here, so that what stands in the editor goes along.
fn listen(desk: &Desk) -> Option<EventListener> {
    let (document, link) = (web_sys::window()?.document()?, desk.link.clone());
    let active = EventListenerOptions::enable_prevent_default();
    Some(EventListener::new_with_options(&document, "click", active, move |event| {
        let within = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let way = within.and_then(|element| element.closest("a").ok()?);
        if way.and_then(|way| way.get_attribute("href")).as_deref() == Some(ON) {
            event.prevent_default();
            link.send_message(Msg::On);
        }
    }))
}

fn next_run(session: &Session, now: u64) -> String {
    match session.wait_s(now) {
        0 => "Run Tests may be pressed.".to_owned(),
        wait => ["Run Tests again in ", &wait.to_string(), " s."].concat(),
    }
}

/// What a screen reader is told, three times in a session and not each second.
fn announced(left: i64) -> &'static str {
    match left {
        ..=0 => "The time is over. You may go on; the report says how long.",
        1..=60 => "1 minute left.",
        61..=300 => "5 minutes left.",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_told_at_five_minutes_at_one_and_at_the_end() {
        let mut told: Vec<_> = (-100..1_500).rev().map(announced).collect();
        told.dedup();
        assert_eq!(told.len(), 4);
        assert_eq!((announced(301), announced(300), announced(60)), ("", "5 minutes left.", "1 minute left."));
    }

    #[test]
    fn the_strip_says_when_the_next_run_is_possible() {
        let mut session = Session::new("k", "K", 25, true, 0);
        assert_eq!(next_run(&session, 1_000), "Run Tests may be pressed.");
        session.run("x", 1_000);
        assert_eq!(next_run(&session, 2_500), "Run Tests again in 59 s.");
    }
}
