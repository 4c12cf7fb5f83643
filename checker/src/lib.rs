//! The engine of Leasehold.
//!
//! It takes a learner's Python file and a kata's name and says whether the lock in it is right: [`suites::check`].
//! It is pure. It asks no real clock, sleeps never, draws no real random number and depends on no hash order, so
//! that the same file gets the same report natively, in a browser, today and tomorrow. Everything that would need
//! the outside (threads, files, a terminal, a page) belongs to the callers: the command in `bin/leasehold.rs` and
//! the page's worker.

pub mod breach;
pub mod explore;
pub mod memory;
pub mod model;
pub mod python;
mod random;
pub mod report;
pub mod signs;
#[cfg(not(target_arch = "wasm32"))]
pub mod silence;
pub mod sim;
pub mod sizing;
pub mod suites;
pub mod time;
pub mod trace;
