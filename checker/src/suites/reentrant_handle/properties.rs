//! What the driver's desk can't see: calls that do not end, because it never gets its turn again, and grants that are not
//! given back when time moves on.

use crate::model::data::Data;
use crate::sim::property::{Note, Property, Violation};
use crate::sim::world::CLIENTS;
use crate::time::seconds;
use crate::trace::Event;
use std::hash::{Hash, Hasher};

/// Every call of the learner's code ends. The driver tells `calls` with the call as text, and `returns` with the same.
#[derive(Debug, Default)]
pub(super) struct CallsEnd {
    under_way: Vec<Call>,
}

#[derive(Debug, Hash)]
struct Call {
    client: usize,
    text: String,
    at_us: u64,
    event: usize,
}

impl Property for CallsEnd {
    fn rule(&self) -> &'static str {
        "calls end"
    }

    fn sentence(&self) -> &'static str {
        "Every call ends: who waits for another's call goes on when that has ended, however it ended."
    }

    fn see(&mut self, _: usize, _: &Event) -> Result<(), Violation> {
        Ok(())
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        let Data::Str(text) = note.value else { return Ok(()) };
        match note.kind {
            "calls" => {
                self.under_way.push(Call {
                    client: note.client,
                    text: text.clone(),
                    at_us: note.at_us,
                    event: note.index,
                });
            }
            "returns" => {
                let is_it = |call: &Call| call.client == note.client && call.text == *text;
                if let Some(at) = self.under_way.iter().position(is_it) {
                    self.under_way.remove(at);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, now_us: u64) -> Result<(), Violation> {
        let Some(call) = self.under_way.first() else { return Ok(()) };
        let message = format!(
            "At {} {} called {}, and at {} it had not returned.",
            seconds(call.at_us),
            CLIENTS.get(call.client).copied().unwrap_or("?"),
            call.text,
            seconds(now_us)
        );
        Err(Violation::new(message, [call.event]))
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.under_way.hash(&mut hasher);
    }
}

/// When all handles of a grant were released, it is given back before time moves on: by release() or by a task of the
/// learner's. The driver tells `owes` with the grant as text where release() left that to a task, and `settled` with the same.
#[derive(Debug, Default)]
pub(super) struct GivenBack(Vec<Owed>);

#[derive(Debug, Hash)]
struct Owed {
    client: usize,
    grant: String,
    at_us: u64,
    event: usize,
}

impl GivenBack {
    fn check(&self, now_us: u64) -> Result<(), Violation> {
        let Some(owed) = self.0.iter().find(|owed| owed.at_us < now_us) else { return Ok(()) };
        let at = seconds(owed.at_us);
        let message = format!(
            "At {at} all handles of the grant with {} were released, and the service was not told.",
            owed.grant
        );
        Err(Violation::new(message, [owed.event]))
    }
}

impl Property for GivenBack {
    fn rule(&self) -> &'static str {
        "last release"
    }

    fn sentence(&self) -> &'static str {
        "The last release frees the lock, at once."
    }

    fn see(&mut self, _: usize, event: &Event) -> Result<(), Violation> {
        self.check(event.at_us)
    }

    fn noted(&mut self, note: &Note<'_>) -> Result<(), Violation> {
        self.check(note.at_us)?;
        let Data::Str(grant) = note.value else { return Ok(()) };
        match note.kind {
            "owes" => {
                self.0.push(Owed { client: note.client, grant: grant.clone(), at_us: note.at_us, event: note.index });
            }
            "settled" => self.0.retain(|owed| owed.client != note.client || owed.grant != *grant),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _: u64) -> Result<(), Violation> {
        self.check(u64::MAX)
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SECOND_US;

    fn tell(property: &mut dyn Property, at_s: u64, kind: &str, text: &str) -> Result<(), Violation> {
        let value = Data::Str(text.to_owned());
        property.noted(&Note { index: 0, at_us: at_s * SECOND_US, client: 0, kind, value: &value })
    }

    fn told(property: &mut dyn Property, at_s: u64, kind: &str, text: &str) {
        tell(property, at_s, kind, text).expect("nothing is broken before the end");
    }

    #[test]
    fn a_grant_may_be_given_back_by_a_task_in_the_same_instant() {
        let mut property = GivenBack::default();
        told(&mut property, 1, "owes", "token 1");
        told(&mut property, 1, "settled", "token 1");
        told(&mut property, 2, "calls", "acquire");
        assert_eq!(property.end(60 * SECOND_US), Ok(()));
    }

    #[test]
    fn a_grant_that_is_not_given_back_when_time_moves_on_breaks_the_rule() {
        let mut property = GivenBack::default();
        told(&mut property, 1, "owes", "token 1");
        told(&mut property, 1, "settled", "token 2");
        let broken = tell(&mut property, 2, "calls", "acquire").expect_err("token 1 was not given back");
        assert!(broken.message.contains("At 1 s all handles of the grant with token 1"), "{}", broken.message);
        assert!(property.end(60 * SECOND_US).is_err());
    }

    #[test]
    fn a_call_that_returned_is_forgotten() {
        let mut property = CallsEnd::default();
        told(&mut property, 1, "calls", "acquire");
        told(&mut property, 1, "calls", "acquire");
        told(&mut property, 2, "returns", "acquire");
        told(&mut property, 3, "returns", "acquire");
        assert_eq!(property.end(60 * SECOND_US), Ok(()));
    }

    #[test]
    fn a_call_that_never_returns_breaks_the_rule_at_the_end() {
        let mut property = CallsEnd::default();
        told(&mut property, 1, "calls", "acquire");
        told(&mut property, 2, "calls", "release");
        told(&mut property, 3, "returns", "acquire");
        let broken = property.end(60 * SECOND_US).expect_err("release has not returned");
        assert!(broken.message.contains("At 2 s A called release"), "{}", broken.message);
    }
}
