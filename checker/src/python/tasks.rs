//! Coroutines, stepped from outside: what they ask for when they await, and what they are told.
//!
//! Everything that learner code can await is made by `lib/leasehold.py` and comes down to one thing: a tuple that
//! begins with a mark of ours is yielded up to here. Whatever else is yielded was not handed out by us.

use super::TICKS_PER_CALL;
use super::host::{Host, Python, ToResult};
use super::library::{self, Reader};
use super::object::{Object, Raised};
use super::problem::{Problem, ProblemKind};
use super::wire::{from_data, to_data};
use crate::model::data::Data;
use rustpython_vm::builtins::{PyCode, PyCoroutine, PyFloat, PyInt, PyStr, PyTuple};
use rustpython_vm::protocol::PyIterReturn;
use rustpython_vm::{AsObject, PyObjectRef, PyRef, PyResult, VirtualMachine};
use std::rc::Rc;

/// A coroutine that was made and is stepped by the world.
#[derive(Clone)]
pub struct Coroutine(PyRef<PyCoroutine>);

/// What a coroutine is told when it goes on.
#[derive(Clone)]
pub enum Resume {
    /// Nothing: it begins, or what it awaited has no result.
    Go,
    /// The result of what it awaited.
    Value(Data),
    /// The result of another task.
    Object(Object),
    /// An exception of the module `leasehold`, by name, with its text.
    Raise(&'static str, String),
    /// The exception with which another task ended.
    Again(Failure),
}

/// What a coroutine did until it awaited again, or ended.
pub enum Stepped {
    /// It awaits this.
    Asks(Ask),
    /// It returned.
    Returned(Object),
    /// It ended with `Cancelled`.
    Cancelled,
    /// It ended with any other exception.
    Raised(Failure),
}

/// An exception that ended a coroutine.
#[derive(Clone)]
pub struct Failure {
    /// In words.
    pub problem: Problem,
    /// The class's name.
    pub class: String,
    exception: Option<Raised>,
}

impl std::fmt::Debug for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.problem.message)
    }
}

/// What learner code awaits.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// So many seconds on the process's monotonic clock.
    Sleep(f64),
    /// A server's answer.
    Call {
        /// Which server.
        server: String,
        /// What it shall do.
        verb: String,
        /// With what.
        args: Vec<Data>,
    },
    /// The end of a task of the same process.
    Join(u32),
    /// A signal of the same process, at most so many seconds.
    Wait {
        /// Which signal.
        signal: u32,
        /// How long, in seconds; for ever if none is given.
        timeout: Option<f64>,
    },
    /// A watch that was left with a server, at most so many seconds.
    Watched {
        /// Which server.
        server: String,
        /// Which watch.
        watch: i64,
        /// How long, in seconds.
        timeout: f64,
    },
}

/// What code did besides awaiting, in order.
#[derive(Clone)]
pub enum Command {
    /// It started a task.
    Spawn(u32, Coroutine),
    /// It cancelled one.
    Cancel(u32),
    /// It set a signal.
    Set(u32),
    /// A driver of ours tells something to the suite.
    Note(String, Data),
}

impl ToResult for PyIterReturn {
    type Out = PyIterReturn;
    fn to_result(self) -> Self {
        self
    }
}

impl Coroutine {
    /// The object, if it is a coroutine that has not begun.
    ///
    /// # Errors
    /// What it is instead, in words.
    pub fn new(py: &Python<'_>, object: &Object, what: &str) -> Result<Self, Problem> {
        object.0.clone().downcast::<PyCoroutine>().map(Coroutine).map_err(|_| {
            let message = format!("{what} gave {} and no coroutine. Is there an `async` missing?", object.describe(py));
            Problem::new(ProblemKind::Missing, message)
        })
    }

    /// Goes on until the coroutine awaits or ends.
    ///
    /// # Errors
    /// The code was stopped, or awaited something that we did not hand out.
    pub fn step(&self, py: &Python<'_>, resume: &Resume) -> Result<Stepped, Problem> {
        let vm = py.vm;
        let coro = self.0.as_coro();
        let raised = std::cell::RefCell::new(None);
        let result = py.budgeted(TICKS_PER_CALL, || {
            let sent = match resume {
                Resume::Go => coro.send(self.0.as_object(), vm.ctx.none(), vm),
                Resume::Value(data) => coro.send(self.0.as_object(), from_data(vm, data), vm),
                Resume::Object(object) => coro.send(self.0.as_object(), object.0.clone(), vm),
                Resume::Raise(class, text) => {
                    let exception = error(py, class, text)?;
                    coro.throw(self.0.as_object(), exception, vm.ctx.none(), vm.ctx.none(), vm)
                }
                Resume::Again(failure) => {
                    let exception = match &failure.exception {
                        Some(exception) => exception.clone().into(),
                        None => error(py, "TransportError", &failure.problem.message)?,
                    };
                    coro.throw(self.0.as_object(), exception, vm.ctx.none(), vm.ctx.none(), vm)
                }
            };
            sent.inspect_err(|e| *raised.borrow_mut() = Some(e.clone()))
        });
        let yielded = match (result, raised.take()) {
            (Ok(PyIterReturn::StopIteration(value)), _) => {
                return Ok(Stepped::Returned(Object(value.unwrap_or_else(|| vm.ctx.none()))));
            }
            (Ok(PyIterReturn::Return(yielded)), _) => yielded,
            (Err(problem), Some(exception)) if problem.kind == ProblemKind::Raised => {
                let class = exception.class().name().to_string();
                let is_cancel = known(py, "Cancelled").is_some_and(|c| exception.class().is(&c));
                return Ok(if is_cancel {
                    Stepped::Cancelled
                } else {
                    Stepped::Raised(Failure { problem, class, exception: Some(exception) })
                });
            }
            (Err(problem), _) => return Err(problem),
        };
        match ask(py, &yielded) {
            Ok(Some(ask)) => Ok(Stepped::Asks(ask)),
            Ok(None) => {
                let message = format!(
                    "The code awaited {}, which does not come from the simulation. What can be awaited: what you were \
                     given (clock.sleep, the servers' methods), your own `async def` functions, and tasks.",
                    Object(yielded).describe(py)
                );
                Err(Problem { line: self.line(py), ..Problem::new(ProblemKind::Raised, message) })
            }
            // A value that can't be sent: the caller hears of it where it awaits.
            Err(exception) => {
                let class = exception.class().name().to_string();
                let problem = Problem::new(ProblemKind::Raised, String::new());
                self.step(py, &Resume::Again(Failure { problem, class, exception: Some(exception) }))
            }
        }
    }

    /// The name of its function, if that is a short plain one: code may have given it any other.
    pub fn name(&self) -> Option<String> {
        let name = self.0.as_coro().name().as_wtf8().to_string();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        (!name.is_empty() && name.len() <= 24 && name.chars().all(is_plain)).then_some(name)
    }

    /// The learner's line at which it awaits: the innermost of the learner's own frames.
    pub fn line(&self, py: &Python<'_>) -> Option<u32> {
        let vm = py.vm;
        let mut line = None;
        let mut next: PyObjectRef = self.0.clone().into();
        for _ in 0..100 {
            let Ok(frame) = next.get_attr("cr_frame", vm) else { break };
            if let Ok(code) = frame.get_attr("f_code", vm)
                && code.downcast_ref::<PyCode>().is_some_and(|c| c.code.source_path.as_str() == super::LEARNER_FILE)
            {
                line = frame.get_attr("f_lineno", vm).ok().and_then(|n| n.try_to_value(vm).ok());
            }
            match next.get_attr("cr_await", vm) {
                Ok(inner) if !vm.is_none(&inner) => next = inner,
                _ => break,
            }
        }
        line
    }
}

/// An object of the module `leasehold`.
fn known(py: &Python<'_>, name: &'static str) -> Option<PyObjectRef> {
    let module = py.unmetered(|| library::import(py.vm, py.host, "leasehold", Reader::Library)).ok()?;
    module.get_attr(name, py.vm).ok()
}

fn error(py: &Python<'_>, class: &'static str, text: &str) -> PyResult {
    let class = known(py, class).ok_or_else(|| py.vm.new_runtime_error(format!("{class}: {text}")))?;
    class.call((py.vm.ctx.new_str(text),), py.vm)
}

/// What a yielded object asks for; none if it is not ours.
fn ask(py: &Python<'_>, yielded: &PyObjectRef) -> PyResult<Option<Ask>> {
    let vm = py.vm;
    let Some(tuple) = yielded.downcast_ref::<PyTuple>() else { return Ok(None) };
    let [mark, kind, rest @ ..] = tuple.as_slice() else { return Ok(None) };
    if !mark.is(&py.host.natives().mark) {
        return Ok(None);
    }
    let text = |o: &PyObjectRef| o.downcast_ref::<PyStr>().map(|s| s.as_wtf8().to_string()).unwrap_or_default();
    Ok(Some(match (text(kind).as_str(), rest) {
        ("sleep", [seconds]) => Ask::Sleep(number(vm, seconds, "clock.sleep() takes seconds")?),
        ("call", [server, verb, args @ ..]) => Ask::Call {
            server: text(server),
            verb: text(verb),
            args: args.iter().map(|a| to_data(vm, a)).collect::<PyResult<_>>()?,
        },
        ("join", [task]) => Ask::Join(task.try_to_value(vm)?),
        ("wait", [signal, timeout]) => {
            let timeout = if vm.is_none(timeout) { None } else { Some(number(vm, timeout, "wait() takes seconds")?) };
            Ask::Wait { signal: signal.try_to_value(vm)?, timeout }
        }
        ("watched", [server, watch, timeout]) => Ask::Watched {
            server: text(server),
            watch: watch.try_to_value(vm)?,
            timeout: number(vm, timeout, "fired() takes seconds")?,
        },
        _ => return Ok(None),
    }))
}

/// A duration in seconds as a float. Below zero is no time at all.
fn number(vm: &VirtualMachine, object: &PyObjectRef, what: &str) -> PyResult<f64> {
    let seconds = if let Some(float) = object.downcast_ref::<PyFloat>() {
        float.to_f64()
    } else if let Some(int) = object.downcast_ref::<PyInt>() {
        int.as_bigint().to_string().parse().unwrap_or(f64::INFINITY)
    } else {
        return Err(vm.new_type_error(format!("{what}, a number, not {}", object.class().name())));
    };
    if seconds.is_nan() {
        return Err(vm.new_value_error(format!("{what}, and NaN is no number")));
    }
    Ok(seconds.max(0.0))
}

impl Python<'_> {
    /// What code did besides awaiting since the last call of this.
    pub fn take_commands(&self) -> Vec<Command> {
        std::mem::take(&mut *self.host.commands.borrow_mut())
    }

    /// Forgets tasks, signals and commands: a new run begins.
    pub fn begin_tasks(&self) {
        self.host.commands.borrow_mut().clear();
        self.host.next_id.set(0);
        self.host.current_task.set(0);
        self.host.done.borrow_mut().clear();
        self.host.unawaited.take();
        self.host.wall_offset_us.set(0);
    }

    /// A number for a new task.
    pub fn new_task_id(&self) -> u32 {
        next_id(self.host)
    }

    /// The task that runs from now on; 0 if none does.
    pub fn set_current_task(&self, task: u32) {
        self.host.current_task.set(task);
    }

    /// From now on `Task.done()` says so.
    pub fn note_done(&self, task: u32) {
        self.host.done.borrow_mut().insert(task);
    }

    /// How far the wall clock is off, in microseconds.
    pub fn set_wall_offset_us(&self, offset: i64) {
        self.host.wall_offset_us.set(offset);
    }

    /// How often the wall clock was read since the last call of this.
    pub fn take_wall_reads(&self) -> u32 {
        self.host.wall_reads.take()
    }

    /// A coroutine that was dropped and never awaited, as a problem in words.
    pub fn take_unawaited(&self) -> Option<Problem> {
        let (name, line) = self.host.unawaited.take()?;
        let place = line.map(|l| format!(" (line {l})")).unwrap_or_default();
        let message = format!(
            "The coroutine {name}() was never awaited{place}, so nothing of it was done. Write `await {name}(…)`, or \
             hand it to spawn()."
        );
        Some(Problem { line, ..Problem::new(ProblemKind::Raised, message) })
    }
}

fn next_id(host: &Host) -> u32 {
    host.next_id.set(host.next_id.get() + 1);
    host.next_id.get()
}

/// What `lib/leasehold.py` is made of.
pub(super) fn install(vm: &VirtualMachine, host: &Rc<Host>, put: impl Fn(&'static str, PyObjectRef)) {
    let of = |host: &Rc<Host>| Rc::clone(host);
    let h = of(host);
    put(
        "spawn",
        vm.new_function("spawn", move |coroutine: PyObjectRef, vm: &VirtualMachine| -> PyResult<u32> {
            let coroutine = coroutine.downcast::<PyCoroutine>().map_err(|other| {
                vm.new_type_error(format!(
                    "spawn() takes a coroutine, such as renew(handle) of an `async def renew`, not a {}",
                    other.class().name()
                ))
            })?;
            if h.commands.borrow().len() >= MOST_COMMANDS {
                return Err(vm.new_runtime_error(TOO_MANY));
            }
            let id = next_id(&h);
            h.commands.borrow_mut().push(Command::Spawn(id, Coroutine(coroutine)));
            Ok(id)
        })
        .into(),
    );
    let h = of(host);
    put("cancel", vm.new_function("cancel", move |task: u32| push(&h, Command::Cancel(task))).into());
    let h = of(host);
    put("is_done", vm.new_function("is_done", move |task: u32| h.done.borrow().contains(&task)).into());
    let h = of(host);
    put(
        "current_task",
        vm.new_function("current_task", move |vm: &VirtualMachine| match h.current_task.get() {
            0 => Err(vm.new_runtime_error("no task runs here: current_task() is for code that a task calls")),
            task => Ok(task),
        })
        .into(),
    );
    let h = of(host);
    put("new_signal", vm.new_function("new_signal", move || next_id(&h)).into());
    let h = of(host);
    put("set_signal", vm.new_function("set_signal", move |signal: u32| push(&h, Command::Set(signal))).into());
    let h = of(host);
    put(
        "note",
        vm.new_function("note", move |kind: PyObjectRef, value: PyObjectRef, vm: &VirtualMachine| -> PyResult<()> {
            let kind = kind.str(vm)?.as_wtf8().to_string();
            push(&h, Command::Note(kind, to_data(vm, &value)?));
            Ok(())
        })
        .into(),
    );
    let h = of(host);
    put(
        "unawaited",
        vm.new_function("unawaited", move |coroutine: PyObjectRef, vm: &VirtualMachine| {
            let Some(coroutine) = coroutine.downcast_ref::<PyCoroutine>() else { return };
            let name = coroutine.as_coro().qualname().as_wtf8().to_string();
            let line = super::natives::learner_line(vm);
            let mut first = h.unawaited.borrow_mut();
            if first.is_none() {
                *first = Some((name, line));
            }
        })
        .into(),
    );
    let h = of(host);
    put(
        "wall_us",
        vm.new_function("wall_us", move || {
            h.wall_reads.set(h.wall_reads.get() + 1);
            EPOCH_US + h.now_us.get() as i64 + h.wall_offset_us.get()
        })
        .into(),
    );
}

/// Some fixed moment: the wall clock has an origin that programs must not rely on.
const EPOCH_US: i64 = 1_700_000_000_000_000;

/// How many tasks, signals and notes one step may make.
const MOST_COMMANDS: usize = 1_000;
const TOO_MANY: &str = "too many tasks are spawned at once here: a lock client needs a handful";

fn push(host: &Host, command: Command) {
    let mut commands = host.commands.borrow_mut();
    if commands.len() < MOST_COMMANDS {
        commands.push(command);
    }
}
