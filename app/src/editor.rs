//! The element `<code-editor>` (app/editor/editor.js), as seen from Rust.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `<code-editor>`. Every method can fail: its script is a file of its own and may not have come.
    #[derive(Clone)]
    #[wasm_bindgen(extends = web_sys::HtmlElement)]
    pub type CodeEditor;

    /// Begins with a text; there is nothing to undo.
    #[wasm_bindgen(method, catch)]
    pub fn begin(this: &CodeEditor, text: &str) -> Result<(), JsValue>;

    /// Puts a text in the place of all there is, as one step that can be undone.
    #[wasm_bindgen(method, catch)]
    pub fn replace(this: &CodeEditor, text: &str) -> Result<(), JsValue>;

    /// Marks the line where a test failed; 0 for none. The column counts from 1, 0 if it is unknown.
    #[wasm_bindgen(method, catch, js_name = markProblem)]
    pub fn mark_problem(this: &CodeEditor, line: u32, column: u32, message: &str) -> Result<(), JsValue>;

    /// Marks the line that acted in the timeline's current step; 0 for none.
    #[wasm_bindgen(method, catch, js_name = markStep)]
    pub fn mark_step(this: &CodeEditor, line: u32) -> Result<(), JsValue>;

    /// Puts the cursor on a line and the focus into the editor.
    #[wasm_bindgen(method, catch, js_name = goTo)]
    pub fn go_to(this: &CodeEditor, line: u32) -> Result<(), JsValue>;
}

/// The event that tells of typing; its detail is the whole text.
pub const CHANGE: &str = "code-change";
