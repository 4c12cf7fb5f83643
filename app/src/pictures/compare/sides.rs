//! Two runs side by side, stepped through together.

use super::Version;
use super::align::{Alignment, Likeness, Row, align};
use super::words::{Told, summary, verdict};
use crate::components::into_view;
use crate::pictures::code::Code;
use crate::pictures::runs::Answer;
use leasehold_checker::time::seconds;
use leasehold_checker::trace::Trace;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

/// See [`Sides`].
#[derive(Properties, PartialEq)]
pub struct SidesProps {
    pub versions: [Version; 2],
    /// As many, in the same order.
    pub answers: Rc<[Answer]>,
}

/// What came of both: a sentence, and the events in rows.
#[component]
pub fn Sides(SidesProps { versions, answers }: &SidesProps) -> Html {
    let alignment = use_memo(answers.clone(), |answers| {
        let (left, right) = (trace(answers, 0)?, trace(answers, 1)?);
        Some(align(left, right))
    });
    let verdicts = versions.iter().zip(answers.iter()).map(|(version, answer)| {
        let text = match answer {
            Ok(test) => verdict(version.name, test),
            Err(error) => ["In ", version.name, ": ", error].concat(),
        };
        html! { <p>{ text }</p> }
    });
    let told = |side: usize| trace(answers, side).map(|trace| Told { name: versions[side].name, trace });
    let place = use_node_ref();
    {
        let place = place.clone();
        use_effect_with((), move |()| {
            if let Some(place) = place.cast::<Element>() {
                into_view(&place);
            }
        });
    }
    html! {
        <div ref={place} class="compare">
            <div class="compare-verdicts">{ for verdicts }</div>
            if let (Some(alignment), Some(left), Some(right)) = (&*alignment, told(0), told(1)) {
                <p class="compare-summary" role="status">{ summary(left, right, alignment) }</p>
                <Rows versions={versions.clone()} answers={answers.clone()} />
            } else {
                <p class="compare-summary" role="status">{ "So there are no two runs to lay side by side." }</p>
            }
        </div>
    }
}

fn trace(answers: &[Answer], side: usize) -> Option<&Trace> {
    answers.get(side)?.as_ref().ok()?.trace.as_ref()
}

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    First,
    Back,
    Forward,
    Last,
    Difference,
    To(usize),
}

impl Step {
    fn of_key(key: &str) -> Option<Self> {
        match key {
            "ArrowLeft" | "ArrowUp" => Some(Step::Back),
            "ArrowRight" | "ArrowDown" => Some(Step::Forward),
            "Home" => Some(Step::First),
            "End" => Some(Step::Last),
            "d" | "D" => Some(Step::Difference),
            _ => None,
        }
    }

    fn from(self, at: usize, alignment: &Alignment) -> usize {
        let last = alignment.rows.len().saturating_sub(1);
        let to = match self {
            Step::First => 0,
            Step::Back => at.saturating_sub(1),
            Step::Forward => at + 1,
            Step::Last => last,
            Step::Difference => alignment.first.unwrap_or(at),
            Step::To(row) => row,
        };
        to.min(last)
    }
}

#[component]
fn Rows(SidesProps { versions, answers }: &SidesProps) -> Html {
    let alignment = use_memo(answers.clone(), |answers| {
        trace(answers, 0).zip(trace(answers, 1)).map(|(left, right)| align(left, right)).unwrap_or_default()
    });
    let at = use_state(|| alignment.first.unwrap_or(0));
    let is_open = use_state(|| false);
    let (sight, current) = (use_node_ref(), use_node_ref());
    {
        let (sight, current) = (sight.clone(), current.clone());
        let stepped = use_mut_ref(|| false);
        use_effect_with(*at, move |_| {
            let (Some(sight), Some(row)) = (sight.cast::<Element>(), current.cast::<Element>()) else { return };
            show(&sight, &row);
            // At first the sentence over the rows is what is to be read.
            if stepped.replace(true) {
                into_view(&row);
            }
        });
    }
    let Some((left, right)) = trace(answers, 0).zip(trace(answers, 1)) else { return Html::default() };
    let go = {
        let (at, alignment) = (at.clone(), alignment.clone());
        Callback::from(move |step: Step| at.set(step.from(*at, &alignment)))
    };
    let onkeydown = {
        let go = go.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() {
                return;
            }
            if let Some(step) = Step::of_key(&event.key()) {
                event.prevent_default();
                event.stop_propagation();
                go.emit(step);
            }
        })
    };
    let ontoggle = {
        let is_open = is_open.clone();
        Callback::from(move |event: Event| {
            is_open.set(event.target_dyn_into::<Element>().is_some_and(|details| details.has_attribute("open")));
        })
    };
    let row = alignment.rows.get(*at);
    let lines = [(left, row.and_then(|row| row.left)), (right, row.and_then(|row| row.right))]
        .map(|(trace, event)| event.and_then(|event| trace.events.get(event)?.line).unwrap_or(0));
    html! {
        <>
            { bar(*at, &alignment, &go) }
            <div ref={sight} class="compare-box" tabindex="0" role="group" aria-label="Both runs, row by row" {onkeydown}>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ versions[0].name }</th>
                            <th scope="col" class="compare-sign"><span class="announcement">{ "alike?" }</span></th>
                            <th scope="col">{ versions[1].name }</th>
                        </tr>
                    </thead>
                    <tbody>
                        { for alignment.rows.iter().enumerate().map(|(i, row)| {
                            let onclick = go.reform(move |_| Step::To(i));
                            let is_now = i == *at;
                            let class = classes!(
                                (row.likeness != Likeness::Same).then_some("compare-differs"),
                                (alignment.first == Some(i)).then_some("compare-first"),
                            );
                            html! {
                                <tr {class} aria-current={is_now.then_some("step")} {onclick} ref={if is_now { current.clone() } else { NodeRef::default() }}>
                                    { cell(left, row.left) }
                                    <td class="compare-sign">{ sign(row, alignment.first == Some(i)) }</td>
                                    { cell(right, row.right) }
                                </tr>
                            }
                        }) }
                    </tbody>
                </table>
            </div>
            <p class="announcement" aria-live="polite">{ row.map(|row| spoken(versions, left, right, row)) }</p>
            <details class="compare-code" {ontoggle}>
                <summary>{ "Both files, with the line that acts" }</summary>
                if *is_open {
                    <div class="compare-files">
                        { for versions.iter().zip(lines).map(|(version, line)| html! {
                            <div class="code-read">
                                <Code label={version.name} code={AttrValue::from(version.code.to_string())} {line} />
                            </div>
                        }) }
                    </div>
                }
            </details>
        </>
    }
}

// Scrolls the rows' own box, and nothing around it.
fn show(sight: &Element, row: &Element) {
    let heads =
        sight.query_selector("thead").ok().flatten().map_or(0.0, |heads| heads.get_bounding_client_rect().height());
    let (sight_at, row_at) = (sight.get_bounding_client_rect(), row.get_bounding_client_rect());
    let above = row_at.top() - heads - sight_at.top();
    let below = row_at.bottom() - sight_at.bottom();
    let by = if above < 0.0 { above } else { below.max(0.0).min(above) };
    sight.set_scroll_top(sight.scroll_top() + by.ceil() as i32);
}

fn bar(at: usize, alignment: &Alignment, go: &Callback<Step>) -> Html {
    let last = alignment.rows.len().saturating_sub(1);
    let button = |step: Step, name: &'static str, sign: &'static str, disabled: bool| {
        html! {
            <button type="button" class="step" aria-label={name} title={name} aria-disabled={disabled.to_string()}
                onclick={go.reform(move |_| step)}>
                <svg viewBox="0 0 16 16" aria-hidden="true"><path d={sign} /></svg>
            </button>
        }
    };
    html! {
        <div class="player-bar">
            <div class="steps" role="group" aria-label="Rows">
                { button(Step::First, "First row (Home)", "M4 3v10 M13 3L7 8l6 5z", at == 0) }
                { button(Step::Back, "Back (left arrow)", "M11 3L5 8l6 5z", at == 0) }
                <span class="compare-count">{ format!("{} / {}", at + 1, last + 1) }</span>
                { button(Step::Forward, "Forward (right arrow)", "M5 3l6 5-6 5z", at == last) }
                { button(Step::Last, "Last row (End)", "M12 3v10 M3 3l6 5-6 5z", at == last) }
                if alignment.first.is_some() {
                    <button type="button" class="step step-bad" title="The first row that differs (D)"
                        onclick={go.reform(|_| Step::Difference)}>
                        { "≠ First difference" }
                    </button>
                }
            </div>
            <p class="coverage">
                { "Keys: " }<kbd>{ "←" }</kbd>{ " " }<kbd>{ "→" }</kbd>{ " " }<kbd>{ "Home" }</kbd>{ " " }<kbd>{ "End" }</kbd>
                { " " }<kbd>{ "D" }</kbd>
            </p>
        </div>
    }
}

fn cell(trace: &Trace, event: Option<usize>) -> Html {
    let Some((at, event)) = event.and_then(|at| Some((at, trace.events.get(at)?))) else {
        return html! { <td class="compare-none">{ "–" }</td> };
    };
    html! {
        <td>
            <span class="compare-time">{ seconds(event.at_us) }</span>
            { " " }{ event.text(&trace.clients) }
            if let Some(line) = event.line { <span class="compare-line">{ " (line " }{ line }{ ")" }</span> }
            if trace.first_bad == Some(at) { <strong class="compare-bad">{ " ✗ here it breaks" }</strong> }
        </td>
    }
}

fn sign(row: &Row, is_first: bool) -> Html {
    let (sign, words) = match row.likeness {
        Likeness::Same => ("=", "the same"),
        Likeness::Moved => ("≈", "the same at another time"),
        Likeness::Differs => ("≠", "differs"),
        Likeness::Alone => ("≠", "on one side only"),
    };
    let words = if is_first { "the first difference" } else { words };
    html! { <span role="img" aria-label={words} title={words}>{ sign }</span> }
}

fn spoken(versions: &[Version; 2], left: &Trace, right: &Trace, row: &Row) -> String {
    let side = |trace: &Trace, event: Option<usize>| {
        let event = event.and_then(|event| trace.events.get(event));
        event.map_or("nothing".to_owned(), |event| [&seconds(event.at_us), " ", &event.text(&trace.clients)].concat())
    };
    match (row.likeness, side(left, row.left), side(right, row.right)) {
        (Likeness::Same, text, _) => ["In both: ", &text].concat(),
        (_, a, b) => ["In ", versions[0].name, ": ", &a, ". In ", versions[1].name, ": ", &b].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_within_the_rows_and_lead_to_the_first_difference() {
        let rows = (0..3).map(|i| Row { left: Some(i), right: Some(i), likeness: Likeness::Same }).collect();
        let alignment = Alignment { rows, first: Some(1) };
        let from = |key: &str, at| Step::of_key(key).unwrap().from(at, &alignment);
        assert_eq!(
            [from("ArrowLeft", 0), from("ArrowRight", 2), from("Home", 2), from("End", 0), from("d", 2)],
            [0, 2, 0, 2, 1]
        );
        assert_eq!(Step::To(9).from(0, &alignment), 2);
        assert_eq!(Step::Difference.from(2, &Alignment { first: None, ..alignment }), 2);
        assert_eq!(Step::of_key("Tab"), None);
    }
}
