//! The current event in words: when, what, by which line, and what became otherwise.

use crate::timeline::layout::times::moment;
use crate::timeline::layout::{NO_ANSWER, broken};
use crate::timeline::state_at::{Change, History};
use leasehold_checker::report::{Outcome, TestReport, finding};
use leasehold_checker::time::seconds;
use leasehold_checker::trace::{Event, Happening, Reply, Trace};
use std::rc::Rc;
use yew::prelude::*;

/// What one sees in the story of a test: the rule, and whether and when it was broken. A rule stands as it is when it holds, so
/// it is never said beside "broken" without being called a rule.
pub fn title(test: &TestReport) -> String {
    let rule = test.name.replace('_', " ");
    let bad = test.trace.as_ref().and_then(|trace| trace.events.get(trace.first_bad?));
    match bad.map(|bad| moment(bad.at_us)) {
        // The name of a search is no rule, nor is that of a schedule that is run again.
        Some(at) if is_search(&test.name) && test.outcome == Outcome::Failed => match finding(&test.message) {
            "" => ["At ", &at, " the search found what breaks this code"].concat(),
            found => ["At ", &at, " a rule is broken: ", &found.replace('`', "")].concat(),
        },
        Some(at) if test.outcome == Outcome::Failed => ["At ", &at, " this rule is broken: ", &rule].concat(),
        Some(at) => ["At ", &at, " the code fails by itself. The rule under test: ", &rule].concat(),
        None if test.outcome == Outcome::Passed => format!("Nothing broke: {rule}"),
        None => format!("Not kept, though no single event breaks it: {rule}"),
    }
}

fn is_search(name: &str) -> bool {
    name.ends_with("_it") && name.contains("_break") || name == "replay"
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
            match broken(message) {
                what if what == NO_ANSWER => [who, " ", &what].concat(),
                what => [who, " gets no answer: ", &what].concat(),
            }
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

/// Of events that change nothing that is followed. What code keeps for itself is not: a deadline may well have moved.
const UNCHANGED: &str = "No lease, belief or mark changes here. What the code keeps in its own variables is not shown.";

fn changes(changes: &[Change]) -> Html {
    if changes.is_empty() {
        return html! { <p class="player-unchanged">{ UNCHANGED }</p> };
    }
    changes.iter().map(change).collect()
}

/// A change as words, with what is new standing out.
pub fn change(Change { what, before, after, .. }: &Change) -> Html {
    html! {
        <p class="change"><span class="change-what">{ what.clone() }{ ": " }</span>{ before.clone() }{ " → " }<b>{ after.clone() }</b></p>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::fixtures;

    fn titled(name: &str, outcome: Outcome, message: &str) -> String {
        let trace = if outcome == Outcome::Passed { fixtures::fenced() } else { fixtures::takeover() };
        let test = TestReport {
            name: name.to_owned(),
            outcome,
            message: message.to_owned(),
            line: None,
            column: None,
            traceback: None,
            replay: None,
            search: None,
            trace: Some(trace),
        };
        title(&test)
    }

    #[test]
    fn a_title_calls_a_rule_a_rule_and_never_says_it_of_the_run_that_breaks_it() {
        let broken = titled("release_by_another_changes_nothing", Outcome::Failed, "B released. It may not.");
        assert_eq!(broken, "At 15 s this rule is broken: release by another changes nothing");
        let raised = titled("release_by_another_changes_nothing", Outcome::Error, "KeyError: 'job'");
        assert!(raised.contains("the code fails by itself. The rule under test: release"), "{raised}");
        let kept = titled("release_by_another_changes_nothing", Outcome::Passed, "");
        assert_eq!(kept, "Nothing broke: release by another changes nothing");
    }

    #[test]
    fn a_search_is_titled_by_what_it_found_for_its_name_is_no_rule() {
        for name in ["no_short_schedule_breaks_it", "no_few_disturbances_break_it", "replay"] {
            let found = titled(name, Outcome::Failed, "At 15 s `state` was held. Then it is lost.");
            assert_eq!(found, "At 15 s a rule is broken: state was held");
            assert_eq!(titled(name, Outcome::Failed, ""), "At 15 s the search found what breaks this code");
        }
    }
}
