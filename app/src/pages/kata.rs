//! The page of one kata. It holds the [`State`], passes on what happens to it, and does the effects it asks for.

use crate::activity::Activity;
use crate::components::{
    Axis, CLOSE, Chapter, GO, Header, LINE, Notices, PUT, Picture, Results, RunBar, Splitter, find, into_view,
    watch_width,
};
use crate::editor::{self, CodeEditor};
use crate::engine::{self, Engine};
use crate::keys::{self, Action, is_mac};
use crate::practice::seat::{NEXT, Seat};
use crate::protocol::{Message, Order};
use crate::state::{EDITOR, Effect, EngineState, GRACE_MS, Msg, Notice, SILENCE_MS, Solution, State};
use crate::storage::{self, Place, Restored, SaveError, Saved};
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use leasehold_checker::report::Outcome;
use leasehold_exercises::Kata;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::js_sys::Date;
use web_sys::{CustomEvent, Element, Event, FocusOptions, HtmlDialogElement, HtmlElement, StorageEvent, Window};
use yew::prelude::*;

/// See [`KataPage`].
#[derive(Properties, PartialEq)]
pub struct KataPageProps {
    /// The kata.
    pub kata: &'static Kata,
    /// It is written in a session of practice.
    pub seat: Option<Seat>,
}

/// The page of one kata.
pub struct KataPage {
    state: State,
    engine: Option<Engine>,
    watchdog: Option<Timeout>,
    editor: NodeRef,
    mac: bool,
    listeners: Vec<EventListener>,
    place: Place,
    activity: Rc<Cell<Activity>>,
    dialog: NodeRef,
    /// How many katas were solved when all tests passed last.
    solved: usize,
    /// What is to have the focus once the page is drawn.
    focus: Option<&'static str>,
    /// The focus was in the shown test before the last change.
    in_detail: bool,
}

impl Component for KataPage {
    type Message = Msg;
    type Properties = KataPageProps;

    fn create(ctx: &Context<Self>) -> Self {
        let KataPageProps { kata, seat } = *ctx.props();
        let (place, state) = match seat {
            // A session of practice does not look at the learner's own record.
            Some(seat) => (Place::unseen(kata.slug, kata.starter), seat.taken(State::new(kata, Restored::Nothing))),
            None => {
                let (place, restored) = Place::open(kata.slug, kata.starter);
                let mut state = State::new(kata, restored);
                state.progress = place.progress();
                (place, state)
            }
        };
        KataPage {
            state,
            place,
            activity: Rc::default(),
            dialog: NodeRef::default(),
            solved: 0,
            focus: None,
            engine: None,
            watchdog: None,
            editor: NodeRef::default(),
            mac: is_mac(),
            listeners: Vec::new(),
            in_detail: false,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let seat = ctx.props().seat;
        let msg = match seat {
            Some(seat) => seat.hear(msg),
            None => msg,
        };
        let typing = matches!(msg, Msg::Edited(_) | Msg::Waited(_) | Msg::Heard(Message::Alive { .. }));
        let is_report = matches!(msg, Msg::Heard(Message::Report { .. } | Message::Searched { .. }));
        if let Msg::Told(notice @ Notice::TooSoon { seconds }) = &msg {
            // It is true no longer than that.
            let (link, notice) = (ctx.link().clone(), notice.clone());
            Timeout::new(seconds * 1_000, move || link.send_message(Msg::Dismiss(notice))).forget();
        }
        let shown = (self.state.undo.is_some(), self.outdated());
        self.in_detail |= find("#detail :focus, #detail:focus").is_some();
        let effects = self.state.update(msg);
        if let (Some(seat), Some(result), true) = (seat, &self.state.result, is_report) {
            seat.report(&result.report);
        }
        for effect in effects {
            self.perform(ctx, effect);
        }
        // Most keystrokes, and signs of life, change nothing that is drawn here.
        !typing || shown != (self.state.undo.is_some(), self.outdated())
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let state = &self.state;
        let results = state.result.as_ref();
        let kata = state.kata;
        let facts = format!("Kata {} · {} · about {} min", kata.order, kata.difficulty, kata.minutes);
        let class = if results.is_some() { "work work-with-results" } else { "work" };
        // Once the interpreter was asked for there is an editor, however narrow the window is or becomes.
        let is_asleep = state.engine == EngineState::Asleep;
        html! {
            <>
                <Header title={kata.title} {facts} />
                <Notices notices={state.notices.clone()} on_msg={link.callback(|msg: Msg| msg)} />
                <p class="announcement" role="status">{ state.announcement.clone() }</p>
                if let Some(seat) = ctx.props().seat {
                    <section class="seat" aria-label="Interview practice">
                        <Picture kind="seat" data={seat.started.to_string()} />
                    </section>
                }
                <main class={if is_asleep { "workspace" } else { "workspace stacked" }}>
                    if is_asleep {
                        <div class="needs-width">
                            <p>
                                { "The editor and the test runner are made for a window at least 1024 pixels wide. What you write \
                                   on a wider screen is saved in that browser as you type, and your progress will be waiting \
                                   there. The chapter reads well here." }
                            </p>
                            <button type="button" onclick={link.callback(|_| Msg::Open)}>{ "Open the editor all the same" }</button>
                        </div>
                    }
                    if ctx.props().seat.is_some() {
                        { task(kata) }
                    } else {
                        <Chapter {kata} hints={state.hints()} solution={state.solution} seen={state.progress.solution}
                            on_msg={link.callback(|msg: Msg| msg)} />
                    }
                    <Splitter axis={Axis::Columns} label="Width of the chapter" controls="chapter"
                        property="--chapter" share={36} />
                    <div {class}>
                        <section id="code" class="code" aria-label="Your code">
                            <RunBar engine={state.engine.clone()} queued={state.queued}
                                undo={state.undo.as_ref().map(|undo| undo.words)} mac={self.mac}
                                on_run={link.callback(|()| Msg::Run)} on_retry={link.callback(|()| Msg::Retry)}
                                on_reset={link.callback(|()| Msg::Reset)} on_undo={link.callback(|()| Msg::Undo)} />
                            // The build script made this HTML from our own file; empty where nothing is imported.
                            { Html::from_html_unchecked(AttrValue::Static(kata.api_html)) }
                            <code-editor ref={self.editor.clone()} label="Your Python code" described-by="editor-keys" />
                            <p id="editor-keys" class="editor-keys">
                                <kbd>{ "Tab" }</kbd>{ " indents. " }<kbd>{ "Esc" }</kbd>{ " then " }<kbd>{ "Tab" }</kbd>
                                { " leaves the editor. " }
                                {
                                    match state.unsaved {
                                        None | Some(SaveError::NotNoted) => "Your code is saved in this browser as you type.",
                                        Some(_) => "Your code is not being saved.",
                                    }
                                }
                            </p>
                        </section>
                        <Splitter axis={Axis::Rows} label="Height of the editor" controls="code"
                            property="--editor" share={if results.is_some() { 34 } else { 74 }} />
                        <section id="results" class="results" tabindex="-1" aria-label="Results" data-run={results.map(|result| result.id.to_string())}>
                            if let Some(result) = results {
                                <Results run={result.id} report={result.report.clone()} selected={result.selected}
                                    source={result.source.clone()} outdated={result.outdated} engine={state.engine.clone()}
                                    summary={kata.summary} next={if ctx.props().seat.is_some() { Some(NEXT) } else { kata.next }} solved={self.solved} on_select={link.callback(Msg::Select)}
                                    on_search={link.callback(|msg: Msg| msg)}
                                    on_line={link.callback(Msg::GoToLine)} />
                            } else {
                                <p class="no-results">
                                    { "Nothing has run since this page was opened. Run Tests tries your code rule by rule. If it \
                                       breaks one, the shortest story of it is told and drawn here. " }
                                    { state.best() }
                                </p>
                            }
                        </section>
                    </div>
                </main>
                // Always there, so that the browser knows what had the focus before.
                <dialog ref={self.dialog.clone()} class="solution" aria-label="Your code beside the solution">
                    if state.solution == Solution::Open {
                        <Picture kind="solution" data={serde_json::to_string(&[kata.slug, &state.code]).unwrap_or_default()} />
                    }
                </dialog>
            </>
        }
    }

    fn destroy(&mut self, ctx: &Context<Self>) {
        act(&self.activity, Activity::left);
        if ctx.props().seat.is_none() && self.activity.get().has_seconds() {
            // There is nobody left to be told if this fails.
            let _ = self.store();
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, first_render: bool) {
        if first_render {
            self.listen(ctx);
            self.with_editor(ctx, |editor, state| editor.begin(&state.code));
        }
        self.show_dialog();
        if let Some(place) = self.focus.take() {
            // On a narrow screen there may be no editor.
            let has_it = find(place).is_some_and(|element| {
                // All that is typed does not fit into the window, its box does.
                let seen = if place == EDITOR { find("#code") } else { Some(element.clone()) };
                seen.iter().for_each(into_view);
                focus(element)
            });
            if !has_it {
                find("#chapter").map(focus);
            }
        }
        // What had the focus may be gone with the report it was in: the next one has it then, not nobody.
        if std::mem::take(&mut self.in_detail) && find(":focus").is_none() {
            let place = find("#detail live-picture").or_else(|| find("#detail"));
            place.map(focus);
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
                if let Some(seat) = ctx.props().seat {
                    seat.run(&self.state.code);
                }
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
            // Nor does it write there.
            Effect::Look
            | Effect::NoteTime
            | Effect::KeepMine
            | Effect::TakeOver(_)
            | Effect::BeginAnew
            | Effect::SetAside(_)
                if ctx.props().seat.is_some() => {}
            Effect::Save => match ctx.props().seat {
                Some(seat) => self.save_at(ctx, seat),
                None => self.save(ctx),
            },
            Effect::Look => match self.place.look(&self.state.code, self.state.progress) {
                // There may be room again.
                Some(Saved::Kept(_)) if self.state.unsaved.is_some() => self.save(ctx),
                Some(saved) => self.tell(ctx, saved),
                None => {}
            },
            Effect::NoteTime if !self.activity.get().has_seconds() => {}
            Effect::NoteTime => self.save(ctx),
            Effect::KeepMine => match self.place.keep_mine() {
                Ok(()) => self.save(ctx),
                Err(error) => ctx.link().send_message(Msg::NotSaved(error)),
            },
            Effect::TakeOver(theirs) => self.place.take(&theirs),
            Effect::BeginAnew => self.place.begin_from(self.state.kata.starter),
            Effect::SetAside(code) => {
                // If there is no room, the save that follows says so.
                let _ = self.place.set_aside(&code, self.state.progress);
            }
            Effect::Count => self.solved = storage::solved(),
            Effect::Focus(place) => self.focus = Some(place),
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

    fn save(&mut self, ctx: &Context<Self>) {
        match self.store() {
            Ok(saved) => self.tell(ctx, saved),
            Err(error) if self.state.unsaved == Some(error) => {}
            Err(error) => ctx.link().send_message(Msg::NotSaved(error)),
        }
    }

    fn save_at(&self, ctx: &Context<Self>, seat: Seat) {
        match seat.save(&self.state.code) {
            Ok(()) if self.state.unsaved.is_none() => {}
            Ok(()) => ctx.link().send_message(Msg::Saved(self.state.progress)),
            Err(Msg::NotSaved(error)) if self.state.unsaved == Some(error) => {}
            Err(told) => ctx.link().send_message(told),
        }
    }

    fn store(&mut self) -> Result<Saved, SaveError> {
        let mut activity = self.activity.get();
        self.state.progress.seconds += activity.take_seconds();
        self.activity.set(activity);
        self.place.save(&self.state.code, self.state.progress, Date::now())
    }

    fn tell(&mut self, ctx: &Context<Self>, saved: Saved) {
        let msg = match saved {
            Saved::Kept(progress) => {
                let is_shown = self.state.progress.hints == progress.hints && self.state.theirs.is_none();
                // At once: a save that follows counts from it.
                self.state.progress = progress;
                if is_shown && self.state.unsaved.is_none() {
                    return;
                }
                Msg::Saved(progress)
            }
            Saved::Clash(theirs) => {
                self.state.progress = theirs.progress;
                Msg::Clash(theirs)
            }
            Saved::Gone => Msg::Erased,
        };
        ctx.link().send_message(msg);
    }

    /// Opens or closes the solution.
    fn show_dialog(&self) {
        let Some(dialog) = self.dialog.cast::<HtmlDialogElement>() else { return };
        match (self.state.solution == Solution::Open, dialog.open()) {
            (true, false) => {
                let _ = dialog.show_modal();
            }
            (false, true) => dialog.close(),
            _ => {}
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
            if keys::pressed(event) == Some(Action::Run) {
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
        let put = ctx.link().callback(Msg::PutSolution);
        self.listeners.push(EventListener::new(&window, PUT, move |event| {
            put.emit(event.dyn_ref::<CustomEvent>().and_then(|e| e.detail().as_string()).unwrap_or_default());
        }));
        // By its button; by Escape.
        let close = ctx.link().callback(|()| Msg::CloseSolution);
        let closed = close.clone();
        self.listeners.push(EventListener::new(&window, CLOSE, move |_| close.emit(())));
        if let Some(dialog) = self.dialog.cast::<Element>() {
            self.listeners.push(EventListener::new(&dialog, "close", move |_| closed.emit(())));
        }
        // Nor is a session told of what other pages store.
        if ctx.props().seat.is_none() {
            self.listen_to_storage(ctx, &window);
            self.listen_to_time(ctx, &window);
        }
        let active = EventListenerOptions::enable_prevent_default();
        self.listeners.push(EventListener::new_with_options(&window, "keydown", active, keys));

        // On a narrow screen nothing is run before the editor is opened, so nothing is downloaded.
        let widened = ctx.link().callback(|()| Msg::Wide);
        let (is_wide, listener) = watch_width(widened.clone());
        self.listeners.extend(listener);
        if is_wide {
            widened.emit(());
        }
    }

    fn listen_to_storage(&mut self, ctx: &Context<Self>, window: &Window) {
        let (ours, look) = (storage::key(self.state.kata.slug), ctx.link().callback(|()| Msg::Elsewhere));
        self.listeners.push(EventListener::new(window, "storage", move |event| {
            let key = event.dyn_ref::<StorageEvent>().and_then(StorageEvent::key);
            // None: all of it was erased.
            if key.is_none_or(|key| key == ours) {
                look.emit(());
            }
        }));
    }

    fn listen_to_time(&mut self, ctx: &Context<Self>, window: &Window) {
        act(&self.activity, Activity::acted);
        for name in ["keydown", "pointerdown", "pointermove", "wheel"] {
            let activity = self.activity.clone();
            self.listeners.push(EventListener::new(window, name, move |_| act(&activity, Activity::acted)));
        }
        let Some(document) = window.document() else { return };
        let (activity, away) = (self.activity.clone(), ctx.link().callback(|()| Msg::Away));
        let seen = document.clone();
        self.listeners.push(EventListener::new(&document, "visibilitychange", move |_| {
            if seen.hidden() {
                act(&activity, Activity::left);
                away.emit(());
            } else {
                act(&activity, Activity::acted);
            }
        }));
    }

    fn outdated(&self) -> bool {
        self.state.result.as_ref().is_some_and(|result| result.outdated)
    }
}

fn act(activity: &Cell<Activity>, what: fn(&mut Activity, f64)) {
    let now = web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now());
    let mut changed = activity.get();
    what(&mut changed, now);
    activity.set(changed);
}

/// Gives an element the focus, without scrolling; says whether it took it.
fn focus(element: Element) -> bool {
    let Ok(element) = element.dyn_into::<HtmlElement>() else { return false };
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    element.focus_with_options(&options).is_ok() && element.matches(":focus, :focus-within").unwrap_or(false)
}

/// What there is to read in a session of practice.
fn task(kata: &Kata) -> Html {
    html! {
        <article id="chapter" class="chapter" tabindex="0" aria-label="Task">
            <p class="lede">{ kata.summary }</p>
            <div class="prose">
                <p>
                    { "The rest of the task stands in the file's docstrings. The book still has chapter, hints and solution, but \
                       an interviewer would see you look. This code is kept apart from your own." }
                </p>
            </div>
        </article>
    }
}
