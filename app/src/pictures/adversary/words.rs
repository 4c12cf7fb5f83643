//! What the page of a level says.

use super::game::{EngineState, Game, breaks};
use super::level::{Attack, Level, Search};
use super::progress::Record;
use crate::words::grouped;

/// How a run ended, above its picture.
#[derive(Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What it is.
    pub kind: Kind,
    /// In a few words.
    pub headline: String,
    /// What there is to say besides.
    pub text: String,
}

/// What a verdict is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There is no run yet.
    Waiting,
    /// Nothing broke.
    Whole,
    /// The rule is broken.
    Broken,
    /// Nothing can break it.
    Proved,
}

/// The verdict on what is shown.
pub fn verdict(game: &Game) -> Verdict {
    let Game { level, found, own, shows_found, .. } = game;
    let said = |kind, headline: &str, text: String| Verdict { kind, headline: headline.to_owned(), text };
    if let Some((run, search)) = found.as_deref().and_then(|run| Some((run, run.search?))) {
        if *shows_found {
            return said(Kind::Broken, &["A shortest attack: ", &counted(run.placed.len())].concat(), {
                [&sentence_of(run), " ", &tried(&search)].concat()
            });
        }
        if game.is_over() && !search.found && !game.is_broken() {
            return proved(level, &search);
        }
    }
    let Some(run) = own else { return said(Kind::Waiting, engine(&game.engine), String::new()) };
    if breaks(run, level) {
        let headline = ["Broken with ", &counted(run.placed.len())].concat();
        return said(Kind::Broken, &headline, [sentence_of(run).as_str(), compared(game, run)].join(" "));
    }
    if run.broken.is_some() {
        return said(Kind::Whole, "Not broken: the program failed by itself", sentence_of(run));
    }
    let text = match (game.moves.is_empty(), level.most) {
        (true, 1) => {
            "This is how it runs when nothing goes wrong. Choose a place, and what goes wrong there.".to_owned()
        }
        (true, most) => format!(
            "This is how it runs when nothing goes wrong. Choose a place, and what goes wrong there: up to {most} at once."
        ),
        _ => ["Nobody was harmed: ", unbroken(level), "."].concat(),
    };
    said(Kind::Whole, "Not broken yet", text)
}

/// Whether the player's attack is a shortest one, as far as is known.
fn compared(game: &Game, run: &Attack) -> &'static str {
    let count = run.placed.len();
    match game.shortest() {
        _ if count == 1 => "No attack is shorter.",
        Some(shortest) if shortest < count => "A shorter attack exists.",
        Some(_) => "No attack is shorter.",
        None if game.is_searching() => "Is there a shorter one? Searching…",
        None => "",
    }
}

fn proved(level: &Level, search: &Search) -> Verdict {
    let most = u32::try_from(level.most).unwrap_or(u32::MAX);
    let count = grouped(search.schedules);
    let (kind, headline, text) = match search.complete_to {
        Some(complete) if complete >= most => (
            Kind::Proved,
            "It can't be broken".to_owned(),
            format!(
                "Every schedule with up to {} was tried: {count} schedules, and in each {}.",
                up_to(most),
                unbroken(level)
            ),
        ),
        complete => (
            Kind::Whole,
            "No attack was found".to_owned(),
            format!(
                "Every schedule with up to {} was tried, {count} in all; the search ended before it had tried all that is \
                 allowed.",
                up_to(complete.unwrap_or(0))
            ),
        ),
    };
    Verdict { kind, headline, text }
}

fn tried(search: &Search) -> String {
    let count = grouped(search.schedules);
    match search.complete_to {
        Some(0) => format!("It was found after {count} schedules, and it takes at least one."),
        Some(complete) => {
            format!("It was found after {count} schedules: every one with up to {} was tried before.", up_to(complete))
        }
        None => String::new(),
    }
}

fn sentence_of(run: &Attack) -> String {
    run.broken.as_ref().map(|broken| broken.message.clone()).unwrap_or_default()
}

/// The rule, as it is when it holds.
fn unbroken(level: &Level) -> &'static str {
    match level.breaks.as_str() {
        "overlap" => "no two clients work at the same time",
        "stale write" => "no stale write lands",
        "release by another" => "nobody's release frees another's lock",
        _ => "the rule holds",
    }
}

/// "1 disturbance".
pub fn counted(count: usize) -> String {
    format!("{count} disturbance{}", if count == 1 { "" } else { "s" })
}

fn up_to(bound: u32) -> String {
    counted(bound as usize)
}

/// A kind of disturbance.
pub fn kind(kind: &str) -> &str {
    match kind {
        "pause" => "pause",
        "crash" => "crash",
        "partition" => "cut off",
        "wall_step" => "wall clock steps",
        "lost_request" => "lost request",
        "lost_reply" => "lost reply",
        "duplicate" => "request sent twice",
        "late_reply" => "late reply",
        other => other,
    }
}

/// How the interpreter is, where there is no run yet.
pub fn engine(engine: &EngineState) -> &'static str {
    match engine {
        EngineState::Asleep | EngineState::Loading(..) => "Loading the Python interpreter",
        EngineState::Starting => "Starting the Python interpreter",
        EngineState::Ready => "Running",
        EngineState::Failed(_) => "The Python interpreter could not be had",
    }
}

/// What was reached in a level; nothing if nothing was.
pub fn reached(level: &Level, record: Record) -> Option<String> {
    match (record.best, level.shortest) {
        (Some(best), Some(shortest)) if best > shortest => Some(format!("Broken with {best}, {shortest} would do")),
        (Some(best), _) => Some(["Broken with ", &counted(best)].concat()),
        (None, None) if record.told => Some("Can't be broken".to_owned()),
        (None, _) if record.told => Some("Seen, not broken by you".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_that_a_level_allows_has_a_name_for_people() {
        let levels = crate::pictures::adversary::level::read(leasehold_exercises::levels()).unwrap_or_default();
        let kinds = levels.iter().flat_map(|level| &level.allowed);
        assert!(kinds.clone().count() > 0);
        for name in kinds {
            assert!(!kind(name).contains('_') && (kind(name) != name || !name.contains('_')), "{name}");
        }
    }
}
