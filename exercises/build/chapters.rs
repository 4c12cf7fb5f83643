//! The chapters without code: `chapters/NN-slug/` with `README.md`, `chapter.toml` and the programs of its pictures.

use crate::book::{Book, Page};
use crate::{Result, folders, is_named, prose, python_files, read, shown};
use serde::Deserialize;
use std::path::PathBuf;

/// The states of a handle, as the drawing has them.
const STATES: [&str; 4] = ["acquiring", "held", "lost", "released"];

/// `chapter.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    slug: String,
    title: String,
    summary: String,
    order: u32,
    minutes: u32,
    /// The number of the kata that it stands before.
    before: u32,
    /// What `states:handle` draws.
    #[serde(default)]
    edges: Vec<Edge>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edge {
    from: String,
    to: String,
    by: String,
    why: String,
}

/// A folder that was read.
pub struct Chapter {
    folder: PathBuf,
    meta: Meta,
}

/// All chapters, in order.
///
/// # Errors
/// What is wrong with which file.
pub fn all() -> Result<Vec<Chapter>> {
    folders("chapters")?.into_iter().map(Chapter::read).collect()
}

impl Chapter {
    fn read(folder: PathBuf) -> Result<Self> {
        let path = folder.join("chapter.toml");
        let wrong = |message: String| format!("{}: {message}", shown(&path));
        let meta: Meta = toml::from_str(&read(&path)?).map_err(|e| wrong(e.to_string()))?;
        is_named(&folder, meta.order, &meta.slug).map_err(wrong)?;
        if meta.title.is_empty() || meta.summary.is_empty() || meta.minutes == 0 {
            return Err(wrong("`title`, `summary` or `minutes` is empty".to_owned()));
        }
        for (i, Edge { from, to, by, why }) in meta.edges.iter().enumerate() {
            let known = |state: &String| STATES.contains(&state.as_str());
            let again = meta.edges[..i].iter().any(|edge| (&edge.from, &edge.to) == (from, to));
            if !known(from) || !known(to) || by.is_empty() || why.is_empty() || again {
                return Err(wrong(format!("the edge from {from:?} to {to:?} is unknown, empty or there already")));
            }
        }
        Ok(Chapter { folder, meta })
    }

    /// What the contents say of it.
    pub fn page(&self) -> Page {
        let Meta { slug, title, summary, order, minutes, before, .. } = &self.meta;
        Page {
            place: (*before, 0, *order),
            address: format!("#/chapter/{slug}"),
            title: title.clone(),
            summary: summary.clone(),
            facts: format!("To read · about {minutes} min"),
        }
    }

    /// The chapter as Rust.
    ///
    /// # Errors
    /// What is wrong with its prose or its pictures.
    pub fn code(&self, book: &Book) -> Result<String> {
        let path = self.folder.join("README.md");
        let wrong = |message: String| format!("{}: {message}", shown(&path));
        let prose = prose::read(&read(&path)?).map_err(wrong)?;
        book.check(&prose.links).map_err(wrong)?;
        if prose.pictures.is_empty() {
            return Err(wrong("no picture".to_owned()));
        }
        let mut pictures = String::new();
        for prose::Picture { caption, what } in &prose.pictures {
            let drawing = self.drawing(what).map_err(wrong)?;
            pictures.push_str(&format!("crate::Picture {{ caption: {caption:?}, drawing: {drawing} }}, "));
        }
        self.uses_its_programs(&prose.pictures)?;
        let Page { address, title, summary, facts, .. } = self.page();
        let slug = &self.meta.slug;
        let neighbours = book.neighbours(&address);
        Ok(format!(
            "crate::Chapter {{ slug: {slug:?}, title: {title:?}, summary: {summary:?}, facts: {facts:?}, \
             parts: &{:?}, pictures: &[{pictures}], {neighbours} }},\n",
            prose.parts
        ))
    }

    /// `states:handle`, `explorer:ttl/SETTINGS`, `trace:KATA/FILE/TEST` (a program of a kata) or `story:FILE/TEST` (a program
    /// of this chapter).
    fn drawing(&self, what: &str) -> Result<String> {
        if let Some(settings) = what.strip_prefix("explorer:ttl/") {
            return Ok(format!("crate::Drawing::Explorer({settings:?})"));
        }
        if what == "states:handle" {
            let edge = |Edge { from, to, by, why }: &Edge| {
                format!("crate::Edge {{ from: {from:?}, to: {to:?}, by: {by:?}, why: {why:?} }}, ")
            };
            let edges: String = self.meta.edges.iter().map(edge).collect();
            return if edges.is_empty() {
                Err("the states have no `edges` in chapter.toml".to_owned())
            } else {
                Ok(format!("crate::Drawing::States(&[{edges}])"))
            };
        }
        let (kata, folder, rest) = if let Some(rest) = what.strip_prefix("story:") {
            ("stories", Some(self.folder.clone()), rest)
        } else if let Some((kata, rest)) = what.strip_prefix("trace:").and_then(|rest| rest.split_once('/')) {
            let ends_so = |folder: &PathBuf| crate::name(folder).get(3..) == Some(kata);
            (kata, folders(".")?.into_iter().find(ends_so), rest)
        } else {
            return Err(format!(
                "{what}: a picture is states:handle, explorer:ttl/SETTINGS, trace:KATA/FILE/TEST or story:FILE/TEST"
            ));
        };
        let Some((folder, (file, test))) = folder.zip(rest.rsplit_once('/')) else {
            return Err(format!("{what}: no such kata, or no test"));
        };
        let source = read(&folder.join(file))?;
        Ok(format!("crate::Drawing::Run {{ kata: {kata:?}, test: {test:?}, source: {source:?} }}"))
    }

    /// Every program in the folder is drawn somewhere.
    fn uses_its_programs(&self, pictures: &[prose::Picture]) -> Result<()> {
        for path in python_files(&self.folder)? {
            let begins = format!("story:{}/", crate::name(&path));
            if !pictures.iter().any(|picture| picture.what.starts_with(&begins)) {
                return Err(format!("{}: no picture shows it", shown(&path)));
            }
        }
        Ok(())
    }
}
