//! Odd sources: files that are no programs, or hardly.

use super::{Must, Program};

const KATA: &str = "acquire-with-fencing";

pub(super) fn programs() -> Vec<Program> {
    let solution = leasehold_exercises::solution(KATA).unwrap_or_default();
    let fail = |line: bool, says: &str| Must::Fail { line, says: says.to_owned() };
    let tabbed = solution.replace("    ", "\t");
    let deep = |open: &str, close: &str, n: usize| format!("x = {}1{}\n", open.repeat(n), close.repeat(n));
    let all: Vec<(&str, String, Must)> = vec![
        ("nothing at all", String::new(), fail(false, "LockManager")),
        ("a remark", "# nothing\n".to_owned(), fail(false, "LockManager")),
        ("spaces", " \n\t\n  ".to_owned(), fail(false, "LockManager")),
        ("a NUL", format!("{solution}\0"), fail(true, "NUL")),
        ("a NUL in a text", "x = 'a\0b'\n".to_owned(), fail(true, "NUL")),
        ("a byte order mark", format!("\u{feff}{solution}"), Must::Pass),
        ("a byte order mark inside", format!("x = 1\n\u{feff}{solution}"), fail(true, "SyntaxError")),
        ("tabs", tabbed.clone(), Must::Pass),
        ("tabs and spaces", format!("{solution}\nif True:\n\tx = 1\n        y = 2\n"), fail(true, "TabError")),
        ("lines that end as on Windows", solution.replace('\n', "\r\n"), Must::Pass),
        ("lines that end as they once did", solution.replace('\n', "\r"), Must::Pass),
        ("no end of the last line", solution.trim_end().to_owned(), Must::Pass),
        ("form feeds", solution.replace("\n\n", "\n\u{c}\n"), Must::Pass),
        ("names beyond ASCII", solution.replace("lock", "замок"), Must::End),
        ("a text of a megabyte", format!("x = '{}'\n{solution}", "x".repeat(1 << 20)), fail(false, "KB")),
        ("a megabyte of remarks", format!("{}{solution}", "# remark\n".repeat(120_000)), fail(false, "KB")),
        ("ten thousand lines", format!("{}{solution}", "x = 1\n".repeat(10_000)), fail(false, "lines")),
        (
            "as much as is read",
            format!("{solution}\n{}", "x = 1; y = 'aaaaaaaaaaaaaaaaaaa'\n".repeat(4_800)),
            Must::Pass,
        ),
        ("brackets without end", deep("(", ")", 20_000), fail(true, "nested")),
        ("lists without end", deep("[", "]", 20_000), fail(true, "nested")),
        ("minus without end", deep("-", "", 20_000), fail(true, "parts")),
        ("not without end", deep("not ", "", 20_000), fail(true, "parts")),
        ("lambda without end", deep("lambda: ", "", 20_000), fail(true, "parts")),
        ("calls without end", format!("x = f{}\n", "()".repeat(20_000)), fail(true, "parts")),
        ("a sum of 20,000", format!("x = {}1\n", "1 + ".repeat(20_000)), fail(true, "parts")),
        ("an f-string in an f-string", "x = f'{f\"{f'{1}'}\"}'\n".to_owned(), fail(false, "")),
        ("blocks without end", (0..95).map(|n| format!("{}if 1:\n", " ".repeat(n))).collect(), fail(true, "nested")),
        (
            "elif without end",
            format!("x = 1\nif x == 0: pass\n{}{solution}", "elif x == 2: pass\n".repeat(2_000)),
            Must::End,
        ),
        ("an open bracket", "x = (1,\n".to_owned(), fail(true, "never closed")),
        ("an open text", "x = '''\nabc\n".to_owned(), fail(true, "SyntaxError")),
        ("half a class", "class LockManager:\n".to_owned(), fail(true, "Error")),
        ("return outside", "return 1\n".to_owned(), fail(true, "outside function")),
        ("await outside", "await f()\n".to_owned(), fail(true, "Error")),
        ("a future that is none", "from __future__ import braces\n".to_owned(), fail(true, "")),
        ("star of nothing", "x = *\n".to_owned(), fail(true, "SyntaxError")),
        ("a lone surrogate", format!("x = '\\ud800'\nprint(repr(x))\n{solution}"), Must::Pass),
        ("a number of 10,000 digits", format!("x = {}\n", "9".repeat(10_000)), fail(false, "")),
        ("an escape that is none", "x = '\\N{NO SUCH NAME}'\n".to_owned(), fail(true, "SyntaxError")),
        (
            "a name of the tick",
            format!("x = '\u{e000}tick\u{e000}'\ny = '\u{e000}tick\u{e000}7'\n{solution}"),
            Must::End,
        ),
        ("controls", "x = \u{1}\u{2}\u{7f}\n".to_owned(), fail(true, "SyntaxError")),
        ("right to left", format!("# \u{202e}\u{2066}\n{solution}"), Must::Pass),
    ];
    all.into_iter()
        .map(|(name, source, must)| Program {
            name: name.to_owned(),
            family: "sources",
            kata: KATA,
            source,
            must,
            needs_the_watcher: false,
        })
        .collect()
}
