//! Checks the folders `NN-slug/`, `chapters/NN-slug/`, `museum/NN-slug/` and `levels/NN-slug/` and writes them down as Rust
//! statics, `$OUT_DIR/katas.rs`. Whatever is unknown, missing or out of place is an error that names the file and the key:
//! a kata, a chapter, a card or a level that is half there must not build.
#![allow(clippy::print_stdout, reason = "cargo reads a build script's standard output")]

#[path = "build/api.rs"]
mod api;
#[path = "build/book.rs"]
mod book;
#[path = "build/chapters.rs"]
mod chapters;
#[path = "build/levels.rs"]
mod levels;
#[path = "build/meta.rs"]
mod meta;
#[path = "build/museum.rs"]
mod museum;
#[path = "build/prose.rs"]
mod prose;
#[path = "build/questions.rs"]
mod questions;

use book::{Book, Page};
use meta::{Header, Meta};
use std::path::{Path, PathBuf};
use std::{env, fs};

type Result<T> = std::result::Result<T, String>;

/// What learner code imports.
const LIBRARY: &str = "../checker/lib/leasehold.py";

fn main() {
    // The whole package, since cargo can't watch for a new folder alone.
    println!("cargo::rerun-if-changed=.");
    println!("cargo::rerun-if-changed={LIBRARY}");
    if let Err(message) = generate() {
        message.lines().for_each(|line| println!("cargo::error={line}"));
    }
}

fn generate() -> Result<()> {
    let library = api::read(&read(Path::new(LIBRARY))?).map_err(|message| format!("{LIBRARY}: {message}"))?;
    let within = |message: String| format!("exercises/{message}");
    let metas = folders(".")?.into_iter().map(|folder| Ok((meta(&folder)?, folder)));
    let metas: Vec<(Meta, PathBuf)> = metas.collect::<Result<_>>().map_err(within)?;
    let chapters = chapters::all().map_err(within)?;
    let pages = metas.iter().map(|(meta, _)| meta.page()).chain(chapters.iter().map(chapters::Chapter::page));
    let book = Book::bound(pages.collect());

    let mut katas = Vec::new();
    let (mut solutions, mut alternatives, mut wrong) = Default::default();
    for (meta, folder) in &metas {
        let api = api::panel(&library, &meta.api);
        let api = api.map_err(|message| within(format!("{}: {message}", shown(&folder.join("kata.toml")))))?;
        let kata = add(folder, meta, &api, &book, &mut solutions, &mut alternatives, &mut wrong).map_err(within)?;
        katas.push(kata);
    }
    let first = katas.first().ok_or("no katas")?;
    let spoils: String = metas.iter().map(|(meta, _)| meta.spoilt(&metas)).collect::<Result<_>>().map_err(within)?;
    let katas = katas.join(",\n");
    let told: String = chapters.iter().map(|chapter| chapter.code(&book)).collect::<Result<_>>().map_err(within)?;
    let museum = museum::read_all(&book).map_err(within)?;
    let levels = levels::json().map_err(within)?;
    let programs = "&[(&str, &[crate::Program])]";
    // One static for what the page shows at once and one each for the rest, so that what nobody asks for is dropped.
    let code = format!(
        "pub(crate) static KATAS: &[crate::Kata] = &[{katas}];\n\
         pub(crate) static FIRST: crate::Kata = {first};\n\
         pub(crate) static CHAPTERS: &[crate::Chapter] = &[{told}];\n\
         pub(crate) static CONTENTS: &[crate::Entry] = &[{}];\n\
         pub(crate) static MUSEUM: &[crate::Chapter] = &[{}];\n\
         pub(crate) static HALL: &[crate::Entry] = &[{}];\n\
         pub(crate) static LEVELS: &str = {levels:?};\n\
         pub(crate) static SPOILS: &[(&str, &str)] = &[{spoils}];\n\
         pub(crate) static SOLUTIONS: &[(&str, &str)] = &[{solutions}];\n\
         pub(crate) static ALTERNATIVES: {programs} = &[{alternatives}];\n\
         pub(crate) static WRONG: {programs} = &[{wrong}];\n",
        book.code(),
        museum.pages,
        museum.contents
    );
    let out = env::var("OUT_DIR").map_err(|e| format!("OUT_DIR: {e}"))?;
    write(&Path::new(&out).join("katas.rs"), &code)
}

/// The folders of katas, chapters or the museum, in order: those whose names begin with a digit.
fn folders(place: &str) -> Result<Vec<PathBuf>> {
    let mut folders = entries(Path::new(place))?;
    folders.retain(|path| path.is_dir() && name(path).starts_with(|c: char| c.is_ascii_digit()));
    Ok(folders)
}

fn add(
    folder: &Path,
    meta: &Meta,
    api: &str,
    book: &Book,
    solutions: &mut String,
    alternatives: &mut String,
    wrong: &mut String,
) -> Result<String> {
    let Meta { slug, title, summary, order, difficulty, minutes, diagram, starter_fails, hints, questions, .. } = meta;
    let chapter = chapter(&folder.join("README.md"), book)?;
    let starter = read(&folder.join("starter.py"))?;
    let questions = questions::code(questions);
    let neighbours = book.neighbours(&meta.page().address);
    let kata = format!(
        "crate::Kata {{ slug: {slug:?}, title: {title:?}, summary: {summary:?}, order: {order}, \
         difficulty: {difficulty:?}, minutes: {minutes}, diagram: {diagram:?}, chapter_html: {chapter:?}, \
         api_html: {api:?}, starter: {starter:?}, starter_fails: &{starter_fails:?}, hints: &{hints:?}, \
         questions: {questions}, {neighbours} }}"
    );
    solutions.push_str(&format!("({slug:?}, {:?}),\n", read(&folder.join("solution.py"))?));

    let (mut rest, mut killed) = (String::new(), String::new());
    for path in python_files(folder)? {
        match name(&path) {
            "starter.py" | "solution.py" => {}
            file if file.starts_with("alt_") => rest.push_str(&program(file, &read(&path)?, &Header::default())),
            _ => return Err(format!("{}: not starter.py, solution.py or alt_*.py", shown(&path))),
        }
    }
    for path in python_files(&folder.join("wrong"))? {
        let source = read(&path)?;
        let header = Header::read(&source).map_err(|message| format!("{}: {message}", shown(&path)))?;
        killed.push_str(&program(&format!("wrong/{}", name(&path)), &source, &header));
    }
    alternatives.push_str(&format!("({slug:?}, &[{rest}]),\n"));
    wrong.push_str(&format!("({slug:?}, &[{killed}]),\n"));
    Ok(kata)
}

impl Meta {
    /// The pair of its slug and the one of the kata that it spoils, as Rust.
    fn spoilt(&self, all: &[(Meta, PathBuf)]) -> Result<String> {
        let Meta { slug, spoils, .. } = self;
        match spoils {
            None => Ok(String::new()),
            Some(other) if all.iter().any(|(meta, _)| meta.slug == *other) => Ok(format!("({slug:?}, {other:?}), ")),
            Some(other) => Err(format!("{slug}: `spoils` is {other:?}, which is no kata")),
        }
    }

    fn page(&self) -> Page {
        let Meta { slug, title, summary, order, difficulty, minutes, .. } = self;
        Page {
            place: (*order, 1, 0),
            address: format!("#/kata/{slug}"),
            title: title.clone(),
            summary: summary.clone(),
            facts: format!("Kata {order} · {difficulty} · about {minutes} min"),
        }
    }
}

/// The chapter of a kata as HTML.
fn chapter(path: &Path, book: &Book) -> Result<String> {
    let wrong = |message: String| format!("{}: {message}", shown(path));
    let mut prose = prose::read(&read(path)?, prose::Away::NewTab).map_err(wrong)?;
    book.check(&prose.links).map_err(wrong)?;
    match prose.pictures.first() {
        Some(picture) => Err(wrong(format!("{} is a picture; those are for chapters without code", picture.what))),
        None => Ok(prose.parts.pop().unwrap_or_default()),
    }
}

fn program(file: &str, source: &str, Header { killed_by, bug, report }: &Header) -> String {
    format!(
        "crate::Program {{ file: {file:?}, source: {source:?}, killed_by: {killed_by:?}, bug: {bug:?}, \
         report: {report:?} }},\n"
    )
}

fn meta(folder: &Path) -> Result<Meta> {
    let path = folder.join("kata.toml");
    let wrong = |message: String| format!("{}: {message}", shown(&path));
    let meta = Meta::read(&read(&path)?).map_err(wrong)?;
    is_named(folder, meta.order, &meta.slug).map_err(wrong)?;
    Ok(meta)
}

/// Is the folder called what its file says?
fn is_named(folder: &Path, order: u32, slug: &str) -> Result<()> {
    let expected = format!("{order:02}-{slug}");
    if name(folder) == expected { Ok(()) } else { Err(format!("`order` and `slug` ask for the folder {expected}")) }
}

fn python_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = entries(folder)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    Ok(files)
}

/// Sorted, so that the same checkout gives the same statics everywhere.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e: std::io::Error| format!("{}: {e}", shown(folder));
    let mut paths = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>())
        .map_err(failed)?;
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", shown(path)))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}
