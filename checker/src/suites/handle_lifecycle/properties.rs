//! DESIGN's rule 6 where the service sees it: what is over asks for nothing, and a lock is given back once.
//!
//! The driver tells `handle` when a process makes one, instead of the one before if there was one; `over`, with the state
//! in which it ended, before it calls release() and when it hears of a loss; `releases what is held` before it calls release()
//! of a handle whose lease runs; `by hand` before somebody else in the process frees the lock.

use crate::model::data::Data;
use crate::sim::property::{Note, Property, Violation};
use crate::time::seconds;
use crate::trace::{Call, Event, Happening, Reply};
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

/// A handle that was held asks once at most to free its lock. A grant that was never held, or is lost, may be given back
/// again when no answer came.
#[derive(Debug, Default)]
pub(super) struct OneRelease {
    /// By client: its handle's last request.
    asked: BTreeMap<usize, Asked>,
    /// Clients whose handle is held and asks only once.
    once: BTreeSet<usize>,
    /// Clients whose next release is not the handle's.
    by_hand: BTreeSet<usize>,
}

#[derive(Debug)]
struct Asked {
    at_us: u64,
    event: usize,
    call: Option<u32>,
    /// No answer came in time.
    in_vain: bool,
}

impl Property for OneRelease {
    fn rule(&self) -> &'static str {
        "one release"
    }

    fn sentence(&self) -> &'static str {
        "release() may be called as often as one likes, by several tasks at once; only the first call asks the service, once. \
         (Only a grant that was never held may be given back again, after a TransportError.)"
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        match &event.what {
            Happening::Called { client, call: Call::Release { name } } => {
                if self.by_hand.remove(client) {
                    return Ok(());
                }
                if let Some(before) = self.asked.get(client)
                    && (self.once.contains(client) || !before.in_vain)
                {
                    let (now, before_s) = (seconds(event.at_us), seconds(before.at_us));
                    let how = if before.in_vain {
                        "to which no answer came"
                    } else {
                        "which had not ended in a TransportError"
                    };
                    let message =
                        format!("At {now} a second release of {name} was sent, after the one at {before_s}, {how}.");
                    return Err(Violation::new(message, [before.event]));
                }
                let asked = Asked { at_us: event.at_us, event: index, call: event.message, in_vain: false };
                self.asked.insert(*client, asked);
            }
            Happening::Answered { client, reply: Reply::TimedOut, .. } => {
                if let Some(asked) = self.asked.get_mut(client).filter(|asked| asked.call == event.message) {
                    asked.in_vain = true;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        match note.kind {
            "handle" => {
                self.asked.remove(&note.client);
                self.once.remove(&note.client);
            }
            "releases what is held" => {
                self.once.insert(note.client);
            }
            "by hand" => {
                self.by_hand.insert(note.client);
            }
            _ => {}
        }
        Ok(())
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.asked.iter().for_each(|(client, asked)| (client, asked.at_us, asked.in_vain).hash(&mut hasher));
        (&self.once, &self.by_hand).hash(&mut hasher);
    }
}

#[cfg(test)]
mod tests;
