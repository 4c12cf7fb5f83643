//! Signs that differ in shape, so that none of them needs its colour to be read.

use leasehold_checker::report::Outcome;
use yew::prelude::*;

/// The sign of an outcome: a disc with a tick, a square with a cross, a triangle, an octagon, an empty ring.
pub fn outcome(outcome: Outcome) -> Html {
    let (class, shape, sign) = match outcome {
        Outcome::Passed => ("icon icon-passed", "M8 1a7 7 0 1 1 0 14a7 7 0 1 1 0-14z", "M4.8 8.3l2.2 2.2l4.2-4.6"),
        Outcome::Failed => ("icon icon-failed", "M2 2h12v12h-12z", "M5.2 5.2l5.6 5.6m0-5.6l-5.6 5.6"),
        Outcome::Error => ("icon icon-error", "M8 1l7.5 13.5h-15z", "M8 6v4m0 1.6v1.2"),
        Outcome::Stopped => ("icon icon-stopped", "M5 1h6l4 4v6l-4 4h-6l-4-4v-6z", "M5 8h6"),
        Outcome::NotRun => ("icon icon-not-run", "M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12z", ""),
    };
    html! {
        <svg {class} viewBox="0 0 16 16" aria-hidden="true">
            <path class="icon-shape" d={shape} /><path class="icon-sign" d={sign} />
        </svg>
    }
}
