//! The storage.

use super::bad_request;
use crate::model::data::Data;
use crate::model::storage_gate::StorageGate;
use crate::sim::server::{Outbox, Request, Server};
use crate::trace::Happening;
use std::hash::{Hash, Hasher};

/// A storage on the network, under the name `storage`.
#[derive(Debug)]
pub struct StorageServer(StorageGate);

impl StorageServer {
    /// With or without a gate.
    pub fn new(gate: StorageGate) -> Self {
        StorageServer(gate)
    }
}

impl Server for StorageServer {
    fn name(&self) -> &'static str {
        "storage"
    }

    fn serve(&mut self, request: &Request<'_>, out: &mut Outbox) {
        let answer = match (request.verb, request.args) {
            ("write", [Data::Str(resource), Data::Int(token), value]) => {
                let before = self.0.mark(resource);
                let written = self.0.write(resource, i128::from(*token), value.clone());
                let text = |mark: Option<i128>| mark.map(|m| m.to_string());
                out.happened.push(Happening::Wrote {
                    client: request.client,
                    resource: resource.clone(),
                    token: token.to_string(),
                    accepted: written.is_ok(),
                    mark_before: text(before),
                    mark_after: text(self.0.mark(resource)),
                });
                written.map(|_| Data::None).map_err(|stale| {
                    ("StaleFencingToken", format!("token {token} is smaller than the mark {}", stale.mark))
                })
            }
            ("write", [_, token, _]) => bad_request(format!("a fencing token is an int, not {token}")),
            ("read", [Data::Str(resource)]) => Ok(self.0.read(resource).cloned().unwrap_or_default()),
            (verb, _) => bad_request(format!("{verb} is called with the wrong arguments, see the storage's methods")),
        };
        out.answers.push((request.call, answer));
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.0.hash(&mut hasher);
    }
}
