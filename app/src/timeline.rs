//! The time-space diagram of a trace: lanes for clients, lock service and storage, time going down.

pub mod carry;
mod diagram;
pub mod export;
#[cfg(test)]
pub mod fixtures;
pub mod layout;
mod player;
mod playing;
mod shapes;
mod signs;
pub mod state_at;
mod steps;

pub use player::{Player, title};
pub use steps::{Move, Press, pressed};
