//! DESIGN's rule 6 where the service sees it: what is over asks for nothing, and a lock is given back once.
//!
//! The driver tells `handle` when a process makes one, instead of the one before if there was one; `over`, with the state
//! in which it ended, before it calls release() and when it hears of a loss; `by hand` before somebody else in the process
//! frees the lock.

use crate::model::data::Data;
use crate::sim::property::{Note, Property, Violation};
use crate::time::seconds;
use crate::trace::{Call, Event, Happening};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// A handle that is over sends no renewal.
#[derive(Debug, Default)]
pub(super) struct OverIsOver(BTreeMap<usize, (&'static str, u64, usize)>);

impl Property for OverIsOver {
    fn rule(&self) -> &'static str {
        "over is over"
    }

    fn sentence(&self) -> &'static str {
        "Lost and released are for good: look at the state right before you ask, since it may have changed in every await."
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        if let Happening::Called { client, call: Call::Renew { name, .. } } = &event.what
            && let Some((how, since, end)) = self.0.get(client)
        {
            let (now, since) = (seconds(event.at_us), seconds(*since));
            let message = format!("At {now} a renewal of {name} was sent by a handle that was {how} since {since}.");
            return Err(Violation::new(message, [*end]));
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        match (note.kind, note.value) {
            ("handle", _) => {
                self.0.remove(&note.client);
            }
            ("over", Data::Str(how)) => {
                let how = if how == "lost" { "lost" } else { "released" };
                self.0.entry(note.client).or_insert((how, note.at_us, note.index));
            }
            _ => {}
        }
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.iter().for_each(|(client, (how, since, _))| (client, how, since).hash(&mut hasher));
    }
}

/// A handle asks once at most to free its lock.
#[derive(Debug, Default)]
pub(super) struct OneRelease {
    /// By client: the first one.
    first: BTreeMap<usize, (u64, usize)>,
    /// Clients whose next release is not the handle's.
    by_hand: BTreeSet<usize>,
}

impl Property for OneRelease {
    fn rule(&self) -> &'static str {
        "one release"
    }

    fn sentence(&self) -> &'static str {
        "release() may be called as often as one likes, by several tasks at once; only the first call asks the service."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        let Happening::Called { client, call: Call::Release { name } } = &event.what else { return Ok(()) };
        if self.by_hand.remove(client) {
            return Ok(());
        }
        if let Some((first, request)) = self.first.get(client) {
            let message = format!(
                "At {} a second release of {name} was sent, after the one at {}.",
                seconds(event.at_us),
                seconds(*first)
            );
            return Err(Violation::new(message, [*request]));
        }
        self.first.insert(*client, (event.at_us, index));
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        match note.kind {
            "handle" => {
                self.first.remove(&note.client);
            }
            "by hand" => {
                self.by_hand.insert(note.client);
            }
            _ => {}
        }
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.first.iter().for_each(|(client, (first, _))| (client, first).hash(&mut hasher));
        self.by_hand.hash(&mut hasher);
    }
}

#[cfg(test)]
mod tests;
