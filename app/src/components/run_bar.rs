//! Above the editor: Run Tests, how the interpreter is, Reset.

use crate::keys;
use crate::state::EngineState;
use yew::prelude::*;

/// See [`RunBar`].
#[derive(Properties, PartialEq)]
pub struct RunBarProps {
    /// How the interpreter is.
    pub engine: EngineState,
    /// Run Tests waits for it.
    pub queued: bool,
    /// What the button says that brings code back; none if there is none to bring back.
    pub undo: Option<&'static str>,
    /// The machine is a Mac, whose shortcuts are written differently.
    pub mac: bool,
    /// Run Tests.
    pub on_run: Callback<()>,
    /// Load the interpreter again.
    pub on_retry: Callback<()>,
    /// Bring the starter back.
    pub on_reset: Callback<()>,
    /// Bring the code back.
    pub on_undo: Callback<()>,
}

/// The bar above the editor.
#[component]
pub fn RunBar(props: &RunBarProps) -> Html {
    let keys = keys::cap("Enter", props.mac);
    let label = match (&props.engine, props.queued) {
        (EngineState::Running { .. }, _) => "Running…",
        (EngineState::Loading { .. } | EngineState::Starting, true) => "Will run when ready",
        _ => "Run Tests",
    };
    html! {
        <div class="run-bar">
            <button type="button" class="run" aria-keyshortcuts={if props.mac { "Meta+Enter" } else { "Control+Enter" }}
                onclick={props.on_run.reform(|_| ())}>
                <span class="run-label">{ label }</span><kbd>{ keys }</kbd>
            </button>
            <EngineLine engine={props.engine.clone()} on_retry={props.on_retry.clone()} />
            <span class="run-bar-rest"></span>
            if let Some(words) = props.undo {
                <button id="undo" type="button" class="quiet" onclick={props.on_undo.reform(|_| ())}>{ words }</button>
            }
            <button type="button" class="quiet" onclick={props.on_reset.reform(|_| ())}>{ "Reset" }</button>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct EngineLineProps {
    engine: EngineState,
    on_retry: Callback<()>,
}

#[component]
fn EngineLine(EngineLineProps { engine, on_retry }: &EngineLineProps) -> Html {
    match engine {
        EngineState::Asleep | EngineState::Ready | EngineState::Running { .. } | EngineState::Searching(_) => {
            Html::default()
        }
        EngineState::Starting => html! { <p class="engine">{ "Starting the Python interpreter…" }</p> },
        EngineState::Loading { total: 0, .. } => html! { <p class="engine">{ "Loading the Python interpreter…" }</p> },
        EngineState::Loading { received, total } => loading("engine-progress", *received, *total),
        EngineState::Failed { message } => {
            let why = if message.is_empty() { String::new() } else { format!(" ({message})") };
            html! {
                <p class="engine engine-failed">
                    <span>{ format!("The Python interpreter could not be loaded{why}.") }</span>
                    <button type="button" onclick={on_retry.reform(|_| ())}>{ "Retry" }</button>
                </p>
            }
        }
    }
}

/// So many of the interpreter's bytes have come; `total` is not 0.
pub fn loading(id: &'static str, received: u64, total: u64) -> Html {
    let percent = (received * 100 / total).min(100);
    html! {
        <p class="engine">
            <label for={id}>{ "Loading the Python interpreter" }</label>
            <progress {id} max="100" value={percent.to_string()}>{ format!("{percent} %") }</progress>
            <span class="engine-figure">{ format!("{percent} %") }</span>
        </p>
    }
}
