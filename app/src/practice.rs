//! Interview practice: a kata against the clock, then questions as cards that come back over days, then a report to keep.
//!
//! Here is what is pure, and the records in the browser's storage; [`crate::pictures`] draws it. A session happens on the
//! kata's own page, which knows of it only what [`seat`] says. Page and pictures are two programs and share a session
//! through its record: whoever changes it reads it first, so neither needs to hear of the other.
//!
//! | key | holds (all as [`rows`]) |
//! |---|---|
//! | `leasehold:practice:now` | the session that runs, or nothing ([`session`]) |
//! | `leasehold:practice` | those that are over, the newest first ([`past`]) |
//! | `leasehold:cards` | what is known of each card ([`cards`]) |
//! | `leasehold:practice:draft` | an answer that is not graded yet ([`past::draft`]) |

pub mod cards;
pub mod deal;
pub mod draw;
pub mod past;
pub mod report;
pub mod rows;
pub mod seat;
pub mod session;
#[cfg(test)]
mod tests;
pub mod times;

/// Where one begins, and where all that was done is listed.
pub const HOME: &str = "#/practice";
/// The session that runs.
pub const NOW: &str = "#/practice/now";
/// The cards that are due.
pub const CARDS: &str = "#/practice/cards";
/// In a session, the way from the coding part to the questions. The strip above the editor takes it, see
/// `pictures::practice`; from anywhere else it leads to [`HOME`], which shows the session.
pub const ON: &str = "#/practice/on";
/// Before the number of a session that is over: the questions after it.
pub const AFTER: &str = "#/practice/after/";
/// Before that number: its report.
pub const REPORT: &str = "#/practice/report/";

/// How one judges an answer of one's own, or a whole session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// It was not there.
    Missed,
    /// Some of it was.
    Partly,
    /// It was all there.
    Well,
}

impl Grade {
    /// All, in the order of their keys 1, 2, 3.
    pub const ALL: [Grade; 3] = [Grade::Missed, Grade::Partly, Grade::Well];

    /// The grade that this word is.
    pub fn of(word: &str) -> Option<Grade> {
        Grade::ALL.into_iter().find(|grade| grade.word() == word)
    }

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Grade::Missed => "missed",
            Grade::Partly => "partly",
            Grade::Well => "well",
        }
    }
}
