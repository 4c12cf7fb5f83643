//! The chapters without code: `chapters/NN-slug/` with `README.md`, `chapter.toml` and the programs of its pictures.

use crate::book::{Book, Page};
use crate::prose::{self, Away};
use crate::questions::{self, Question};
use crate::{Result, folders, is_named, python_files, read, shown};
use serde::Deserialize;
use std::path::{Path, PathBuf};

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
    #[serde(default)]
    questions: Vec<Question>,
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
        questions::check(&meta.questions).map_err(wrong)?;
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
        let prose = prose::read(&read(&path)?, Away::NewTab).map_err(wrong)?;
        book.check(&prose.links).map_err(wrong)?;
        if prose.pictures.is_empty() {
            return Err(wrong("no picture".to_owned()));
        }
        let mut pictures = String::new();
        for picture in &prose.pictures {
            pictures.push_str(&with_caption(picture, &self.drawing(&picture.what).map_err(wrong)?));
        }
        self.uses_its_programs(&prose.pictures)?;
        Ok(self.page().code(&self.meta.slug, &prose.parts, &pictures, &questions::code(&self.meta.questions), book))
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
        let run = match what.strip_prefix("story:") {
            Some(rest) => Run::read("stories", &self.folder, rest),
            None => Run::of_kata(what),
        };
        run.map(|run| run.code())
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

/// The picture as Rust.
pub fn with_caption(picture: &prose::Picture, drawing: &str) -> String {
    format!("crate::Picture {{ caption: {:?}, drawing: {drawing} }}, ", picture.caption)
}

/// A run that a picture asks for.
pub struct Run {
    /// The suite: a kata's slug, or `stories`.
    pub kata: String,
    /// Where the program lies.
    pub folder: PathBuf,
    /// Its name there.
    pub file: String,
    /// The whole program.
    pub source: String,
    test: String,
}

impl Run {
    /// `trace:KATA/FILE/TEST`.
    ///
    /// # Errors
    /// There is none such.
    pub fn of_kata(what: &str) -> Result<Self> {
        let Some((kata, rest)) = what.strip_prefix("trace:").and_then(|rest| rest.split_once('/')) else {
            return Err(format!(
                "{what}: a picture is states:handle, explorer:ttl/SETTINGS, trace:KATA/FILE/TEST or story:FILE/TEST"
            ));
        };
        let folder = folders(".")?.into_iter().find(|folder| crate::name(folder).get(3..) == Some(kata));
        Run::read(kata, &folder.ok_or_else(|| format!("{what}: no such kata"))?, rest)
    }

    /// `FILE/TEST` in a folder.
    fn read(kata: &str, folder: &Path, rest: &str) -> Result<Self> {
        let (file, test) = rest.rsplit_once('/').ok_or_else(|| format!("{rest}: no test"))?;
        Ok(Run {
            kata: kata.to_owned(),
            folder: folder.to_owned(),
            file: file.to_owned(),
            source: read(&folder.join(file))?,
            test: test.to_owned(),
        })
    }

    /// The drawing as Rust.
    pub fn code(&self) -> String {
        let Run { kata, test, source, .. } = self;
        format!("crate::Drawing::Run {{ kata: {kata:?}, test: {test:?}, source: {source:?} }}")
    }
}
