//! Katas, chapters, the museum and the contents as files that the page fetches: their fields, in order, between separators that no
//! text contains. Not JSON: the page is counted in kilobytes, and reading this takes a few lines.

use crate::{Chapter, Drawing, Edge, Entry, Kata, Link, Picture, Question};

/// Between fields.
const FIELD: char = '\u{1e}';
/// Between the items of a list.
const ITEM: char = '\u{1f}';
/// Between the parts of an item.
const PART: char = '\u{1d}';
/// Between the edges of a drawing.
const PIECE: char = '\u{1c}';
/// Between what is said of an edge.
const WORDS: char = '\u{1b}';

type Text = &'static str;

impl Kata {
    /// The file.
    pub fn to_file(&self) -> String {
        let fields = [
            self.slug,
            self.title,
            self.summary,
            &self.order.to_string(),
            self.difficulty,
            &self.minutes.to_string(),
            self.diagram,
            self.chapter_html,
            self.api_html,
            self.starter,
            &join(self.starter_fails, ITEM),
            &join(self.hints, ITEM),
            &Question::to_list(self.questions),
            &link(self.previous),
            &link(self.next),
        ];
        join(&fields, FIELD)
    }

    /// Reads such a file; none if it is something else. The text stays for good, as those that are compiled in do.
    pub fn from_file(text: String) -> Option<&'static Kata> {
        let fields = split(String::leak(text), FIELD);
        let [
            slug,
            title,
            summary,
            order,
            difficulty,
            minutes,
            diagram,
            chapter_html,
            api_html,
            starter,
            fails,
            hints,
            questions,
            previous,
            next,
        ] = *fields
        else {
            return None;
        };
        Some(Box::leak(Box::new(Kata {
            slug,
            title,
            summary,
            order: order.parse().ok()?,
            difficulty,
            minutes: minutes.parse().ok()?,
            diagram,
            chapter_html,
            api_html,
            starter,
            starter_fails: split(fails, ITEM),
            hints: split(hints, ITEM),
            questions: Question::of_list(questions)?,
            previous: link_of(previous),
            next: link_of(next),
        })))
    }
}

impl Chapter {
    /// The file.
    pub fn to_file(&self) -> String {
        let pictures: Vec<String> = self.pictures.iter().map(Picture::to_item).collect();
        let fields = [
            self.slug,
            self.title,
            self.summary,
            self.facts,
            &join(self.parts, ITEM),
            &join(&pictures, ITEM),
            &Question::to_list(self.questions),
            &link(self.previous),
            &link(self.next),
        ];
        join(&fields, FIELD)
    }

    /// Reads such a file; none if it is something else.
    pub fn from_file(text: String) -> Option<&'static Chapter> {
        let fields = split(String::leak(text), FIELD);
        let [slug, title, summary, facts, parts, pictures, questions, previous, next] = *fields else { return None };
        Some(Box::leak(Box::new(Chapter {
            slug,
            title,
            summary,
            facts,
            parts: split(parts, ITEM),
            pictures: list(pictures, ITEM, Picture::of_item)?,
            questions: Question::of_list(questions)?,
            previous: link_of(previous),
            next: link_of(next),
        })))
    }
}

impl Question {
    fn to_list(all: &[Question]) -> String {
        let item = |q: &Question| join(&[&[q.id, q.ask], q.good].concat(), PART);
        join(&all.iter().map(item).collect::<Vec<_>>(), ITEM)
    }

    fn of_list(text: Text) -> Option<&'static [Question]> {
        if text.is_empty() {
            return Some(&[]);
        }
        list(text, ITEM, |item| match *split(item, PART) {
            [id, ask, ref good @ ..] => Some(Question { id, ask, good }),
            _ => None,
        })
    }
}

impl Picture {
    fn to_item(&self) -> String {
        let caption = self.caption;
        match self.drawing {
            // The page's build (app/editor/draw.mjs) puts the next kind in its place.
            Drawing::Run { kata, test, source } => join(&[caption, "run", kata, test, source], PART),
            Drawing::Trace(json) => join(&[caption, "trace", json], PART),
            Drawing::States(edges) => {
                let edges: Vec<String> = edges.iter().map(|e| join(&[e.from, e.to, e.by, e.why], WORDS)).collect();
                join(&[caption, "states", &join(&edges, PIECE)], PART)
            }
            Drawing::Explorer(settings) => join(&[caption, "explorer", settings], PART),
        }
    }

    fn of_item(text: Text) -> Option<Picture> {
        let (caption, what) = text.split_once(PART)?;
        let drawing = match *split(what, PART) {
            ["run", kata, test, source] => Drawing::Run { kata, test, source },
            ["trace", json] => Drawing::Trace(json),
            ["states", edges] => Drawing::States(list(edges, PIECE, edge)?),
            ["explorer", settings] => Drawing::Explorer(settings),
            _ => return None,
        };
        Some(Picture { caption, drawing })
    }
}

fn edge(text: Text) -> Option<Edge> {
    let [from, to, by, why] = *split(text, WORDS) else { return None };
    Some(Edge { from, to, by, why })
}

impl Entry {
    /// The contents as a file.
    pub fn to_file(entries: &[Entry]) -> String {
        let items: Vec<String> =
            entries.iter().map(|e| join(&[e.address, e.title, e.summary, e.facts], PART)).collect();
        join(&items, ITEM)
    }

    /// Reads such a file; none if it is something else.
    pub fn from_file(text: String) -> Option<&'static [Entry]> {
        list(String::leak(text), ITEM, |item| {
            let [address, title, summary, facts] = *split(item, PART) else { return None };
            Some(Entry { address, title, summary, facts })
        })
    }
}

fn link(link: Option<Link>) -> String {
    link.map(|link| join(&[link.address, link.title], PART)).unwrap_or_default()
}

fn link_of(text: Text) -> Option<Link> {
    text.split_once(PART).map(|(address, title)| Link { address, title })
}

fn join<S: AsRef<str>>(parts: &[S], between: char) -> String {
    let mut text = String::new();
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            text.push(between);
        }
        text.push_str(part.as_ref());
    }
    text
}

fn split(text: Text, between: char) -> &'static [Text] {
    text.split(between).collect::<Vec<_>>().leak()
}

fn list<T>(text: Text, between: char, read: fn(Text) -> Option<T>) -> Option<&'static [T]> {
    let mut items = Vec::new();
    for item in split(text, between) {
        items.push(read(item)?);
    }
    Some(items.leak())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{chapters, contents, first, hall, katas, museum};

    #[test]
    fn everything_comes_back_from_its_file() {
        for kata in katas() {
            assert_eq!(Kata::from_file(kata.to_file()), Some(kata));
        }
        for chapter in chapters().iter().chain(museum()) {
            assert_eq!(Chapter::from_file(chapter.to_file()), Some(chapter));
        }
        for entries in [contents(), hall()] {
            assert_eq!(Entry::from_file(Entry::to_file(entries)), Some(entries));
        }
    }

    #[test]
    fn a_run_that_was_made_comes_back() {
        let picture = Picture { caption: "Look", drawing: Drawing::Trace(r#"{"tests":[]}"#) };
        assert_eq!(Picture::of_item(String::leak(picture.to_item())), Some(picture));
    }

    #[test]
    fn what_is_something_else_is_none() {
        let file = katas()[0].to_file();
        for text in ["", "<!doctype html>", &file[..file.len() / 2], &file.replacen("1", "x", 400)] {
            assert_eq!(Kata::from_file(text.to_owned()), None);
            assert_eq!(Chapter::from_file(text.to_owned()), None);
            assert_eq!(Entry::from_file(text.to_owned()), None);
        }
    }

    #[test]
    fn the_first_is_that_of_the_katas() {
        assert_eq!(first(), &katas()[0]);
    }
}
