//! Everything that this browser keeps as one file, and back: `{"leasehold":"progress","version":1,"items":{key:text}}`.
//!
//! Nothing that comes in a file is believed. Reading it changes nothing; [`plan`] says of each item what would become of it,
//! and [`carry_out`] does all of it or nothing. What would be lost by it is set aside first.

use crate::pictures::adversary::joined_levels;
use crate::storage::{self, ASIDE, BEFORE, LAYOUT, Record, free, slug};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The version of the file.
const VERSION: u32 = 1;
/// What it says that it is.
const NAME: &str = "progress";
/// The largest file, in bytes: no browser keeps as much for one page.
pub const MOST: u32 = 12 * 1024 * 1024;
/// The longest key, in bytes, and the most items.
const MOST_KEY: usize = 200;
const MOST_ITEMS: usize = 2_000;

/// A key and its text.
pub type Item = (String, String);

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It is larger than any of ours.
    TooLarge,
    /// It can't be read, or only in part.
    Damaged,
    /// It is a file of something else.
    Foreign,
    /// It is of another version of the page.
    OtherVersion,
}

impl Trouble {
    /// What to tell whoever chose it.
    pub fn text(self) -> &'static str {
        match self {
            Trouble::TooLarge => {
                "This file is larger than any that this page exports, so it was not read. Nothing was changed."
            }
            Trouble::Damaged => {
                "This file can't be read: it is damaged, or it is none that this page has exported. Nothing was changed."
            }
            Trouble::Foreign => "This file holds something else than progress on this page. Nothing was changed.",
            Trouble::OtherVersion => {
                "This file is of another version of this page. Reload the page without the browser's cache and try again. \
                 Nothing was changed."
            }
        }
    }
}

/// The file.
pub fn write(items: &[Item]) -> String {
    let text = |text: &String| serde_json::to_string(text).unwrap_or_default();
    let items: Vec<String> = items.iter().map(|(key, value)| [text(key), text(value)].join(":")).collect();
    [r#"{"leasehold":"progress","version":1,"items":{"#, &items.join(",\n"), "}}\n"].concat()
}

/// Reads such a file.
pub fn read(text: &str) -> Result<Vec<Item>, Trouble> {
    #[derive(Deserialize)]
    struct File {
        leasehold: Option<String>,
        version: Option<u32>,
        items: Option<Box<RawValue>>,
    }
    if text.len() > MOST as usize {
        return Err(Trouble::TooLarge);
    }
    // A byte order mark is what some programs leave behind.
    let file: File = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|_| Trouble::Damaged)?;
    let items = match (file.leasehold.as_deref(), file.version, file.items) {
        (Some(NAME), Some(VERSION), Some(items)) => items,
        (Some(NAME), Some(VERSION) | None, _) => return Err(Trouble::Damaged),
        (Some(NAME), ..) => return Err(Trouble::OtherVersion),
        _ => return Err(Trouble::Foreign),
    };
    let Items(items) = serde_json::from_str(items.get()).map_err(|_| Trouble::Damaged)?;
    let is_ours = |(key, _): &Item| key.starts_with(BEFORE) && key.len() > BEFORE.len() && key.len() <= MOST_KEY;
    (items.len() <= MOST_ITEMS && items.iter().all(is_ours)).then_some(items).ok_or(Trouble::Foreign)
}

/// An object of texts, in the order of the file.
struct Items(Vec<Item>);

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Items;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("texts")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Items, M::Error> {
                let mut items = Vec::new();
                while let Some(item) = map.next_entry()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }
        from.deserialize_map(Each)
    }
}

/// What would become of an item of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// There is nothing of the kind here.
    New,
    /// Nothing changes.
    Same,
    /// Both are joined to this, and nothing is lost.
    Joined(String),
    /// Only one of both can stay: the file's, or what is here, each with what of the other can be joined to it.
    Differs {
        /// What is stored if the file's is taken.
        theirs: String,
        /// What is stored if not.
        ours: String,
    },
    /// It can't be read and is left out.
    LeftOut,
}

/// An item of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its key.
    pub key: String,
    /// Its text in the file.
    pub text: String,
    /// What is stored here.
    pub here: Option<String>,
    /// What would become of it.
    pub fate: Fate,
}

/// What each item of a file would change; `here` says what is stored under a key.
pub fn plan(items: Vec<Item>, here: impl Fn(&str) -> Option<String>) -> Vec<Step> {
    let step = |(key, text): Item| {
        let here = here(&key);
        let fate = fate(&key, &text, here.as_deref());
        Step { key, text, here, fate }
    };
    items.into_iter().map(step).collect()
}

fn fate(key: &str, text: &str, here: Option<&str>) -> Fate {
    let is_kata = slug(key).is_some();
    let record = |text| storage::parse(text).ok();
    let theirs = record(text).filter(|_| is_kata);
    if is_kata && theirs.is_none() {
        return Fate::LeftOut;
    }
    let Some(here) = here else { return Fate::New };
    // Where bars stand is of no use in another window.
    if here == text || key.starts_with(LAYOUT) {
        return Fate::Same;
    }
    if key.contains(ASIDE) {
        // Lies beside what is here, under a key of its own.
        return Fate::New;
    }
    if let Some(joined) = joined_levels(key, here, text) {
        return if joined == here { Fate::Same } else { Fate::Joined(joined) };
    }
    match (theirs, record(here).filter(|_| is_kata)) {
        (Some(theirs), Some(ours)) => of_katas(theirs, ours, here),
        _ => Fate::Differs { theirs: text.to_owned(), ours: here.to_owned() },
    }
}

fn of_katas(theirs: Record, ours: Record, here: &str) -> Fate {
    let progress = ours.progress.best(&theirs.progress);
    let with = |record: &Record, revision: u32| {
        let version = storage::RECORD_VERSION;
        serde_json::to_string(&Record { version, revision, progress, ..record.clone() }).unwrap_or_default()
    };
    // Other pages that are open see that there is other code.
    let later = ours.revision.max(theirs.revision).saturating_add(1);
    if theirs.code == ours.code || !theirs.is_edited() {
        let joined = with(&ours, ours.revision);
        // A record of version 1 says the same without a progress.
        return if progress == ours.progress { Fate::Same } else { Fate::Joined(joined) };
    }
    if !ours.is_edited() {
        return Fate::Joined(with(&theirs, later));
    }
    let ours = if progress == ours.progress { here.to_owned() } else { with(&ours, ours.revision) };
    Fate::Differs { theirs: with(&theirs, later), ours }
}

/// Where items are stored.
pub trait Store {
    /// What is stored under a key.
    fn get(&self, key: &str) -> Option<String>;
    /// Stores a text; says whether there was room.
    fn set(&mut self, key: &str, text: &str) -> bool;
    /// Takes a text out.
    fn remove(&mut self, key: &str);
}

/// Does what was planned; `taken` says of each step whether the file's is taken where both differ. If there is no room for all of
/// it, everything is as before, and it says so.
pub fn carry_out(steps: &[Step], taken: &[bool], store: &mut impl Store) -> bool {
    let mut done: Vec<(String, Option<String>)> = Vec::new();
    for (step, taken) in steps.iter().zip(taken) {
        for (key, text) in writes(step, *taken, store) {
            let before = store.get(&key);
            if store.set(&key, &text) {
                done.push((key, before));
                continue;
            }
            for (key, before) in done.into_iter().rev() {
                match before {
                    // There was room for it before.
                    Some(text) => _ = store.set(&key, &text),
                    None => store.remove(&key),
                }
            }
            return false;
        }
    }
    true
}

/// Does something of this browser's make way for something of the file's? Then it is set aside.
pub fn replaces(steps: &[Step], taken: &[bool]) -> bool {
    steps.iter().zip(taken).any(|(step, taken)| *taken && matches!(step.fate, Fate::Differs { .. }))
}

fn writes(step: &Step, taken: bool, store: &impl Store) -> Vec<Item> {
    let Step { key, text, here, fate } = step;
    let get = |key: &str| store.get(key);
    let own = |text: &String| vec![(key.clone(), text.clone())];
    match fate {
        Fate::Same | Fate::LeftOut => Vec::new(),
        Fate::New => match key.split_once(ASIDE) {
            Some((base, _)) => vec![(free(base, text, &get), text.clone())],
            None => own(text),
        },
        Fate::Joined(joined) => own(joined),
        Fate::Differs { ours, .. } if !taken => {
            if here.as_ref() == Some(ours) {
                Vec::new()
            } else {
                own(ours)
            }
        }
        Fate::Differs { theirs, .. } => {
            let here = here.clone().unwrap_or_default();
            [vec![(free(key, &here, &get), here)], own(theirs)].concat()
        }
    }
}

/// What a text is worth to somebody who downloads it: the code of a record, or the text as it is; and how the file ends.
pub fn readable(text: &str) -> (String, &'static str) {
    match storage::parse(text) {
        Ok(record) => (record.code, ".py"),
        Err(_) => (text.to_owned(), ".txt"),
    }
}

#[cfg(test)]
mod tests;
