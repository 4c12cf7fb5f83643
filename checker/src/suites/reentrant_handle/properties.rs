//! What the driver's desk can't see, because it never gets its turn again: calls that do not end.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SECOND_US;

    fn told(property: &mut CallsEnd, at_s: u64, kind: &str, text: &str) {
        let value = Data::Str(text.to_owned());
        let note = Note { index: 0, at_us: at_s * SECOND_US, client: 0, kind, value: &value };
        property.noted(&note).expect("nothing is broken before the end");
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
