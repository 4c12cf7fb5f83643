//! The table of all katas.

use super::words::duration;
use crate::address;
use crate::practice::times;
use crate::storage::{Progress, Record, Standing, peek};
use crate::words;
use leasehold_exercises::Entry;
use wasm_bindgen::JsValue;
use web_sys::js_sys::Date;
use yew::prelude::*;

/// The katas of the contents, with what is stored for each, and how they stand in all.
pub fn table(katas: &[&'static Entry]) -> Html {
    let records: Vec<Option<Record>> = katas.iter().map(|entry| peek(address::kata(entry.address)?)).collect();
    let all = || records.iter().flatten().map(|record| record.progress);
    let total = Progress {
        attempts: all().map(|p| p.attempts).sum(),
        hints: all().map(|p| p.hints).sum(),
        seconds: all().map(|p| p.seconds).sum(),
        ..Progress::default()
    };
    let solved = all().filter(Progress::is_solved).count();
    let seen = all().filter(|p| p.solution).count();
    let head = ["Kata", "Best result", "Solved on", "Runs", "Hints", "Time"];
    html! {
        <div class="progress-table" tabindex="0" role="region" aria-label="All katas">
            <table>
                <thead><tr>{ for head.map(|words| html! { <th scope="col">{ words }</th> }) }</tr></thead>
                <tbody>{ for katas.iter().zip(&records).map(|(entry, record)| row(entry, record.as_ref())) }</tbody>
                <tfoot>
                    <tr>
                        <th scope="row">{ "In all" }</th>
                        <td colspan="2">{ words::of_katas(solved, katas.len()) }</td>
                        { counts(&total, (seen > 0).then(|| [", solutions seen: ", &seen.to_string()].concat())) }
                    </tr>
                </tfoot>
            </table>
        </div>
    }
}

fn row(entry: &'static Entry, record: Option<&Record>) -> Html {
    let progress = record.map(|record| record.progress).unwrap_or_default();
    let standing = record.map_or(Standing::NotBegun, Record::standing);
    html! {
        <tr>
            <th scope="row"><a href={entry.address}>{ entry.title }</a></th>
            <td>{ words::standing(standing) }</td>
            <td data-what="Solved">{ if progress.solved_ms > 0 { day(progress.solved_ms) } else { "–".to_owned() } }</td>
            { counts(&progress, progress.solution.then(|| ", solution seen".to_owned())) }
        </tr>
    }
}

fn counts(progress: &Progress, seen: Option<String>) -> Html {
    html! {
        <>
            // Where there is no room for columns, each cell says what it is.
            <td data-what="Runs">{ progress.attempts }</td>
            <td data-what="Hints">{ progress.hints }{ seen.unwrap_or_default() }</td>
            <td data-what="Time">{ duration(progress.seconds) }</td>
        </>
    }
}

/// Today as a number, where the reader is.
pub fn today() -> u32 {
    times::day(Date::now() as u64, Date::new_0().get_timezone_offset() as i32)
}

/// The day of a moment in milliseconds since 1970 UTC, where the reader is: `2026-11-30`.
pub fn day(ms: u64) -> String {
    let behind = Date::new(&JsValue::from_f64(ms as f64)).get_timezone_offset();
    // There is none for a moment that no calendar has.
    if behind.is_finite() { times::date(times::day(ms, behind as i32)) } else { "–".to_owned() }
}
