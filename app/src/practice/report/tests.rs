//! The report, held against a reader of Markdown: whatever was typed, its structure is the same.

use super::*;
use crate::practice::Grade;
use pulldown_cmark::{Event, Options, Parser, Tag};

const HERE: Here = Here { page: "https://example.org/(x)/", behind: 0, book: &BOOK };
const BOOK: [Asked; 1] = [Asked { page: ("#/chapter/a", "A [chapter]"), id: "b", good: &["`a_b` and <c>", "1 more"] }];
/// 2026-11-30, 14:05.
const START: u64 = 1_796_047_500_000;

fn entry(text: &str) -> Entry {
    let mut session = Session::new("storage-gate", "The storage gate", 25, true, START);
    session.run("first", START + 250_000);
    session.run("x = 1\n", START + 440_000);
    let last = session.runs.last_mut().unwrap();
    (last.passed, last.all) = (14, 15);
    session.failed = vec![Failed { name: "a_rule".into(), message: text.into(), replay: None, drawn: true }];
    session.code = Some(text.to_owned());
    (session.pauses, session.paused_ms) = (1, 65_000);
    session.ended = Some(START + 26 * 60_000 + 65_000);
    let answer = Answer { id: "a/b".into(), ask: "Why `<`?".into(), text: text.to_owned(), grade: Grade::Partly };
    let after = Answer { id: "a/c".into(), ask: "And then?".into(), text: String::new(), grade: Grade::Well };
    Entry { session, answers: vec![answer, after], grade: Some(Grade::Well) }
}

fn report(text: &str) -> String {
    markdown(&entry(text), &[Way::To("#/shared/1/AbC-_".into())], &HERE)
}

#[test]
fn the_report_holds_all_that_was_done() {
    let report = report("y = 2");
    for line in [
        "# Interview practice: The storage gate",
        "- Date: 2026-11-30, 14:05",
        "- Kata: [The storage gate](https://example.org/%28x%29/#/kata/storage-gate)",
        "- Time used: 26 min of 25 min, 1 min over",
        "- Pauses: 1, 1 min 5 s in all, not counted",
        "- Run Tests: once a minute at most",
        "- Last run: 14 of 15 tests passed",
        "- My own grade: well",
        "- after 4:10: came to no report",
        "- after 7:20: 14 of 15 tests passed",
        "- **A rule**: y = 2 ([timeline](https://example.org/%28x%29/#/shared/1/AbC-_))",
        "The timelines are those of the code that ran; it was edited afterwards.",
        "```python",
        "### Why \\`\\<\\`?",
        "From [A \\[chapter\\]](https://example.org/%28x%29/#/chapter/a/questions). My own grade: partly.",
        "> y = 2",
        "A good answer holds:",
        "- `a_b` and \\<c\\>",
        "- 1 more",
        "### And then?",
        "My own grade: well.",
    ] {
        assert!(report.lines().any(|other| other == line), "{line}\n---\n{report}");
    }
    assert_eq!(file_name(&entry("").session, 0), "leasehold-practice-2026-11-30-storage-gate.md");
}

#[test]
fn a_session_without_anything_has_a_report_too() {
    let session = Session::new("k", "K", 45, false, START);
    let report = markdown(&Entry { session, ..Entry::default() }, &[], &HERE);
    assert!(report.contains("The tests were not run.") && report.contains("The starter was not touched."), "{report}");
    assert!(!report.contains("## Questions"));
}

/// The blocks of a report, what may be of any length left out, the code and the quotation as text.
fn structure(report: &str) -> (Vec<String>, String, Vec<String>) {
    let (mut blocks, mut code, mut quoted) = (Vec::new(), String::new(), Vec::new());
    let mut within = Vec::new();
    for event in Parser::new_ext(report, Options::all() - Options::ENABLE_SMART_PUNCTUATION) {
        match event {
            Event::Start(Tag::Paragraph) if within.contains(&"quote") => within.push("p"),
            Event::Start(tag) => {
                within.push(match tag {
                    Tag::BlockQuote(_) => "quote",
                    Tag::CodeBlock(_) => "code",
                    _ => "other",
                });
                blocks.push(format!("{tag:?}"));
            }
            Event::End(_) => drop(within.pop()),
            Event::Text(text) if within.contains(&"code") => code.push_str(&text),
            Event::Text(text) if within.contains(&"quote") => quoted.push(text.to_string()),
            Event::SoftBreak if within.contains(&"quote") => quoted.push("\n".to_owned()),
            Event::Text(_) | Event::SoftBreak => {}
            other => blocks.push(format!("{other:?}")),
        }
    }
    (blocks, code, quoted)
}

fn holds(text: &str) {
    let report = report(text);
    let (blocks, code, quoted) = structure(&report);
    let expected = structure(&self::report("plain")).0;
    let has_quote = !text.trim().is_empty() || text.is_empty();
    if has_quote && !text.is_empty() {
        assert_eq!(blocks, expected, "{text:?}\n{report}");
        let words = |text: &str| text.split(|c: char| c.is_whitespace() || c.is_control()).collect::<String>();
        assert_eq!(words(&quoted.concat()), words(text), "{text:?}\n{report}");
    }
    let with_end = if text.ends_with('\n') { text.to_owned() } else { [text, "\n"].concat() };
    let lines = |code: &str| code.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}");
    assert_eq!(lines(&code), lines(&with_end), "{text:?}");
}

#[test]
fn nothing_that_was_typed_changes_the_structure() {
    for text in [
        "# no heading",
        "```\nno end of the code\n```",
        "`````python\n````",
        "~~~\nno fence",
        "one\n---\ntwo\n===\nthree",
        "- no list\n+ none\n* none\n1. none\n12) none",
        "> no quotation\n\n    no code\n\ttab",
        "<script>alert(1)</script>\n<!-- -->\n&amp; &lt;",
        "[no](javascript:alert(1)) ![no](x) [no]: http://x <http://x>",
        "**no** _no_ `no` ~~no~~ $no$ a|b\n-|-\n1|2",
        "\\ \\\\ \\` end\\",
        "[^1]: no note\n[^1] [ ] [x]",
        "line\r\nline\rline",
        ": no definition\n:::no\n+++\n+++ no",
    ] {
        holds(text);
    }
}

#[test]
fn noise_changes_it_as_little() {
    let mut below = crate::noise::below(11);
    let alphabet: Vec<char> = "`~#-=+*_[]()<>!&|\\:.1 \n\n\tabü∞".chars().collect();
    for _ in 0..3_000 {
        let mut text: String = (0..below(40)).map(|_| alphabet[below(alphabet.len())]).collect();
        text.insert(0, 'a');
        text.push('a');
        holds(&text);
    }
}

#[test]
fn a_link_is_one_whatever_the_address() {
    let here = Here { page: "http://x/a)b<c\\d", behind: 0, book: &[] };
    let report = markdown(&entry("y"), &[Way::To("#/shared/1/A".into())], &here);
    assert!(report.contains("([timeline](http://x/a%29b%3Cc%5Cd#/shared/1/A))"), "{report}");
}
