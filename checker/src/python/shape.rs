//! Is the file's text of a shape that the compiler can take?
//!
//! The parser and the compiler walk expressions recursively, and in a browser the stack under them is small and its end
//! is the end of the worker. So what is nested or chained far beyond anything that people write is turned away first,
//! with its line, the same natively and in wasm.

/// How deep brackets may nest. CPython's own limit is 200.
pub const DEEPEST: usize = 100;

/// How many words and operators may follow each other without a comma, colon, semicolon or line end between them:
/// such a run becomes a tree as deep as it is long.
pub const LONGEST: usize = 1_000;

/// How deep blocks may be indented. CPython's own limit is 100.
pub const DEEPEST_BLOCK: usize = 60;

/// What is wrong with it.
pub struct Flaw {
    /// The first line of it, from 1.
    pub line: u32,
    /// The class of Python's exception.
    pub class: &'static str,
    /// Why.
    pub what: String,
}

const TABS: &str = "inconsistent use of tabs and spaces in indentation";

/// What the compiler can't take, or would take for something else than Python does.
pub fn flaw(source: &str) -> Option<Flaw> {
    let mut scan = Scan {
        rest: source.as_bytes(),
        line: 1,
        depth: 0,
        runs: vec![0],
        after_string: false,
        formatted: false,
        in_string: 0,
    };
    scan.run().map(|(line, what)| match what.as_str() {
        TABS => Flaw { line, class: "TabError", what },
        _ => Flaw { line, class: "SyntaxError", what: format!("{what}; that is more than is read here") },
    })
}

/// How far a line is indented where a tab goes to the next multiple of eight, and where it counts as one. Two lines must
/// compare alike by both, or it depends on who reads them which is further in. CPython's tokenizer has the same rule.
fn columns(indent: &[u8]) -> (usize, usize) {
    let tabbed = indent.iter().fold(0, |column, b| if *b == b'\t' { column / 8 * 8 + 8 } else { column + 1 });
    (tabbed, indent.len())
}

struct Scan<'a> {
    rest: &'a [u8],
    line: u32,
    depth: usize,
    /// For each open bracket, how long the present run in it is.
    runs: Vec<usize>,
    after_string: bool,
    /// The next string is one with expressions in it.
    formatted: bool,
    /// How many brackets and operators the last such string had.
    in_string: usize,
}

impl Scan<'_> {
    fn run(&mut self) -> Option<(u32, String)> {
        let mut indents = vec![(0, 0)];
        let mut at_line_start = true;
        while !self.rest.is_empty() {
            if at_line_start && self.depth == 0 {
                let width = self.rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
                let is_code = !matches!(self.rest.get(width), None | Some(b'\n' | b'#'));
                if is_code {
                    let (column, other) = columns(&self.rest[..width]);
                    while indents.last().is_some_and(|(i, _)| *i > column) {
                        indents.pop();
                    }
                    let (outer, outer_other) = indents.last().copied().unwrap_or_default();
                    if if column > outer { other <= outer_other } else { other != outer_other } {
                        return Some((self.line, TABS.to_owned()));
                    }
                    if column > outer {
                        indents.push((column, other));
                    }
                    if indents.len() > DEEPEST_BLOCK {
                        return Some((self.line, format!("blocks are nested more than {DEEPEST_BLOCK} deep")));
                    }
                }
                self.rest = &self.rest[width..];
            }
            at_line_start = false;
            let Some(&byte) = self.rest.first() else { break };
            match byte {
                b'\n' => {
                    self.line += 1;
                    at_line_start = true;
                    if self.depth == 0 {
                        self.runs[0] = 0;
                    }
                    self.skip(1);
                }
                b'#' => self.skip(self.rest.iter().position(|b| *b == b'\n').unwrap_or(self.rest.len())),
                b'\'' | b'"' => {
                    // Strings side by side are one string.
                    if !std::mem::replace(&mut self.after_string, true) {
                        self.count();
                    }
                    self.string(byte);
                    if self.in_string > LONGEST {
                        return Some((self.line, format!("one expression has more than {LONGEST} parts")));
                    }
                    continue;
                }
                b'(' | b'[' | b'{' => {
                    self.count();
                    self.depth += 1;
                    self.runs.push(0);
                    self.skip(1);
                    if self.depth > DEEPEST {
                        return Some((self.line, format!("brackets are nested more than {DEEPEST} deep")));
                    }
                }
                b')' | b']' | b'}' => {
                    if self.depth > 0 {
                        self.depth -= 1;
                        self.runs.pop();
                    }
                    self.skip(1);
                }
                b',' | b';' => {
                    self.reset();
                    self.skip(1);
                }
                b'\\' if self.rest.get(1) == Some(&b'\n') => {
                    // The line goes on, and what grows in it too.
                    self.line += 1;
                    self.skip(2);
                    continue;
                }
                b' ' | b'\t' | b'\\' | b'\r' => {
                    self.skip(1);
                    continue;
                }
                _ if is_word(byte) => {
                    let length = self.rest.iter().position(|b| !is_word(*b)).unwrap_or(self.rest.len());
                    let is_prefix = length <= 2 && matches!(self.rest.get(length), Some(b'\'' | b'"'));
                    if is_prefix {
                        self.formatted = self.rest[..length].iter().any(|b| matches!(b, b'f' | b'F' | b't' | b'T'));
                        self.skip(length);
                        continue;
                    }
                    self.count();
                    self.skip(length);
                }
                _ => {
                    self.count();
                    self.skip(1);
                }
            }
            if byte != b'\n' {
                self.after_string = false;
            }
            if self.longest() > LONGEST {
                return Some((self.line, format!("one expression has more than {LONGEST} parts")));
            }
        }
        None
    }

    fn longest(&self) -> usize {
        self.runs.last().copied().unwrap_or(0).max(self.in_string)
    }

    fn skip(&mut self, n: usize) {
        self.rest = &self.rest[n.min(self.rest.len())..];
    }

    fn count(&mut self) {
        if let Some(run) = self.runs.last_mut() {
            *run += 1;
        }
    }

    fn reset(&mut self) {
        if let Some(run) = self.runs.last_mut() {
            *run = 0;
        }
    }

    /// Past a string literal. Prefixes do not matter: a raw string can't end at `\"` either.
    fn string(&mut self, quote: u8) {
        let triple = self.rest.starts_with(&[quote; 3]);
        let formatted = std::mem::take(&mut self.formatted);
        if formatted {
            self.in_string = 0;
        }
        self.skip(if triple { 3 } else { 1 });
        while let Some(&byte) = self.rest.first() {
            if byte == b'\n' {
                if !triple {
                    return;
                }
                self.line += 1;
            }
            if formatted && matches!(byte, b'(' | b'[' | b'{' | b'+' | b'-' | b'*' | b'~') {
                self.in_string += 1;
            }
            if byte == b'\\' {
                if self.rest.get(1) == Some(&b'\n') {
                    self.line += 1;
                }
                self.skip(2);
            } else if triple && self.rest.starts_with(&[quote; 3]) {
                self.skip(3);
                return;
            } else if !triple && byte == quote {
                self.skip(1);
                return;
            } else {
                self.skip(1);
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn line(source: &str) -> Option<u32> {
        flaw(source).map(|flaw| flaw.line)
    }

    #[test]
    fn what_people_write_passes() {
        for source in [
            "",
            "x = 1\n",
            &format!("x = [{}]\n", "1, ".repeat(20_000)),
            &format!("x = {{{}}}\n", "'a': 1 + 2, ".repeat(5_000)),
            &"x = f(1)[2].y + 3\n".repeat(5_000),
            &format!("\"\"\"{}\"\"\"\n", "( ".repeat(5_000)),
            &format!("x = '{}'  # {}\n", "[".repeat(500), "(".repeat(500)),
            &format!("{}x\n", "(".repeat(90)),
            "s = 'it\\'s ('\nt = r'\\'\n",
            &format!("x = ({})\n", "'a'\n".repeat(2_000)),
            &format!("x = {{{}}}\n", "1: 2 + 3, ".repeat(5_000)),
            &"def f(a: int, b: str = 'x') -> dict[str, int]: return {a: b}\n".repeat(2_000),
        ] {
            assert_eq!(line(source), None, "{}", &source[..source.len().min(60)]);
        }
    }

    #[test]
    fn tabs_and_spaces_must_not_decide_by_their_width() {
        for (body, at) in [
            ("        x = 1\n\ty = 2\n", Some(3)),
            ("\tx = 1\n        y = 2\n", Some(3)),
            ("\tif x:\n            y = 2\n", None),
            ("\tx = (1,\n        2)\n\ty = 3\n", None),
            ("\tx = '''\n        2'''\n\ty = 3\n", None),
            ("\tx = 1\n        # a remark\n\n\ty = 2\n", None),
            ("\tif x:\n\t    y = 2\n\tz = 3\n", None),
        ] {
            let source = format!("def f(x):\n{body}");
            assert_eq!(line(&source), at, "{source:?}");
            assert!(flaw(&source).is_none_or(|flaw| flaw.class == "TabError"));
        }
    }

    #[test]
    fn what_would_need_a_deep_stack_is_named_with_its_line() {
        assert_eq!(line(&format!("\nx = {}1{}\n", "(".repeat(5_000), ")".repeat(5_000))), Some(2));
        assert_eq!(line(&format!("x = {}1\n", "1 + ".repeat(5_000))), Some(1));
        assert_eq!(line(&format!("x = {}1\n", "not ".repeat(5_000))), Some(1));
        assert_eq!(line(&format!("x = {}1\n", "-".repeat(5_000))), Some(1));
        assert_eq!(line(&format!("x = y{}\n", ".z".repeat(5_000))), Some(1));
        assert_eq!(line(&format!("x = y{}\n", "()".repeat(5_000))), Some(1));
        assert_eq!(line(&format!("x = {}1\n", "lambda: ".repeat(5_000))), Some(1));
        assert_eq!(line(&format!("x = {}1\n", "1 if 1 else ".repeat(5_000))), Some(1));
        assert_eq!(line(&format!("x = ({}1)\n", "lambda: ".repeat(5_000))), Some(1));
        assert!(line(&format!("x = {}1\n", "1+\\\n".repeat(5_000))).is_some());
        assert_eq!(line(&format!("x = f'{{{}1{}}}'\n", "(".repeat(5_000), ")".repeat(5_000))), Some(1));
        let blocks: String = (0..80).map(|n| format!("{}if 1:\n", " ".repeat(n))).collect();
        assert_eq!(line(&format!("{blocks}{}pass\n", " ".repeat(80))), Some(61));
    }
}
