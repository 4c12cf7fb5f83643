//! Prints what the checker was tried with, and what came of it.

fn main() {}
