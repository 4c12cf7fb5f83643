//! The simulated world: processes with clocks and tasks, servers, and a network that may fail.
//!
//! One thread, one queue of events. Time is virtual and moves only from one event to the next. What happens at one
//! instant happens in a fixed order: leases and other things that servers end by themselves; requests that arrive at
//! servers; processes that wake or start again; answers, timers and watches that reach processes; and then tasks run,
//! those that were ready first first. So a lease is over for everybody who looks at the very instant of its expiry.
//!
//! A task runs undisturbed until it awaits something. Before each call that it makes, and where it wakes from waiting,
//! stands a *choice point*: there the schedule may disturb the world ([`disturbance`]) or let another task run first.
//! A schedule is nothing but the list of these choices, so that it can be enumerated, cut down, written as a short
//! string and run again.

pub mod digest;
pub mod disturbance;
pub mod property;
pub mod rules;
pub mod server;
pub mod servers;
#[cfg(test)]
pub(crate) mod story;
mod telling;
pub mod world;
