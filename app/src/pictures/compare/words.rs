//! A comparison in sentences.

use super::align::{Alignment, Likeness, Row};
use leasehold_checker::report::{Outcome, TestReport};
use leasehold_checker::time::seconds;
use leasehold_checker::trace::Trace;

/// One run, and what it is called: `the solution`.
#[derive(Clone, Copy)]
pub struct Told<'a> {
    /// Fits behind "in".
    pub name: &'a str,
    /// What happened.
    pub trace: &'a Trace,
}

impl Told<'_> {
    fn event(&self, event: Option<usize>) -> Option<String> {
        let event = self.trace.events.get(event?)?;
        Some(event.text(&self.trace.clients))
    }

    fn time(&self, event: Option<usize>) -> Option<String> {
        self.trace.events.get(event?).map(|event| seconds(event.at_us))
    }
}

/// Up to where two runs are alike, and what each does then.
pub fn summary(left: Told<'_>, right: Told<'_>, alignment: &Alignment) -> String {
    let Some((at, row)) = alignment.first.and_then(|at| Some((at, alignment.rows.get(at)?))) else {
        return format!("Both do the same under this schedule, in all {} events.", alignment.rows.len());
    };
    let time = left.time(row.left).or_else(|| right.time(row.right)).unwrap_or_default();
    let alike = match at {
        0 => "They part with the first event.".to_owned(),
        1 => format!("The same for one event, until {time}."),
        _ => format!("The same for {at} events, until {time}."),
    };
    [alike, parting(left, right, row, at, alignment)].join(" ")
}

fn parting(left: Told<'_>, right: Told<'_>, row: &Row, at: usize, alignment: &Alignment) -> String {
    let (here, there) = (left.event(row.left), right.event(row.right));
    match (row.likeness, here, there) {
        (Likeness::Moved, Some(text), _) => {
            let time = |side: Told<'_>, event| side.time(event).unwrap_or_default();
            let (a, b) = (time(left, row.left), time(right, row.right));
            format!("Then the same happens at another time: at {a} in {}, at {b} in {}: {text}.", left.name, right.name)
        }
        (_, Some(a), Some(b)) if a == b => {
            let breaks = |side: &Told<'_>, event| side.trace.first_bad == event && event.is_some();
            let name = if breaks(&left, row.left) { left.name } else { right.name };
            format!("Then the same event breaks a rule in {name} only: {a}.")
        }
        (_, a, b) => {
            let rest = &alignment.rows[at..];
            let left_ends = rest.iter().all(|row| row.left.is_none());
            let right_ends = rest.iter().all(|row| row.right.is_none());
            format!("Then in {}: {}. In {}: {}.", left.name, or_not(a, left_ends), right.name, or_not(b, right_ends))
        }
    }
}

fn or_not(text: Option<String>, ends: bool) -> String {
    text.unwrap_or_else(|| if ends { "the run is over" } else { "nothing of the kind" }.to_owned())
}

/// How one of the runs ended, beginning with its name.
pub fn verdict(name: &str, test: &TestReport) -> String {
    let mut letters = name.chars();
    let first: String = letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    let what = match test.outcome {
        Outcome::Passed => "breaks no rule here.",
        Outcome::Failed => "breaks a rule:",
        Outcome::Error => "ends in an error:",
        Outcome::Stopped => "had to be stopped:",
        Outcome::NotRun => "did not run:",
    };
    let name = [first.as_str(), letters.as_str()].concat();
    match test.outcome {
        Outcome::Passed => [name.as_str(), what].join(" "),
        _ => [name.as_str(), what, test.message.lines().next().unwrap_or_default()].join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::super::align::align;
    use super::*;
    use leasehold_checker::trace::{Event, Happening, Reply};

    const S: u64 = 1_000_000;

    fn hears(at: u64, client: usize, token: Option<&str>) -> Event {
        let reply = match token {
            Some(token) => Reply::Granted { token: token.into(), expires_us: (at + 10) * S },
            None => Reply::Refused,
        };
        Event::at(at * S, Happening::Answered { client, name: "job".into(), reply })
    }

    fn trace(events: &[Event]) -> Trace {
        Trace { clients: vec!["A".into(), "B".into()], events: events.to_vec(), ..Trace::default() }
    }

    fn told(left: &Trace, right: &Trace) -> String {
        let (a, b) = (Told { name: "the shared code", trace: left }, Told { name: "your code", trace: right });
        summary(a, b, &align(left, right))
    }

    #[test]
    fn runs_that_are_alike_are_said_to_be() {
        let run = trace(&[hears(0, 0, Some("1")), hears(5, 1, None)]);
        assert_eq!(told(&run, &run), "Both do the same under this schedule, in all 2 events.");
    }

    #[test]
    fn the_first_difference_is_told_of_both_sides() {
        let left = trace(&[hears(0, 0, Some("1")), hears(12, 1, Some("2"))]);
        let right = trace(&[hears(0, 0, Some("1")), hears(12, 1, None)]);
        assert_eq!(
            told(&left, &right),
            "The same for one event, until 12 s. Then in the shared code: B is granted job with token 2 until 22 s. In your \
             code: B is refused job."
        );
    }

    #[test]
    fn a_side_with_nothing_like_it_says_so_or_that_it_is_over() {
        let left = trace(&[hears(0, 0, Some("1"))]);
        let right = trace(&[hears(0, 0, Some("1")), hears(3, 1, None)]);
        assert!(
            told(&left, &right).ends_with("Then in the shared code: the run is over. In your code: B is refused job.")
        );
        let longer = trace(&[hears(0, 0, Some("1")), hears(4, 0, None)]);
        let text = told(&longer, &right);
        assert!(text.ends_with("In your code: B is refused job.") && text.contains("nothing of the kind"), "{text}");
    }

    #[test]
    fn moved_and_judged_events_have_sentences_of_their_own() {
        let left = trace(&[hears(0, 0, None)]);
        let right = trace(&[hears(2, 0, None)]);
        assert_eq!(
            told(&left, &right),
            "They part with the first event. Then the same happens at another time: at 0 s in the shared code, at 2 s in \
             your code: A is refused job."
        );
        let broken = Trace { first_bad: Some(0), ..left.clone() };
        assert!(told(&left, &broken).ends_with("breaks a rule in your code only: A is refused job."));
    }
}
