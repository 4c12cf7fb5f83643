//! What the pictures are drawn from.

use super::{Failure, Target, comes_back, failures, holds};
use leasehold_app::pictures::align::align;
use leasehold_app::pictures::{Shown, follow};
use leasehold_app::timeline::layout::layout;
use leasehold_app::timeline::state_at::History;
use leasehold_app::timeline::{Move, export, title};
use leasehold_checker::report::TestReport;
use leasehold_checker::trace::Trace;

pub const STORIES: Target = Target {
    name: "stories",
    reads: "a run to be drawn, with its trace",
    short: 1_000,
    seeds: || {
        let data = |Failure { kata, source, test, .. }: &Failure| serde_json::json!({ "kata": kata, "test": test, "source": source });
        failures().iter().map(|failure| data(failure).to_string()).collect()
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
        let handles = follow::handles(&trace);
        holds("one of its handles is shown", handles.is_empty() || follow::telling(&trace, &handles) < handles.len())?;
        let halves = [0, 1].map(|odd| {
            let events = trace.events.iter().enumerate().filter(|(i, _)| i % 3 != odd).map(|(_, event)| event.clone());
            Trace { events: events.collect(), ..trace.clone() }
        });
        let beside = align(&halves[0], &halves[1]);
        let shown = beside.rows.iter().filter(|row| row.left.is_some()).count();
        holds("beside another run no event is left out", shown == halves[0].events.len())?;
        let told = [export::text(&title, &trace), export::mermaid(&title, &trace)];
        holds("it can be told", told.iter().all(|text| !text.trim().is_empty()))?;
        Ok(true)
    },
};
