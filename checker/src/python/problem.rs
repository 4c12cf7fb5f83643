//! What went wrong in learner code, in words and with its place.

use super::LEARNER_FILE;
use super::host::{Limit, Python, Stop};
use crate::memory;
use rustpython_vm::builtins::{PyBaseException, PyTypeRef};
use rustpython_vm::{AsObject, PyObjectRef, PyRef};

/// Something that stopped learner code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind of thing it was.
    pub kind: ProblemKind,
    /// One plain sentence or two.
    pub message: String,
    /// The learner's line, from 1, if one is to blame.
    pub line: Option<u32>,
    /// The column in it, from 1 (syntax errors).
    pub column: Option<u32>,
    /// The traceback with the learner's own frames only.
    pub traceback: Option<String>,
    /// Whether it is a `ValueError` (or of a class derived from it): what a call must raise that is asked for nonsense.
    pub is_value_error: bool,
}

/// Kinds of [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The file is not Python, or is more than the compiler takes.
    Syntax,
    /// The code raised an exception.
    Raised,
    /// The code used up its work budget.
    Stopped,
    /// The file lacks something that the task names.
    Missing,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl Problem {
    pub(crate) fn new(kind: ProblemKind, message: impl Into<String>) -> Self {
        Problem { kind, message: message.into(), line: None, column: None, traceback: None, is_value_error: false }
    }

    /// The file lacks what the task names.
    pub fn missing(message: impl Into<String>) -> Self {
        Problem::new(ProblemKind::Missing, message)
    }

    /// The code ran out of work budget.
    pub(super) fn stopped(stop: Stop) -> Self {
        let place = stop.line.map_or_else(|| "deep inside a library call".to_owned(), |l| format!("at line {l}"));
        let message = match stop.why {
            Limit::Suite => format!(
                "The code was stopped {place}: all tests together had used up the loop rounds and calls that they may take. \
                 Does each call do far more work than a lock needs?"
            ),
            Limit::Call => format!(
                "The code was stopped {place}: {} loop rounds and calls went by and it was still running. Is there a \
                 loop that never ends? Time is virtual and does not pass while code loops.",
                stop.ticks
            ),
            Limit::Memory => format!(
                "The code was stopped {place}: it used too much memory. In this one call it took {} MB more than there \
                 were before. Is there a list or a text that grows in every round of a loop?",
                memory::MOST_PER_CALL >> 20
            ),
        };
        Problem { line: stop.line, ..Problem::new(ProblemKind::Stopped, message) }
    }

    /// The same where nothing is known of the place.
    pub(super) fn stopped_somewhere(ticks: u64) -> Self {
        Problem::stopped(Stop { line: None, ticks, why: Limit::Call })
    }

    /// Says "expected ':'" where the compiler guesses at a mistyped comparison in the head of a block without a colon.
    pub(super) fn with_missing_colon(mut self, source: &str) -> Self {
        const HEADS: [&str; 12] =
            ["if", "elif", "else", "while", "for", "def", "class", "with", "try", "except", "finally", "async"];
        let Some(number) = self.line.filter(|_| self.message.contains("Maybe you meant '=='")) else { return self };
        let line = source.lines().nth(number as usize - 1).unwrap_or_default();
        let code = line.split('#').next().unwrap_or_default().trim();
        let head = code.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if HEADS.contains(&head) && !code.ends_with(':') && !code.ends_with('\\') {
            self.message = format!("SyntaxError: expected ':' at the end (line {number})");
            self.column = u32::try_from(line.trim_end().chars().count()).ok();
        }
        self
    }

    /// From an exception that came out of learner code.
    pub(super) fn from_exception(py: &Python<'_>, exception: &PyRef<PyBaseException>) -> Self {
        if let Some(stop) = py.host.stop.get() {
            return Problem::stopped(stop);
        }
        let vm = py.vm;
        // A SyntaxError that has no learner's frame comes from compiling the file; any other was raised by it.
        let compiled = exception.__traceback__().is_none();
        if compiled && exception.fast_isinstance(vm.ctx.exceptions.syntax_error) {
            return Problem::from_syntax_error(py, exception);
        }
        let (frames, inner) = own_frames(exception);
        let text = headline(py, exception);
        let line = inner.or_else(|| frames.last().map(|f| f.1));
        let mut traceback = String::new();
        // A runaway recursion has a thousand equal frames; the ends tell the story.
        for (i, (name, line)) in frames.iter().enumerate() {
            if frames.len() > 12 && (6..frames.len() - 6).contains(&i) {
                if i == 6 {
                    traceback.push_str(&format!("  … {} more calls …\n", frames.len() - 12));
                }
                continue;
            }
            traceback.push_str(&format!("  line {line}, in {name}\n"));
        }
        traceback.push_str(&text);
        let message = if !frames.is_empty() {
            with_forgotten_await(py, exception, text)
        } else if exception.fast_isinstance(vm.ctx.exceptions.attribute_error) {
            // The application around the learner's object asked it for something.
            format!("{text}. The task names it.")
        } else {
            text
        };
        // A single line outside of functions says no more than the message and its line do.
        let tells_more = frames.len() > 1 || frames.first().is_some_and(|(name, _)| name != "<module>");
        Problem {
            line,
            traceback: tells_more.then_some(traceback),
            is_value_error: exception.fast_isinstance(vm.ctx.exceptions.value_error),
            ..Problem::new(ProblemKind::Raised, message)
        }
    }

    fn from_syntax_error(py: &Python<'_>, exception: &PyRef<PyBaseException>) -> Self {
        let vm = py.vm;
        let object: PyObjectRef = exception.clone().into();
        let number = |name: &'static str| {
            let value = object.get_attr(name, vm).ok()?;
            value.try_to_value::<u32>(vm).ok().filter(|n| *n > 0)
        };
        let message = object.get_attr("msg", vm).ok().and_then(|m| py.text_of(&m)).unwrap_or_default();
        let from_learner =
            object.get_attr("filename", vm).ok().and_then(|f| py.text_of(&f)).is_some_and(|f| f == LEARNER_FILE);
        let line = number("lineno").filter(|_| from_learner);
        let place = line.map(|l| format!(" (line {l})")).unwrap_or_default();
        let class = exception.class().name().to_string();
        Problem {
            line,
            column: number("offset").filter(|_| from_learner),
            ..Problem::new(ProblemKind::Syntax, format!("{class}: {message}{place}"))
        }
    }
}

/// Asks for the `await` where a coroutine was used as if it were what it gives.
fn with_forgotten_await(py: &Python<'_>, exception: &PyRef<PyBaseException>, mut text: String) -> String {
    let types = &py.vm.ctx.exceptions;
    let is_misuse = exception.fast_isinstance(types.attribute_error) || exception.fast_isinstance(types.type_error);
    let says_await = text.contains("await") || text.contains("async");
    if is_misuse && !says_await && (text.contains("'coroutine'") || text.contains("coroutine object")) {
        text.push_str(". Is there an `await` missing?");
    }
    text
}

/// `ValueError: words`, or only the class where its own `__str__` fails.
fn headline(py: &Python<'_>, exception: &PyRef<PyBaseException>) -> String {
    let class: PyTypeRef = exception.class().to_owned();
    let object: PyObjectRef = exception.clone().into();
    let words = py.with_fresh_budget(|| object.str(py.vm).ok().map(|s| s.as_wtf8().to_string()));
    let mut words = words.unwrap_or_else(|| "(its own text could not be made)".to_owned());
    if exception.fast_isinstance(py.vm.ctx.exceptions.import_error) {
        words = words.replace(" (unknown location)", "");
    }
    if words.len() > 2000 {
        let cut = (0..=2000).rev().find(|i| words.is_char_boundary(*i)).unwrap_or(0);
        words.truncate(cut);
        words.push('…');
    }
    if words.is_empty() { class.name().to_string() } else { format!("{}: {words}", class.name()) }
}

/// The learner's frames of the traceback, outermost first, as (function, line); and the innermost one's line.
fn own_frames(exception: &PyRef<PyBaseException>) -> (Vec<(String, u32)>, Option<u32>) {
    let mut frames = Vec::new();
    let mut next = exception.__traceback__();
    while let Some(traceback) = next {
        let code = traceback.frame.iframe().code();
        if code.code.source_path.as_str() == LEARNER_FILE {
            let line = u32::try_from(traceback.lineno.get()).unwrap_or(u32::MAX);
            frames.push((code.code.obj_name.as_str().to_owned(), line));
        }
        next = traceback.next.lock().clone();
    }
    let inner = frames.last().map(|f| f.1);
    (frames, inner)
}
