//! A timeline to step through: buttons, keys, the current event as a sentence, the picture, and all of it as text.

use super::diagram::{Diagram, heads};
use super::layout::{broken, layout};
use super::steps::Move;
use crate::components::into_view;
use leasehold_checker::time::seconds;
use leasehold_checker::trace::{Event, Happening, Reply, Trace};
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

/// See [`Player`].
#[derive(Properties, PartialEq)]
pub struct PlayerProps {
    /// Whose story it is.
    pub name: AttrValue,
    /// One line that says what one sees.
    pub title: AttrValue,
    /// The story.
    pub trace: Rc<Trace>,
    /// The current event.
    pub step: usize,
    /// The code beside it, with lines to go to.
    #[prop_or_default]
    pub source: AttrValue,
    /// What a line of it is called.
    #[prop_or("your line")]
    pub line_name: &'static str,
    /// Asks for another step.
    pub on_move: Callback<Move>,
    /// Asks to see a line of the code.
    #[prop_or_default]
    pub on_line: Callback<u32>,
    /// More buttons at the end of the bar.
    #[prop_or_default]
    pub children: Html,
}

/// The timeline of one test.
#[component]
pub fn Player(props: &PlayerProps) -> Html {
    let PlayerProps { name, trace, step, source, line_name, on_move, on_line, .. } = props;
    let picture = use_memo(trace.clone(), |trace| Rc::new(layout(trace)));
    let current = use_node_ref();
    // A page may have several players.
    let keys = ["keys-of-", name.as_str()].concat();
    let Some(event) = trace.events.get(*step) else { return Html::default() };

    // Whoever asks for the step that is shown already wants to see it.
    let on_move = {
        let current = current.clone();
        on_move.reform(move |to| {
            if let Some(row) = current.cast::<Element>() {
                into_view(&row);
            }
            to
        })
    };
    let onkeydown = {
        let on_move = on_move.clone();
        Callback::from(move |e: KeyboardEvent| {
            if e.ctrl_key() || e.meta_key() || e.alt_key() {
                return;
            }
            if let Some(to) = Move::of_key(&e.key()) {
                e.prevent_default();
                on_move.emit(to);
            }
        })
    };
    html! {
        <section class="player" tabindex="0" role="group" aria-label="Timeline" aria-describedby={keys.clone()} {onkeydown}>
            <div class="player-head">
            <div class="player-bar">
                <Buttons step={*step} last={trace.events.len() - 1} bad={trace.first_bad} on_move={on_move.clone()} />
                <p id={keys} class="player-keys">
                    { "Keys: " }<kbd>{ "←" }</kbd>{ " " }<kbd>{ "→" }</kbd>{ " " }<kbd>{ "Home" }</kbd>{ " " }<kbd>{ "End" }</kbd>
                    if trace.first_bad.is_some() {
                        { " " }<kbd>{ "B" }</kbd>
                    }
                </p>
                { props.children.clone() }
            </div>
            <p class="player-now" aria-live="polite">
                <span class="player-time">{ seconds(event.at_us) }</span>
                <span>{ headline(event, trace) }</span>
                if !source.is_empty() { { line_button(event, line_name, on_line) } }
            </p>
            { heads(&picture) }
            </div>
            <Diagram layout={(*picture).clone()} step={*step} {on_move} {current} />
            <AsText trace={trace.clone()} />
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct ButtonsProps {
    step: usize,
    last: usize,
    bad: Option<usize>,
    on_move: Callback<Move>,
}

#[component]
fn Buttons(ButtonsProps { step, last, bad, on_move }: &ButtonsProps) -> Html {
    let button = |to: Move, name: &'static str, sign: &'static str, disabled: bool| {
        let onclick = on_move.reform(move |_| to);
        // Disabled for assistive technology only: a button that loses the focus at the end would take the keys along.
        html! {
            <button type="button" class="step" aria-label={name} title={name} aria-disabled={disabled.to_string()} {onclick}>
                <svg viewBox="0 0 16 16" aria-hidden="true"><path d={sign} /></svg>
            </button>
        }
    };
    html! {
        <div class="steps" role="group" aria-label="Steps">
            { button(Move::First, "First event (Home)", "M4 3v10 M13 3L7 8l6 5z", *step == 0) }
            { button(Move::Back, "Back (left arrow)", "M11 3L5 8l6 5z", *step == 0) }
            <span class="steps-count">{ format!("{} / {}", step + 1, last + 1) }</span>
            { button(Move::Forward, "Forward (right arrow)", "M5 3l6 5-6 5z", step == last) }
            { button(Move::Last, "Last event (End)", "M12 3v10 M3 3l6 5-6 5z", step == last) }
            if bad.is_some() {
                <button type="button" class="step step-bad" title="The first event that breaks a rule (B)" onclick={on_move.reform(|_| Move::Bad)}>
                    { "✗ Where it breaks" }
                </button>
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct AsTextProps {
    trace: Rc<Trace>,
}

#[component]
fn AsText(AsTextProps { trace }: &AsTextProps) -> Html {
    html! {
        <details class="as-text">
            <summary>{ "The same as text" }</summary>
            <ol>{ for trace.events.iter().enumerate().map(|(i, event)| item(trace, i, event)) }</ol>
        </details>
    }
}

fn item(trace: &Trace, index: usize, event: &Event) -> Html {
    let mark = if trace.first_bad == Some(index) {
        Some("✗ here it breaks")
    } else {
        trace.witnesses.contains(&index).then_some("◆ because of this")
    };
    html! {
        <li>
            <span class="player-time">{ seconds(event.at_us) }</span>
            { " " }{ event.text(&trace.clients) }
            if let Some(line) = event.line { <span class="as-text-line">{ format!(" (your line {line})") }</span> }
            if let Some(mark) = mark { <strong>{ format!(" {mark}") }</strong> }
        </li>
    }
}

// The event as a sentence; what the code raised stands above already, in the test's message.
fn headline(event: &Event, trace: &Trace) -> String {
    match &event.what {
        Happening::Answered { client, reply: Reply::Broke { message }, .. } => {
            let who = trace.clients.get(*client).map_or("?", String::as_str);
            format!("{who} gets no answer: {}", broken(message))
        }
        _ => event.text(&trace.clients),
    }
}

fn line_button(event: &Event, line_name: &str, on_line: &Callback<u32>) -> Html {
    let Some(line) = event.line else { return Html::default() };
    html! {
        <button type="button" class="link" onclick={on_line.reform(move |_| line)}>{ format!("{line_name} {line}") }</button>
    }
}
