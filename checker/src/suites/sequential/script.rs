//! What the named tests of synchronous katas are written in. Times are eighths of a second here: a ttl of 80 is 10 s.
//! [`TICK`] is the smallest step of all.

use super::{SECOND, Tried};
use crate::explore::replay::{Op, Schedule};
use crate::suites::runner;

/// A named test: the rule in one sentence, and the schedules that try it.
pub struct Test<J: 'static> {
    /// The rule in snake case.
    pub name: &'static str,
    /// The rule in a sentence.
    pub rule: &'static str,
    /// What is tried. The first is the one that is shown when all pass.
    pub scripts: &'static [&'static [Op]],
    /// Longer ones, made by a loop.
    pub long: &'static [fn() -> Vec<Op>],
    /// Which answers are judged.
    pub judged: J,
}

/// The tests as the runner takes them.
pub fn tests<J: Copy>(tests: &[Test<J>]) -> Vec<runner::Test<Tried<J>>> {
    let test = |test: &Test<J>| {
        let short = test.scripts.iter().map(|ops| ops.to_vec());
        let all = short.chain(test.long.iter().map(|make| make()));
        let schedules = all.map(|ops| Tried { schedule: Schedule(ops), judged: test.judged }).collect();
        runner::Test { name: test.name, rule: test.rule, schedules }
    };
    tests.iter().map(test).collect()
}

/// A client.
pub const A: u8 = 0;
/// A client.
pub const B: u8 = 1;
/// A client.
pub const C: u8 = 2;
/// A lock, and the resource that it guards.
pub const JOB: u8 = 0;
/// A lock, and the resource that it guards.
pub const REPORT: u8 = 1;
/// A lock, and the resource that it guards.
pub const CACHE: u8 = 2;

/// Ticks in an eighth of a second.
pub const EIGHTH: u32 = SECOND / 8;

/// One tick.
pub const TICK: Op = Op::Wait { ticks: 1 };

/// A client asks for a lock.
pub const fn acquire(client: u8, name: u8, ttl: u32) -> Op {
    Op::Acquire { client, name, ttl: ttl * EIGHTH }
}

/// A client releases a lock.
pub const fn release(client: u8, name: u8) -> Op {
    Op::Release { client, name }
}

/// So many eighths pass.
pub const fn wait(eighths: u32) -> Op {
    Op::Wait { ticks: eighths * EIGHTH }
}

/// To the last tick before so many eighths have passed.
pub const fn wait_almost(eighths: u32) -> Op {
    Op::Wait { ticks: eighths * EIGHTH - 1 }
}

/// A client's process pauses; it wakes so many eighths later.
pub const fn pause(client: u8, eighths: u32) -> Op {
    Op::Pause { client, ticks: eighths * EIGHTH }
}

/// It wakes.
pub const fn wake(client: u8) -> Op {
    Op::Wake { client }
}

/// A client writes with the last token that it was given.
pub const fn write(client: u8, name: u8) -> Op {
    Op::Write { client, name }
}
