//! Two who take themselves for the holder.

use super::who;
use crate::sim::property::{Property, Violation};
use crate::time::seconds;
use crate::trace::{Call, Event, Happening};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// At most one client whose process runs believes that it holds a name, as clients tell it (`believes`). Who sleeps
/// believes what it likes; who wakes may find out in that very instant that its time is over, as long as it writes nothing
/// before.
#[derive(Debug, Default)]
pub struct NoOverlap {
    /// By name and client: the event that told it.
    believers: BTreeMap<(String, usize), usize>,
    /// By client whose process stands still, or woke so short a time ago that it need not know: when it woke.
    dozing: BTreeMap<usize, Option<u64>>,
}

impl NoOverlap {
    /// Another one that believes in the name and can act.
    fn other(&self, name: &str, client: usize) -> Option<(usize, usize)> {
        let mut named = self.believers.iter().filter(|((n, c), _)| n == name && *c != client);
        named.find(|((_, c), _)| !self.dozing.contains_key(c)).map(|((_, c), event)| (*c, *event))
    }

    /// Fires if somebody else believes in the name, too; `index` is the event that shows it.
    fn alone(&self, name: &str, client: usize, index: usize, at_us: u64) -> Result<(), Violation> {
        let Some((other, event)) = self.other(name, client) else { return Ok(()) };
        let (first, second) = (client.min(other), client.max(other));
        let message = format!(
            "At {} both {} and {} take themselves for the holder of {name}.",
            seconds(at_us),
            who(first),
            who(second)
        );
        let own = self.believers.get(&(name.to_owned(), client)).copied().filter(|own| *own != index);
        Err(Violation::new(message, own.into_iter().chain([event])))
    }

    /// Whoever woke before this instant knows by now.
    fn wakes(&mut self, index: usize, at_us: u64) -> Result<(), Violation> {
        let awake: Vec<usize> =
            self.dozing.iter().filter(|(_, woke)| woke.is_some_and(|us| us < at_us)).map(|(c, _)| *c).collect();
        for client in awake {
            self.dozing.remove(&client);
            for (name, _) in self.believers.keys().filter(|(_, c)| *c == client) {
                self.alone(name, client, index, at_us)?;
            }
        }
        Ok(())
    }
}

impl Property for NoOverlap {
    fn rule(&self) -> &'static str {
        "overlap"
    }

    fn sentence(&self) -> &'static str {
        "No two clients act as the holder at once."
    }

    fn see(&mut self, index: usize, event: &Event) -> Result<(), Violation> {
        self.wakes(index, event.at_us)?;
        match &event.what {
            Happening::Believes { client, name, holds: true, .. } => {
                self.believers.insert((name.clone(), *client), index);
                self.alone(name, *client, index, event.at_us)?;
            }
            Happening::Believes { client, name, .. } => {
                self.believers.remove(&(name.clone(), *client));
            }
            Happening::Called { client, call: Call::Write { resource, .. } }
                if self.believers.contains_key(&(resource.clone(), *client)) =>
            {
                self.alone(resource, *client, index, event.at_us)?;
            }
            Happening::Paused { client, .. } => {
                self.dozing.insert(*client, None);
            }
            Happening::Woke { client } => {
                self.dozing.insert(*client, Some(event.at_us));
            }
            Happening::Crashed { client } => self.believers.retain(|(_, c), _| c != client),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        self.wakes(usize::MAX, now_us)
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.believers.keys().for_each(|key| key.hash(&mut hasher));
        self.dozing.hash(&mut hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::story::Step::{self, End, Event as Happens};
    use crate::sim::story::run;

    fn believes(client: usize, holds: bool) -> Step {
        Happens(Happening::Believes { client, name: "job".into(), token: None, holds })
    }

    fn pause(client: usize) -> Step {
        Happens(Happening::Paused { client, until_us: 0 })
    }

    fn wake(client: usize) -> Step {
        Happens(Happening::Woke { client })
    }

    fn write(client: usize) -> Step {
        let call = Call::Write { resource: "job".into(), token: "1".into() };
        Happens(Happening::Called { client, call })
    }

    fn judged(story: Vec<(u64, Step)>) -> Result<(), Vec<usize>> {
        run(&mut NoOverlap::default(), story).map_err(|v| v.witnesses)
    }

    #[test]
    fn two_believers_overlap_and_one_after_the_other_does_not() {
        assert_eq!(judged(vec![(0, believes(0, true)), (9, believes(1, true))]), Err(vec![0]));
        let story = vec![(0, believes(0, true)), (9, believes(0, false)), (9, believes(1, true)), (20, End)];
        assert_eq!(judged(story), Ok(()));
    }

    #[test]
    fn who_sleeps_may_believe_and_may_find_out_on_waking() {
        let taken_over = || vec![(0, believes(0, true)), (1, pause(0)), (11, believes(1, true)), (12, wake(0))];
        let found_out = taken_over().into_iter().chain([(12, believes(0, false)), (20, End)]).collect();
        assert_eq!(judged(found_out), Ok(()));
        let goes_on = taken_over().into_iter().chain([(13, write(1))]).collect();
        assert_eq!(judged(goes_on), Err(vec![0, 2]));
        let writes_first = taken_over().into_iter().chain([(12, write(0)), (12, believes(0, false))]).collect();
        assert_eq!(judged(writes_first), Err(vec![0, 2]));
    }

    #[test]
    fn a_crash_takes_the_belief_with_it_and_another_name_is_another_lock() {
        let crash = Happens(Happening::Crashed { client: 0 });
        assert_eq!(judged(vec![(0, believes(0, true)), (1, crash), (11, believes(1, true)), (12, End)]), Ok(()));
        let other = Happens(Happening::Believes { client: 1, name: "tool".into(), token: None, holds: true });
        assert_eq!(judged(vec![(0, believes(0, true)), (1, other), (2, End)]), Ok(()));
    }
}
