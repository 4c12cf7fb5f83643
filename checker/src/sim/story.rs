//! Short stories, to try properties on.

use super::property::{Note, Property, Violation};
use crate::model::data::Data;
use crate::time::SECOND_US;
use crate::trace::{Event, Happening};

/// One step of a story: what happens, or what a client's driver tells.
pub(crate) enum Step {
    Event(Happening),
    Tell(usize, &'static str, Data),
    /// Nothing but time.
    End,
}

/// Has a property hear a story, whose times are in seconds.
pub(crate) fn run(property: &mut dyn Property, story: Vec<(u64, Step)>) -> Result<(), Violation> {
    let mut index = 0;
    for (at_s, step) in story {
        let at_us = at_s * SECOND_US;
        match step {
            Step::Event(what) => {
                property.see(index, &Event::at(at_us, what))?;
                index += 1;
            }
            Step::Tell(client, kind, value) => {
                property.noted(&Note { index: index.saturating_sub(1), at_us, client, kind, value: &value })?;
            }
            Step::End => property.end(at_us)?,
        }
    }
    Ok(())
}
