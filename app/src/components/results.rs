//! What came of a run: the verdict, the tests, and the selected one beside them.

use super::score::Score;
use super::test_detail::{Output, TestDetail};
use super::test_list::TestList;
use crate::protocol::Report;
use crate::state::{EngineState, Msg, STORY, Selection};
use crate::words;
use leasehold_checker::report::Verdict;
use leasehold_exercises::{COUNT, Link};
use std::rc::Rc;
use yew::prelude::*;

/// See [`Results`].
#[derive(Properties)]
pub struct ResultsProps {
    /// The run's number.
    pub run: u32,
    /// The report.
    pub report: Rc<Report>,
    /// What is shown beside the list.
    pub selected: Selection,
    /// The file that it is about.
    pub source: Rc<str>,
    /// The code was edited since.
    pub outdated: bool,
    /// How the interpreter is: it may be searching further.
    pub engine: EngineState,
    /// What was learnt, told when all has passed.
    pub summary: &'static str,
    /// The page that comes after this kata.
    pub next: Option<Link>,
    /// How many katas are solved.
    pub solved: usize,
    /// Asks for another test.
    pub on_select: Callback<Selection>,
    /// Searches further, or gives that up.
    pub on_search: Callback<Msg>,
    /// Asks to see a line of the code.
    pub on_line: Callback<u32>,
}

impl PartialEq for ResultsProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.report, &other.report)
            && (self.run, self.selected) == (other.run, other.selected)
            && (self.outdated, &self.engine) == (other.outdated, &other.engine)
            && self.solved == other.solved
            && self.on_search == other.on_search
            && self.on_select == other.on_select
            && self.on_line == other.on_line
    }
}

/// The results of a run.
#[component]
pub fn Results(props: &ResultsProps) -> Html {
    let ResultsProps { run, report, source, selected, outdated, engine, summary, .. } = props;
    let ResultsProps { on_select, on_search, on_line, next, solved, .. } = props;
    let passed = report.verdict == Verdict::Passed;
    let class = if passed { "verdict verdict-passed" } else { "verdict verdict-failed" };
    html! {
        <div class="results-in">
            <div class="outcome">
            <div {class}>
                <h2>{ words::score(report) }</h2>
                if passed {
                    { for searched(report).map(|coverage| html! { <p>{ coverage }</p> }) }
                    <p class="onward">
                        { for next.map(|Link { address, title }| html! { <a href={address}>{ "Next: " }{ title }{ " →" }</a> }) }
                        // None where the browser keeps nothing.
                        if *solved > 0 { <span>{ words::of_katas(*solved, COUNT) }</span> }
                    </p>
                }
                if *outdated { <p class="outdated">{ "You have edited the code since this run." }</p> }
                <Score report={report.clone()} />
            </div>
            <TestList report={report.clone()} selected={*selected}
                searching={matches!(engine, EngineState::Searching(_))} {on_select} />
            </div>
            // A new element for another test, so that it is read from its top; not for the same one after a search,
            // whose button would lose the focus.
            <div id="detail" key={format!("{run} {selected:?}")} class="detail" tabindex="-1">
                if passed && is_story(report, *selected) { <p class="learnt">{ *summary }</p> }
                {
                    match selected {
                        Selection::Test(test) => html! {
                            <TestDetail report={report.clone()} test={*test} source={source.clone()}
                                engine={engine.clone()} {on_search} {on_line} />
                        },
                        Selection::Output => html! { <Output text={report.output.clone()} /> },
                    }
                }
            </div>
        </div>
    }
}

fn is_story(report: &Report, selected: Selection) -> bool {
    matches!(selected, Selection::Test(i) if report.tests.get(i).is_some_and(|test| test.name == STORY))
}

fn searched(report: &Report) -> impl Iterator<Item = String> {
    report.tests.iter().filter_map(|test| Some(words::coverage(test.search.as_ref()?, test.outcome)))
}
