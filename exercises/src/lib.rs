//! The katas, embedded, the chapters without code between them, and the museum of real bugs.
//!
//! Everything a kata is made of lies in one folder, `NN-slug/`: the chapter, the starter, solutions right and wrong,
//! hints and questions. Authors edit these as the files they are, with their own tools, and never as Rust. The build
//! script turns the folders into statics and refuses those that are incomplete, so that there is nothing to parse,
//! to fetch or to fail on when the page runs. The chapter is already HTML.
//!
//! What the page shows at once is a [`Kata`]. What would spoil it (the solutions) or only tests need (the wrong
//! ones) is reached by functions of its own and lies in statics of its own: a program that does not ask for it does
//! not carry it.
//!
//! Whether a starter fails, a solution passes and a wrong one is caught is not decided here: this crate knows
//! nothing of the checker. `tests/walk.rs` brings the two together.
//!
//! ```
//! let kata = leasehold_exercises::kata("acquire-with-fencing").expect("the first kata");
//! assert_eq!(kata.order, 1);
//! assert!(kata.starter.contains("class LockManager"));
//! ```

#[cfg(test)]
#[path = "../build/api.rs"]
mod api;
mod file;
#[cfg(test)]
#[path = "../build/prose.rs"]
mod prose;

mod generated {
    include!(concat!(env!("OUT_DIR"), "/katas.rs"));
}

/// One exercise, as the page shows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Kata {
    /// Its name in addresses, commands and saved progress, such as `acquire-with-fencing`.
    pub slug: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is about, in one sentence.
    pub summary: &'static str,
    /// Its place in the list, from 1.
    pub order: u32,
    /// `warm-up`, `solid` or `hard`.
    pub difficulty: &'static str,
    /// How long it takes, reading included.
    pub minutes: u32,
    /// The drawing that its failures are shown as: `timeline`.
    pub diagram: &'static str,
    /// The chapter as HTML, headings from `h2` down, without scripts or inline styles.
    pub chapter_html: &'static str,
    /// What of `leasehold` it uses, as HTML; empty if it uses nothing.
    pub api_html: &'static str,
    /// The Python file that the learner begins with.
    pub starter: &'static str,
    /// The tests that the starter fails; it passes the others.
    pub starter_fails: &'static [&'static str],
    /// Hints, each saying more than the one before. Plain text; what stands between backticks is code.
    pub hints: &'static [&'static str],
    /// What an interviewer may ask next.
    pub questions: &'static [Question],
    /// The page before it in the book.
    pub previous: Option<Link>,
    /// The page after it.
    pub next: Option<Link>,
}

/// A chapter without code, or a page of the museum, as the page shows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Chapter {
    /// Its name in addresses, such as `testing-time`.
    pub slug: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is about, in one sentence.
    pub summary: &'static str,
    /// See [`Entry::facts`].
    pub facts: &'static str,
    /// The prose as HTML: up to the first picture, up to the next, and so on.
    pub parts: &'static [&'static str],
    /// What stands between the parts; one less than there are.
    pub pictures: &'static [Picture],
    /// What an interviewer may ask next; pages of the museum have none.
    pub questions: &'static [Question],
    /// The page before it in the book.
    pub previous: Option<Link>,
    /// The page after it.
    pub next: Option<Link>,
}

/// A picture that the reader can step through or ask.
#[derive(Debug, PartialEq, Eq)]
pub struct Picture {
    /// What to look at, as HTML.
    pub caption: &'static str,
    /// What is drawn.
    pub drawing: Drawing,
}

/// What a picture shows.
#[derive(Debug, PartialEq, Eq)]
pub enum Drawing {
    /// A run that is still to be made: the engine runs a program by a named test. The page's build does it, see
    /// app/editor/draw.mjs.
    Run {
        /// The suite: a kata's slug, or `stories`.
        kata: &'static str,
        /// The test in it.
        test: &'static str,
        /// The program.
        source: &'static str,
    },
    /// That run: a report with this one test, as JSON.
    Trace(&'static str),
    /// The states of a handle, and how one leads to another.
    States(&'static [Edge]),
    /// The ttl explorer, and what it is set to at first: what stands behind `#/ttl/` in the address of its own page.
    Explorer(&'static str),
}

/// A way from one state of a handle to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The state before: `acquiring`, `held`, `lost` or `released`.
    pub from: &'static str,
    /// The state after.
    pub to: &'static str,
    /// What leads there, in a few words.
    pub by: &'static str,
    /// What there is to know about it.
    pub why: &'static str,
}

/// A line of the contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it leads, such as `#/kata/storage-gate`.
    pub address: &'static str,
    /// See [`Kata::title`].
    pub title: &'static str,
    /// See [`Kata::summary`].
    pub summary: &'static str,
    /// What kind of page it is and how long it takes, in a few words. For a card of the museum the report that it retells,
    /// as `owner/repo#number`.
    pub facts: &'static str,
}

/// The way to another page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// See [`Entry::address`].
    pub address: &'static str,
    /// Its title.
    pub title: &'static str,
}

/// A follow-up question, for the learner to answer aloud or in writing.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
    /// What it is known by on its page. It stays when the words change.
    pub id: &'static str,
    /// The question.
    pub ask: &'static str,
    /// The points that a good answer makes.
    pub good: &'static [&'static str],
}

/// A Python file that the suite is held against.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    /// Its path inside the kata's folder, such as `wrong/never_expires.py`.
    pub file: &'static str,
    /// The whole file.
    pub source: &'static str,
    /// The test that must fail for it. Every wrong solution has one, no right one does.
    pub killed_by: Option<&'static str>,
    /// What is wrong with it, in one sentence. Every wrong solution has one, no right one does.
    pub bug: Option<&'static str>,
    /// The public report that it re-creates, as `owner/repo#number`. A report is not a confirmed defect.
    pub report: Option<&'static str>,
}

/// Katas and chapters, in the order of the book.
pub fn contents() -> &'static [Entry] {
    generated::CONTENTS
}

/// The chapters without code, in order.
pub fn chapters() -> &'static [Chapter] {
    generated::CHAPTERS
}

/// The pages of the museum of real bugs, in order. The sections of a page are cards, with one picture each.
pub fn museum() -> &'static [Chapter] {
    generated::MUSEUM
}

/// The contents of the museum: itself (`#/museum`), then each page (`#/museum/slug`), followed by its cards
/// (`#/museum/slug/id`).
pub fn hall() -> &'static [Entry] {
    generated::HALL
}

/// The levels of "Break it yourself", in order, as the JSON text that the page fetches and sends to the engine: an array of
/// objects with `slug`, `title`, `goal`, `world`, `breaks`, `allowed`, `most`, `shortest` (`null` if there is no attack),
/// `hint`, `why` and `source`, see `leasehold_checker::suites::attack::Level`.
pub fn levels() -> &'static str {
    generated::LEVELS
}

/// The first kata. A page that asks for this one alone does not carry the others, nor chapters and contents: it fetches
/// them as files, see [`Kata::to_file`].
pub fn first() -> &'static Kata {
    &generated::FIRST
}

/// How many katas there are; for a page that does not carry them.
pub const COUNT: usize = generated::KATAS.len();

/// All katas, in order.
pub fn katas() -> &'static [Kata] {
    generated::KATAS
}

/// The kata called `slug`.
pub fn kata(slug: &str) -> Option<&'static Kata> {
    katas().iter().find(|kata| kata.slug == slug)
}

/// The kata whose solution the starter of `slug` contains. Whoever has not solved that one should not be handed this one.
pub fn spoils(slug: &str) -> Option<&'static str> {
    generated::SPOILS.iter().find(|(spoiler, _)| *spoiler == slug).map(|(_, spoilt)| *spoilt)
}

/// The solution that is shown to those who ask for it.
pub fn solution(slug: &str) -> Option<&'static str> {
    of(slug, generated::SOLUTIONS)
}

/// Other right solutions, made as differently as the task allows. None for an unknown slug.
pub fn alternatives(slug: &str) -> &'static [Program] {
    of(slug, generated::ALTERNATIVES).unwrap_or_default()
}

/// Wrong solutions, each with one plausible mistake. None for an unknown slug.
pub fn wrong(slug: &str) -> &'static [Program] {
    of(slug, generated::WRONG).unwrap_or_default()
}

fn of<T: Copy>(slug: &str, table: &[(&str, T)]) -> Option<T> {
    table.iter().find(|(key, _)| *key == slug).map(|(_, value)| *value)
}
