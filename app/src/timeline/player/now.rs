//! The current event in words: when, what, by which line, and what became otherwise.

use crate::timeline::layout::broken;
use crate::timeline::layout::times::moment;
use crate::timeline::state_at::{Change, History};
use leasehold_checker::report::{Outcome, TestReport};
use leasehold_checker::time::seconds;
use leasehold_checker::trace::{Event, Happening, Reply, Trace};
use std::rc::Rc;
use yew::prelude::*;

/// What one sees in the story of a test: the rule, and whether and when it was broken.
pub fn title(test: &TestReport) -> String {
    let rule = test.name.replace('_', " ");
    let bad = test.trace.as_ref().and_then(|trace| trace.events.get(trace.first_bad?));
    match bad {
        Some(bad) => format!("Broken at {}: {rule}", moment(bad.at_us)),
        None if test.outcome == Outcome::Passed => format!("Nothing broke: {rule}"),
        None => format!("Not kept, though no single event breaks it: {rule}"),
    }
}

#[derive(Properties)]
pub struct NowProps {
    pub trace: Rc<Trace>,
    pub history: Rc<History>,
    pub step: usize,
    pub playing: bool,
    pub source: AttrValue,
    pub line_name: &'static str,
    pub on_line: Callback<u32>,
}

impl PartialEq for NowProps {
    fn eq(&self, other: &Self) -> bool {
        // The history follows from the trace.
        Rc::ptr_eq(&self.trace, &other.trace)
            && (self.step, self.playing, &self.source) == (other.step, other.playing, &other.source)
            && self.on_line == other.on_line
    }
}

#[component]
pub fn Now(props: &NowProps) -> Html {
    let NowProps { trace, history, step, playing, source, line_name, on_line } = props;
    let Some(event) = trace.events.get(*step) else { return Html::default() };
    // While it plays, nobody could listen that fast.
    let live = if *playing { "off" } else { "polite" };
    html! {
        <div class="player-now" aria-live={live} aria-atomic="true">
            <span class="player-time" title={seconds(event.at_us)}>{ moment(event.at_us) }</span>
            <p class="player-says">
                <span>{ headline(event, trace) }</span>
                if !source.is_empty() {
                    if let Some(line) = event.line { { acted(line, source, line_name, on_line) } }
                }
            </p>
            <div class="player-changes">{ changes(history.at(*step)) }</div>
        </div>
    }
}

// The event as a sentence; what the code raised stands above already, in the test's message.
fn headline(event: &Event, trace: &Trace) -> String {
    match &event.what {
        Happening::Answered { client, reply: Reply::Broke { message }, .. } => {
            let who = trace.clients.get(*client).map_or("?", String::as_str);
            format!("{who} gets no answer: {}", broken(message))
        }
        _ => event.text(&trace.clients),
    }
}

fn acted(line: u32, source: &str, line_name: &str, on_line: &Callback<u32>) -> Html {
    let text = (line as usize).checked_sub(1).and_then(|above| source.lines().nth(above)).unwrap_or_default().trim();
    html! {
        <span class="player-line">
            { " " }
            <button type="button" class="link" onclick={on_line.reform(move |_| line)}>{ format!("{line_name} {line}") }</button>
            { " " }<code title={text.to_owned()}>{ text.to_owned() }</code>
        </span>
    }
}

fn changes(changes: &[Change]) -> Html {
    if changes.is_empty() {
        return html! { <p class="player-unchanged">{ "No lease, belief or mark changes here." }</p> };
    }
    changes.iter().map(change).collect()
}

/// A change as words, with what is new standing out.
pub fn change(Change { what, before, after, .. }: &Change) -> Html {
    html! {
        <p class="change"><span class="change-what">{ what.clone() }{ ": " }</span>{ before.clone() }{ " → " }<b>{ after.clone() }</b></p>
    }
}
