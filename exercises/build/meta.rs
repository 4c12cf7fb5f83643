//! `kata.toml`, and the header of a wrong solution.

use super::questions::{self, Question};
use serde::Deserialize;

type Result<T> = std::result::Result<T, String>;

const DIFFICULTIES: [&str; 3] = ["warm-up", "solid", "hard"];
const DIAGRAMS: [&str; 1] = ["timeline"];

/// `kata.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    pub slug: String,
    pub title: String,
    pub summary: String,
    pub order: u32,
    pub difficulty: String,
    pub minutes: u32,
    /// The slug of a kata whose solution its starter contains.
    pub spoils: Option<String>,
    pub diagram: String,
    /// What of `leasehold` its code uses, by name.
    #[serde(default)]
    pub api: Vec<String>,
    pub starter_fails: Vec<String>,
    pub hints: Vec<String>,
    pub questions: Vec<Question>,
}

impl Meta {
    /// Reads the text of a `kata.toml`.
    ///
    /// # Errors
    /// The first thing that is unknown, missing or empty.
    pub fn read(text: &str) -> Result<Self> {
        let meta: Meta = toml::from_str(text).map_err(|e| e.to_string())?;
        for (key, value, allowed) in
            [("difficulty", &meta.difficulty, &DIFFICULTIES[..]), ("diagram", &meta.diagram, &DIAGRAMS[..])]
        {
            if !allowed.contains(&value.as_str()) {
                return Err(format!("`{key}` is {value:?}, not one of {allowed:?}"));
            }
        }
        let empty = [
            ("title", meta.title.is_empty()),
            ("summary", meta.summary.is_empty()),
            ("minutes", meta.minutes == 0),
            ("starter_fails", meta.starter_fails.is_empty()),
            ("hints", meta.hints.is_empty()),
            ("questions", meta.questions.is_empty()),
        ];
        questions::check(&meta.questions)?;
        match empty.iter().find(|(_, is_empty)| *is_empty) {
            Some((key, _)) => Err(format!("`{key}` is empty")),
            None => Ok(meta),
        }
    }
}

/// The comment lines at the top of a wrong solution.
#[derive(Debug, Default)]
pub struct Header {
    pub killed_by: Option<String>,
    pub bug: Option<String>,
    pub report: Option<String>,
}

impl Header {
    /// Reads it from the source of a wrong solution.
    ///
    /// # Errors
    /// An unknown key, one that comes twice, or one that is missing.
    pub fn read(source: &str) -> Result<Self> {
        let mut header = Header::default();
        for comment in source.lines().map_while(|line| line.strip_prefix('#')) {
            let (key, value) = comment.split_once(": ").unwrap_or((comment, ""));
            let slot = match key.trim() {
                "killed-by" => &mut header.killed_by,
                "bug" => &mut header.bug,
                "report" => &mut header.report,
                other => return Err(format!("unknown key `{other}` in the header")),
            };
            if slot.is_some() {
                return Err(format!("key `{}` twice in the header", key.trim()));
            }
            *slot = Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        }
        match header {
            Header { killed_by: None, .. } => Err("no `killed-by` in the header".to_owned()),
            Header { bug: None, .. } => Err("no `bug` in the header".to_owned()),
            header => Ok(header),
        }
    }
}
