//! For the synchronous katas: every sequence of operations up to a length, then longer ones drawn by seed.
//!
//! The operations that make sense at a point depend only on the kata's reference model, never on the learner, so the
//! schedules are the same for every file and a count of them means something. Rounds go by length: the first failure
//! is a shortest one. A longer failure is cut down while the same rule is broken.

use super::replay::{Op, Schedule};
use crate::random::split_mix;

/// The reference model of a kata, as far as the choice of operations needs it.
pub trait Model: Clone {
    /// The operations worth trying now, likeliest to tell something first. `last` is true at a schedule's end, where
    /// an operation that nobody sees the effect of is pointless.
    fn choices(&self, last: bool) -> Vec<Op>;
    /// Does it.
    fn apply(&mut self, op: Op);
}

/// Every schedule of exactly `length` operations, one after the other.
pub struct Every<M> {
    length: usize,
    schedule: Schedule,
    /// For each operation that stands in the schedule, and for the next one: the model before it, and what is still
    /// to be tried there, the next at the end.
    levels: Vec<(M, Vec<Op>)>,
}

impl<M: Model> Every<M> {
    /// From the first.
    pub fn new(start: &M, length: usize) -> Self {
        let mut every = Every { length, schedule: Schedule::default(), levels: Vec::new() };
        if length > 0 {
            every.enter(start.clone());
        }
        every
    }

    fn enter(&mut self, model: M) {
        let mut choices = model.choices(self.levels.len() + 1 == self.length);
        choices.reverse();
        self.levels.push((model, choices));
    }
}

impl<M: Model> Iterator for Every<M> {
    type Item = Schedule;

    fn next(&mut self) -> Option<Schedule> {
        loop {
            let depth = self.levels.len();
            let (model, choices) = self.levels.last_mut()?;
            self.schedule.0.truncate(depth - 1);
            let Some(op) = choices.pop() else {
                self.levels.pop();
                continue;
            };
            self.schedule.0.push(op);
            if depth == self.length {
                return Some(self.schedule.clone());
            }
            let mut next = model.clone();
            next.apply(op);
            self.enter(next);
        }
    }
}

/// A schedule of `length` operations drawn by `seed`; the same for the same arguments.
pub fn drawn<M: Model>(start: &M, length: usize, seed: u64) -> Schedule {
    let mut model = start.clone();
    let mut dice = Dice(seed);
    let mut schedule = Schedule(Vec::with_capacity(length));
    for _ in 0..length {
        let choices = model.choices(false);
        let Some(op) = choices.get(dice.below(choices.len())).copied() else { break };
        model.apply(op);
        schedule.0.push(op);
    }
    schedule
}

/// Leaves out operations while `fails` says that the schedule still breaks the same rule, until none can go.
pub fn shrink(mut schedule: Schedule, mut fails: impl FnMut(&Schedule) -> bool) -> Schedule {
    loop {
        let before = schedule.0.len();
        // From the end: what comes after the bad event goes first.
        for at in (0..schedule.0.len()).rev() {
            if at < schedule.0.len() {
                let mut shorter = schedule.clone();
                shorter.0.remove(at);
                if fails(&shorter) {
                    schedule = shorter;
                }
            }
        }
        if schedule.0.len() == before {
            return schedule;
        }
    }
}

/// A seeded choice.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        let (state, drawn) = split_mix(self.0);
        self.0 = state;
        // `n` is a handful: the bias of a remainder does not matter for choosing what to try.
        (drawn % (n.max(1) as u64)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone)]
    struct Counter(u32);

    impl Model for Counter {
        fn choices(&self, last: bool) -> Vec<Op> {
            let wait = Op::Wait { ticks: self.0 };
            if last { vec![wait] } else { vec![wait, Op::Wake { client: 0 }] }
        }
        fn apply(&mut self, _: Op) {
            self.0 += 1;
        }
    }

    #[test]
    fn every_schedule_of_a_length_comes_once() {
        let all: Vec<Schedule> = Every::new(&Counter(0), 3).collect();
        assert_eq!(all.len(), 4);
        let mut distinct = all.clone();
        distinct.dedup();
        assert_eq!(distinct.len(), 4);
        assert!(all.iter().all(|s| s.0.len() == 3 && s.0[2] == Op::Wait { ticks: 2 }));
        // What stands first among the choices is tried first.
        assert_eq!(all[0].0[0], Op::Wait { ticks: 0 });
    }

    #[test]
    fn no_operations_are_no_schedule() {
        assert_eq!(Every::new(&Counter(0), 0).count(), 0);
    }

    #[test]
    fn a_drawn_schedule_repeats_with_its_seed() {
        assert_eq!(drawn(&Counter(0), 20, 7), drawn(&Counter(0), 20, 7));
        assert_ne!(drawn(&Counter(0), 20, 7), drawn(&Counter(0), 20, 8));
    }

    #[test]
    fn shrinking_keeps_only_what_the_failure_needs() {
        let wake = |client| Op::Wake { client };
        let long = Schedule((0..10).map(wake).collect());
        let short = shrink(long, |s| s.0.contains(&wake(3)) && s.0.contains(&wake(7)));
        assert_eq!(short, Schedule(vec![wake(3), wake(7)]));
    }
}
