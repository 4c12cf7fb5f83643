//! What the page of a level says.

use super::game::{EngineState, Game, breaks};
use super::level::{Attack, Level, Search};
use super::progress::Record;
use crate::timeline::layout::times::moment;
use crate::timeline::layout::{CaptionKind, layout};
use crate::words::grouped;
use leasehold_checker::trace::{Happening, Reply, Trace};

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
        _ => not_yet(level, &run.trace),
    };
    said(Kind::Whole, "Not broken yet", text)
}

/// Whether the player's attack is a shortest one, as far as is known.
fn compared(game: &Game, run: &Attack) -> &'static str {
    let count = run.placed.len();
    match game.shortest() {
        _ if count == 1 => "No attack is shorter: undisturbed, nothing breaks.",
        Some(shortest) if shortest < count => "A shorter attack exists.",
        Some(_) => "The search knows of no shorter attack.",
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
    run.broken.as_ref().map(|broken| rounded(&broken.message)).unwrap_or_default()
}

/// Times as the picture shows them.
fn rounded(sentences: &str) -> String {
    let mut out = String::new();
    let mut words = sentences.split(' ').peekable();
    while let Some(word) = words.next() {
        let is_time = words.peek().is_some_and(|unit| unit.trim_end_matches(['.', ',', ':']) == "s");
        let seconds = word.parse::<f64>().ok().filter(|_| is_time);
        let shown = seconds.map(|seconds| moment((seconds * 1e6) as u64));
        out.push_str(shown.as_ref().and_then(|shown| shown.strip_suffix(" s")).unwrap_or(word));
        out.push_str(if words.peek().is_some() { " " } else { "" });
    }
    out
}

/// A run that does not break the level's rule. What else it does is said as well: the picture beside it shows it.
fn not_yet(level: &Level, trace: &Trace) -> String {
    let layout = layout(trace);
    let mut captions = layout.rows.iter().flat_map(|row| &row.captions);
    let rivals = captions.find(|caption| caption.kind == CaptionKind::Rivals).map(|caption| caption.words.as_str());
    if let (Some(rivals), "overlap") = (rivals, level.breaks.as_str()) {
        return [rivals, ", but not while both are awake: ", unbroken(level), "."].concat();
    }
    let stale = stale_write(trace).filter(|_| level.breaks != "stale write");
    let release = release_by_another(trace).filter(|_| level.breaks != "release by another");
    match stale.or(release).as_deref().or(rivals) {
        Some(else_) => {
            [else_, ". But this level asks for something else, and in this run ", unbroken(level), "."].concat()
        }
        None => ["In this run ", unbroken(level), "."].concat(),
    }
}

/// That the storage took a write with a smaller token than one that it had taken before, if it did.
fn stale_write(trace: &Trace) -> Option<String> {
    let mut marks: Vec<(&str, i128)> = Vec::new();
    for event in &trace.events {
        let Happening::Wrote { client, resource, token, accepted: true, .. } = &event.what else { continue };
        let Ok(number) = token.parse::<i128>() else { continue };
        match marks.iter_mut().find(|(of, _)| of == resource) {
            Some((_, mark)) if *mark > number => {
                let (who, mark) = (trace.clients.get(*client)?, mark.to_string());
                return Some(
                    ["A stale write landed: ", who, "'s, with token ", token, " after one with token ", &mark].concat(),
                );
            }
            Some((_, mark)) => *mark = number,
            None => marks.push((resource, number)),
        }
    }
    None
}

/// That a release freed what another client held, if one did.
fn release_by_another(trace: &Trace) -> Option<String> {
    let mut holds: Option<(usize, u64)> = None;
    for event in &trace.events {
        match &event.what {
            Happening::Served { client, reply: Reply::Granted { expires_us, .. }, .. } => {
                holds = Some((*client, *expires_us))
            }
            Happening::Served { reply: Reply::Renewed { expires_us }, .. } => {
                holds = holds.map(|(who, _)| (who, *expires_us))
            }
            Happening::Expired { .. } => holds = None,
            Happening::Served { client, reply: Reply::Released, .. } => {
                let other = holds.take().filter(|(who, until_us)| who != client && event.at_us < *until_us);
                if let Some((holder, _)) = other {
                    let name = |client: usize| trace.clients.get(client).map_or("?", String::as_str);
                    return Some([name(*client), "'s release freed the lock that ", name(holder), " held"].concat());
                }
            }
            _ => {}
        }
    }
    None
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
    use crate::timeline::fixtures;

    #[test]
    fn times_are_rounded_as_the_picture_rounds_them() {
        let told = rounded("At 10.046875 s both A and B hold. For 3 s, until 12.999 s.");
        assert_eq!(told, "At 10.05 s both A and B hold. For 3 s, until 12.999 s.");
    }

    #[test]
    fn a_verdict_denies_nothing_that_its_picture_shows() {
        let levels = crate::pictures::adversary::level::read(leasehold_exercises::levels());
        let mut level = std::rc::Rc::into_inner(levels.unwrap().remove(0)).unwrap();
        let says = |level: &Level, trace: &Trace| not_yet(level, trace);
        let takeover = fixtures::takeover();
        assert_eq!(level.breaks, "overlap");
        let told = says(&level, &takeover);
        assert!(told.starts_with("A and B both believe they hold report, but not while both are awake"), "{told}");
        level.breaks = "release by another".to_owned();
        let told = says(&level, &takeover);
        assert!(told.contains("But this level asks for something else, and in this run nobody's release"), "{told}");
        let mut stale = fixtures::fenced();
        for event in &mut stale.events {
            if let Happening::Wrote { accepted, .. } = &mut event.what {
                *accepted = true;
            }
        }
        let told = says(&level, &stale);
        assert!(
            told.starts_with("A stale write landed: A's, with token 1 after one with token 2. But this level"),
            "{told}"
        );
        level.breaks = "stale write".to_owned();
        assert!(says(&level, &fixtures::fenced()).contains("no stale write lands"));
    }

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
