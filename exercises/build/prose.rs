//! Prose: Markdown as HTML, and the places in it where a picture stands.

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

type Result<T> = std::result::Result<T, String>;

/// A text as the page shows it: HTML up to a picture, the picture, HTML up to the next.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Prose {
    /// One more than there are pictures.
    pub parts: Vec<String>,
    /// By the lines that ask for them.
    pub pictures: Vec<Picture>,
    /// Where links lead that stay in the page.
    pub links: Vec<String>,
    /// Where the others lead.
    pub away: Vec<String>,
    /// The headings that can be gone to.
    pub headings: Vec<Heading>,
    /// The blocks of code.
    pub blocks: Vec<String>,
}

/// `## Title {#id}`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// Its name in addresses.
    pub id: String,
    /// Its text.
    pub title: String,
}

/// Ids that the page itself has, see `app`.
const TAKEN: [&str; 18] = [
    "page",
    "title",
    "main",
    "chapter",
    "questions",
    "code",
    "editor-keys",
    "engine-progress",
    "results",
    "detail",
    "where",
    "hits",
    "dialog",
    "undo",
    "import",
    "solution-ask",
    "solution-not-yet",
    "solution-question",
];

/// How links that leave the page are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Away {
    /// In a tab of their own.
    NewTab,
    /// In the place of the page.
    SameTab,
}

/// `![caption](what)` on a line of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct Picture {
    /// What to look at, as HTML.
    pub caption: String,
    /// What is drawn.
    pub what: String,
}

/// Code blocks and tables can be styled and (where they are wider than the column) scrolled by keyboard, every heading has
/// an id, its own or one made of its words, and can be focused, and there are no inline styles.
///
/// # Errors
/// What does not belong into our prose.
pub fn read(markdown: &str, away: Away) -> Result<Prose> {
    let mut prose = Prose::default();
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut columns = Vec::new();
    let mut column = 0;
    let mut cell = "td";
    let mut inside = Inside::Text;
    let mut ids: Vec<String> = Vec::new();
    // Where the heading that is being read began, and its words.
    let mut heading = None::<(usize, String)>;
    let mut parser = Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES);
    while let Some(event) = parser.next() {
        if let Event::Text(text) | Event::Code(text) = &event {
            heading.iter_mut().for_each(|(_, words)| words.push_str(text));
            let words = match inside {
                Inside::Text => None,
                Inside::Heading => prose.headings.last_mut().map(|heading| &mut heading.title),
                Inside::Block => prose.blocks.last_mut(),
            };
            words.into_iter().for_each(|words| words.push_str(text));
        }
        let event = match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => {
                return Err("a heading `#`; the page's title comes from the .toml file".to_owned());
            }
            Event::Start(Tag::Heading { level: HeadingLevel::H2, id: Some(id), .. }) => {
                inside = Inside::Heading;
                ids.push(id.to_string());
                prose.headings.push(Heading { id: id.to_string(), title: String::new() });
                raw(format!(r#"<h2 id="{}" tabindex="-1">"#, quoted(&id)))
            }
            Event::Start(Tag::Heading { .. }) => {
                heading = Some((events.len(), String::new()));
                raw("")
            }
            end @ Event::End(TagEnd::Heading(level)) => {
                inside = Inside::Text;
                if let Some((start, words)) = heading.take() {
                    let id = free(&words, &ids);
                    events[start] = raw(format!(r#"<{level} id="{id}" tabindex="-1">"#));
                    ids.push(id);
                }
                end
            }
            Event::Html(html) | Event::InlineHtml(html) => return Err(format!("raw HTML: {}", html.trim())),
            Event::Start(Tag::Image { dest_url, .. }) => {
                let caption: Vec<Event<'_>> =
                    parser.by_ref().take_while(|event| *event != Event::End(TagEnd::Image)).collect();
                let alone = events.pop() == Some(Event::Start(Tag::Paragraph))
                    && parser.next() == Some(Event::End(TagEnd::Paragraph));
                if !alone || caption.is_empty() {
                    return Err(format!("the picture {dest_url} needs a line of its own and a caption"));
                }
                if !caption.iter().all(are_words) {
                    return Err(format!("the caption of the picture {dest_url} holds more than words"));
                }
                prose.parts.push(html(std::mem::take(&mut events)));
                prose.pictures.push(Picture { caption: html(caption), what: dest_url.into_string() });
                continue;
            }
            Event::Start(Tag::Link { dest_url, .. }) if !is_external(&dest_url) => {
                prose.links.push(dest_url.to_string());
                raw(format!(r#"<a href="{}">"#, quoted(&dest_url)))
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let how = match away {
                    Away::NewTab => r#"target="_blank" rel="noopener noreferrer""#,
                    Away::SameTab => r#"rel="noreferrer""#,
                };
                let link = raw(format!(r#"<a href="{}" {how}>"#, quoted(&dest_url)));
                prose.away.push(dest_url.into_string());
                link
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                inside = Inside::Block;
                prose.blocks.push(String::new());
                let language = match &kind {
                    CodeBlockKind::Fenced(info) if !info.is_empty() => info,
                    _ => "text",
                };
                raw(format!(r#"<pre class="code" tabindex="0"><code class="language-{}">"#, quoted(language)))
            }
            Event::End(TagEnd::CodeBlock) => {
                inside = Inside::Text;
                raw("</code></pre>\n")
            }
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
        };
        events.push(event);
    }
    prose.parts.push(html(events));
    Ok(prose)
}

/// Text, in whatever type; no HTML, no link, no picture.
fn are_words(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Text(_)
            | Event::Code(_)
            | Event::SoftBreak
            | Event::Start(Tag::Emphasis | Tag::Strong)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong)
    )
}

/// An id made of a heading's words, which neither the page nor a heading before it has.
fn free(words: &str, ids: &[String]) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    let words = words.replace(['\'', '’'], "").to_ascii_lowercase();
    let words: Vec<&str> = words.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).collect();
    let id = words.join("-");
    let is_free = |id: &String| !id.is_empty() && !TAKEN.contains(&id.as_str()) && !ids.contains(id);
    let numbered = (2..).map(|n| format!("{id}-{n}"));
    std::iter::once(id.clone()).chain(numbered).find(is_free).unwrap_or_default()
}

/// What the next words belong to.
enum Inside {
    Text,
    Heading,
    Block,
}

fn html(events: Vec<Event<'_>>) -> String {
    let mut out = String::new();
    pulldown_cmark::html::push_html(&mut out, events.into_iter());
    out
}

fn raw<'a>(html: impl Into<CowStr<'a>>) -> Event<'a> {
    Event::Html(html.into())
}

/// Text as the value of an attribute.
fn quoted(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

fn is_external(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_parts_the_prose() {
        let text = "One *two*.\n\n![Look at `B`](trace:a/b.py/c)\n\nThree, [four](#/kata/five).\n";
        let prose = read(text, Away::NewTab).unwrap();
        assert_eq!(prose.parts, ["<p>One <em>two</em>.</p>\n", "<p>Three, <a href=\"#/kata/five\">four</a>.</p>\n"]);
        let [picture] = prose.pictures.as_slice() else { panic!("{:?}", prose.pictures) };
        assert_eq!((picture.caption.as_str(), picture.what.as_str()), ("Look at <code>B</code>", "trace:a/b.py/c"));
        assert_eq!(prose.links, ["#/kata/five"]);
    }

    #[test]
    fn a_heading_with_an_id_can_be_gone_to() {
        let prose = read("## A `b` c {#a-b}\n\n### D\n\n```python\nx < y\n```\n", Away::NewTab).unwrap();
        let html = "<h2 id=\"a-b\" tabindex=\"-1\">A <code>b</code> c</h2>\n<h3 id=\"d\" tabindex=\"-1\">D</h3>\n";
        assert!(prose.parts[0].starts_with(html), "{}", prose.parts[0]);
        assert_eq!(prose.headings, [Heading { id: "a-b".to_owned(), title: "A b c".to_owned() }]);
        assert_eq!(prose.blocks, ["x < y\n"]);
    }

    #[test]
    fn a_heading_without_an_id_gets_one_of_its_words_that_nothing_else_on_the_page_has() {
        let prose = read("## It's `on_lost`, twice\n\n## Results\n\n## A\n\n### A\n", Away::NewTab).unwrap();
        let ids: Vec<&str> = prose.parts[0].split("id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(ids, ["its-on-lost-twice", "results-2", "a", "a-2"]);
        assert_eq!(prose.headings, []);
    }

    #[test]
    fn a_link_that_leaves_never_tells_where_it_comes_from() {
        for (away, how) in
            [(Away::NewTab, "target=\"_blank\" rel=\"noopener noreferrer\""), (Away::SameTab, "rel=\"noreferrer\"")]
        {
            let prose = read("[a](https://b.example/?c&d)", away).unwrap();
            assert_eq!(prose.parts, [format!("<p><a href=\"https://b.example/?c&amp;d\" {how}>a</a></p>\n")]);
            assert_eq!(prose.away, ["https://b.example/?c&d"]);
        }
    }

    #[test]
    fn nothing_ends_the_value_of_an_attribute() {
        for (text, html) in [
            ("[a](<#/x\"y>)", "<a href=\"#/x&quot;y\">"),
            ("```a\"b\nc\n```", "<code class=\"language-a&quot;b\">"),
            ("## A {#a\"b}", "<h2 id=\"a&quot;b\" tabindex=\"-1\">"),
        ] {
            let prose = read(text, Away::NewTab).unwrap();
            assert!(prose.parts[0].contains(html), "{:?}", prose.parts);
        }
    }

    #[test]
    fn a_picture_among_words_or_without_any_or_with_more_is_an_error() {
        for text in [
            "![<b>a](trace:b)",
            "![a [b](#/x)](trace:b)",
            "Words ![a](trace:b)",
            "![a](trace:b) words",
            "![](trace:b)",
            "# Title",
            "a <b>b</b>",
        ] {
            assert!(read(text, Away::NewTab).is_err(), "{text}");
        }
    }
}
