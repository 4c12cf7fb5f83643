//! All there is to read, cut into sections. It is fetched once, file by file, and stays as long as the page.

use super::cut::{Cut, cut};
use crate::address::{self, TOOLS};
use leasehold_exercises::{Chapter, Entry, Kata, Question};
use std::cell::RefCell;
use yew::Callback;

/// A place that can be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Where it is.
    pub address: String,
    /// The page's title.
    pub page: &'static str,
    /// What stands before that title, where it is not all that is to be said.
    pub place: &'static str,
    /// Its heading; for a page as a whole its title.
    pub heading: String,
    /// What it says.
    pub text: String,
    /// The same in small letters.
    pub lower: String,
    /// The place of the page among all.
    pub order: usize,
    /// What a word in its heading is worth, see [`super::rank`].
    pub heading_is_worth: u32,
}

/// All of it, as far as it is here.
#[derive(Default)]
pub struct Library {
    /// In the order in which they came.
    pub sections: Vec<Section>,
    /// How many files are on their way.
    pub coming: usize,
    /// What could not be had.
    pub missing: Vec<File>,
    is_open: bool,
}

/// A file to be fetched.
#[derive(Clone)]
pub struct File {
    name: String,
    title: &'static str,
    address: &'static str,
    facts: &'static str,
    order: usize,
}

thread_local! {
    static LIBRARY: RefCell<Library> = RefCell::default();
}

/// The lists of what there is.
const LISTS: [(&str, &str); 2] = [("book.contents", "the contents"), ("museum.contents", "the contents of the museum")];

impl Library {
    /// Looks into it.
    pub fn with<T>(look: impl FnOnce(&Library) -> T) -> T {
        LIBRARY.with_borrow(look)
    }

    /// Fetches what was not fetched yet, or could not be had. `came` is called for each file.
    pub fn open(came: Callback<()>) {
        let files = LIBRARY.with_borrow_mut(|library| {
            let again = std::mem::take(&mut library.missing);
            if std::mem::replace(&mut library.is_open, true) {
                return again;
            }
            library.tools();
            let list =
                |(name, title): (&str, _)| File { name: name.to_owned(), title, address: "", facts: "", order: 0 };
            LISTS.into_iter().map(list).collect()
        });
        fetch(files, &came);
    }

    /// The titles of what could not be had.
    pub fn missing_titles(&self) -> String {
        let titles: Vec<&str> = self.missing.iter().map(|file| file.title).collect();
        titles.join(", ")
    }

    /// The pages that are no prose.
    fn tools(&mut self) {
        for tool in TOOLS {
            if let Some(summary) = tool.summary {
                let address = ["#/", tool.kind].concat();
                let section =
                    Section::new(address, tool.title, "", tool.title.to_owned(), summary.to_owned(), usize::MAX);
                self.sections.push(Section { place: "To play with: ", heading_is_worth: PAGE, ..section });
            }
        }
    }

    /// Takes in a file, and says which are to be fetched now.
    fn take(&mut self, file: File, text: Option<String>) -> Vec<File> {
        self.coming -= 1;
        match text
            .and_then(|text| if file.address.is_empty() { listed(text, &file.name) } else { self.read(&file, text) })
        {
            Some(more) => more,
            None => {
                self.missing.push(file);
                Vec::new()
            }
        }
    }

    fn read(&mut self, file: &File, text: String) -> Option<Vec<File>> {
        let sections = if file.name.ends_with(".kata") {
            of_kata(file, Kata::from_file(text)?)
        } else {
            of_chapter(file, Chapter::from_file(text)?)
        };
        for section in sections {
            // What several katas import stands beside each of them; once is enough.
            let known = |other: &Section| {
                other.place == API && (&other.heading, &other.text) == (&section.heading, &section.text)
            };
            if section.place != API || !self.sections.iter().any(known) {
                self.sections.push(section);
            }
        }
        Some(Vec::new())
    }
}

fn fetch(files: Vec<File>, came: &Callback<()>) {
    LIBRARY.with_borrow_mut(|library| library.coming += files.len());
    for file in files {
        let (name, came) = (file.name.clone(), came.clone());
        let takes = Callback::from(move |text| {
            let more = LIBRARY.with_borrow_mut(|library| library.take(file.clone(), text));
            fetch(more, &came);
            came.emit(());
        });
        address::fetch(&name, takes);
    }
}

/// The files that a list of contents leads to.
fn listed(text: String, list: &str) -> Option<Vec<File>> {
    let entries = Entry::from_file(text)?;
    let after = if list == LISTS[0].0 { 0 } else { 1_000 };
    let file = |(i, entry): (usize, &Entry)| {
        let Entry { address, title, facts, .. } = *entry;
        let (kind, slug) = address::file(address)?;
        // A card is on its page.
        (address.len() == "#//".len() + kind.len() + slug.len()).then(|| File {
            name: [slug, ".", kind].concat(),
            title,
            address,
            facts,
            order: after + i,
        })
    };
    Some(entries.iter().enumerate().filter_map(file).collect())
}

/// See [`Section::heading_is_worth`]: a heading that is a page's title.
pub const PAGE: u32 = 90;
const API: &str = "What leasehold gives you, beside ";
const QUESTION: &str = "Interview question, in ";

fn of_kata(file: &File, kata: &'static Kata) -> Vec<Section> {
    let mut cuts = vec![Cut { text: [kata.summary, " "].concat(), ..Cut::default() }];
    cut(kata.chapter_html, &mut cuts);
    let mut sections = file.sections(cuts, "");
    let mut panel = Vec::new();
    cut(kata.api_html, &mut panel);
    // What stands before its first heading only lists the headings.
    sections.extend(file.sections(panel.split_off(1), API));
    sections.extend(file.questions(kata.questions));
    sections
}

fn of_chapter(file: &File, chapter: &'static Chapter) -> Vec<Section> {
    let mut cuts = vec![Cut { text: [chapter.summary, " "].concat(), ..Cut::default() }];
    let mut pictures = chapter.pictures.iter();
    for part in chapter.parts {
        cut(part, &mut cuts);
        if let Some(picture) = pictures.next() {
            cut(picture.caption, &mut cuts);
            cut("<br>", &mut cuts);
        }
    }
    let mut sections = file.sections(cuts, "");
    sections.extend(file.questions(chapter.questions));
    sections
}

impl File {
    /// What an interviewer may ask. What a good answer says is for those who have thought.
    fn questions(&self, questions: &[Question]) -> Vec<Section> {
        let cut = |question: &Question| {
            let heading = question.ask.replace('`', "");
            Cut { id: "questions".to_owned(), heading, text: String::new() }
        };
        self.sections(questions.iter().map(cut).collect(), QUESTION)
    }

    /// Sections of this page; one without an id is the page itself.
    fn sections(&self, cuts: Vec<Cut>, place: &'static str) -> Vec<Section> {
        let File { address, title, facts, order, .. } = *self;
        let section = |Cut { id, heading, text }: Cut| {
            if id.is_empty() {
                let section = Section::new(address.to_owned(), facts, "", title.to_owned(), text, order);
                return Section { heading_is_worth: PAGE, ..section };
            }
            Section::new([address, "/", &id].concat(), title, place, heading, text, order)
        };
        cuts.into_iter().map(section).collect()
    }
}

impl Section {
    /// A section that is not a page's beginning.
    pub fn new(
        address: String,
        page: &'static str,
        place: &'static str,
        heading: String,
        text: String,
        order: usize,
    ) -> Self {
        let lower = text.to_ascii_lowercase();
        // A question is a whole sentence: to have a word in it says little.
        let heading_is_worth = if place == QUESTION { 15 } else { 50 };
        Section { address, page, place, heading, text, lower, order, heading_is_worth }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leasehold_exercises::{chapters, contents, hall, katas, museum};

    /// A library with everything in it.
    fn questions() -> impl Iterator<Item = &'static Question> {
        katas().iter().flat_map(|kata| kata.questions).chain(chapters().iter().flat_map(|chapter| chapter.questions))
    }

    fn full() -> Library {
        let mut library = Library { coming: LISTS.len(), ..Library::default() };
        let mut files = Vec::new();
        for ((name, title), entries) in LISTS.into_iter().zip([contents(), hall()]) {
            let list = File { name: name.to_owned(), title, address: "", facts: "", order: 0 };
            files.extend(library.take(list, Some(Entry::to_file(entries))));
        }
        library.coming = files.len();
        for file in files {
            let text = match file.name.split_once('.') {
                Some((slug, "kata")) => katas().iter().find(|kata| kata.slug == slug).map(Kata::to_file),
                Some((slug, _)) => {
                    chapters().iter().chain(museum()).find(|page| page.slug == slug).map(Chapter::to_file)
                }
                None => None,
            };
            assert!(library.take(file, text).is_empty());
        }
        library
    }

    /// Whoever prepares for an interview looks for these. One of the first three places must speak of what is meant.
    #[test]
    fn what_interviewees_call_it_is_found_and_is_about_that() {
        let library = full();
        let mut missed = Vec::new();
        for (query, about) in [
            ("setnx", "redis"),
            ("SET NX", "nx"),
            ("px", "ttl"),
            ("gc pause", "pause"),
            ("stop the world", "pause"),
            ("ntp", "clock"),
            ("split brain", "two"),
            ("zookeeper", "zookeeper"),
            ("etcd", "etcd"),
            ("lease", "lease"),
            ("mutex", "mutex"),
            ("idempotency", "reply is lost"),
            ("advisory lock", "postgres"),
            ("advisory", "postgres"),
            ("leader election", "leader"),
            ("heartbeat", "heartbeat"),
            ("keepalive", "keepalive"),
            ("TTL", "ttl"),
            ("epoch", "fencing token"),
            ("generation", "fencing token"),
            ("zombie", "fencing token"),
            ("fenceing", "fencing"),
            ("redlock clock jump", "redlock"),
            ("clock skew", "drift"),
            ("thundering herd", "herd"),
            ("starvation", "fair"),
            ("recursive lock", "re-entrant"),
            ("raft", "consensus"),
            ("how do I renew a lock in the background", "renew"),
        ] {
            let found = super::super::rank::find(&library.sections, query);
            let texts = found.hits.iter().take(3).map(|hit| &library.sections[*hit]);
            let texts: Vec<String> =
                texts.map(|section| [&section.heading.to_lowercase(), " ", &section.lower].concat()).collect();
            if !texts.iter().any(|text| text.contains(about)) {
                missed.push(format!("{query}: {texts:#?}"));
            }
        }
        assert!(missed.is_empty(), "{}", missed.join("\n"));
    }

    #[test]
    fn every_page_and_every_card_is_in_it_once() {
        let library = full();
        assert_eq!((library.coming, library.missing.len()), (0, 0));
        for entry in contents().iter().chain(&hall()[1..]) {
            let count = library.sections.iter().filter(|section| section.address == entry.address).count();
            assert_eq!(count, 1, "{}", entry.address);
        }
    }

    #[test]
    fn every_section_has_words_and_an_address_that_leads_to_its_page() {
        for section in &full().sections {
            assert!(!section.heading.is_empty(), "{section:?}");
            assert!(address::file(&section.address).is_some(), "{section:?}");
        }
    }

    #[test]
    fn neither_hints_nor_good_answers_are_in_it() {
        let library = full();
        let said = |text: &str| library.sections.iter().any(|section| section.text.contains(text));
        for spoils in katas().iter().flat_map(|kata| kata.hints).chain(questions().flat_map(|question| question.good)) {
            assert!(!said(&spoils.replace('`', "")), "{spoils}");
        }
    }

    #[test]
    fn every_question_is_in_it_and_leads_to_the_questions_of_its_page() {
        let library = full();
        for question in questions() {
            let heading = question.ask.replace('`', "");
            let found = library.sections.iter().find(|section| section.heading == heading);
            assert!(found.is_some_and(|section| section.address.ends_with("/questions")), "{heading}");
        }
    }

    #[test]
    fn what_several_katas_import_is_found_once() {
        let library = full();
        let clocks = library.sections.iter().filter(|section| section.place == API && section.heading == "class Clock");
        assert_eq!(clocks.count(), 1);
    }

    #[test]
    fn what_can_not_be_had_is_named_and_the_rest_is_there() {
        let mut library = full();
        let before = library.sections.len();
        library.coming = 1;
        let file = File { name: "x.chapter".to_owned(), title: "X", address: "#/chapter/x", facts: "", order: 0 };
        library.take(file, Some("<!doctype html>".to_owned()));
        assert_eq!((library.missing_titles().as_str(), library.coming, library.sections.len()), ("X", 0, before));
    }
}
