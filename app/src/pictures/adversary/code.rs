//! The program under attack, to be read: lines, in the colours of the editor.

use super::into_box;
use web_sys::Element;
use yew::prelude::*;

const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
    "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "None", "nonlocal", "not", "or", "pass",
    "raise", "return", "True", "False", "try", "while", "with", "yield",
];

/// Splits a line into pieces with the class of each; none for what has no colour. Texts end with their line here.
fn pieces(line: &str) -> Vec<(Option<&'static str>, &str)> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (class, end) = match first {
            '#' => (Some("code-comment"), rest.len()),
            '"' | '\'' => (Some("code-string"), rest[1..].find(first).map_or(rest.len(), |end| end + 2)),
            'a'..='z' | 'A'..='Z' | '_' => {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let quoted = matches!(&rest[..end], "f" | "r" | "b") && rest[end..].starts_with(['"', '\'']);
                let class = KEYWORDS.contains(&&rest[..end]).then_some("code-keyword");
                (if quoted { Some("code-string") } else { class }, end)
            }
            '0'..='9' => {
                let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(rest.len());
                (Some("code-value"), end)
            }
            _ => {
                let starts = |c: char| c.is_alphanumeric() || matches!(c, '#' | '"' | '\'' | '_');
                (None, rest.find(starts).unwrap_or(rest.len()).max(first.len_utf8()))
            }
        };
        pieces.push((class, &rest[..end]));
        rest = &rest[end..];
    }
    pieces
}

#[derive(Properties, PartialEq)]
pub struct CodeProps {
    /// The program.
    pub source: String,
    /// The line that acts, from 1; none if no line does.
    pub line: Option<u32>,
}

/// The program, with the acting line marked and in view.
#[component]
pub fn Code(CodeProps { source, line }: &CodeProps) -> Html {
    let acting = use_node_ref();
    {
        let acting = acting.clone();
        use_effect_with(*line, move |_| {
            if let Some(line) = acting.cast::<Element>() {
                into_box(&line, ".code-box");
            }
        });
    }
    let lines = source.trim_end().lines().zip(1..).map(|(text, number): (_, u32)| {
        let is_now = *line == Some(number);
        let class = if is_now { "code-line code-line-now" } else { "code-line" };
        html! {
            <li {class} ref={if is_now { acting.clone() } else { NodeRef::default() }} aria-current={is_now.then_some("true")}>
                <code>{ for pieces(text).into_iter().map(piece) }</code>
            </li>
        }
    });
    html! {
        <div class="code-box" tabindex="0" role="group" aria-label="The program">
            <ol class="code-lines">{ for lines }</ol>
        </div>
    }
}

fn piece((class, text): (Option<&'static str>, &str)) -> Html {
    match class {
        Some(class) => html! { <span {class}>{ text.to_owned() }</span> },
        None => html! { text.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> String {
        let told = pieces(line).into_iter().map(|(class, text)| match class {
            Some(class) => format!("<{}:{text}>", class.trim_start_matches("code-")),
            None => text.to_owned(),
        });
        told.collect()
    }

    #[test]
    fn keywords_texts_numbers_and_comments_are_told_apart() {
        let told = told("    if not await locks.renew(\"report\", 10.0):  # it's over");
        assert_eq!(
            told,
            "    <keyword:if> <keyword:not> <keyword:await> locks.renew(<string:\"report\">, <value:10.0>):  <comment:# it's over>"
        );
    }

    #[test]
    fn a_prefix_belongs_to_its_text_and_a_name_with_a_keyword_in_it_is_a_name() {
        assert_eq!(told("x = f\"by {n}\""), "x = <string:f><string:\"by {n}\">");
        assert_eq!(told("notify_if(a1)"), "notify_if(a1)");
    }

    #[test]
    fn no_letter_is_lost() {
        for line in ["", "a = 'open", "é = 1", "    ", "f", "“quoted”"] {
            assert_eq!(pieces(line).iter().map(|(_, text)| *text).collect::<String>(), line);
        }
    }
}
