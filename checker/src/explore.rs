//! Trying schedules: all short ones, then longer ones by seed, and the shortest that fails.

pub mod replay;
pub mod sequences;
