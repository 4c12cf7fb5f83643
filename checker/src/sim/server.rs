//! Servers as the network sees them: requests in, answers out, and things that they do by themselves in time.

use crate::model::data::Data;
use crate::trace::Happening;
use std::hash::Hasher;

/// A request as a server gets it.
#[derive(Debug)]
pub struct Request<'a> {
    /// The call that waits for the answer.
    pub call: u32,
    /// Which client's process sent it.
    pub client: usize,
    /// What shall be done.
    pub verb: &'a str,
    /// With what.
    pub args: &'a [Data],
    /// Virtual time, microseconds.
    pub now_us: u64,
}

/// An answer: a value, or an exception of the module `leasehold` by name, with its text.
pub type Answer = Result<Data, (&'static str, String)>;

/// What a server sends and does.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Answers to this call, or to earlier ones that waited.
    pub answers: Vec<(u32, Answer)>,
    /// What truly happened, for the trace and the properties.
    pub happened: Vec<Happening>,
    /// Watches that fire.
    pub fired: Vec<u64>,
}

/// A server.
pub trait Server {
    /// Its name, by which code calls it.
    fn name(&self) -> &'static str;
    /// Handles a request, as one step.
    fn serve(&mut self, request: &Request<'_>, out: &mut Outbox);
    /// Whether it is down: requests to it are lost.
    fn is_down(&self) -> bool {
        false
    }
    /// When it will do something by itself.
    fn next_due(&self) -> Option<u64> {
        None
    }
    /// Does what is due.
    fn due(&mut self, _now_us: u64, _out: &mut Outbox) {}
    /// Loses its connections and keeps its records.
    fn restart(&mut self, _now_us: u64, _out: &mut Outbox) {}
    /// A client's process died: its connection is gone.
    fn hang_up(&mut self, _client: usize, _now_us: u64, _out: &mut Outbox) {}
    /// How long the longest lease of a client still runs.
    fn lease_left(&self, _client: usize, _now_us: u64) -> Option<u64> {
        None
    }
    /// Its state, for telling whether two runs have come to the same one.
    fn digest(&self, hasher: &mut dyn Hasher);
}
