//! The book: katas and chapters without code in one order.

/// Pages of the app that are no part of the book, and read the rest of their address themselves.
const TOOLS: [&str; 3] = ["#/break", "#/ttl", "#/practice"];

/// What the contents say of a kata, a chapter or a page of the museum.
#[derive(Clone)]
pub struct Page {
    /// What it is ordered by: the kata that it is, or stands before; chapters first; the chapter's number.
    pub place: (u32, u32, u32),
    /// Where it is within the page, such as `#/kata/storage-gate`.
    pub address: String,
    /// Its name for people.
    pub title: String,
    /// What it is about, in one sentence.
    pub summary: String,
    /// What kind of page it is and how long it takes.
    pub facts: String,
}

impl Page {
    /// The chapter that it is, as Rust: its prose up to each picture, the pictures, and the questions.
    pub fn code(&self, slug: &str, parts: &[String], pictures: &str, questions: &str, book: &Book) -> String {
        let Page { address, title, summary, facts, .. } = self;
        let neighbours = book.neighbours(address);
        format!(
            "crate::Chapter {{ slug: {slug:?}, title: {title:?}, summary: {summary:?}, facts: {facts:?}, \
             parts: &{parts:?}, pictures: &[{pictures}], questions: {questions}, {neighbours} }},\n"
        )
    }
}

/// All pages, in order.
pub struct Book(Vec<Page>);

impl Book {
    /// Puts pages in order.
    pub fn bound(mut pages: Vec<Page>) -> Self {
        pages.sort_by_key(|page| page.place);
        Book(pages)
    }

    /// The pages as Rust.
    pub fn code(&self) -> String {
        let entry = |Page { address, title, summary, facts, .. }: &Page| {
            format!(
                "crate::Entry {{ address: {address:?}, title: {title:?}, summary: {summary:?}, facts: {facts:?} }},\n"
            )
        };
        self.0.iter().map(entry).collect()
    }

    /// The pages before and after one, as fields of a Rust struct.
    pub fn neighbours(&self, address: &str) -> String {
        let at = self.0.iter().position(|page| page.address == address);
        let link = |page: Option<&Page>| match page {
            Some(Page { address, title, .. }) => {
                format!("Some(crate::Link {{ address: {address:?}, title: {title:?} }})")
            }
            None => "None".to_owned(),
        };
        let before = at.and_then(|at| at.checked_sub(1)).and_then(|at| self.0.get(at));
        let after = at.and_then(|at| self.0.get(at + 1));
        format!("previous: {}, next: {}", link(before), link(after))
    }

    /// Do all these links lead to a page?
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self, links: &[String]) -> Result<(), String> {
        let is_tool = |link: &str| {
            TOOLS
                .iter()
                .any(|tool| link.strip_prefix(tool).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
        };
        let leads = |link: &&String| {
            **link == "#/contents" || is_tool(link) || self.0.iter().any(|page| page.address == **link)
        };
        match links.iter().find(|link| !leads(link)) {
            Some(link) => Err(format!("the link {link} leads nowhere")),
            None => Ok(()),
        }
    }
}
