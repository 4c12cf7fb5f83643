//! The suite, for the page's worker. The boot module (`app/editor/worker-boot.js`) loads it and passes messages on.

use leasehold_checker::{python, suites};
use wasm_bindgen::prelude::wasm_bindgen;

/// Starts the interpreter ahead of the first run, while the reader reads.
#[wasm_bindgen]
pub fn start() {
    python::enter(|_| ());
}

/// Imports one more of the modules that people use most; false when there are no more.
#[wasm_bindgen]
pub fn import_ahead(n: usize) -> bool {
    python::import_ahead(n)
}

/// The report on `source` as JSON; none for a kata that is not there.
#[wasm_bindgen]
pub fn check(kata: &str, source: &str) -> Option<String> {
    let report = suites::check(kata, source)?;
    serde_json::to_string(&report).ok()
}

/// For `app/e2e/engine-figures.mjs`: runs so many drawn schedules on a file of kata 1, and counts those that broke
/// nothing; none if the file does not load.
#[wasm_bindgen]
pub fn run_drawn(source: &str, count: u32, seed: u32) -> Option<u32> {
    let fine = suites::acquire_with_fencing::run_drawn(source, u64::from(count), u64::from(seed)).ok()?;
    u32::try_from(fine).ok()
}

/// Nothing by itself: the functions above are called from outside.
fn main() {}
