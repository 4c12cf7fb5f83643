//! One test: what it says, where, and its story.

use super::deeper::Deeper;
use super::icons;
use super::{Picture, timeline};
use crate::protocol::Report;
use crate::state::{EngineState, Msg};
use crate::words;
use leasehold_checker::report::Outcome;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub struct TestDetailProps {
    pub report: Rc<Report>,
    pub test: usize,
    pub source: Rc<str>,
    pub engine: EngineState,
    pub on_search: Callback<Msg>,
    pub on_line: Callback<u32>,
}

impl PartialEq for TestDetailProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.report, &other.report)
            && (self.test, &self.engine) == (other.test, &other.engine)
            && self.on_search == other.on_search
            && self.on_line == other.on_line
    }
}

#[component]
pub fn TestDetail(props: &TestDetailProps) -> Html {
    let TestDetailProps { report, test: index, source, engine, on_search, on_line } = props;
    // Not with every percent and every ten schedules that the engine tells of: a story has up to some hundred kilobytes.
    let story = use_memo((Rc::as_ptr(report) as usize, *index), |_| {
        let test = report.tests.get(*index).filter(|test| test.trace.is_some())?;
        Some(timeline(&report.kata, test, source))
    });
    let Some(test) = report.tests.get(*index) else { return Html::default() };
    // A pass needs no line to look at.
    let line = test.line.filter(|_| test.outcome != Outcome::Passed);
    html! {
        <>
            <div class="detail-head">
                <h3>{ icons::outcome(test.outcome) }{ words::sentence(&test.name) }</h3>
                <span class="test-outcome">{ words::outcome(test.outcome) }</span>
                if let Some(line) = line {
                    <button type="button" class="to-line" onclick={on_line.reform(move |_| line)}>
                        { format!("Go to your line {line}") }
                    </button>
                }
            </div>
            if !test.message.is_empty() { <p class="message">{ test.message.clone() }</p> }
            if let Some(search) = test.search.as_ref().filter(|_| test.outcome != Outcome::Passed) {
                <p class="coverage">{ words::coverage(search, test.outcome) }</p>
            }
            <Deeper report={report.clone()} test={*index} engine={engine.clone()} {on_search} />
            if let Some(traceback) = &test.traceback {
                <pre class="traceback" tabindex="0" aria-label="Traceback">{ traceback.clone() }</pre>
            }
            if let Some(story) = &*story {
                <Picture kind="timeline" data={story.clone()} />
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
pub struct OutputProps {
    pub text: String,
}

/// What the learner's code printed.
#[component]
pub fn Output(OutputProps { text }: &OutputProps) -> Html {
    html! {
        <>
            <h3>{ "Printed by your code" }</h3>
            <pre class="output" tabindex="0" aria-label="Output">{ text.clone() }</pre>
        </>
    }
}
