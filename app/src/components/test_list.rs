//! The tests of a run by name, each a button that shows it.

use super::icons;
use crate::components::into_view;
use crate::protocol::{Report, TestReport};
use crate::state::Selection;
use crate::words;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties)]
pub struct TestListProps {
    pub report: Rc<Report>,
    pub selected: Selection,
    pub searching: bool,
    pub on_select: Callback<Selection>,
}

impl PartialEq for TestListProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.report, &other.report)
            && (self.selected, self.searching) == (other.selected, other.searching)
            && self.on_select == other.on_select
    }
}

#[component]
pub fn TestList(TestListProps { report, selected, searching, on_select }: &TestListProps) -> Html {
    let list = use_node_ref();
    {
        let list = list.clone();
        use_effect_with((*selected, Rc::as_ptr(report) as usize), move |_| {
            let current = list.cast::<Element>().and_then(|list| list.query_selector("[aria-current]").ok().flatten());
            if let Some(current) = current {
                into_view(&current);
            }
        });
    }
    let entry = |selection: Selection, content: Html| {
        let current = (*selected == selection).then_some("true");
        html! {
            <li>
                <button type="button" class="test" aria-current={current} aria-controls="detail"
                    onclick={on_select.reform(move |_| selection)}>{ content }</button>
            </li>
        }
    };
    html! {
        <nav ref={list} class="tests" aria-label="Tests">
            <ul>
                { for report.tests.iter().enumerate().map(|(i, test)| entry(Selection::Test(i), name(test, *searching))) }
                if !report.output.is_empty() {
                    { entry(Selection::Output, html! { <><span class="test-name">{ "Printed by your code" }</span></> }) }
                }
            </ul>
        </nav>
    }
}

fn name(test: &TestReport, searching: bool) -> Html {
    let outcome = if searching && test.search.is_some() { "searching…" } else { words::outcome(test.outcome) };
    html! {
        <>
            { icons::outcome(test.outcome) }
            <span class="test-name">{ words::sentence(&test.name) }</span>
            <span class="test-outcome">{ outcome }</span>
        </>
    }
}
