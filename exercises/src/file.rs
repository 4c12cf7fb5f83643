//! A kata as a file that the page fetches: its fields, in order, between separators that no text contains. Not JSON: the
//! page is counted in kilobytes, and reading this takes a few lines.

use crate::{Kata, Question};

/// Between fields.
const FIELD: char = '\u{1e}';
/// Between the items of a list.
const ITEM: char = '\u{1f}';
/// Between a question and the points of its answer.
const POINT: char = '\u{1d}';

impl Kata {
    /// The file.
    pub fn to_file(&self) -> String {
        let Kata {
            slug,
            title,
            summary,
            difficulty,
            diagram,
            chapter_html,
            starter,
            starter_fails,
            hints,
            questions,
            ..
        } = self;
        let (order, minutes) = (self.order.to_string(), self.minutes.to_string());
        let list = |items: &[&str]| items.join(&ITEM.to_string());
        let question = |q: &Question| {
            let parts: Vec<&str> = std::iter::once(q.ask).chain(q.good.iter().copied()).collect();
            parts.join(&POINT.to_string())
        };
        let questions: Vec<String> = questions.iter().map(question).collect();
        let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
        let (fails, hints, questions) = (list(starter_fails), list(hints), list(&questions));
        let fields: [&str; 12] = [
            slug,
            title,
            summary,
            &order,
            difficulty,
            &minutes,
            diagram,
            chapter_html,
            starter,
            &fails,
            &hints,
            &questions,
        ];
        fields.join(&FIELD.to_string())
    }

    /// Reads such a file; none if it is something else. The text stays for good, as those that are compiled in do.
    pub fn from_file(text: String) -> Option<&'static Kata> {
        let text: &'static str = String::leak(text);
        let fields: Vec<&'static str> = text.split(FIELD).collect();
        let [slug, title, summary, order, difficulty, minutes, diagram, chapter_html, starter, fails, hints, questions] =
            *fields.as_slice()
        else {
            return None;
        };
        let list = |text: &'static str| -> &'static [&'static str] { text.split(ITEM).collect::<Vec<_>>().leak() };
        let question = |text: &'static str| {
            let (ask, good) = text.split_once(POINT)?;
            Some(Question { ask, good: good.split(POINT).collect::<Vec<_>>().leak() })
        };
        let questions: Vec<Question> = questions.split(ITEM).map(question).collect::<Option<_>>()?;
        Some(Box::leak(Box::new(Kata {
            slug,
            title,
            summary,
            order: order.parse().ok()?,
            difficulty,
            minutes: minutes.parse().ok()?,
            diagram,
            chapter_html,
            starter,
            starter_fails: list(fails),
            hints: list(hints),
            questions: questions.leak(),
        })))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Kata, first, heads, katas};

    #[test]
    fn every_kata_comes_back_from_its_file() {
        for kata in katas() {
            assert_eq!(Kata::from_file(kata.to_file()), Some(kata));
        }
    }

    #[test]
    fn what_is_no_kata_is_none() {
        let file = katas()[0].to_file();
        for text in ["", "<!doctype html>", &file[..file.len() / 2], &file.replacen("1", "x", 400)] {
            assert_eq!(Kata::from_file(text.to_owned()), None);
        }
    }

    #[test]
    fn the_heads_and_the_first_are_those_of_the_katas() {
        assert_eq!(first(), &katas()[0]);
        let of = |kata: &Kata| (kata.slug, kata.title, kata.order);
        assert!(heads().iter().map(|h| (h.slug, h.title, h.order)).eq(katas().iter().map(of)));
    }
}
