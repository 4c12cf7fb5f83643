//! The models as servers of a world: requests become calls, results become answers and events.

mod cache;
mod coordinator;
mod database;
mod locks;
mod node;
mod storage;
mod watchers;

pub use cache::CacheServer;
pub use coordinator::{CoordinatorServer, Told};
pub use database::DatabaseServer;
pub use locks::LockServer;
pub use node::NodeServer;
pub use storage::StorageServer;

use super::server::Answer;
use super::world::CLIENTS;
use crate::model::data::Data;

/// The words for a call that the server can make nothing of.
fn bad_request(text: impl Into<String>) -> Answer {
    Err(("BadRequest", text.into()))
}

/// A number as it is sent.
fn int(n: u64) -> Data {
    Data::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

/// How a model knows a client.
fn owner(client: usize) -> String {
    CLIENTS.get(client).map_or_else(|| format!("client {client}"), |name| (*name).to_owned())
}

/// The client whom a model knows by this name.
fn client_of(owner: &str) -> usize {
    CLIENTS.iter().position(|name| *name == owner).unwrap_or(0)
}
