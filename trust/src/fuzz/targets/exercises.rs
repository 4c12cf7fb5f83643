//! What the exercises are made of. They are ours, but written by hand, and a slip must end in words that name it.

use super::{Target, holds, refused};
use std::path::Path;

#[allow(dead_code, reason = "the build script uses the rest of it")]
#[path = "../../../../exercises/build/meta.rs"]
mod meta;
#[allow(dead_code, reason = "the build script uses the rest of it")]
#[path = "../../../../exercises/build/prose.rs"]
mod prose;
#[allow(dead_code, reason = "the build script uses the rest of it")]
#[path = "../../../../exercises/build/questions.rs"]
mod questions;

pub const META: Target = Target {
    name: "kata.toml",
    reads: "what a kata says of itself",
    short: 2_000,
    seeds: || files("kata.toml"),
    read: |text| match meta::Meta::read(text) {
        Ok(meta) => {
            holds("a kata has a title, hints and questions", !meta.title.is_empty() && !meta.hints.is_empty())?;
            Ok(!meta.questions.is_empty())
        }
        Err(words) => refused(&words),
    },
};

pub const HEADERS: Target = Target {
    name: "headers",
    reads: "the head of a wrong solution",
    short: 2_000,
    seeds: || {
        let all = leasehold_exercises::katas().iter().flat_map(|kata| leasehold_exercises::wrong(kata.slug));
        all.map(|program| program.source.to_owned()).collect()
    },
    read: |text| match meta::Header::read(text) {
        Ok(header) => {
            holds("it says what kills it, and why", header.killed_by.is_some() && header.bug.is_some())?;
            Ok(true)
        }
        Err(words) => refused(&words),
    },
};

pub const PROSE: Target = Target {
    name: "prose",
    reads: "Markdown, into HTML",
    short: 1_000,
    seeds: || files("README.md"),
    read: |text| match prose::read(text, prose::Away::NewTab) {
        Ok(prose) => {
            holds("there is a part before and after each picture", prose.parts.len() == prose.pictures.len() + 1)?;
            let captions = prose.pictures.iter().map(|picture| &picture.caption);
            prose.parts.iter().chain(captions).try_for_each(|html| is_plain(html))?;
            Ok(true)
        }
        Err(words) => refused(&words),
    },
};

/// The elements of prose.
const ELEMENTS: &[&str] = &[
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "a",
    "em",
    "strong",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "blockquote",
    "hr",
    "br",
    "div",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
];
/// Their attributes.
const ATTRIBUTES: &[&str] = &["id", "tabindex", "href", "target", "rel", "class", "scope", "start", "title"];

/// Whether HTML holds nothing but those: what our prose says can't become a script or an event handler.
fn is_plain(html: &str) -> Result<(), String> {
    let mut rest = html;
    while let Some((_, from)) = rest.split_once('<') {
        let (tag, after) = from.split_once('>').ok_or("a tag has no end")?;
        // A `>` within quotes is text; our writer escapes it there.
        let (name, attributes) = tag.split_once([' ', '/']).unwrap_or((tag, ""));
        let name = if name.is_empty() { attributes } else { name };
        if !ELEMENTS.contains(&name) {
            return Err(format!("the HTML has an element <{tag}>"));
        }
        are_plain(if tag.starts_with('/') { "" } else { attributes }, tag)?;
        rest = after;
    }
    Ok(())
}

fn are_plain(attributes: &str, tag: &str) -> Result<(), String> {
    let mut rest = attributes.trim_end_matches('/').trim();
    while !rest.is_empty() {
        let value = rest.split_once("=\"").and_then(|(name, value)| Some((name, value.split_once('"')?)));
        let (name, (_, after)) = value.ok_or_else(|| format!("<{tag}> has an attribute without quotes"))?;
        if !ATTRIBUTES.contains(&name) {
            return Err(format!("<{tag}> has an attribute {name}"));
        }
        rest = after.trim_start();
    }
    Ok(())
}

/// The files of this name in the folders of katas and chapters.
fn files(name: &str) -> Vec<String> {
    let exercises = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exercises");
    let mut folders = Vec::new();
    for place in [exercises.clone(), exercises.join("chapters"), exercises.join("museum")] {
        let entries = std::fs::read_dir(&place).into_iter().flatten().flatten();
        folders.extend(entries.map(|entry| entry.path().join(name)));
    }
    folders.sort();
    folders.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}
