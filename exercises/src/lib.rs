//! The katas, embedded.
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

mod file;

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
    /// The Python file that the learner begins with.
    pub starter: &'static str,
    /// The tests that the starter fails; it passes the others.
    pub starter_fails: &'static [&'static str],
    /// Hints, each saying more than the one before. Plain text; what stands between backticks is code.
    pub hints: &'static [&'static str],
    /// What an interviewer may ask next.
    pub questions: &'static [Question],
}

/// What a list of katas needs to know of one.
#[derive(Debug, PartialEq, Eq)]
pub struct Head {
    /// See [`Kata::slug`].
    pub slug: &'static str,
    /// See [`Kata::title`].
    pub title: &'static str,
    /// See [`Kata::order`].
    pub order: u32,
}

/// A follow-up question, for the learner to answer aloud or in writing.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
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

/// The katas' names, in order. A page that asks for these and for [`first`] does not carry the others: it fetches
/// them as files, see [`Kata::to_file`].
pub fn heads() -> &'static [Head] {
    generated::HEADS
}

/// The first kata.
pub fn first() -> &'static Kata {
    &generated::FIRST
}

/// All katas, in order.
pub fn katas() -> &'static [Kata] {
    generated::KATAS
}

/// The kata called `slug`.
pub fn kata(slug: &str) -> Option<&'static Kata> {
    katas().iter().find(|kata| kata.slug == slug)
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
