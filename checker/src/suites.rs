//! One module per kata: its named tests and properties.

use crate::report::Report;

/// Judges `source`, the learner's whole file, by the suite of `kata` (a slug). `None` if there is no such kata.
pub fn check(kata: &str, source: &str) -> Option<Report> {
    let _ = source;
    (kata == "acquire-with-fencing").then(|| Report::of(kata, Vec::new(), String::new()))
}
