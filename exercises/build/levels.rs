//! The levels of "Break it yourself": `levels/NN-slug/` with `level.toml` and `lock.py`, the program under attack.

use crate::{Result, folders, is_named, read, shown};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The longest program that is shown beside a timeline.
const MOST_LINES: usize = 60;

/// `level.toml`. What the engine has of worlds, rules and kinds of disturbance is held against it by `tests/levels.rs`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    slug: String,
    order: u32,
    title: String,
    goal: String,
    world: String,
    breaks: String,
    allowed: Vec<String>,
    most: u32,
    /// How many disturbances a shortest attack takes,
    shortest: Option<u32>,
    /// or that there is none.
    #[serde(default)]
    unbreakable: bool,
    hint: String,
    why: String,
}

/// A level as the page fetches it.
#[derive(Serialize)]
struct Level {
    slug: String,
    title: String,
    goal: String,
    world: String,
    breaks: String,
    allowed: Vec<String>,
    most: u32,
    shortest: Option<u32>,
    hint: String,
    why: String,
    source: String,
}

/// All levels in order, as one JSON text.
///
/// # Errors
/// What is wrong with which file.
pub fn json() -> Result<String> {
    let levels: Vec<Level> = folders("levels")?.iter().map(|folder| level(folder)).collect::<Result<_>>()?;
    serde_json::to_string(&levels).map_err(|e| e.to_string())
}

fn level(folder: &Path) -> Result<Level> {
    let path = folder.join("level.toml");
    let wrong = |message: String| format!("{}: {message}", shown(&path));
    let meta: Meta = toml::from_str(&read(&path)?).map_err(|e| wrong(e.to_string()))?;
    is_named(folder, meta.order, &meta.slug).map_err(wrong)?;
    let Meta { slug, title, goal, world, breaks, allowed, most, shortest, unbreakable, hint, why, .. } = meta;
    let empty = [&title, &goal, &hint, &why].iter().any(|text| text.is_empty());
    if empty || allowed.is_empty() || most == 0 {
        return Err(wrong("a text is empty, or nothing is allowed".to_owned()));
    }
    if shortest.is_some() == unbreakable || shortest.is_some_and(|n| n == 0 || n > most) {
        return Err(wrong("either `shortest`, from 1 to `most`, or `unbreakable = true`".to_owned()));
    }
    let source = read(&folder.join("lock.py"))?;
    match source.lines().count() {
        0..=MOST_LINES => Ok(Level { slug, title, goal, world, breaks, allowed, most, shortest, hint, why, source }),
        lines => Err(format!("{}: {lines} lines; {MOST_LINES} are read", shown(&folder.join("lock.py")))),
    }
}
