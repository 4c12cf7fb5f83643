//! The museum of real bugs: `museum/NN-slug/` with `README.md` and `chapter.toml`. A page is a chapter without code whose
//! sections are cards. A card retells a public report and shows a wrong solution that is made like it, so it names a
//! report, a file whose header names the same, and lines that stand in that file and in the kata's solution.

use crate::book::{Book, Page};
use crate::chapters::{Run, with_caption};
use crate::meta::Header;
use crate::prose::{self, Away, Prose};
use crate::{Result, folders, is_named, read, shown};
use serde::Deserialize;
use std::path::Path;

/// Where the contents of the museum are.
const HALL: &str = "#/museum";
/// Where a link to the card's own run leads until the page's build (app/editor/draw.mjs) has made that run.
const OWN_RUN: &str = "#/shared";

/// `chapter.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    slug: String,
    title: String,
    summary: String,
    order: u32,
    minutes: u32,
    /// In the order of the sections.
    cards: Vec<About>,
}

/// What the contents of the museum say of a card.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    id: String,
    summary: String,
}

/// A folder that was read.
struct Theme {
    meta: Meta,
    prose: Prose,
    cards: Vec<Card>,
}

struct Card {
    title: String,
    /// As `owner/repo#number`.
    report: String,
    run: Run,
}

/// The museum: its pages as Rust, and its contents.
pub struct Museum {
    /// `crate::Chapter`s.
    pub pages: String,
    /// `crate::Entry`s: the museum itself, then each page, followed by its cards.
    pub contents: String,
}

/// Reads the museum. `book` is where its links may lead.
///
/// # Errors
/// What is wrong with which file.
pub fn read_all(book: &Book) -> Result<Museum> {
    let themes: Vec<Theme> =
        folders("museum")?.iter().map(|folder| Theme::read(folder, book)).collect::<Result<_>>()?;
    let count = themes.iter().map(|theme| theme.cards.len()).sum::<usize>();
    let hall = Page {
        place: (0, 0, 0),
        address: HALL.to_owned(),
        title: "Museum of real bugs".to_owned(),
        summary:
            "Reports about lock libraries, retold in our own words. The code on each card is ours: a wrong solution \
                  that fails in much the same way, with a run that shows it. A report is a report: some are open, some \
                  are pull requests, and we held none of them against its library."
                .to_owned(),
        facts: format!("{count} public reports"),
    };
    let mut lines = vec![hall];
    for theme in &themes {
        lines.push(theme.page());
        lines.extend(theme.cards());
    }
    let rooms = Book::bound(lines.iter().filter(|page| page.place.2 == 0).cloned().collect());
    Ok(Museum { pages: themes.iter().map(|theme| theme.code(&rooms)).collect(), contents: Book::bound(lines).code() })
}

impl Theme {
    fn read(folder: &Path, book: &Book) -> Result<Self> {
        let path = folder.join("chapter.toml");
        let wrong = |message: String| format!("{}: {message}", shown(&path));
        let meta: Meta = toml::from_str(&read(&path)?).map_err(|e| wrong(e.to_string()))?;
        is_named(folder, meta.order, &meta.slug).map_err(wrong)?;
        if meta.title.is_empty() || meta.summary.is_empty() || meta.minutes == 0 {
            return Err(wrong("`title`, `summary` or `minutes` is empty".to_owned()));
        }
        let path = folder.join("README.md");
        let wrong = |message: String| format!("{}: {message}", shown(&path));
        let text = read(&path)?;
        let prose = prose::read(&text, Away::SameTab).map_err(wrong)?;
        let sections: Vec<String> = text.split("\n## ").skip(1).map(|section| format!("## {section}")).collect();
        if sections.len() != meta.cards.len() || meta.cards.iter().any(|about| about.summary.is_empty()) {
            return Err(wrong(
                "chapter.toml has other `cards` than there are sections, or one without a summary".into(),
            ));
        }
        let cards = sections.iter().zip(&meta.cards).map(|(section, about)| {
            Card::read(section, &about.id, book).map_err(|message| wrong(format!("{}: {message}", about.id)))
        });
        Ok(Theme { cards: cards.collect::<Result<_>>()?, meta, prose })
    }

    fn page(&self) -> Page {
        let Meta { slug, title, summary, order, minutes, .. } = &self.meta;
        Page {
            place: (*order, 0, 0),
            address: format!("{HALL}/{slug}"),
            title: title.clone(),
            summary: summary.clone(),
            facts: format!("{} reports · about {minutes} min", self.cards.len()),
        }
    }

    /// The lines below its own.
    fn cards(&self) -> impl Iterator<Item = Page> {
        let Meta { slug, order, cards, .. } = &self.meta;
        self.cards.iter().zip(cards).zip(1..).map(move |((card, about), at)| Page {
            place: (*order, 0, at),
            address: format!("{HALL}/{slug}/{}", about.id),
            title: card.title.clone(),
            summary: about.summary.clone(),
            facts: card.report.clone(),
        })
    }

    fn code(&self, rooms: &Book) -> String {
        let pictures = self.prose.pictures.iter().zip(&self.cards);
        let pictures: String = pictures.map(|(picture, card)| with_caption(picture, &card.run.code())).collect();
        self.page().code(&self.meta.slug, &self.prose.parts, &pictures, "&[]", rooms)
    }
}

impl Card {
    fn read(section: &str, id: &str, book: &Book) -> Result<Self> {
        let Prose { pictures, links, away, headings, blocks, .. } = prose::read(section, Away::SameTab)?;
        let ([heading], [picture], [link]) = (&headings[..], &pictures[..], &away[..]) else {
            return Err("a card has one heading with an id, one picture and one link to a report".to_owned());
        };
        if heading.id != id {
            return Err(format!("the heading's id is {:?}", heading.id));
        }
        let run = Run::of_kata(&picture.what)?;
        let source = Header::read(&run.source)?.report.ok_or_else(|| format!("{} names no report", run.file))?;
        let report = Report::read(&source).ok_or_else(|| format!("{source} in {} is no report", run.file))?;
        if !report.is_at(link) {
            return Err(format!("{} is made like {source}, and the link leads to {link}", run.file));
        }
        let (own, others): (Vec<String>, Vec<String>) = links.into_iter().partition(|link| link == OWN_RUN);
        book.check(&others)?;
        if own.len() != 1 || others != [format!("#/kata/{}", run.kata)] {
            return Err(format!("a card has one link to {OWN_RUN} and one to its kata"));
        }
        let [shape, fix] = &blocks[..] else {
            return Err("a card has two blocks of code: the shape and the fix".to_owned());
        };
        stands_in(shape, &run.source).map_err(|line| format!("{} has no line `{line}`", run.file))?;
        let solution = run.folder.join("solution.py");
        stands_in(fix, &read(&solution)?).map_err(|line| format!("{} has no line `{line}`", shown(&solution)))?;
        Ok(Card { title: heading.title.clone(), report: format!("{}#{}", report.repo, report.number), run })
    }
}

/// A public report.
struct Report {
    /// `owner/repo`.
    repo: String,
    number: String,
    is_pull: bool,
}

impl Report {
    /// Reads what stands in a header: `owner/repo#1`, `owner/repo PR #1`, perhaps with another name of it in parentheses.
    fn read(text: &str) -> Option<Report> {
        let text = text.split_once(" (").map_or(text, |(report, _)| report);
        let (repo, number) = text.split_once('#')?;
        let pull = repo.strip_suffix(" PR ");
        let repo = pull.unwrap_or(repo);
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        };
        let (owner, name) = repo.split_once('/')?;
        let fits = is_name(owner) && is_name(name) && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        fits.then(|| Report { repo: repo.to_owned(), number: number.to_owned(), is_pull: pull.is_some() })
    }

    /// Is this its address? Older headers don't say of each pull request that it is one.
    fn is_at(&self, link: &str) -> bool {
        let at = |kind: &str| link == format!("https://github.com/{}/{kind}/{}", self.repo, self.number);
        at("pull") || (!self.is_pull && at("issues"))
    }
}

/// Is each line of the block one of the program?
fn stands_in<'a>(block: &'a str, program: &str) -> std::result::Result<(), &'a str> {
    let stands = |line: &&str| line.trim().is_empty() || program.lines().any(|other| other.trim() == line.trim());
    block.lines().find(|line| !stands(line)).map_or(Ok(()), |line| Err(line.trim()))
}
