//! The page of one kata. It holds the [`State`], passes on what happens to it, and does the effects it asks for.

use crate::components::{Axis, Chapter, GO, Header, LINE, Notices, Results, RunBar, Splitter};
use crate::editor::{self, CodeEditor};
use crate::engine::{self, Engine};
use crate::protocol::{Message, Order};
use crate::state::{Effect, GRACE_MS, Msg, SILENCE_MS, State};
use crate::storage;
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use leasehold_checker::report::Outcome;
use leasehold_exercises::Kata;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CustomEvent, Element, Event, FocusOptions, HtmlElement, KeyboardEvent};
use yew::prelude::*;

/// The width from which editor and results have room; static/css/workspace.css has the same.
const WIDE: &str = "(min-width: 1024px)";

/// See [`KataPage`].
#[derive(Properties, PartialEq)]
pub struct KataPageProps {
    /// The kata.
    pub kata: &'static Kata,
}

/// The page of one kata.
pub struct KataPage {
    state: State,
    engine: Option<Engine>,
    watchdog: Option<Timeout>,
    editor: NodeRef,
    mac: bool,
    listeners: Vec<EventListener>,
    /// The focus was in the shown test before the last change.
    in_detail: bool,
}

impl Component for KataPage {
    type Message = Msg;
    type Properties = KataPageProps;

    fn create(ctx: &Context<Self>) -> Self {
        let kata = ctx.props().kata;
        let restored = storage::restore(kata.slug, kata.starter);
        KataPage {
            state: State::new(kata, restored),
            engine: None,
            watchdog: None,
            editor: NodeRef::default(),
            mac: is_mac(),
            listeners: Vec::new(),
            in_detail: false,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let typing = matches!(msg, Msg::Edited(_) | Msg::Waited(_) | Msg::Heard(Message::Alive { .. }));
        let shown = (self.state.before_reset.is_some(), self.outdated());
        self.in_detail |= find("#detail :focus, #detail:focus").is_some();
        let effects = self.state.update(msg);
        for effect in effects {
            self.perform(ctx, effect);
        }
        // Most keystrokes, and signs of life, change nothing that is drawn here.
        !typing || shown != (self.state.before_reset.is_some(), self.outdated())
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let state = &self.state;
        let results = state.result.as_ref();
        let kata = state.kata;
        let facts = format!("Kata {} · {} · about {} min", kata.order, kata.difficulty, kata.minutes);
        let class = if results.is_some() { "work work-with-results" } else { "work" };
        html! {
            <>
                <Header title={kata.title} {facts} />
                <Notices notices={state.notices.clone()} on_dismiss={link.callback(Msg::Dismiss)} />
                <p class="announcement" role="status">{ state.announcement.clone() }</p>
                <main class="workspace">
                    <p class="needs-width">
                        { "The editor and the test runner need a window at least 1024 pixels wide. Open this page on a \
                           wider screen to write the code. What you write is saved in that browser as you type, and your \
                           progress will be waiting there. The chapter reads well here." }
                    </p>
                    <Chapter {kata} hints={state.hints} on_hint={link.callback(|()| Msg::Hint)} />
                    <Splitter axis={Axis::Columns} label="Width of the chapter" controls="chapter"
                        property="--chapter" share={36} />
                    <div {class}>
                        <section id="code" class="code" aria-label="Your code">
                            <RunBar engine={state.engine.clone()} queued={state.queued}
                                can_undo={state.before_reset.is_some()} mac={self.mac}
                                on_run={link.callback(|()| Msg::Run)} on_retry={link.callback(|()| Msg::Retry)}
                                on_reset={link.callback(|()| Msg::Reset)} on_undo={link.callback(|()| Msg::UndoReset)} />
                            // The build script made this HTML from our own file; empty where nothing is imported.
                            { Html::from_html_unchecked(AttrValue::Static(kata.api_html)) }
                            <code-editor ref={self.editor.clone()} label="Your Python code" described-by="editor-keys" />
                            <p id="editor-keys" class="editor-keys">
                                <kbd>{ "Tab" }</kbd>{ " indents. " }<kbd>{ "Esc" }</kbd>{ " then " }<kbd>{ "Tab" }</kbd>
                                { " leaves the editor. Your code is saved in this browser as you type." }
                            </p>
                        </section>
                        <Splitter axis={Axis::Rows} label="Height of the editor" controls="code"
                            property="--editor" share={if results.is_some() { 34 } else { 74 }} />
                        <section class="results" aria-label="Results" data-run={results.map(|result| result.id.to_string())}>
                            if let Some(result) = results {
                                <Results run={result.id} report={result.report.clone()} selected={result.selected}
                                    source={result.source.clone()} outdated={result.outdated} engine={state.engine.clone()}
                                    summary={kata.summary} on_select={link.callback(Msg::Select)}
                                    on_search={link.callback(|msg: Msg| msg)}
                                    on_line={link.callback(Msg::GoToLine)} />
                            } else {
                                <p class="no-results">
                                    { "Nothing has run yet. Run Tests tries your code rule by rule. If it breaks one, the shortest \
                                       story of it is told and drawn here." }
                                </p>
                            }
                        </section>
                    </div>
                </main>
            </>
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, first_render: bool) {
        if first_render {
            self.listen(ctx);
            self.with_editor(ctx, |editor, state| editor.begin(&state.code));
        }
        // What had the focus may be gone with the report it was in: the next one has it then, not nobody.
        if std::mem::take(&mut self.in_detail) && find(":focus").is_none() {
            let place = find("#detail live-picture").or_else(|| find("#detail"));
            if let Some(place) = place.and_then(|place| place.dyn_into::<HtmlElement>().ok()) {
                let options = FocusOptions::new();
                options.set_prevent_scroll(true);
                let _ = place.focus_with_options(&options);
            }
        }
    }
}

impl KataPage {
    fn perform(&mut self, ctx: &Context<Self>, effect: Effect) {
        match effect {
            Effect::StartEngine => {
                self.watchdog = None;
                // The old one ends before the new one begins.
                self.engine = None;
                let heard = ctx.link().callback(Msg::Heard);
                match Engine::start(Rc::new(move |said| heard.emit(engine::read(said)))) {
                    Ok(engine) => self.engine = Some(engine),
                    Err(message) => self.engine_failed(ctx, message),
                }
            }
            Effect::Send { id } => {
                let order = Order::Run { id, kata: self.state.kata.slug, source: &self.state.code };
                let sent = self.send(&order);
                self.watch(ctx, id, sent);
            }
            Effect::Search { id } => {
                let sent = self.state.order_of_search().map_or(Ok(()), |order| self.send(&order));
                self.watch(ctx, id, sent);
            }
            Effect::Watch { id } => self.watch(ctx, id, Ok(())),
            Effect::Grace { id } => {
                let timed_out = ctx.link().callback(Msg::TimedOut);
                self.watchdog = Some(Timeout::new(GRACE_MS, move || timed_out.emit(id)));
            }
            Effect::Cancel { id } => {
                self.watchdog = None;
                if let Err(message) = self.send(&Order::Cancel { id }) {
                    self.engine_failed(ctx, message);
                }
            }
            Effect::Save => {
                let State { kata, code, .. } = &self.state;
                match storage::save(kata.slug, kata.starter, code) {
                    Ok(()) if self.state.notices.contains(&crate::state::Notice::Full) => {
                        ctx.link().send_message(Msg::Saved);
                    }
                    Ok(()) => {}
                    Err(error) => ctx.link().send_message(Msg::NotSaved(error)),
                }
            }
            Effect::ReplaceText => self.with_editor(ctx, |editor, state| editor.replace(&state.code)),
            Effect::MarkProblem => self.with_editor(ctx, |editor, state| {
                match state.selected_test().filter(|t| t.outcome != Outcome::Passed) {
                    Some(test) => editor.mark_problem(test.line.unwrap_or(0), test.column.unwrap_or(0), &test.message),
                    None => editor.mark_problem(0, 0, ""),
                }
            }),
            Effect::MarkStep(line) => self.with_editor(ctx, |editor, _| editor.mark_step(line.unwrap_or(0))),
            Effect::GoTo(line) => self.with_editor(ctx, |editor, _| editor.go_to(line)),
        }
    }

    fn send(&self, order: &Order) -> Result<(), String> {
        self.engine.as_ref().map_or(Err("no worker".to_owned()), |engine| engine.send(order))
    }

    // From now on the order that was sent has to give a sign.
    fn watch(&mut self, ctx: &Context<Self>, id: u32, sent: Result<(), String>) {
        match sent {
            Ok(()) => {
                let waited = ctx.link().callback(Msg::Waited);
                self.watchdog = Some(Timeout::new(SILENCE_MS, move || waited.emit(id)));
            }
            Err(message) => self.engine_failed(ctx, message),
        }
    }

    fn engine_failed(&self, ctx: &Context<Self>, message: String) {
        ctx.link().send_message(Msg::Heard(Message::Failed { message }));
    }

    fn with_editor(&self, ctx: &Context<Self>, act: impl FnOnce(&CodeEditor, &State) -> Result<(), JsValue>) {
        // Any element would do for the cast: whether it is a <code-editor> shows when a method is called.
        let editor = self.editor.get().map(JsCast::unchecked_into::<CodeEditor>);
        if editor.is_none_or(|editor| act(&editor, &self.state).is_err()) {
            ctx.link().send_message(Msg::EditorMissing);
        }
    }

    fn listen(&mut self, ctx: &Context<Self>) {
        if let Some(editor) = self.editor.get() {
            let edited = ctx.link().callback(Msg::Edited);
            self.listeners.push(EventListener::new(&editor, editor::CHANGE, move |event| {
                if let Some(text) = event.dyn_ref::<CustomEvent>().and_then(|e| e.detail().as_string()) {
                    edited.emit(text);
                }
            }));
        }
        let Some(window) = web_sys::window() else { return };
        let run = ctx.link().callback(|()| Msg::Run);
        let keys = move |event: &Event| {
            let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
            if key.key() == "Enter" && (key.ctrl_key() || key.meta_key()) && !key.repeat() {
                event.prevent_default();
                run.emit(());
            }
        };
        for (name, told) in [(LINE, ctx.link().callback(Msg::AtLine)), (GO, ctx.link().callback(Msg::GoToLine))] {
            self.listeners.push(EventListener::new(&window, name, move |event| {
                let detail = event.dyn_ref::<CustomEvent>().and_then(|e| e.detail().as_f64());
                told.emit(detail.unwrap_or(0.0) as u32);
            }));
        }
        let active = EventListenerOptions::enable_prevent_default();
        self.listeners.push(EventListener::new_with_options(&window, "keydown", active, keys));

        // On a narrow screen nothing can be run, so nothing is downloaded.
        let Ok(Some(wide)) = window.match_media(WIDE) else { return };
        let widened = ctx.link().callback(|()| Msg::Wide);
        if wide.matches() {
            widened.emit(());
        }
        let query = wide.clone();
        self.listeners.push(EventListener::new(&wide, "change", move |_| {
            if query.matches() {
                widened.emit(());
            }
        }));
    }

    fn outdated(&self) -> bool {
        self.state.result.as_ref().is_some_and(|result| result.outdated)
    }
}

fn find(selector: &str) -> Option<Element> {
    web_sys::window()?.document()?.query_selector(selector).ok()?
}

fn is_mac() -> bool {
    let platform = web_sys::window().and_then(|w| w.navigator().platform().ok()).unwrap_or_default();
    platform.starts_with("Mac") || platform.starts_with("iP")
}
