//! What the pictures are drawn from.

use super::{Failure, Target, comes_back, failures, holds};
use leasehold_app::pictures::Shown;
use leasehold_app::timeline::layout::layout;
use leasehold_app::timeline::state_at::History;
use leasehold_app::timeline::{Move, export, title};
use leasehold_checker::report::TestReport;

pub const STORIES: Target = Target {
    name: "stories",
    reads: "a run to be drawn, with its trace",
    short: 150,
    seeds: || {
        let data = |Failure { kata, source, test }| serde_json::json!({ "kata": kata, "test": test, "source": source });
        failures().into_iter().map(|failure| data(failure).to_string()).collect()
    },
    read: |text| {
        let Some(shown) = Shown::read(text) else { return Ok(false) };
        let Shown { test, .. } = shown;
        let json = serde_json::to_string(&test).map_err(|e| e.to_string())?;
        comes_back(&serde_json::from_str::<TestReport>(&json).map_err(|e| e.to_string())?, &test)?;
        let title = title(&test);
        holds("it has a title", !title.trim().is_empty())?;
        let Some(trace) = test.trace.filter(|trace| !trace.events.is_empty()) else { return Ok(true) };
        let drawn = layout(&trace);
        let history = History::of(&trace);
        let last = trace.events.len() - 1;
        let opening = Move::opening(&trace);
        holds("it opens at one of its events", opening <= last)?;
        for step in [0, opening, last] {
            let _ = (history.at(step), history.state_at(step));
            holds("every event has a row", drawn.row_of(step) < drawn.rows.len())?;
        }
        let told = [export::text(&title, &trace), export::mermaid(&title, &trace)];
        holds("it can be told", told.iter().all(|text| !text.trim().is_empty()))?;
        Ok(true)
    },
};
