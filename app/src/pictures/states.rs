//! The life of a handle as a drawing: four states, and the ways between them, each of which can be asked.

use yew::prelude::*;

/// A way from one state of a handle to another, as `leasehold_exercises::Edge` has it: from, to, by what, and why.
#[derive(Debug, PartialEq, Eq, serde::Deserialize)]
struct Edge {
    from: String,
    to: String,
    by: String,
    why: String,
}

/// All of them.
pub const STATES: [&str; 4] = ["acquiring", "held", "lost", "released"];

/// Half of a state's width and height.
const HALF: (i32, i32) = (56, 20);

/// The middle of a state, by its name.
pub fn place(state: &str) -> (i32, i32) {
    match state {
        "acquiring" => (130, 50),
        "held" => (360, 50),
        "lost" => (470, 220),
        _ => (210, 220),
    }
}

/// A way as it is drawn.
#[derive(Debug, PartialEq, Eq)]
pub struct Way {
    /// The line, as SVG's `d`.
    pub line: String,
    /// Where its words stand.
    pub words: (i32, i32),
    /// Which end of them stands there, as SVG's `text-anchor`.
    pub anchor: &'static str,
}

/// From border to border; to itself in a loop at the right side.
pub fn way(from: &str, to: &str) -> Way {
    let ((x, y), to, begins) = (place(from), place(to), from);
    if (x, y) == to {
        let line = format!("M{} {} c50 -30 50 46 4 22", x + HALF.0, y - 8);
        return Way { line, words: (x + HALF.0 + 46, y + 4), anchor: "start" };
    }
    if y == to.1 {
        let line = format!("M{} {y} L{} {y}", x + HALF.0, to.0 - HALF.0 - 3);
        return Way { line, words: ((x + to.0) / 2, y - 10), anchor: "middle" };
    }
    // Down, and a little to the side on which there is room.
    let (start, end) = (x + (to.0 - x) / 5, to.0 - (to.0 - x) / 5);
    let line = format!("M{start} {} L{end} {}", y + HALF.1, to.1 - HALF.1 - 3);
    let (aside, anchor) = if begins == "acquiring" { (-10, "end") } else { (10, "start") };
    Way { line, words: ((start + end) / 2 + aside, (y + to.1) / 2), anchor }
}

#[derive(Properties, PartialEq)]
pub struct StatesProps {
    /// A list of ways as JSON.
    pub data: AttrValue,
}

/// The drawing, what the chosen way means, and all of it as text.
#[component]
pub fn States(StatesProps { data }: &StatesProps) -> Html {
    let edges = use_memo(data.clone(), |data| serde_json::from_str::<Vec<Edge>>(data).unwrap_or_default());
    let at = use_state(|| 0);
    let chosen = *at;
    let choose = Callback::from(move |to| at.set(to));
    html! {
        <div class="states">
            <svg viewBox="0 0 610 260" role="group" aria-label="States of a handle and the ways between them">
                <defs>
                    <marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="11" markerHeight="11"
                        markerUnits="userSpaceOnUse" orient="auto">
                        <path d="M0 0L8 4L0 8z" />
                    </marker>
                </defs>
                { for edges.iter().enumerate().map(|(i, edge)| drawn(edge, i == chosen, choose.reform(move |()| i))) }
                { for STATES.map(|name| state(name, "state")) }
            </svg>
            <p class="states-why" aria-live="polite">{ for edges.get(chosen).map(told) }</p>
            <details class="as-text">
                <summary>{ "The same as text" }</summary>
                <ul>{ for edges.iter().map(|edge| html! { <li>{ told(edge) }</li> }) }</ul>
            </details>
        </div>
    }
}

/// A state as a box; `class` is one word or several.
pub fn state(name: &'static str, class: &str) -> Html {
    let (x, y) = place(name);
    html! {
        <g class={[class, " state-", name].concat()} aria-hidden="true" transform={format!("translate({x} {y})")}>
            <rect x="-56" y="-20" width="112" height="40" rx="6" />
            <text y="5" text-anchor="middle">{ name }</text>
        </g>
    }
}

fn headline(edge: &Edge) -> String {
    [&edge.from, " → ", &edge.to, ", ", &edge.by, "."].concat()
}

fn told(edge: &Edge) -> Html {
    html! { <><strong>{ headline(edge) }</strong>{ " " }{ edge.why.clone() }</> }
}

fn drawn(edge: &Edge, is_chosen: bool, choose: Callback<()>) -> Html {
    let Way { line, words: (x, y), anchor } = way(&edge.from, &edge.to);
    html! {
        <g class="way" role="button" tabindex="0" aria-pressed={is_chosen.to_string()} aria-label={headline(edge)}
            onfocusin={choose.reform(|_| ())} onmouseover={choose.reform(|_| ())} onclick={choose.reform(|_| ())}>
            <path class="way-reach" d={line.clone()} />
            <path class="way-line" d={line} marker-end="url(#tip)" />
            <text x={x.to_string()} y={y.to_string()} text-anchor={anchor}>{ edge.by.clone() }</text>
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leasehold_exercises::{Drawing, chapters};

    fn edges() -> Vec<Edge> {
        let drawings = chapters().iter().flat_map(|chapter| chapter.pictures).map(|picture| &picture.drawing);
        let edges =
            drawings.filter_map(|drawing| if let Drawing::States(edges) = drawing { Some(*edges) } else { None });
        edges.flatten().map(|e| edge(e.from, e.to, e.by, e.why)).collect()
    }

    fn edge(from: &str, to: &str, by: &str, why: &str) -> Edge {
        Edge { from: from.into(), to: to.into(), by: by.into(), why: why.into() }
    }

    #[test]
    fn every_way_has_a_line_and_words_of_its_own() {
        let ways: Vec<Way> = edges().iter().map(|edge| way(&edge.from, &edge.to)).collect();
        assert!(!ways.is_empty());
        for (i, way) in ways.iter().enumerate() {
            assert!(ways[..i].iter().all(|other| other.line != way.line && other.words != way.words), "{way:?}");
        }
    }

    #[test]
    fn a_way_down_begins_under_one_state_and_ends_over_the_other() {
        let way = way("held", "lost");
        assert_eq!(way, Way { line: "M382 70 L448 197".to_owned(), words: (425, 135), anchor: "start" });
    }
}
