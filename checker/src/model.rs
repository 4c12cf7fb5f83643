//! The parts of the world that a suite does not give the learner to write, each as it must be.
//!
//! | module | what it is |
//! |---|---|
//! | [`data`] | a value on the simulated wire |
//! | [`lock_service`] | leases with fencing tokens, ownership tokens, lock-delay and watches |
//! | [`storage_gate`] | the high-water mark that turns stale writers away |
//! | [`cache`] | a transactional key-value cache with versions and expiry |
//! | [`row_store`] | a small database with row locks, read committed |
//! | [`coordinator`] | queues of numbered places, each of which lives as long as a session |
//!
//! Each is a plain state machine: the same calls give the same answers, time comes in as an argument (virtual
//! microseconds that never go back), and the whole state can be copied, compared and hashed, because the search
//! takes it as a key. None of them knows of processes, networks or Python.
//!
//! Nothing happens in them behind the caller's back. What ends by itself (a lease, a key's time) is announced by
//! `next_expiry` and done by `expire`; every other call that is given the time does first what was due by then, so a
//! caller that is late changes no answer. What a model has to tell somebody who did not just call (a watch that
//! fired, an operation that need not wait any longer) it keeps until it is asked for.

pub mod cache;
pub mod coordinator;
pub mod data;
pub mod lock_service;
pub mod row_store;
pub mod storage_gate;
mod watches;
