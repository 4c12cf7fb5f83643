//! The report on a session, as Markdown to keep. What a learner typed, and what code of theirs said, stands in it as text: no
//! line of it can end a block, open a heading or make a link.

use super::past::{Answer, Entry};
use super::session::{Failed, Run, Session};
use super::times;
use crate::words::{parts, sentence};

/// What the report needs to know of the place where it is written.
pub struct Here<'a> {
    /// The page's address without what is asked for within it.
    pub page: &'a str,
    /// How many minutes the place is behind UTC.
    pub behind: i32,
    /// What the book says of the questions, as far as it is here.
    pub book: &'a [Asked],
}

/// A question of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The address of its page within the page, and its title.
    pub page: (&'static str, &'static str),
    /// Its own name there, see [`super::cards::id`].
    pub id: &'static str,
    /// What a good answer holds; what stands between backticks is code.
    pub good: &'static [&'static str],
}

/// A way to a timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// The address within the page.
    To(String),
    /// There is no timeline of that test.
    None,
    /// The code is too long for a link, or the browser can't make one.
    TooLong,
}

/// The report. `ways` are those of [`Session::failed`], in order.
pub fn markdown(entry: &Entry, ways: &[Way], here: &Here) -> String {
    let session = &entry.session;
    let mut out = ["# Interview practice: ", &inline(&session.title), "\n\n"].concat();
    for (what, value) in facts(entry, here) {
        out.push_str(&["- ", what, ": ", &value, "\n"].concat());
    }
    out.push_str("\n## Runs\n\n");
    out.push_str(&runs(session));
    if !session.failed.is_empty() {
        out.push_str("\n## What the last run broke\n\n");
        for (i, failed) in session.failed.iter().enumerate() {
            out.push_str(&broken(failed, ways.get(i).unwrap_or(&Way::None), here));
        }
        if session.code.as_deref() != Some(&*session.tried) {
            out.push_str("\nThe timelines are those of the code that ran; it was edited afterwards.\n");
        }
    }
    out.push_str("\n## Code\n\n");
    match &session.code {
        Some(code) => out.push_str(&fenced("python", code)),
        None => out.push_str("The starter was not touched.\n"),
    }
    if !entry.answers.is_empty() {
        out.push_str("\n## Questions\n");
        for answer in &entry.answers {
            out.push_str(&answered(answer, here));
        }
    }
    out
}

/// What the file is called.
pub fn file_name(session: &Session, behind: i32) -> String {
    ["leasehold-practice-", &times::date(times::day(session.started, behind)), "-", &session.kata, ".md"].concat()
}

/// How long it took, in words.
pub fn time_used(session: &Session) -> String {
    let used = session.used_ms(session.ended.unwrap_or(session.started)) / 1_000;
    let given = u64::from(session.minutes) * 60;
    let mut text = [&times::length(used), " of ", &times::length(given)].concat();
    if used > given {
        text.push_str(&[", ", &times::length(used - given), " over"].concat());
    }
    text
}

fn facts(entry: &Entry, here: &Here) -> Vec<(&'static str, String)> {
    let session = &entry.session;
    let date = times::date(times::day(session.started, here.behind));
    let kata = ["[", &inline(&session.title), "](", &link(here, &["#/kata/", &session.kata].concat()), ")"].concat();
    let pauses = match session.pauses {
        0 => "none".to_owned(),
        n => [&n.to_string(), ", ", &times::length(session.paused_ms / 1_000), " in all, not counted"].concat(),
    };
    let limit = if session.limited { "once a minute at most" } else { "as often as wanted" };
    let mut facts = vec![
        ("Date", [&date, ", ", &times::time_of_day(session.started, here.behind)].concat()),
        ("Kata", kata),
        ("Time used", time_used(session)),
        ("Pauses", pauses),
        ("Run Tests", limit.to_owned()),
    ];
    if let Some((passed, all)) = entry.score() {
        facts.push(("Last run", score(passed, all)));
    }
    if let Some(grade) = entry.grade {
        facts.push(("My own grade", grade.word().to_owned()));
    }
    facts
}

/// `3 of 15 tests passed`.
pub fn score(passed: u32, all: u32) -> String {
    [&passed.to_string(), " of ", &all.to_string(), " tests passed"].concat()
}

fn runs(session: &Session) -> String {
    if session.runs.is_empty() {
        return "The tests were not run.\n".to_owned();
    }
    let mut out = String::new();
    if session.runs_before > 0 {
        out.push_str(&["- earlier: ", &session.runs_before.to_string(), " runs that are not listed\n"].concat());
    }
    for Run { at, passed, all } in &session.runs {
        let came_to = if *all > 0 { score(*passed, *all) } else { "came to no report".to_owned() };
        out.push_str(&["- after ", &times::clock(at / 1_000), ": ", &came_to, "\n"].concat());
    }
    out
}

fn broken(failed: &Failed, way: &Way, here: &Here) -> String {
    let mut out = ["- **", &inline(&sentence(&failed.name)), "**"].concat();
    if !failed.message.is_empty() {
        out.push_str(&[": ", &inline(&failed.message)].concat());
    }
    match way {
        Way::To(hash) => out.push_str(&[" ([timeline](", &link(here, hash), "))"].concat()),
        Way::None => {}
        Way::TooLong => out.push_str(" (the code is too long for a link to the timeline)"),
    }
    out.push('\n');
    out
}

fn answered(answer: &Answer, here: &Here) -> String {
    let mut out = ["\n### ", &inline(&answer.ask), "\n\n"].concat();
    let asked = here.book.iter().find(|asked| asked.is(&answer.id));
    if let Some(Asked { page: (address, title), .. }) = asked {
        let questions = [address, "/questions"].concat();
        out.push_str(&["From [", &inline(title), "](", &link(here, &questions), "). "].concat());
    }
    out.push_str(&["My own grade: ", answer.grade.word(), ".\n"].concat());
    if !answer.text.is_empty() {
        out.push('\n');
        out.push_str(&quoted(&answer.text));
    }
    if let Some(asked) = asked {
        out.push_str("\nA good answer holds:\n\n");
        for point in asked.good {
            out.push_str(&["- ", &marked(point), "\n"].concat());
        }
    }
    out
}

impl Asked {
    fn is(&self, id: &str) -> bool {
        let slug = self.page.0.rsplit('/').next().unwrap_or_default();
        id == super::cards::id(slug, self.id)
    }
}

/// A line of ours, whose code between backticks stays code.
fn marked(text: &str) -> String {
    let part = |(is_code, part): (bool, &str)| {
        if is_code { ["`", part, "`"].concat() } else { escaped(part) }
    };
    parts(text).map(part).collect()
}

/// An address for the brackets of a link. Those that browsers make have neither spaces nor signs of Markdown but these.
fn link(here: &Here, hash: &str) -> String {
    [here.page, hash].concat().replace('(', "%28").replace(')', "%29").replace('<', "%3C").replace('\\', "%5C")
}

/// Text of one line, as text.
fn inline(text: &str) -> String {
    escaped(text).trim().to_owned()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            _ if letter.is_control() => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '~' | '|' | '#' | '!' | '$' => {
                out.push('\\');
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

/// Text of several lines, as a quotation.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for line in text.replace("\r\n", "\n").split(['\n', '\r']) {
        let line = inline(line);
        // What would make a list, a rule, a definition or a heading of the line before, at the beginning of one.
        let marks = line.chars().take_while(char::is_ascii_digit).count();
        let (digits, rest) = line.split_at(marks);
        let escaped = match rest.chars().next() {
            Some('-' | '+' | '=' | ':') if marks == 0 => "\\",
            Some('.' | ')') if marks > 0 => "\\",
            _ => "",
        };
        out.push_str([">", if line.is_empty() { "" } else { " " }, digits, escaped, rest, "\n"].concat().as_str());
    }
    out
}

/// Code between fences that are longer than any row of their sign in it.
fn fenced(language: &str, code: &str) -> String {
    let (mut longest, mut row) = (0, 0);
    for letter in code.chars() {
        row = if letter == '`' { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    let fence = "`".repeat((longest + 1).max(3));
    let end = if code.ends_with('\n') { "" } else { "\n" };
    [&fence, language, "\n", code, end, &fence, "\n"].concat()
}

#[cfg(test)]
mod tests;
