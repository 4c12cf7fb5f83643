//! The search of a passed test, once more and further: a button, which cancels while it searches, and how far it is.

use crate::protocol::Report;
use crate::state::{self, EngineState, Msg};
use crate::words;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub struct DeeperProps {
    pub report: Rc<Report>,
    pub test: usize,
    pub engine: EngineState,
    pub on_search: Callback<Msg>,
}

impl PartialEq for DeeperProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.report, &other.report)
            && (self.test, &self.engine, &self.on_search) == (other.test, &other.engine, &other.on_search)
    }
}

#[component]
pub fn Deeper(DeeperProps { report, test, engine, on_search }: &DeeperProps) -> Html {
    let test = &report.tests[*test];
    let (Some(bound), Some(search)) = (state::next_bound(test), &test.search) else { return Html::default() };
    let under_way = if let EngineState::Searching(deeper) = engine { Some(deeper) } else { None };
    let label = match under_way {
        Some(_) => "Cancel".to_owned(),
        None => format!("Search deeper: up to {}", words::counted(bound, search.by)),
    };
    let searching = under_way.is_some();
    let onclick = on_search.reform(move |_| if searching { Msg::Cancel } else { Msg::Deeper });
    // One button for both, so that it keeps the focus.
    let disabled = !searching && *engine != EngineState::Ready;
    html! {
        <div class="deeper">
            <button type="button" aria-disabled={disabled.to_string()} {onclick}>{ label }</button>
            if let Some(deeper) = under_way {
                <p id="deeper-reached">{ words::reached(&deeper.reached) }</p>
                if let Some((tried, all)) = deeper.share() {
                    <progress aria-labelledby="deeper-reached" max={all.to_string()} value={tried.to_string()} />
                }
            }
        </div>
    }
}
