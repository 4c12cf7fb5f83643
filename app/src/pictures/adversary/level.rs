//! What a level is, what the worker is asked about it, and what it answers: the JSON of `katas/levels.json` and of
//! `leasehold_checker::suites::attack`.

use leasehold_checker::trace::Trace;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::rc::Rc;

/// A level. What only the engine reads of it stays in `json`.
#[derive(Debug)]
pub struct Level {
    /// As the engine is told it.
    pub json: Box<RawValue>,
    /// Its name in addresses and in what is stored.
    pub slug: String,
    /// Its name for people.
    pub title: String,
    /// What is to be reached.
    pub goal: String,
    /// What may be placed: kinds of disturbance.
    pub allowed: Vec<String>,
    /// How many disturbances may be placed at once.
    pub most: usize,
    /// With how many disturbances it can be broken, if it can. Said only of a level that was broken.
    pub shortest: Option<usize>,
    /// Where to look.
    pub hint: String,
    /// What is learnt.
    pub why: String,
    /// The rule to break.
    pub breaks: String,
    /// The program under attack.
    pub source: String,
}

impl PartialEq for Level {
    fn eq(&self, other: &Self) -> bool {
        self.json.get() == other.json.get()
    }
}

/// Reads `katas/levels.json`; none if it is not what it should be.
pub fn read(file: &str) -> Option<Vec<Rc<Level>>> {
    #[derive(Deserialize)]
    struct Fields {
        slug: String,
        title: String,
        goal: String,
        allowed: Vec<String>,
        most: usize,
        shortest: Option<usize>,
        hint: String,
        why: String,
        breaks: String,
        source: String,
    }
    let level = |json: Box<RawValue>| {
        let Fields { slug, title, goal, allowed, most, shortest, hint, why, breaks, source } =
            serde_json::from_str(json.get()).ok()?;
        Some(Rc::new(Level { json, slug, title, goal, allowed, most, shortest, hint, why, breaks, source }))
    };
    serde_json::from_str::<Vec<Box<RawValue>>>(file).ok()?.into_iter().map(level).collect()
}

/// Something placed, as the engine is told it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Move {
    /// See [`Entry::point`].
    pub point: String,
    /// See [`Entry::id`].
    pub option: String,
}

/// Page to worker.
#[derive(Serialize)]
pub struct Order<'a> {
    /// `attack` runs the level with the moves, `shortest` looks for the shortest attack.
    pub r#type: &'static str,
    /// Comes back with the answer.
    pub id: u32,
    /// See [`Level::json`].
    pub level: &'a RawValue,
    /// What is placed.
    pub moves: &'a [Move],
}

/// One run under attack.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Attack {
    /// Instead of all the rest: why it could not be run.
    pub error: Option<String>,
    /// What happened.
    #[serde(deserialize_with = "shared")]
    pub trace: Rc<Trace>,
    /// The rule that was broken.
    pub broken: Option<Broken>,
    /// Where something may be placed, in order of time.
    pub points: Vec<Place>,
    /// What was placed and happened, in order of time.
    pub placed: Vec<Placed>,
    /// What was placed and did not happen.
    pub misfits: Vec<Misfit>,
    /// In answers to `shortest`.
    pub search: Option<Search>,
}

/// Pictures know a run by where it is.
fn shared<'de, D: Deserializer<'de>>(json: D) -> Result<Rc<Trace>, D::Error> {
    Trace::deserialize(json).map(Rc::new)
}

/// What an answer has lists of. Each kind fills some of the fields; five structs would be read by five copies of the code
/// that reads them.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// The name of the place that it is about.
    pub point: String,
    /// Of a move: the [`Choice`]'s `id`.
    pub option: String,
    /// Of a choice: its name at its place.
    pub id: String,
    /// Of a choice and of a placed move: one of [`Level::allowed`].
    pub kind: String,
    /// The same: in words.
    pub label: String,
    /// The event before which a place stands, or which shows a placed move.
    pub event: usize,
    /// When, in virtual microseconds.
    pub at_us: u64,
    /// Whose process it is about.
    pub client: usize,
    /// Of a place: what the process is about to do, in words.
    pub what: String,
    /// Of a place: what may go wrong there.
    pub options: Vec<Choice>,
    /// Of a broken rule: its name, which is another than the level's if the program itself failed.
    pub rule: String,
    /// Of a broken rule, what happened; of a misfit, why not. Sentences.
    pub message: String,
}

/// A broken rule.
pub type Broken = Entry;
/// A place where something may go wrong.
pub type Place = Entry;
/// Something that may go wrong.
pub type Choice = Entry;
/// A move that happened.
pub type Placed = Entry;
/// A move that did not happen.
pub type Misfit = Entry;

/// What a search for the shortest attack found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Search {
    /// Whether there is an attack.
    pub found: bool,
    /// Every schedule with up to so many disturbances was tried and breaks nothing; none if not even the undisturbed one.
    pub complete_to: Option<u32>,
    /// How many were tried.
    pub schedules: u64,
}

/// Worker to page.
#[derive(Debug, PartialEq)]
pub enum Message {
    /// So many bytes of the interpreter have come, of so many; of 0 if that is not known.
    Progress(u64, u64),
    /// All bytes are here; the interpreter starts.
    Starting,
    /// Orders are welcome.
    Ready,
    /// The interpreter could not be had, or ended.
    Failed(String),
    /// What an order's run came to.
    Answer(u32, Box<Attack>),
}

/// Reads a message of the worker; none if it is about something else.
pub fn message(text: &str) -> Option<Message> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Flat {
        r#type: String,
        id: u32,
        received: u64,
        total: u64,
        message: String,
        attack: Option<Attack>,
        // An answer of which only this is left could not even be read by the engine.
        error: Option<String>,
    }
    let Flat { r#type, id, received, total, message, attack, error } = match serde_json::from_str(text) {
        Ok(flat) => flat,
        Err(error) => return Some(Message::Failed(error.to_string())),
    };
    Some(match (r#type.as_str(), attack) {
        ("progress", _) => Message::Progress(received, total),
        ("starting", _) => Message::Starting,
        ("ready", _) => Message::Ready,
        ("failed" | "crashed", _) => Message::Failed(message),
        ("attacked" | "shortest", Some(attack)) => Message::Answer(id, Box::new(attack)),
        ("attacked" | "shortest", None) => Message::Answer(id, Box::new(Attack { error, ..Attack::default() })),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_levels_that_are_built_in_can_be_read() {
        let levels = read(leasehold_exercises::levels()).unwrap();
        assert!(levels.len() >= 8);
        assert_eq!(levels[0].slug, "one-pause");
        assert!(levels.last().is_some_and(|last| last.shortest.is_none()));
        assert!(levels.iter().all(|level| level.json.get().contains("\"world\":")));
    }

    #[test]
    fn an_order_is_one_flat_object_with_the_level_as_it_stands() {
        let level = read(
            r#"[{"slug":"x","title":"","goal":"","allowed":[],"most":1,"shortest":null,"hint":"","why":"",
            "breaks":"overlap","world":"odd","source":""}]"#,
        );
        let level = level.unwrap().remove(0);
        let moves = [Move { point: "A/1".to_owned(), option: "pause:over".to_owned() }];
        let order = Order { r#type: "attack", id: 7, level: &level.json, moves: &moves };
        let json = serde_json::to_string(&order).unwrap();
        assert!(json.starts_with(r#"{"type":"attack","id":7,"level":{"slug":"x""#), "{json}");
        assert!(json.contains(r#""world":"odd""#), "{json}");
        assert!(json.ends_with(r#""moves":[{"point":"A/1","option":"pause:over"}]}"#), "{json}");
    }

    #[test]
    fn answers_refusals_and_messages_about_something_else_are_told_apart() {
        let attack = r#"{"type":"attacked","id":7,"attack":{"trace":{"clients":["A"],"events":[],"first_bad":null,
            "witnesses":[]},"broken":null,"points":[],"placed":[],"misfits":[],"replay":"x"}}"#;
        let Some(Message::Answer(7, attack)) = message(attack) else { panic!("no answer") };
        assert_eq!((attack.error, attack.trace.clients.len()), (None, 1));
        let refused = message(r#"{"type":"shortest","id":8,"attack":{"error":"no such level"}}"#);
        assert_eq!(
            refused,
            Some(Message::Answer(8, Box::new(Attack { error: Some("no such level".to_owned()), ..Attack::default() })))
        );
        let progress = message(r#"{"type":"progress","received":1,"total":2}"#);
        assert_eq!(progress, Some(Message::Progress(1, 2)));
        let crashed = message(r#"{"type":"crashed","id":7,"message":"gone"}"#);
        assert_eq!(crashed, Some(Message::Failed("gone".to_owned())));
        assert_eq!(message(r#"{"type":"report","id":1,"report":{}}"#), None);
        assert!(matches!(message("no JSON"), Some(Message::Failed(_))));
    }
}
