//! What learner code imports from `leasehold`, read from its source and shown beside the editor.
//!
//! The file is ours and plainly made, so lines are enough: a class or function begins at the left margin, a method four
//! columns in, each signature is one line, and a docstring is the first thing in a body. Whatever looks otherwise is an
//! error, not a guess.

/// A public class or function of the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// For a function how it is called.
    call: Option<String>,
    /// For a class what it derives from.
    base: String,
    doc: Vec<String>,
    attributes: Vec<Member>,
    methods: Vec<Member>,
}

/// An attribute or a method: how it stands in code, and what is said of it.
#[derive(Debug, PartialEq, Eq)]
struct Member {
    code: String,
    doc: Vec<String>,
}

impl Entry {
    fn is_exception(&self) -> bool {
        matches!(self.base.as_str(), "Exception" | "BaseException")
    }

    fn docs(&self) -> impl Iterator<Item = &String> {
        let members = self.attributes.iter().chain(&self.methods);
        self.doc.iter().chain(members.flat_map(|member| &member.doc))
    }
}

/// All that is public in the file.
///
/// # Errors
/// The line that this reader can make nothing of.
pub fn read(source: &str) -> Result<Vec<Entry>, String> {
    let lines: Vec<&str> = source.lines().collect();
    let mut entries = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(head) = Head::read(line).map_err(|e| format!("line {}: {e}", at + 1))? else { continue };
        if head.name.starts_with('_') {
            continue;
        }
        let end = (at + 1..lines.len()).find(|i| !lines[*i].is_empty() && indent(lines[*i]) == 0);
        let body = &lines[at + 1..end.unwrap_or(lines.len())];
        let mut entry = Entry { name: head.name.clone(), doc: docstring(body), ..Entry::default() };
        if head.is_class {
            entry.base = head.parameters;
            members(body, &mut entry).map_err(|e| format!("class {}, {e}", head.name))?;
        } else {
            entry.call = Some(head.call());
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// The first line of a class or function.
struct Head {
    is_class: bool,
    is_async: bool,
    name: String,
    parameters: String,
}

impl Head {
    /// None if the line is none.
    fn read(line: &str) -> Result<Option<Head>, String> {
        let (is_async, rest) = line.strip_prefix("async ").map_or((false, line), |rest| (true, rest));
        let (is_class, rest) = match (rest.strip_prefix("class "), rest.strip_prefix("def ")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Ok(None),
        };
        let Some(rest) = rest.strip_suffix(':') else {
            return Err(format!("the signature has to be on one line: {}", line.trim()));
        };
        let (name, parameters) = rest.split_once('(').unwrap_or((rest, ")"));
        let Some(parameters) = parameters.strip_suffix(')') else {
            return Err(format!("no closing parenthesis: {}", line.trim()));
        };
        Ok(Some(Head { is_class, is_async, name: name.to_owned(), parameters: parameters.to_owned() }))
    }

    /// How it is called, by its parameters.
    fn call(&self) -> String {
        let parameters = match self.parameters.strip_prefix("self") {
            Some(rest) => rest.trim_start_matches(',').trim_start(),
            None => &self.parameters,
        };
        format!("{}{}({parameters})", if self.is_async { "await " } else { "" }, self.name)
    }
}

/// The attributes that `__init__` sets, and the methods. What begins with an underscore is nobody's business.
fn members(body: &[&str], entry: &mut Entry) -> Result<(), String> {
    let mut in_init = false;
    let mut said: Vec<&str> = Vec::new();
    for (at, line) in body.iter().enumerate() {
        let text = line.trim_start();
        if indent(line) == 4 && !text.is_empty() {
            let Some(head) = Head::read(text)? else { continue };
            in_init = head.name == "__init__";
            if !head.name.starts_with('_') {
                entry.methods.push(Member { code: head.call(), doc: docstring(&body[at + 1..]) });
            }
        } else if let (true, 8) = (in_init, indent(line)) {
            if let Some(comment) = text.strip_prefix("#: ") {
                said.push(comment);
                continue;
            }
            let comment = std::mem::take(&mut said).join(" ");
            let name = text.strip_prefix("self.").and_then(|rest| rest.split_once(" = ")).map(|(name, _)| name);
            if let Some(name) = name.filter(|name| !name.starts_with('_')) {
                let doc = if comment.is_empty() { Vec::new() } else { vec![comment] };
                entry.attributes.push(Member { code: name.to_owned(), doc });
            }
        }
    }
    Ok(())
}

/// The paragraphs of the docstring that a body begins with; none if it has none.
fn docstring(body: &[&str]) -> Vec<String> {
    let Some(first) = body.iter().position(|line| !line.is_empty()) else { return Vec::new() };
    let text = body[first..].join("\n");
    let Some(text) = text.trim_start().strip_prefix(r#"""""#) else { return Vec::new() };
    let text = text.split(r#"""""#).next().unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let paragraphs = lines.split(|line| line.is_empty());
    paragraphs.map(|lines| lines.join(" ")).filter(|paragraph| !paragraph.is_empty()).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The panel for a kata that uses `names`, as HTML; with the exceptions that their docstrings speak of.
///
/// # Errors
/// A name that the file has not, or has without a docstring.
pub fn panel(entries: &[Entry], names: &[String]) -> Result<String, String> {
    if names.is_empty() {
        return Ok(String::new());
    }
    let mut shown = Vec::new();
    for name in names {
        let Some(entry) = entries.iter().find(|entry| entry.name == *name) else {
            return Err(format!("`api` names {name}, which leasehold.py has not"));
        };
        if entry.doc.is_empty() {
            return Err(format!("{name} of leasehold.py has no docstring"));
        }
        shown.push(entry);
    }
    // What an exception's own docstring speaks of comes after it.
    let mut at = 0;
    while let Some(entry) = shown.get(at) {
        let raised = entries.iter().filter(|e| e.is_exception() && entry.docs().any(|doc| speaks_of(doc, &e.name)));
        let new: Vec<&Entry> = raised.filter(|e| !shown.contains(e)).collect();
        shown.extend(new);
        at += 1;
    }
    let (raised, classes): (Vec<&Entry>, Vec<&Entry>) = shown.into_iter().partition(|entry| entry.is_exception());
    let listed: Vec<&str> = classes.iter().chain(&raised).map(|entry| entry.name.as_str()).collect();
    let mut html = format!(
        "<details class=\"api\"><summary>What <code>leasehold</code> gives you: <span>{}</span></summary>\
         <div class=\"api-in\" tabindex=\"0\" role=\"region\" aria-label=\"What leasehold gives you\">\
         <p><code>from leasehold import …</code> brings what you need of it.</p>",
        listed.join(", ")
    );
    for entry in classes {
        let title = match &entry.call {
            Some(call) => code(call),
            None => format!("<b>class</b> {}", entry.name),
        };
        html.push_str(&format!("{}<code>{title}</code></h3>{}", heading(&entry.name), paragraphs(&entry.doc)));
        html.push_str(&definitions(entry.attributes.iter().filter(|m| !m.doc.is_empty())));
        let bare: Vec<&str> = entry.attributes.iter().filter(|m| m.doc.is_empty()).map(|m| m.code.as_str()).collect();
        if !bare.is_empty() {
            let comma = "</code>, <code>";
            let also = if bare.len() < entry.attributes.len() { "Also" } else { "Attributes:" };
            html.push_str(&format!("<p>{also} <code>{}</code>.</p>", bare.join(comma)));
        }
        html.push_str(&definitions(entry.methods.iter()));
    }
    if !raised.is_empty() {
        let members: Vec<Member> = raised.iter().map(|e| Member { code: e.name.clone(), doc: e.doc.clone() }).collect();
        html.push_str(&format!("{}Exceptions</h3>{}", heading("exceptions"), definitions(members.iter())));
    }
    html.push_str("</div></details>");
    Ok(html)
}

/// The beginning of a heading that addresses can lead to.
fn heading(name: &str) -> String {
    format!("<h3 id=\"api-{}\" tabindex=\"-1\">", name.to_ascii_lowercase())
}

fn definitions<'a>(members: impl Iterator<Item = &'a Member>) -> String {
    let items: String =
        members.map(|m| format!("<dt><code>{}</code></dt><dd>{}</dd>", code(&m.code), paragraphs(&m.doc))).collect();
    if items.is_empty() { items } else { format!("<dl>{items}</dl>") }
}

fn paragraphs(doc: &[String]) -> String {
    doc.iter().map(|paragraph| format!("<p>{}</p>", marked_up(paragraph))).collect()
}

/// A call, with what is Python's own set apart.
fn code(call: &str) -> String {
    match call.strip_prefix("await ") {
        Some(rest) => format!("<b>await</b> {}", escaped(rest)),
        None => escaped(call),
    }
}

/// Text in which ``double backticks`` mean code.
fn marked_up(text: &str) -> String {
    let parts = text.split("``").map(escaped).enumerate();
    parts.map(|(i, part)| if i % 2 == 1 { format!("<code>{part}</code>") } else { part }).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn speaks_of(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#""""A module."""

class Lost(Exception):
    """Gone. See Late."""


class Late(BaseException):
    """Too late."""


class Grant:
    """What a holder has."""

    __slots__ = ("name", "token")

    def __init__(self, name, token):
        self.name = name
        #: Greater than ``every`` one
        #: before.
        self.token = token
        self._hidden = 1

    def __repr__(self):
        return "Grant"


class Service:
    """Far away.

    A call takes a round trip & may
    raise Lost.
    """

    async def acquire(self, name, ttl=None):
        """Try once."""
        self.not_an_attribute = 1

    def _helper(self):
        """Not shown."""

    def close(self):
        pass


def spawn(coroutine):
    """Start it."""


def _hidden():
    """Not shown."""
"#;

    fn of(names: &[&str]) -> Result<String, String> {
        panel(&read(SOURCE)?, &names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_public_is_read() {
        let entries = read(SOURCE).unwrap();
        let names: Vec<&str> = entries.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["Lost", "Late", "Grant", "Service", "spawn"]);
        let service = &entries[3];
        assert_eq!(service.doc, ["Far away.", "A call takes a round trip & may raise Lost."]);
        let methods: Vec<&str> = service.methods.iter().map(|m| m.code.as_str()).collect();
        assert_eq!(methods, ["await acquire(name, ttl=None)", "close()"]);
        assert_eq!(service.attributes, []);
        let attributes: Vec<(&str, &[String])> =
            entries[2].attributes.iter().map(|m| (m.code.as_str(), m.doc.as_slice())).collect();
        assert_eq!(attributes, [("name", &[][..]), ("token", &["Greater than ``every`` one before.".to_owned()][..])]);
    }

    #[test]
    fn a_panel_shows_what_was_asked_for_and_what_that_raises() {
        let html = of(&["Service"]).unwrap();
        for part in [
            "Service, Lost, Late",
            "<b>await</b> acquire(name, ttl=None)",
            "round trip &amp; may",
            "<dt><code>Late</code>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        for part in ["Grant", "spawn", "_helper"] {
            assert!(!html.contains(part), "{part} in {html}");
        }
        let grant = of(&["Grant", "spawn"]).unwrap();
        assert!(
            grant.contains("Greater than <code>every</code> one before.") && grant.contains("Also <code>name</code>.")
        );
        assert!(
            grant.contains("\"api-spawn\" tabindex=\"-1\"><code>spawn(coroutine)</code></h3>")
                && !grant.contains("Exceptions")
        );
        assert_eq!(of(&[]).unwrap(), "");
    }

    #[test]
    fn what_is_not_there_or_not_plain_is_an_error() {
        assert!(of(&["Watch"]).unwrap_err().contains("names Watch"));
        assert!(read("class A:\n    def f(self,\n          x):\n        pass\n").unwrap_err().contains("one line"));
        let bare = panel(&read("class A:\n    x = 1\n").unwrap(), &["A".to_owned()]);
        assert!(bare.unwrap_err().contains("no docstring"));
    }
}
