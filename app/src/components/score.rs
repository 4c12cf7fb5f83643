//! How a learner's test did on locks of ours: two meters, and who came through.

use crate::protocol::Report;
use crate::words;
use leasehold_checker::report::Score as Figures;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub struct ScoreProps {
    pub report: Rc<Report>,
}

impl PartialEq for ScoreProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.report, &other.report)
    }
}

/// Nothing for a report without a score.
#[component]
pub fn Score(ScoreProps { report }: &ScoreProps) -> Html {
    let Some(Figures { killed, wrong, spared, right, survivors, false_alarms }) = &report.score else {
        return Html::default();
    };
    let meter = |id: &'static str, words: &str, value: u32, most: u32| {
        html! {
            <p>
                <span {id}>{ words::share(words, value, most) }</span>
                <meter aria-labelledby={id} min="0" max={most.to_string()} value={value.to_string()} />
            </p>
        }
    };
    let named = |words: &str, names: &[String]| {
        if names.is_empty() {
            return Html::default();
        }
        html! {
            <details>
                <summary>{ format!("{words}: {}", names.len()) }</summary>
                <ul>{ for names.iter().map(|name| html! { <li>{ name.clone() }</li> }) }</ul>
            </details>
        }
    };
    html! {
        <div class="score">
            { meter("score-caught", "Wrong locks caught", *killed, *wrong) }
            { meter("score-spared", "Right locks spared", *spared, *right) }
            { named("Got away", survivors) }
            { named("False alarms", false_alarms) }
        </div>
    }
}
