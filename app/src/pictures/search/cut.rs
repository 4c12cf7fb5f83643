//! Our own HTML (exercises/build) as text, section by section.

/// A section: a heading and what stands below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// The heading's id; empty before the first heading.
    pub id: String,
    /// Its words.
    pub heading: String,
    /// What is below it. White space is single spaces.
    pub text: String,
}

/// Goes on with HTML: what stands before its first heading belongs to the last section of `into`.
pub fn cut(html: &str, into: &mut Vec<Cut>) {
    if into.is_empty() {
        into.push(Cut::default());
    }
    let mut in_heading = false;
    let mut rest = html;
    while let Some((text, tagged)) = rest.split_once('<') {
        add(into, in_heading, text);
        let (tag, after) = tagged.split_once('>').unwrap_or((tagged, ""));
        rest = after;
        let name = tag.split(' ').next().unwrap_or_default();
        match name {
            "h2" | "h3" => {
                in_heading = true;
                let id = tag.split_once("id=\"").and_then(|(_, id)| id.split('"').next()).unwrap_or_default();
                into.push(Cut { id: id.to_owned(), ..Cut::default() });
            }
            "/h2" | "/h3" => in_heading = false,
            // These are within words.
            "code" | "/code" | "em" | "/em" | "strong" | "/strong" | "b" | "/b" | "a" | "/a" | "span" | "/span" => {}
            _ => add(into, in_heading, " "),
        }
    }
    add(into, in_heading, rest);
}

/// Adds text, with entities, to the last section.
fn add(into: &mut [Cut], in_heading: bool, text: &str) {
    let Some(last) = into.last_mut() else { return };
    let to = if in_heading { &mut last.heading } else { &mut last.text };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let entity = ENTITIES.iter().find(|(name, _)| rest.starts_with(name));
        let (c, length) = entity.map_or((c, c.len_utf8()), |(name, c)| (*c, name.len()));
        rest = &rest[length..];
        if !c.is_ascii_whitespace() {
            to.push(c);
        } else if !to.is_empty() && !to.ends_with(' ') {
            to.push(' ');
        }
    }
}

const ENTITIES: [(&str, char); 5] = [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"'), ("&#39;", '\'')];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[&str]) -> Vec<Cut> {
        let mut all = Vec::new();
        parts.iter().for_each(|part| cut(part, &mut all));
        all
    }

    fn section(id: &str, heading: &str, text: &str) -> Cut {
        Cut { id: id.to_owned(), heading: heading.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn each_heading_begins_a_section_and_the_rest_goes_on() {
        let html = "<p>One <em>two</em>.</p>\n<h2 id=\"a-b\" tabindex=\"-1\">A <code>b</code></h2>\n<p>Three</p><ul><li>four</li></ul>";
        assert_eq!(
            of(&[html, "<p>a caption</p>"]),
            [section("", "", "One two. "), section("a-b", "A b", "Three four a caption ")]
        );
    }

    #[test]
    fn code_keeps_its_signs_and_words_their_letters() {
        let html = "<pre class=\"code\" tabindex=\"0\"><code>if a &lt; b\n    and &quot;c&quot;:</code></pre><p>un<strong>lock</strong></p>";
        assert_eq!(of(&[html]), [section("", "", "if a < b and \"c\": unlock ")]);
    }

    #[test]
    fn a_comparison_is_no_tag_once_it_is_text() {
        assert_eq!(of(&["<p>x &amp;lt; y</p>"]), [section("", "", "x &lt; y ")]);
    }
}
