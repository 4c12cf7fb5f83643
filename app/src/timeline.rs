//! The time-space diagram of a trace: lanes for clients, lock service and storage, time going down.

mod diagram;
#[cfg(test)]
pub mod fixtures;
pub mod layout;
mod player;
mod shapes;
mod signs;
mod steps;

pub use player::Player;
pub use steps::Move;
