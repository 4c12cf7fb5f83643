//! A story to take along: as plain text, and as a Mermaid diagram. The picture itself goes as SVG, see `carry`.

mod mermaid;
#[cfg(test)]
mod tests;

pub use mermaid::mermaid;

use leasehold_checker::trace::Trace;

/// The story as text: a line that says what one sees, then a line an event.
pub fn text(title: &str, trace: &Trace) -> String {
    [title, "\n\n", &trace.text()].concat()
}

/// What is said of a story that is longer than what is kept of it.
pub fn cut(trace: &Trace) -> Option<String> {
    trace.cut.then(|| format!("The run went on; only its first {} events are shown.", trace.events.len()))
}
