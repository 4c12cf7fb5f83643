//! A file of code to read.

use crate::editor::CodeEditor;
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// See [`Code`].
#[derive(Properties, PartialEq)]
pub struct CodeProps {
    /// Whose code it is, for who can't see it.
    pub label: AttrValue,
    /// The whole file.
    pub code: AttrValue,
    /// The line that acts in the step that is shown, from 1; 0 if none does.
    #[prop_or_default]
    pub line: u32,
    /// A line that the reader asked to see, and how often one was asked for.
    #[prop_or_default]
    pub go: (u32, u32),
}

/// The page's editor, in which nothing can be changed; plain text where its script has not come.
#[component]
pub fn Code(CodeProps { label, code, line, go }: &CodeProps) -> Html {
    let place = use_node_ref();
    let is_plain = use_state(|| false);
    // Any element would do for the cast: whether it is a <code-editor> shows when a method is called.
    let editor = {
        let place = place.clone();
        move || place.get().map(JsCast::unchecked_into::<CodeEditor>)
    };
    {
        let (editor, is_plain) = (editor.clone(), is_plain.clone());
        use_effect_with(code.clone(), move |code| {
            if editor().is_none_or(|editor| editor.begin(code).is_err()) {
                is_plain.set(true);
            }
        });
    }
    {
        let editor = editor.clone();
        use_effect_with((*line, code.clone()), move |(line, _)| {
            let _ = editor().map(|editor| editor.mark_step(*line));
        });
    }
    use_effect_with(*go, move |(line, times)| {
        if *times > 0 {
            let _ = editor().map(|editor| editor.go_to(*line));
        }
    });
    if *is_plain {
        return html! { <pre class="output" tabindex="0" role="region" aria-label={label.clone()}>{ code }</pre> };
    }
    html! { <code-editor read-only="" ref={place} label={label.clone()} /> }
}
