//! temp
pub mod cache;
pub mod data;
pub mod lock_service;
pub mod row_store;
pub mod storage_gate;
mod watches;
