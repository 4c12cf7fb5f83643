//! temp
pub mod data;
