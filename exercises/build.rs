//! Checks the folders `NN-slug/` and writes them down as Rust statics, `$OUT_DIR/katas.rs`. Whatever is unknown,
//! missing or out of place is an error that names the file and the key: a kata that is half there must not build.
#![allow(clippy::print_stdout, reason = "cargo reads a build script's standard output")]

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::{env, fs};

type Result<T> = std::result::Result<T, String>;

const DIFFICULTIES: [&str; 3] = ["warm-up", "solid", "hard"];
const DIAGRAMS: [&str; 1] = ["timeline"];

fn main() {
    // The whole package, since cargo can't watch for a new folder alone.
    println!("cargo::rerun-if-changed=.");
    if let Err(message) = generate() {
        message.lines().for_each(|line| println!("cargo::error={line}"));
    }
}

/// `kata.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    slug: String,
    title: String,
    summary: String,
    order: u32,
    difficulty: String,
    minutes: u32,
    diagram: String,
    starter_fails: Vec<String>,
    hints: Vec<String>,
    questions: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    ask: String,
    good: Vec<String>,
}

/// The comment lines at the top of a wrong solution.
#[derive(Default)]
struct Header {
    killed_by: Option<String>,
    bug: Option<String>,
    report: Option<String>,
}

fn generate() -> Result<()> {
    let mut katas = String::new();
    let (mut heads, mut solutions, mut alternatives, mut wrong) = Default::default();
    let mut first = String::new();
    for folder in folders()? {
        let kata = add(&folder, &mut heads, &mut solutions, &mut alternatives, &mut wrong)
            .map_err(|message| format!("exercises/{message}"))?;
        if first.is_empty() {
            first.clone_from(&kata);
        }
        katas = format!("{katas}{kata},\n");
    }
    let programs = "&[(&str, &[crate::Program])]";
    // One static for what the page shows at once and one each for the rest, so that what nobody asks for is dropped.
    let code = format!(
        "pub(crate) static KATAS: &[crate::Kata] = &[{katas}];\n\
         pub(crate) static FIRST: crate::Kata = {first};\n\
         pub(crate) static HEADS: &[crate::Head] = &[{heads}];\n\
         pub(crate) static SOLUTIONS: &[(&str, &str)] = &[{solutions}];\n\
         pub(crate) static ALTERNATIVES: {programs} = &[{alternatives}];\n\
         pub(crate) static WRONG: {programs} = &[{wrong}];\n"
    );
    let out = env::var("OUT_DIR").map_err(|e| format!("OUT_DIR: {e}"))?;
    write(&Path::new(&out).join("katas.rs"), &code)
}

/// The folders of the katas, in order: those whose names begin with a digit.
fn folders() -> Result<Vec<PathBuf>> {
    let mut folders = entries(Path::new("."))?;
    folders.retain(|path| path.is_dir() && name(path).starts_with(|c: char| c.is_ascii_digit()));
    Ok(folders)
}

fn add(
    folder: &Path,
    heads: &mut String,
    solutions: &mut String,
    alternatives: &mut String,
    wrong: &mut String,
) -> Result<String> {
    let meta = meta(folder)?;
    let Meta { slug, title, summary, order, difficulty, minutes, diagram, starter_fails, hints, questions } = &meta;
    let chapter = chapter(&folder.join("README.md"))?;
    let starter = read(&folder.join("starter.py"))?;
    let questions: String = questions
        .iter()
        .map(|Question { ask, good }| format!("crate::Question {{ ask: {ask:?}, good: &{good:?} }}, "))
        .collect();
    heads.push_str(&format!("crate::Head {{ slug: {slug:?}, title: {title:?}, order: {order} }},\n"));
    let kata = format!(
        "crate::Kata {{ slug: {slug:?}, title: {title:?}, summary: {summary:?}, order: {order}, \
         difficulty: {difficulty:?}, minutes: {minutes}, diagram: {diagram:?}, chapter_html: {chapter:?}, \
         starter: {starter:?}, starter_fails: &{starter_fails:?}, hints: &{hints:?}, questions: &[{questions}] }}"
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
        let header = header(&source).map_err(|message| format!("{}: {message}", shown(&path)))?;
        killed.push_str(&program(&format!("wrong/{}", name(&path)), &source, &header));
    }
    alternatives.push_str(&format!("({slug:?}, &[{rest}]),\n"));
    wrong.push_str(&format!("({slug:?}, &[{killed}]),\n"));
    Ok(kata)
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
    let meta: Meta = toml::from_str(&read(&path)?).map_err(|e| wrong(e.to_string()))?;

    let expected = format!("{:02}-{}", meta.order, meta.slug);
    if name(folder) != expected {
        return Err(wrong(format!("`order` and `slug` ask for the folder {expected}")));
    }
    for (key, value, allowed) in
        [("difficulty", &meta.difficulty, &DIFFICULTIES[..]), ("diagram", &meta.diagram, &DIAGRAMS[..])]
    {
        if !allowed.contains(&value.as_str()) {
            return Err(wrong(format!("`{key}` is {value:?}, not one of {allowed:?}")));
        }
    }
    let empty = [
        ("title", meta.title.is_empty()),
        ("summary", meta.summary.is_empty()),
        ("minutes", meta.minutes == 0),
        ("starter_fails", meta.starter_fails.is_empty()),
        ("hints", meta.hints.is_empty()),
        ("questions", meta.questions.is_empty()),
        ("good", meta.questions.iter().any(|q| q.good.is_empty())),
    ];
    match empty.iter().find(|(_, is_empty)| *is_empty) {
        Some((key, _)) => Err(wrong(format!("`{key}` is empty"))),
        None => Ok(meta),
    }
}

fn header(source: &str) -> Result<Header> {
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

/// The chapter as HTML: links that leave the page open a new one, code blocks and tables can be styled and (where
/// they are wider than the column) scrolled by keyboard, and there are no inline styles.
fn chapter(path: &Path) -> Result<String> {
    let markdown = read(path)?;
    let mut events = Vec::new();
    let mut columns = Vec::new();
    let mut column = 0;
    let mut cell = "td";
    for event in Parser::new_ext(&markdown, Options::ENABLE_TABLES) {
        events.push(match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => {
                return Err(format!("{}: a heading `#`; the page's title comes from kata.toml", shown(path)));
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                return Err(format!("{}: raw HTML: {}", shown(path), html.trim()));
            }
            Event::Start(Tag::Link { dest_url, .. }) if is_external(&dest_url) => raw(format!(
                r#"<a href="{}" target="_blank" rel="noopener noreferrer">"#,
                dest_url.replace('&', "&amp;").replace('"', "&quot;")
            )),
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match &kind {
                    CodeBlockKind::Fenced(info) if !info.is_empty() => info,
                    _ => "text",
                };
                raw(format!(r#"<pre class="code" tabindex="0"><code class="language-{language}">"#))
            }
            Event::End(TagEnd::CodeBlock) => raw("</code></pre>\n"),
            Event::Start(Tag::Table(alignments)) => {
                columns = alignments;
                raw(r#"<div class="table" tabindex="0"><table>"#)
            }
            Event::Start(Tag::TableHead) => {
                (cell, column) = ("th", 0);
                raw("<thead><tr>")
            }
            Event::End(TagEnd::TableHead) => {
                cell = "td";
                raw("</tr></thead><tbody>\n")
            }
            Event::Start(Tag::TableRow) => {
                column = 0;
                raw("<tr>")
            }
            Event::End(TagEnd::TableRow) => raw("</tr>\n"),
            Event::Start(Tag::TableCell) => {
                let scope = if cell == "th" { r#" scope="col""# } else { "" };
                let class = match columns.get(column) {
                    Some(Alignment::Right) => r#" class="right""#,
                    Some(Alignment::Center) => r#" class="center""#,
                    _ => "",
                };
                column += 1;
                raw(format!("<{cell}{scope}{class}>"))
            }
            Event::End(TagEnd::TableCell) => raw(format!("</{cell}>")),
            Event::End(TagEnd::Table) => raw("</tbody></table></div>\n"),
            other => other,
        });
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    Ok(out)
}

fn raw<'a>(html: impl Into<CowStr<'a>>) -> Event<'a> {
    Event::Html(html.into())
}

fn is_external(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
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
