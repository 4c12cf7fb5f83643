//! From a trace to the life of one handle.

use crate::pictures::states::STATES;
use leasehold_checker::trace::{Call, Event, Happening, Reply, Trace};

/// One handle of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handle {
    /// Whose it is, as an index into the trace's clients.
    pub client: usize,
    /// Its name: the lock's, with a number from the client's second handle of it on.
    pub name: String,
}

/// A handle at one step.
#[derive(Debug, PartialEq, Eq)]
pub struct Life {
    /// The state that it is in; none if it is not there yet.
    pub state: Option<&'static str>,
    /// The ways of the design, taken or not, then the others that this handle takes.
    pub ways: Vec<Taken>,
}

/// A way from one state to another in one run.
#[derive(Debug, PartialEq, Eq)]
pub struct Taken {
    /// The state before.
    pub from: &'static str,
    /// The state after.
    pub to: &'static str,
    /// What leads there by design, in a word or two.
    pub by: &'static str,
    /// Whether the design has it.
    pub is_allowed: bool,
    /// The events with which it is taken in the whole run, rising.
    pub steps: Vec<usize>,
}

/// The ways that a handle may go, and what leads there.
const DESIGN: [(&str, &str, &str); 5] = [
    ("acquiring", "held", "granted"),
    ("acquiring", "released", "given up"),
    ("held", "held", "renewed"),
    ("held", "lost", "lost"),
    ("held", "released", "release()"),
];

impl Handle {
    /// The name of its lock.
    fn lock(&self) -> &str {
        match self.name.rsplit_once(' ') {
            Some((lock, number)) if number.bytes().all(|b| b.is_ascii_digit()) => lock,
            _ => &self.name,
        }
    }

    /// The change of state that an event is, if it is this handle's.
    fn change(&self, event: &Event) -> Option<(&'static str, &'static str, bool)> {
        match &event.what {
            Happening::State { client, handle, from, to, allowed, .. }
                if *client == self.client && *handle == self.name =>
            {
                Some((known(from)?, known(to)?, *allowed))
            }
            _ => None,
        }
    }

    /// Whether an event tells its client that the lease runs on.
    fn is_renewed_by(&self, event: &Event) -> bool {
        matches!(&event.what, Happening::Answered { client, name, reply: Reply::Renewed { .. } }
            if *client == self.client && name == self.lock())
    }

    /// Whether its client asks for the lock.
    fn is_asked_for_by(&self, event: &Event) -> bool {
        matches!(&event.what, Happening::Called { client, call: Call::Acquire { name, .. } }
            if *client == self.client && name == self.lock())
    }
}

fn known(state: &str) -> Option<&'static str> {
    STATES.into_iter().find(|name| *name == state)
}

impl Taken {
    /// How often up to a step.
    pub fn so_far(&self, step: usize) -> usize {
        self.steps.partition_point(|taken| *taken <= step)
    }

    /// The next time that it is taken after a step, from the start again if that was the last; none if it never is.
    pub fn next(&self, step: usize) -> Option<usize> {
        self.steps.get(self.so_far(step)).or(self.steps.first()).copied()
    }
}

/// The handles of a run, in the order in which they first change.
pub fn handles(trace: &Trace) -> Vec<Handle> {
    let mut all: Vec<Handle> = Vec::new();
    for event in &trace.events {
        let Happening::State { client, handle, .. } = &event.what else { continue };
        if !all.iter().any(|other| other.client == *client && other.name == *handle) {
            all.push(Handle { client: *client, name: handle.clone() });
        }
    }
    all
}

/// Which of them is worth a look: one that goes where none may, or the first of whoever broke the rule, or the first of all.
pub fn telling(trace: &Trace, handles: &[Handle]) -> usize {
    let goes_wrong =
        |handle: &Handle| trace.events.iter().any(|event| handle.change(event).is_some_and(|(.., allowed)| !allowed));
    let culprit = trace.first_bad.and_then(|bad| trace.events.get(bad)).and_then(|event| event.what.client());
    let wrong = handles.iter().position(goes_wrong);
    wrong.or_else(|| handles.iter().position(|handle| Some(handle.client) == culprit)).unwrap_or(0)
}

/// The life of a handle in this run, as it stands at a step.
pub fn life_cycle(trace: &Trace, handle: &Handle, step: usize) -> Life {
    let mut ways: Vec<Taken> =
        DESIGN.map(|(from, to, by)| Taken { from, to, by, is_allowed: true, steps: Vec::new() }).into();
    // Where it is while the run is gone through, where it is at the step, and since when there is anything to be.
    let (mut now, mut state, mut begun) = ("acquiring", None, None);
    for (i, event) in trace.events.iter().enumerate() {
        if let Some((from, to, is_allowed)) = handle.change(event) {
            take(&mut ways, (from, to, is_allowed), i);
            begun = begun.or(Some(i));
            now = to;
        } else if now == "held" && handle.is_renewed_by(event) {
            take(&mut ways, ("held", "held", true), i);
        } else if now == "acquiring" && handle.is_asked_for_by(event) {
            begun = begun.or(Some(i));
        } else if now == "acquiring" && is_of_another(handle, event) {
            // What was asked for was meant for that one.
            begun = None;
        }
        if i == step {
            state = Some(now);
        }
    }
    Life { state: state.filter(|_| begun.is_some_and(|begun| begun <= step)), ways }
}

/// Whether another handle of this client and this lock comes into being.
fn is_of_another(handle: &Handle, event: &Event) -> bool {
    matches!(&event.what, Happening::State { client, handle: name, from, .. }
        if *client == handle.client && *name != handle.name && from == "acquiring")
}

fn take(ways: &mut Vec<Taken>, (from, to, is_allowed): (&'static str, &'static str, bool), step: usize) {
    match ways.iter_mut().find(|way| (way.from, way.to) == (from, to)) {
        Some(way) => way.steps.push(step),
        None => ways.push(Taken { from, to, by: "", is_allowed, steps: vec![step] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leasehold_checker::time::SECOND_US;

    fn state(handle: &str, from: &str, to: &str, allowed: bool) -> Happening {
        let (handle, from, to) = (handle.to_owned(), from.to_owned(), to.to_owned());
        Happening::State { client: 0, handle, from, to, by: "so it goes".to_owned(), allowed }
    }

    fn asked(client: usize) -> Happening {
        Happening::Called { client, call: Call::Acquire { name: "job".into(), ttl_us: 10 * SECOND_US } }
    }

    fn renewed(client: usize) -> Happening {
        let reply = Reply::Renewed { expires_us: 20 * SECOND_US };
        Happening::Answered { client, name: "job".into(), reply }
    }

    fn trace(events: Vec<Happening>) -> Trace {
        let events = events.into_iter().enumerate().map(|(i, what)| Event::at(i as u64 * SECOND_US, what));
        Trace { clients: vec!["A".into(), "B".into()], events: events.collect(), ..Trace::default() }
    }

    /// Asked, granted, renewed twice (B once between), lost, renewed too late, and held again.
    fn revived() -> Trace {
        trace(vec![
            Happening::Woke { client: 0 },
            asked(0),
            state("job", "acquiring", "held", true),
            renewed(0),
            renewed(1),
            renewed(0),
            state("job", "held", "lost", true),
            renewed(0),
            state("job", "lost", "held", false),
        ])
    }

    fn counted(life: &Life, step: usize) -> Vec<(&str, &str, usize)> {
        let taken = life.ways.iter().map(|way| (way.from, way.to, way.so_far(step)));
        taken.filter(|(.., count)| *count > 0).collect()
    }

    #[test]
    fn a_handle_is_there_from_its_request_on_and_in_one_state_at_a_time() {
        let trace = revived();
        let [handle] = &handles(&trace)[..] else { panic!("one handle") };
        let states: Vec<_> = (0..9).map(|step| life_cycle(&trace, handle, step).state).collect();
        let (held, lost) = (Some("held"), Some("lost"));
        assert_eq!(states, [None, Some("acquiring"), held, held, held, held, lost, lost, held]);
    }

    #[test]
    fn ways_are_counted_up_to_the_step_and_renewals_are_ways_of_the_held() {
        let trace = revived();
        let handle = &handles(&trace)[0];
        assert_eq!(counted(&life_cycle(&trace, handle, 1), 1), []);
        let granted = ("acquiring", "held", 1);
        assert_eq!(counted(&life_cycle(&trace, handle, 4), 4), [granted, ("held", "held", 1)]);
        let all = [granted, ("held", "held", 2), ("held", "lost", 1), ("lost", "held", 1)];
        assert_eq!(counted(&life_cycle(&trace, handle, 8), 8), all);
    }

    #[test]
    fn a_forbidden_way_stands_behind_those_of_the_design() {
        let trace = revived();
        let life = life_cycle(&trace, &handles(&trace)[0], 0);
        assert_eq!(life.ways.len(), 6);
        assert!(life.ways[..5].iter().all(|way| way.is_allowed));
        assert_eq!((life.ways[5].is_allowed, &life.ways[5].steps[..]), (false, &[8][..]));
    }

    #[test]
    fn each_press_leads_to_the_next_time_and_then_to_the_first_again() {
        let trace = revived();
        let life = life_cycle(&trace, &handles(&trace)[0], 0);
        let renewed = &life.ways[2];
        assert_eq!([0, 3, 5, 8].map(|step| renewed.next(step)), [Some(3), Some(5), Some(3), Some(3)]);
        assert_eq!(life.ways[1].next(0), None);
    }

    #[test]
    fn a_second_handle_of_a_lock_is_one_of_its_own() {
        let mut trace = revived();
        trace.events.truncate(6);
        let at = |what| Event::at(6 * SECOND_US, what);
        trace.events.push(at(state("job 2", "acquiring", "held", true)));
        trace.events.push(at(renewed(0)));
        trace.events.push(at(state("job", "held", "released", true)));
        let all = handles(&trace);
        assert_eq!(all.iter().map(|handle| handle.name.as_str()).collect::<Vec<_>>(), ["job", "job 2"]);
        let second = |step| life_cycle(&trace, &all[1], step);
        assert_eq!((second(5).state, second(6).state), (None, Some("held")));
        assert_eq!(counted(&second(8), 8), [("acquiring", "held", 1), ("held", "held", 1)]);
        assert_eq!(life_cycle(&trace, &all[0], 8).state, Some("released"));
    }

    #[test]
    fn the_one_that_goes_wrong_is_looked_at_first() {
        let mut events = revived().events;
        for event in &mut events[..3] {
            if let Happening::State { client, .. } = &mut event.what {
                *client = 1;
            }
        }
        let trace = Trace { events, ..revived() };
        let all = handles(&trace);
        assert_eq!((all.len(), all[telling(&trace, &all)].client), (2, 0));
        assert_eq!(telling(&Trace::default(), &[]), 0);
    }
}
