//! The strip above the editor during a session: the clock, its pause, the end. It reads the session from its record, once a
//! second, since the page writes there too.

use super::{focus, go};
use crate::pictures::subject::typed;
use crate::practice::past;
use crate::practice::session::{self, Session, wall_ms};
use crate::practice::{AFTER, HOME, times};
use gloo_timers::callback::Interval;
use yew::prelude::*;

/// See [`Clock`].
#[derive(Properties, PartialEq)]
pub struct ClockProps {
    /// The session's number.
    pub data: AttrValue,
}

/// The strip.
pub struct Clock {
    asked: Option<Ask>,
    is_full: bool,
    root: NodeRef,
    focus: Option<&'static str>,
    _ticks: Interval,
}

/// What is asked twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// End it, on to the questions.
    End,
    /// Throw it away.
    Discard,
}

/// What happens.
pub enum Msg {
    /// A second has gone.
    Tick,
    /// Stop the clock, or let it go on.
    Pause,
    /// Ask this.
    Ask(Ask),
    /// The answer.
    Sure(bool),
}

impl Component for Clock {
    type Message = Msg;
    type Properties = ClockProps;

    fn create(ctx: &Context<Self>) -> Self {
        let link = ctx.link().clone();
        Clock {
            asked: None,
            is_full: false,
            root: NodeRef::default(),
            focus: None,
            _ticks: Interval::new(1_000, move || link.send_message(Msg::Tick)),
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let session = of(&ctx.props().data);
        match (msg, session) {
            (Msg::Tick, _) | (_, None) => {}
            (Msg::Pause, Some(mut session)) => {
                if session.paused.is_some() {
                    session.go_on(wall_ms())
                } else {
                    session.pause(wall_ms())
                }
                self.is_full = session::store(Some(&session)).is_err();
            }
            (Msg::Ask(ask), _) => {
                self.asked = Some(ask);
                self.focus = Some(".seat-ask");
            }
            (Msg::Sure(false), _) => {
                self.asked = None;
                self.focus = Some(".seat-end");
            }
            (Msg::Sure(true), Some(session)) => self.leave(session),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let Some(session) = of(&ctx.props().data) else {
            return html! { <p class="seat-strip">{ "This session is over. " }<a href={HOME}>{ "To interview practice" }</a></p> };
        };
        let now = wall_ms();
        let left = session.left_s(now);
        let class = if left <= 0 { "seat-strip seat-over" } else { "seat-strip" };
        let link = ctx.link();
        html! {
            <div ref={self.root.clone()} {class}>
                <p class="seat-clock" role="timer" aria-live="off">
                    <strong>{ times::clock(left.unsigned_abs()) }</strong>
                    { if left < 0 { " over " } else { " left of " } }{ session.minutes }{ " min" }
                    if session.paused.is_some() { { ", paused: typing lets it go on" } }
                </p>
                if session.limited { <p>{ next_run(&session, now) }</p> }
                <p class="announcement" role="status">{ announced(left) }</p>
                if self.is_full {
                    <p role="alert">{ "The browser's storage is full: nothing was changed. Copy your code, then make room." }</p>
                }
                <span class="run-bar-rest"></span>
                if let Some(ask) = self.asked {
                    { asking(ask, link.callback(|_| Msg::Sure(true)), link.callback(|_| Msg::Sure(false))) }
                } else {
                    <button type="button" onclick={link.callback(|_| Msg::Pause)}>
                        { if session.paused.is_some() { "Go on" } else { "Pause" } }
                    </button>
                    <button type="button" class="seat-end" onclick={link.callback(|_| Msg::Ask(Ask::End))}>{ "End…" }</button>
                    <button type="button" class="quiet" onclick={link.callback(|_| Msg::Ask(Ask::Discard))}>{ "Discard…" }</button>
                }
            </div>
        }
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        if let Some(selector) = self.focus.take() {
            focus(&self.root, selector);
        }
    }
}

impl Clock {
    fn leave(&mut self, mut session: Session) {
        let number = session.started.to_string();
        let left = match self.asked.take() {
            Some(Ask::End) => {
                let now = wall_ms();
                session.go_on(now);
                session.ended = Some(now);
                // What stands in the editor counts, also if storage was too full to take it.
                session.code = typed().or(session.code);
                past::end(session).map(|()| go(&[AFTER, &number].concat()))
            }
            _ => session::store(None).map(|()| go(HOME)),
        };
        self.is_full = left.is_err();
    }
}

fn of(number: &str) -> Option<Session> {
    session::now().filter(|session| session.started.to_string() == number)
}

fn asking(ask: Ask, yes: Callback<MouseEvent>, no: Callback<MouseEvent>) -> Html {
    let (question, word) = match ask {
        Ask::End => ("End the session, and on to the questions?", "End it"),
        Ask::Discard => ("Throw this session away, with its code and its runs?", "Discard it"),
    };
    html! {
        <div class="panel-row seat-ask" tabindex="-1" role="group" aria-label={question}>
            <span>{ question }</span>
            <button type="button" onclick={yes}>{ word }</button>
            <button type="button" onclick={no}>{ "Not yet" }</button>
        </div>
    }
}

fn next_run(session: &Session, now: u64) -> String {
    match session.wait_s(now) {
        0 => "Run Tests is free".to_owned(),
        wait => ["Run Tests again in ", &wait.to_string(), " s"].concat(),
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
        assert_eq!(next_run(&session, 1_000), "Run Tests is free");
        session.run("x", 1_000);
        assert_eq!(next_run(&session, 2_500), "Run Tests again in 59 s");
    }
}
