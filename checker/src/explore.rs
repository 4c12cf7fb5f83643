//! The search for a schedule that breaks a rule, and the string that brings a schedule back.

pub mod replay;
pub mod rounds;
pub mod sequences;
