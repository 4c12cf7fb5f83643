//! What the page of one kata knows, and how it changes. [`State::update`] takes a message and returns what is to be
//! done; it does nothing itself, so everything here is tested natively.

mod deeper;
#[cfg(test)]
mod tests;

pub use deeper::{Deeper, next_bound};

use crate::protocol::{Message, Report, TestReport};
use crate::storage::{Progress, Record, Restored, SaveError};
use crate::words;
use leasehold_checker::report::{Outcome, REPORT_VERSION};
use leasehold_exercises::Kata;
use std::rc::Rc;

/// A run or a search that has given no sign for so long is ended from outside: it gives several a second while nothing hangs.
/// Second line of defence: the interpreter's own work budget stops an endless loop well before.
pub const SILENCE_MS: u32 = 1_500;

/// Before it is ended, messages that wait get their turn: it is the page itself that may have been busy, or asleep.
pub const GRACE_MS: u32 = 150;

/// Where the focus goes: the code;
pub const EDITOR: &str = "code-editor .cm-content";
/// the button that brings code back;
const UNDO: &str = "#undo";
/// the hint that was opened last;
const LAST_HINT: &str = ".hints li:last-child";
/// the question whether the solution is to be shown;
const QUESTION: &str = "#solution-question";
/// and the button that leads there.
const ASK: &str = "#solution-ask";

/// The test whose story is shown when everything passed.
pub const STORY: &str = "a_stale_write_after_takeover_is_rejected";

/// All that the page shows.
pub struct State {
    /// The kata.
    pub kata: &'static Kata,
    /// The learner's file, as it stands in the editor.
    pub code: String,
    /// How the interpreter is.
    pub engine: EngineState,
    /// Run Tests was pressed and waits for the interpreter.
    pub queued: bool,
    /// The last run that came to an end.
    pub result: Option<RunResult>,
    /// What the learner must be told; one of each kind.
    pub notices: Vec<Notice>,
    /// Code that was replaced and can be brought back.
    pub undo: Option<Undo>,
    /// How far the learner has come.
    pub progress: Progress,
    /// How much of the solution is shown.
    pub solution: Solution,
    /// What another page has stored for this kata, until the learner has chosen.
    pub theirs: Option<Record>,
    /// Why the last save failed, if it did.
    pub unsaved: Option<SaveError>,
    /// What a screen reader is told at once.
    pub announcement: String,
    last_id: u32,
    /// What to say of the run or search under way if it gives no more sign.
    last_sign: String,
    /// The code that the run under way was given.
    sent: Rc<str>,
}

/// Code that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    /// The whole file.
    pub code: String,
    /// What the button says. That of [`RESET`] goes with the next edit; the others stay.
    pub words: &'static str,
}

/// Takes a Reset back.
pub const RESET: &str = "Undo reset";
/// Takes back what put other code in the place of the learner's.
const BRING_BACK: &str = "Bring my code back";

/// How much of the solution is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solution {
    /// Nothing.
    Closed,
    /// Nothing yet: the learner has asked for it once.
    Asked,
    /// All of it.
    Open,
}

/// How the interpreter is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineState {
    /// Not asked for: the window is narrow, and nobody has opened the editor in it.
    Asleep,
    /// On its way.
    Loading {
        /// Bytes so far.
        received: u64,
        /// Bytes in all, 0 if that is not known.
        total: u64,
    },
    /// All there, and starting.
    Starting,
    /// Waiting for a run.
    Ready,
    /// Judging a file.
    Running {
        /// The order's number.
        id: u32,
    },
    /// Searching further in the file of the shown report.
    Searching(Deeper),
    /// It could not be had.
    Failed {
        /// Why.
        message: String,
    },
}

/// The last report and where the reader is in it.
pub struct RunResult {
    /// The run's number.
    pub id: u32,
    /// The report.
    pub report: Rc<Report>,
    /// The file that it is about.
    pub source: Rc<str>,
    /// What is shown beside the list of tests.
    pub selected: Selection,
    /// The code was edited after the run.
    pub outdated: bool,
}

/// What is shown beside the list of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// One test, by index.
    Test(usize),
    /// What the code printed.
    Output,
}

/// Something that the learner must be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A stored record could not be read.
    Unreadable,
    /// A stored record is of another version.
    OtherVersion,
    /// The browser gives no storage.
    Blocked,
    /// The storage is full.
    Full,
    /// The storage is full; the code is in it, but not the progress.
    NotNoted,
    /// The restored code began from an older starter. Stays until one of both is chosen.
    StarterChanged,
    /// Another page has stored other code. Stays until one of both is chosen.
    OtherPage,
    /// A run was ended by the watchdog, or at the end of memory or stack.
    TimedOut {
        /// What the worker has to say of it; may be empty.
        message: String,
    },
    /// A search was ended by the watchdog.
    Silent,
    /// A run ended the interpreter.
    Crashed {
        /// Why, as the browser put it.
        message: String,
    },
    /// The editor's script has not come.
    NoEditor,
    /// In a session of practice: the next run is to be asked for later.
    TooSoon {
        /// How much later.
        seconds: u32,
    },
    /// The session of practice that this page is for is over.
    SessionOver,
}

/// What can happen to the page.
#[derive(Debug)]
pub enum Msg {
    /// The screen is wide enough to run tests.
    Wide,
    /// It is not, and the learner wants to write code all the same.
    Open,
    /// The learner typed; this is the whole text.
    Edited(String),
    /// The code is saved, and the progress is this, with that of other pages.
    Saved(Progress),
    /// Another page has stored this; it was not written over.
    Clash(Record),
    /// Another page has erased everything.
    Erased,
    /// Another page has stored something for this kata.
    Elsewhere,
    /// The page is out of sight, perhaps for good.
    Away,
    /// Code or progress could not be saved.
    NotSaved(SaveError),
    /// The editor does not answer.
    EditorMissing,
    /// Run Tests, by button or key.
    Run,
    /// Search deeper.
    Deeper,
    /// Give that search up.
    Cancel,
    /// The worker says something.
    Heard(Message),
    /// A run or a search has given no sign for [`SILENCE_MS`].
    Waited(u32),
    /// Nor in the [`GRACE_MS`] after that.
    TimedOut(u32),
    /// Load the interpreter again, after it could not be had.
    Retry,
    /// Show another test, or the output.
    Select(Selection),
    /// The shown picture is at an event that this line of the code brought about; 0 if none did.
    AtLine(u32),
    /// Show a line of the code.
    GoToLine(u32),
    /// Bring the starter back.
    Reset,
    /// Bring back the code that was replaced.
    Undo,
    /// Open the next hint.
    Hint,
    /// The solution is asked for: the first time that leads to a question.
    AskSolution,
    /// Show it.
    ShowSolution,
    /// Put solution or question away.
    CloseSolution,
    /// Put other code into the editor: the solution, or code that came with a link.
    PutSolution(String),
    /// Put a notice away; where it offers two versions of the code: keep the one in the editor.
    Dismiss(Notice),
    /// Take the other version that a notice offers.
    Take(Notice),
    /// Tell this, in the place of what was told of its kind before.
    Told(Notice),
}

/// What is to be done outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Start a worker, ending the one before it.
    StartEngine,
    /// Send the code to the worker and set the watchdog.
    Send {
        /// Comes back with the answer.
        id: u32,
    },
    /// Send [`State::order_of_search`] to the worker and set the watchdog.
    Search {
        /// Comes back with every answer.
        id: u32,
    },
    /// Set the watchdog anew.
    Watch {
        /// The order that is under way.
        id: u32,
    },
    /// Set the watchdog once more, for [`GRACE_MS`].
    Grace {
        /// The order that is under way.
        id: u32,
    },
    /// Tell the worker to give a search up.
    Cancel {
        /// The search's number.
        id: u32,
    },
    /// Store code and progress.
    Save,
    /// See what another page has stored.
    Look,
    /// Store the time, if there is any to store.
    NoteTime,
    /// Store the code over what another page has stored, which is set aside.
    KeepMine,
    /// The code is that of another page from now on.
    TakeOver(Record),
    /// The code begins from the starter as it is now.
    BeginAnew,
    /// Keep code aside that is replaced.
    SetAside(String),
    /// Count the solved katas.
    Count,
    /// Give an element the focus once the page is drawn, by selector.
    Focus(&'static str),
    /// Put the code into the editor.
    ReplaceText,
    /// Mark the line of the selected test's failure.
    MarkProblem,
    /// Mark the line of the current step, or none.
    MarkStep(Option<u32>),
    /// Show a line in the editor.
    GoTo(u32),
}

impl State {
    /// The state of a page that has just opened, with the code that was restored, if any.
    pub fn new(kata: &'static Kata, restored: Restored) -> Self {
        let blocked = (restored == Restored::Blocked).then_some(SaveError::Blocked);
        let (code, notice) = match restored {
            Restored::Nothing => (None, None),
            Restored::Code { code, starter_changed } => (Some(code), starter_changed.then_some(Notice::StarterChanged)),
            Restored::Unreadable => (None, Some(Notice::Unreadable)),
            Restored::OtherVersion => (None, Some(Notice::OtherVersion)),
            Restored::Blocked => (None, Some(Notice::Blocked)),
        };
        State {
            kata,
            code: code.unwrap_or_else(|| kata.starter.to_owned()),
            engine: EngineState::Asleep,
            queued: false,
            result: None,
            notices: notice.into_iter().collect(),
            undo: None,
            progress: Progress::default(),
            solution: Solution::Closed,
            theirs: None,
            unsaved: blocked,
            announcement: String::new(),
            last_id: 0,
            last_sign: String::new(),
            sent: Rc::from(""),
        }
    }

    /// Takes in what happened and says what is to be done about it.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        match msg {
            Msg::Wide | Msg::Open if self.engine != EngineState::Asleep => Vec::new(),
            Msg::Wide => self.load(),
            Msg::Open => {
                let mut effects = self.load();
                effects.push(Effect::Focus(EDITOR));
                effects
            }
            Msg::Edited(code) => {
                self.code = code;
                self.undo.take_if(|undo| undo.words == RESET);
                self.changed();
                vec![Effect::Save]
            }
            Msg::Saved(progress) => self.saved(progress),
            Msg::Clash(theirs) => {
                self.theirs = Some(theirs);
                self.tell(Notice::OtherPage)
            }
            Msg::Erased => {
                self.progress = Progress::default();
                self.saved(self.progress)
            }
            Msg::Elsewhere => vec![Effect::Look],
            Msg::Away => vec![Effect::NoteTime],
            Msg::NotSaved(error) => self.not_saved(error),
            Msg::EditorMissing => self.tell(Notice::NoEditor),
            Msg::Run => self.run(),
            Msg::Deeper => self.search_deeper(),
            Msg::Cancel => self.cancel_search(),
            Msg::Heard(message) => self.heard(message),
            Msg::Waited(id) if self.engine.is_busy_with(id) => vec![Effect::Grace { id }],
            Msg::Waited(_) => Vec::new(),
            Msg::TimedOut(id) if !self.engine.is_busy_with(id) => Vec::new(),
            Msg::TimedOut(_) if matches!(self.engine, EngineState::Searching(_)) => self.replace_engine(Notice::Silent),
            Msg::TimedOut(_) => {
                let message = std::mem::take(&mut self.last_sign);
                self.replace_engine(Notice::TimedOut { message })
            }
            Msg::Retry => self.load(),
            Msg::Select(selection) => self.select(selection),
            Msg::AtLine(line) => self.at_line(line),
            Msg::GoToLine(line) => vec![Effect::GoTo(line)],
            Msg::Reset if self.code == self.kata.starter => Vec::new(),
            Msg::Reset => {
                let mut effects = self.begin_anew(RESET, "The starter is back. Undo brings your code back.");
                effects.push(Effect::Focus(UNDO));
                effects
            }
            Msg::Undo => match self.undo.take() {
                Some(Undo { code, .. }) => {
                    self.code = code;
                    self.replaced("Your code is back.")
                }
                None => Vec::new(),
            },
            Msg::Hint => {
                let open = self.hints();
                if open == self.kata.hints.len() {
                    return Vec::new();
                }
                self.progress.hints = open as u32 + 1;
                vec![Effect::Save, Effect::Focus(LAST_HINT)]
            }
            Msg::AskSolution if !self.progress.solution => {
                self.solution = Solution::Asked;
                vec![Effect::Focus(QUESTION)]
            }
            Msg::AskSolution | Msg::ShowSolution => {
                self.solution = Solution::Open;
                self.progress.solution = true;
                vec![Effect::Save]
            }
            // Also what the dialog says when it was put away by what follows.
            Msg::CloseSolution if self.solution == Solution::Closed => Vec::new(),
            Msg::CloseSolution => {
                self.solution = Solution::Closed;
                vec![Effect::Focus(ASK)]
            }
            Msg::PutSolution(code) => {
                self.solution = Solution::Closed;
                let mine = self.put(code);
                let mut effects = vec![Effect::SetAside(mine)];
                effects.extend(self.replaced("The code is in the editor. Yours can be brought back."));
                effects
            }
            Msg::Dismiss(notice) => self.dismiss(notice),
            Msg::Take(notice) => self.take(notice),
            Msg::Told(notice) => {
                let kind = std::mem::discriminant(&notice);
                self.notices.retain(|n| std::mem::discriminant(n) != kind);
                self.tell(notice)
            }
        }
    }

    /// How many hints are open.
    pub fn hints(&self) -> usize {
        (self.progress.hints as usize).min(self.kata.hints.len())
    }

    /// The best result that is stored, in words; nothing if there is none.
    pub fn best(&self) -> String {
        let Progress { passed, of, .. } = self.progress;
        if of > 0 { words::share("Best so far", passed, of) } else { String::new() }
    }

    /// The test that is shown beside the list.
    pub fn selected_test(&self) -> Option<&TestReport> {
        self.result.as_ref()?.selected_test()
    }

    fn saved(&mut self, progress: Progress) -> Vec<Effect> {
        self.progress = progress;
        self.unsaved = None;
        self.theirs = None;
        for notice in [Notice::Full, Notice::NotNoted, Notice::OtherPage] {
            self.put_away(&notice);
        }
        Vec::new()
    }

    fn put_away(&mut self, notice: &Notice) {
        self.notices.retain(|n| n != notice);
    }

    // Told once, not with every key.
    fn not_saved(&mut self, error: SaveError) -> Vec<Effect> {
        if self.unsaved.replace(error) == Some(error) {
            return Vec::new();
        }
        self.put_away(&Notice::NotNoted);
        self.tell(match error {
            SaveError::Blocked => Notice::Blocked,
            SaveError::Full => Notice::Full,
            SaveError::NotNoted => Notice::NotNoted,
        })
    }

    fn dismiss(&mut self, notice: Notice) -> Vec<Effect> {
        // The next save says whether it worked, and puts the notice away.
        if notice == Notice::OtherPage {
            return vec![Effect::KeepMine, Effect::Focus(EDITOR)];
        }
        self.put_away(&notice);
        if notice == Notice::StarterChanged {
            return vec![Effect::BeginAnew, Effect::Save, Effect::Focus(EDITOR)];
        }
        vec![Effect::Focus(EDITOR)]
    }

    fn take(&mut self, notice: Notice) -> Vec<Effect> {
        self.put_away(&notice);
        match self.theirs.take() {
            _ if notice == Notice::StarterChanged => {
                self.begin_anew(BRING_BACK, "The new starter is in the editor. Your code can be brought back.")
            }
            Some(theirs) => {
                self.put(theirs.code.clone());
                let mut effects = vec![Effect::TakeOver(theirs)];
                effects.extend(self.replaced("The other version is in the editor. Yours can be brought back."));
                effects
            }
            None => Vec::new(),
        }
    }

    /// Puts other code in the place of the learner's, which is given back.
    fn put(&mut self, code: String) -> String {
        let mine = std::mem::replace(&mut self.code, code);
        self.undo = Some(Undo { code: mine.clone(), words: BRING_BACK });
        mine
    }

    fn begin_anew(&mut self, words: &'static str, announcement: &str) -> Vec<Effect> {
        self.put(self.kata.starter.to_owned());
        if let Some(undo) = &mut self.undo {
            undo.words = words;
        }
        self.put_away(&Notice::StarterChanged);
        let mut effects = vec![Effect::BeginAnew];
        effects.extend(self.replaced(announcement));
        effects
    }

    fn load(&mut self) -> Vec<Effect> {
        self.engine = EngineState::Loading { received: 0, total: 0 };
        vec![Effect::StartEngine]
    }

    fn run(&mut self) -> Vec<Effect> {
        match self.engine {
            // A run ends a search, in the worker as well.
            EngineState::Ready | EngineState::Searching(_) => self.send(),
            EngineState::Failed { .. } | EngineState::Asleep => {
                self.queued = true;
                self.load()
            }
            _ => {
                self.queued = true;
                Vec::new()
            }
        }
    }

    fn send(&mut self) -> Vec<Effect> {
        self.queued = false;
        self.last_id += 1;
        self.sent = self.code.as_str().into();
        self.notices.retain(|n| !n.is_of_a_run() && !matches!(n, Notice::TooSoon { .. }));
        self.engine = EngineState::Running { id: self.last_id };
        self.progress.attempts += 1;
        self.last_sign.clear();
        vec![Effect::Send { id: self.last_id }, Effect::Save]
    }

    fn heard(&mut self, message: Message) -> Vec<Effect> {
        let busy = matches!(self.engine, EngineState::Running { .. } | EngineState::Searching(_));
        match message {
            Message::Progress { received, total } => {
                self.engine = EngineState::Loading { received, total };
                Vec::new()
            }
            Message::Starting => {
                self.engine = EngineState::Starting;
                Vec::new()
            }
            Message::Ready => self.ready(),
            Message::Failed { message } if busy => self.replace_engine(Notice::Crashed { message }),
            Message::Failed { message } => {
                self.engine = EngineState::Failed { message };
                self.queued = false;
                self.announcement = "The Python interpreter could not be loaded.".to_owned();
                Vec::new()
            }
            // The worker knew why, and has words for it.
            Message::Crashed { id, message } if self.engine.is_busy_with(id) && message.starts_with("The code was") => {
                self.replace_engine(Notice::TimedOut { message })
            }
            Message::Crashed { id, message } if self.engine.is_busy_with(id) => {
                self.replace_engine(Notice::Crashed { message })
            }
            Message::Alive { id, message } if self.engine.is_busy_with(id) => {
                self.last_sign = message;
                vec![Effect::Watch { id }]
            }
            Message::Tried { id, reached, left } => self.tried(id, reached, left),
            Message::Searched { id, test } => self.searched(id, *test),
            Message::Report { report, .. } if report.version != REPORT_VERSION => {
                let message = format!("the interpreter's report is of version {}", report.version);
                self.heard(Message::Failed { message })
            }
            Message::Report { id, report } if self.engine == (EngineState::Running { id }) => {
                self.show(id, *report);
                let mut effects = vec![Effect::Save, Effect::Count, Effect::MarkProblem, Effect::MarkStep(None)];
                effects.extend(self.ready());
                effects
            }
            // Of a run that was given up.
            Message::Report { .. } | Message::Crashed { .. } | Message::Alive { .. } => Vec::new(),
        }
    }

    fn ready(&mut self) -> Vec<Effect> {
        self.engine = EngineState::Ready;
        if self.queued { self.send() } else { Vec::new() }
    }

    fn replace_engine(&mut self, notice: Notice) -> Vec<Effect> {
        self.queued = false;
        self.tell(notice);
        self.load()
    }

    fn show(&mut self, id: u32, report: Report) {
        self.announcement = words::verdict(&report);
        self.progress.ran(words::passed(&report) as u32, report.tests.len() as u32);
        let first = report.tests.iter().position(|t| t.outcome != Outcome::Passed);
        // Where all passed: the story of a takeover, or else the run that the search found most telling.
        let story = || report.tests.iter().position(|t| t.name == STORY);
        let telling = || report.tests.iter().rposition(|t| t.trace.is_some());
        let selected = Selection::Test(first.or_else(story).or_else(telling).unwrap_or(0));
        self.notices.retain(|n| !n.is_of_a_run());
        let outdated = *self.sent != *self.code;
        self.result = Some(RunResult { id, report: Rc::new(report), source: self.sent.clone(), selected, outdated });
    }

    fn select(&mut self, selection: Selection) -> Vec<Effect> {
        let Some(result) = &mut self.result else { return Vec::new() };
        result.selected = selection;
        vec![Effect::MarkProblem, Effect::MarkStep(None)]
    }

    fn at_line(&self, line: u32) -> Vec<Effect> {
        let Some(result) = &self.result else { return Vec::new() };
        // Lines of the run are not lines of what was typed since.
        vec![Effect::MarkStep((line > 0 && !result.outdated).then_some(line))]
    }

    fn changed(&mut self) {
        if let Some(result) = &mut self.result {
            result.outdated = true;
        }
    }

    fn replaced(&mut self, announcement: &str) -> Vec<Effect> {
        self.changed();
        self.announcement = announcement.to_owned();
        vec![Effect::ReplaceText, Effect::Save, Effect::Focus(EDITOR)]
    }

    fn tell(&mut self, notice: Notice) -> Vec<Effect> {
        if !self.notices.contains(&notice) {
            self.announcement = notice.text();
            self.notices.push(notice);
        }
        Vec::new()
    }
}

impl RunResult {
    /// The test that is shown beside the list.
    pub fn selected_test(&self) -> Option<&TestReport> {
        match self.selected {
            Selection::Test(index) => self.report.tests.get(index),
            Selection::Output => None,
        }
    }
}

impl Notice {
    /// What its buttons say: [`Msg::Dismiss`], and [`Msg::Take`] where it offers another version.
    pub fn choices(&self) -> (&'static str, Option<&'static str>) {
        match self {
            Notice::StarterChanged => ("Keep my code", Some("Begin from the new starter")),
            Notice::OtherPage => ("Keep mine", Some("Take that version")),
            _ => ("OK", None),
        }
    }

    /// The notice in words.
    pub fn text(&self) -> String {
        let text = match self {
            Notice::Unreadable => {
                "The code that this browser had saved for this kata could not be read. It was set aside, not deleted; \
                 you begin from the starter."
            }
            Notice::OtherVersion => {
                "The code that this browser had saved is of another version of this page. It was set aside, not \
                 deleted; you begin from the starter."
            }
            Notice::Blocked => {
                "This browser lets the page store nothing, so your code will be gone when you close or reload it. \
                 Copy it before you leave."
            }
            Notice::Full => {
                "This browser's storage for the page is full, so your latest changes are not saved. \
                 Copy your code before you leave."
            }
            Notice::NotNoted => {
                "This browser's storage for the page is full, so your latest results, hints and time are not noted. Your \
                 code is saved."
            }
            Notice::StarterChanged => "This is your saved code. The starter has changed since you began.",
            Notice::OtherPage => {
                "Another tab or window has saved other code for this kata. What you type here is kept aside until you choose."
            }
            Notice::TimedOut { message } if message.is_empty() => {
                "The run gave no sign for over a second and was stopped. A fresh interpreter is being started; your \
                 code is untouched."
            }
            Notice::TimedOut { message } => {
                return [message.as_str(), " A fresh interpreter is being started; your code is untouched."].concat();
            }
            Notice::Silent => {
                "The search gave no sign for over a second and was stopped; the report is the one before it. A fresh \
                 interpreter is being started; your code is untouched."
            }
            Notice::Crashed { message } => {
                let why = if message.is_empty() { String::new() } else { format!(" ({message})") };
                return format!(
                    "The run ended the interpreter{why}. A fresh one is being started; your code is untouched."
                );
            }
            Notice::NoEditor => "The editor could not be loaded. Reload the page to try again.",
            Notice::TooSoon { seconds } => {
                return [
                    "Tests run once a minute in this session. The next run is possible in ",
                    &seconds.to_string(),
                    " s.",
                ]
                .concat();
            }
            Notice::SessionOver => {
                "This session has ended, perhaps in another window. What you type is not stored any more."
            }
        };
        text.to_owned()
    }
}
