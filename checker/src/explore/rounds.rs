//! For the katas that live in a world: rounds by the number of disturbances, then runs that are drawn by seed.
//!
//! Round 0 is the run in which nothing goes wrong. Whatever was chosen from in a run, at a point after its last
//! disturbance, makes one schedule of the next round: so each schedule comes once, and the first failure has the fewest
//! disturbances. Runs that come to a state that was seen before, with no more disturbances than now, are cut short
//! there: what follows has been tried.

use super::replay::{Course, Taken};
use crate::random::split_mix;
use crate::sim::disturbance::{Choose, Disturbance, Point};
use std::collections::{BTreeSet, VecDeque};

/// The schedules of several worlds, round by round.
#[derive(Debug)]
pub struct Rounds {
    bound: u32,
    round: u32,
    current: VecDeque<Course>,
    next: Vec<Course>,
}

/// What a run's choice points offered after its last disturbance.
pub type Offered = Vec<Offer>;

/// What one choice point offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Which point.
    pub at: u32,
    /// What the code was about to do there.
    pub place: u8,
    /// Whose process was about to act.
    pub client: usize,
    /// How often its code had read its wall clock.
    pub wall_reads: u32,
    /// What may go wrong.
    pub menu: Vec<Disturbance>,
}

impl Rounds {
    /// Rounds 0 to `bound` of so many worlds.
    pub fn new(worlds: u32, bound: u32) -> Self {
        let current = (0..worlds).map(|world| Course { world, taken: Vec::new() }).collect();
        Rounds { bound, round: 0, current, next: Vec::new() }
    }

    /// The next schedule; none once every round is done.
    pub fn next_course(&mut self) -> Option<Course> {
        while self.current.is_empty() {
            if self.round == self.bound {
                return None;
            }
            self.round += 1;
            self.current = std::mem::take(&mut self.next).into();
            if self.current.is_empty() {
                self.round = self.bound;
            }
        }
        self.current.pop_front()
    }

    /// Makes schedules of the next round from what a run offered.
    pub fn extend(&mut self, course: &Course, offered: &Offered) {
        if self.round == self.bound {
            return;
        }
        for Offer { at, place, menu, .. } in offered {
            for what in menu {
                let mut longer = course.clone();
                longer.taken.push(Taken { at: *at, what: *what, place: *place });
                self.next.push(longer);
            }
        }
    }

    /// The round that is under way, or was last.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Whether nothing of the present round is left.
    pub fn round_is_done(&self) -> bool {
        self.current.is_empty()
    }

    /// How many schedules of this round are still to come.
    pub fn left(&self) -> usize {
        self.current.len()
    }

    /// How many schedules the next round will have, as far as that is known: all, once this one is done.
    pub fn in_next_round(&self) -> usize {
        self.next.len()
    }
}

/// Follows a course, and notes what is offered after its last disturbance.
#[derive(Debug)]
pub struct Follow<'a> {
    course: &'a Course,
    done: usize,
    offered: Offered,
    /// States that were seen, if runs may be cut short.
    seen: Option<&'a mut BTreeSet<u128>>,
    misfit: Option<String>,
}

impl<'a> Follow<'a> {
    /// Without cutting short.
    pub fn new(course: &'a Course) -> Self {
        Follow { course, done: 0, offered: Vec::new(), seen: None, misfit: None }
    }

    /// Cutting runs short whose states are in `seen`, and adding to it.
    pub fn exploring(course: &'a Course, seen: &'a mut BTreeSet<u128>) -> Self {
        Follow { seen: Some(seen), ..Follow::new(course) }
    }

    /// What the points offered after the last disturbance, without what is sure to change nothing: a step of a wall
    /// clock that is not read before the process's next point, or ever. `wall_reads` counts the reads of the whole run,
    /// by client.
    pub fn into_offered(mut self, wall_reads: &[u32]) -> Offered {
        let mut later: Vec<u32> = wall_reads.to_vec();
        for offer in self.offered.iter_mut().rev() {
            let Some(next) = later.get_mut(offer.client) else { continue };
            if *next == offer.wall_reads {
                offer.menu.retain(|what| !matches!(what, Disturbance::StepWall(_)));
            }
            *next = offer.wall_reads;
        }
        self.offered
    }

    /// Where the code acted otherwise than when the course was made, once the run is over.
    pub fn misfit(&self) -> Option<String> {
        self.misfit.clone().or_else(|| {
            let missed = self.course.taken.get(self.done)?;
            Some(format!("it ends before the moment at which {}", missed.what.words()))
        })
    }
}

impl Choose for Follow<'_> {
    fn choose(&mut self, point: &Point) -> Option<Disturbance> {
        let Some(next) = self.course.taken.get(self.done) else {
            if !point.menu.is_empty() {
                self.offered.push(Offer {
                    at: point.index,
                    place: point.fingerprint(),
                    client: point.client,
                    wall_reads: point.wall_reads,
                    menu: point.menu.clone(),
                });
            }
            return None;
        };
        if next.at != point.index {
            return None;
        }
        self.done += 1;
        if next.place != point.fingerprint() && self.misfit.is_none() {
            let about = if point.about.is_empty() { "something else" } else { &point.about };
            self.misfit = Some(format!("at the moment at which {}, it now does {about}", next.what.words()));
        }
        Some(next.what)
    }

    fn was_seen(&mut self, state: &mut dyn FnMut() -> u128) -> bool {
        if self.done < self.course.taken.len() {
            return false;
        }
        self.seen.as_mut().is_some_and(|seen| !seen.insert(state()))
    }
}

/// Draws what goes wrong: each client gets a priority, and at a few points, drawn beforehand, something goes wrong or
/// the priorities change (Burckhardt, Kothari, Musuvathi and Nagarakatte: PCT, ASPLOS 2010, extended to faults).
#[derive(Debug)]
pub struct Drawn {
    state: u64,
    priorities: Vec<u64>,
    /// Points at which something goes wrong, the next at the end.
    moments: Vec<u32>,
}

impl Drawn {
    /// For a run of about `points` choice points, with `changes` of them disturbed.
    pub fn new(seed: u64, points: u32, changes: u32) -> Self {
        let mut drawn = Drawn { state: split_mix(seed).1, priorities: Vec::new(), moments: Vec::new() };
        drawn.moments = (0..changes).map(|_| drawn.below(u64::from(points.max(1))) as u32).collect();
        drawn.moments.sort_unstable_by(|a, b| b.cmp(a));
        drawn
    }

    fn below(&mut self, n: u64) -> u64 {
        let (state, drawn) = split_mix(self.state);
        self.state = state;
        drawn % n.max(1)
    }

    fn priority(&mut self, client: usize) -> u64 {
        while self.priorities.len() <= client {
            let drawn = self.below(1 << 32) + (1 << 32);
            self.priorities.push(drawn);
        }
        self.priorities[client]
    }
}

impl Choose for Drawn {
    fn choose(&mut self, point: &Point) -> Option<Disturbance> {
        let is_moment = self.moments.last().is_some_and(|at| *at <= point.index);
        let faults: Vec<Disturbance> =
            point.menu.iter().copied().filter(|d| !matches!(d, Disturbance::RunNext(_))).collect();
        if is_moment && !faults.is_empty() {
            self.moments.pop();
            let n = self.below(faults.len() as u64);
            return faults.get(n as usize).copied();
        }
        let orders = point.menu.iter().filter(|d| matches!(d, Disturbance::RunNext(_))).count();
        if orders == 0 {
            return None;
        }
        if is_moment {
            self.moments.pop();
            let lowest = self.moments.len() as u64;
            self.priority(point.client);
            self.priorities[point.client] = lowest;
        }
        let ready: Vec<u64> = point.ready.iter().take(orders + 1).map(|c| self.priority(*c)).collect();
        let best = (0..ready.len()).max_by_key(|i| (ready[*i], std::cmp::Reverse(*i)))?;
        (best > 0).then_some(Disturbance::RunNext(best as u8))
    }
}

/// Leaves out disturbances, and shortens those that last, while `fails` says that the same rule is broken. `fails`
/// gives back the course that was truly taken.
pub fn shrink(mut course: Course, mut fails: impl FnMut(&Course) -> Option<Course>) -> Course {
    loop {
        let before = course.clone();
        for at in (0..course.taken.len()).rev() {
            if at < course.taken.len() {
                let mut fewer = course.clone();
                fewer.taken.remove(at);
                // Without it the run may have a few points more or less before the ones that follow.
                let found = SHIFTS.iter().find_map(|shift| {
                    let shifted = shifted(&fewer, at, *shift)?;
                    fails(&shifted).filter(|taken| taken.taken.len() < course.taken.len())
                });
                course = found.unwrap_or(course);
            }
        }
        for at in 0..course.taken.len() {
            if let Some(Taken { what: Disturbance::RunNext(n), .. }) = course.taken.get(at).copied() {
                for simpler in 1..n {
                    let mut other = course.clone();
                    other.taken[at].what = Disturbance::RunNext(simpler);
                    if let Some(taken) = fails(&other).filter(|taken| taken.taken.len() <= course.taken.len()) {
                        course = taken;
                        break;
                    }
                }
            }
        }
        if course == before {
            return course;
        }
    }
}

/// By how many points what follows is looked for elsewhere, nearest first.
const SHIFTS: [i32; 13] = [0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6];

/// The course with everything from `from` on so many points later. None where there is nothing to shift.
fn shifted(course: &Course, from: usize, by: i32) -> Option<Course> {
    if by != 0 && from >= course.taken.len() {
        return None;
    }
    let mut shifted = course.clone();
    for taken in &mut shifted.taken[from..] {
        taken.at = taken.at.checked_add_signed(by)?;
    }
    shifted.taken.is_sorted_by(|a, b| a.at < b.at).then_some(shifted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(index: u32, menu: &[Disturbance]) -> Point {
        Point {
            index,
            client: 0,
            about: "locks.renew".into(),
            nth: 0,
            at_us: 0,
            menu: menu.to_vec(),
            ready: vec![0],
            wall_reads: index / 2,
            left_us: None,
            events: 0,
        }
    }

    /// A world of three points, each with the same two disturbances; what is chosen changes nothing.
    fn run(course: &Course) -> Offered {
        let mut follow = Follow::new(course);
        for index in 0..3 {
            follow.choose(&point(index, &[Disturbance::LoseRequest, Disturbance::LoseReply]));
        }
        follow.into_offered(&[0])
    }

    #[test]
    fn each_schedule_comes_once_and_those_with_fewer_disturbances_first() {
        let mut rounds = Rounds::new(1, 3);
        let mut all = Vec::new();
        while let Some(course) = rounds.next_course() {
            rounds.extend(&course, &run(&course));
            all.push(course.taken);
        }
        // Of 3 points with 2 disturbances each: 1 + 3·2 + 3·4 + 1·8.
        assert_eq!(all.len(), 27);
        assert!(all.is_sorted_by_key(Vec::len));
        let distinct: BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), 27);
    }

    #[test]
    fn a_state_that_was_seen_ends_a_run_but_not_before_the_last_disturbance() {
        let mut seen = BTreeSet::new();
        let calm = Course::default();
        let mut first = Follow::exploring(&calm, &mut seen);
        assert!(!first.was_seen(&mut || 1));
        let taken = vec![Taken { at: 0, what: Disturbance::Crash, place: point(0, &[]).fingerprint() }];
        let crashed = Course { world: 0, taken };
        let mut second = Follow::exploring(&crashed, &mut seen);
        assert!(!second.was_seen(&mut || 1));
        assert_eq!(second.choose(&point(0, &[])), Some(Disturbance::Crash));
        assert!(second.was_seen(&mut || 1));
    }

    #[test]
    fn a_course_made_for_other_code_says_where_it_does_not_fit() {
        let place = point(0, &[]).fingerprint();
        let course = Course { world: 0, taken: vec![Taken { at: 1, what: Disturbance::LoseReply, place }] };
        let mut follow = Follow::new(&course);
        follow.choose(&point(0, &[]));
        assert!(follow.misfit().is_some_and(|m| m.contains("ends before")));
        follow.choose(&point(1, &[]));
        assert_eq!(follow.misfit(), None);
        let mut follow = Follow::new(&course);
        follow.choose(&Point { about: "locks.release".into(), ..point(1, &[]) });
        assert!(follow.misfit().is_some_and(|m| m.contains("locks.release")));
    }

    #[test]
    fn a_wall_clock_steps_only_where_it_is_read_before_the_next_point() {
        let calm = Course::default();
        let mut follow = Follow::new(&calm);
        // Read between points 1 and 2, and between 3 and 4; not after 5.
        for index in 0..6 {
            follow.choose(&point(index, &[Disturbance::StepWall(1)]));
        }
        let offered = follow.into_offered(&[2]);
        let at: Vec<u32> = offered.iter().filter(|o| !o.menu.is_empty()).map(|o| o.at).collect();
        assert_eq!(at, [1, 3]);
    }

    #[test]
    fn a_drawn_run_repeats_with_its_seed() {
        let menu = [Disturbance::RunNext(1), Disturbance::Crash, Disturbance::LoseReply, Disturbance::Pause(5)];
        let draw = |seed| {
            let mut drawn = Drawn::new(seed, 40, 3);
            (0..40).map(|i| drawn.choose(&Point { ready: vec![0, 1], ..point(i, &menu) })).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let faults = draw(7).into_iter().flatten().filter(|d| !matches!(d, Disturbance::RunNext(_))).count();
        assert_eq!(faults, 3);
    }

    #[test]
    fn shrinking_keeps_only_what_the_failure_needs() {
        let taken = |at| Taken { at, what: Disturbance::LoseReply, place: 0 };
        let long = Course { world: 0, taken: (0..8).map(taken).collect() };
        let short = shrink(long, |c| (c.taken.contains(&taken(2)) && c.taken.contains(&taken(5))).then(|| c.clone()));
        assert_eq!(short.taken, vec![taken(2), taken(5)]);
    }
}
