//! The interpreter with our walls around it, one per thread, and what runs in it.

use super::library::{self, Reader};
use super::meter::{TICK, compile_metered};
use super::natives;
use super::object::{Arg, Object, Raised};
use super::problem::{Problem, ProblemKind};
use super::tasks::Command;
use super::{
    LEARNER_FILE, LINES_LIMIT, OUTPUT_LIMIT, SOURCE_LIMIT, TICKS_PER_LOAD, chains, classes, leftovers, shape, walls,
};
use crate::{memory, signs};
use rustpython_vm::builtins::{PyCode, PyDictRef, PyStr, PyTypeRef};
use rustpython_vm::compiler::{CompileError, Mode};
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::gc_state::gc_state;
use rustpython_vm::scope::Scope;
use rustpython_vm::{Interpreter, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The state that Python code and the simulation share.
pub(super) struct Host {
    /// Virtual time, microseconds.
    pub(super) now_us: Cell<u64>,
    /// Ticks that are left of the present budget; `u64::MAX` means: not counting (our own library loads).
    pub(super) ticks_left: Cell<u64>,
    /// The whole of the present budget.
    pub(super) budget: Cell<u64>,
    /// Whether it is short because the suite's is nearly used up.
    pub(super) is_rest_of_suite: Cell<bool>,
    /// Set once the present budget is used up.
    pub(super) stop: Cell<Option<Stop>>,
    /// What every tick raises after that.
    pub(super) raised: RefCell<Option<Raised>>,
    /// Ticks that are left for all calls of a suite together.
    pub(super) suite_left: Cell<u64>,
    /// How much memory may be in use during the present call.
    pub(super) most_memory: Cell<usize>,
    /// The ticks of lines, made when a file has code there. A native function is never freed, so each is made once.
    pub(super) ticks: RefCell<BTreeMap<u32, PyObjectRef>>,
    /// State of the simulation's random numbers.
    pub(super) seed: Cell<u64>,
    /// What was printed.
    pub(super) output: RefCell<String>,
    /// How many bytes more were printed than are kept.
    pub(super) output_dropped: Cell<usize>,
    /// The last learner line on which a function of the learner returned, while lines are watched.
    pub(super) returned_at: Cell<Option<u32>>,
    /// How far the wall clock of the process that runs is off, microseconds.
    pub(super) wall_offset_us: Cell<i64>,
    /// How often it was read.
    pub(super) wall_reads: Cell<u32>,
    /// What code did besides awaiting.
    pub(super) commands: RefCell<Vec<Command>>,
    /// The last number of a task or signal.
    pub(super) next_id: Cell<u32>,
    /// The task that runs; 0 where none does.
    pub(super) current_task: Cell<u32>,
    /// Tasks that are done.
    pub(super) done: RefCell<BTreeSet<u32>>,
    /// The first coroutine that was dropped and never awaited: its name and the learner's line.
    pub(super) unawaited: RefCell<Option<(String, Option<u32>)>>,
    /// Files of ours that were run, by their text. A class of one is never quite forgotten by the interpreter, so it
    /// must not be made anew for each file that is judged.
    pub(super) drivers: RefCell<BTreeMap<String, PyDictRef>>,
    /// Functions of ours that were made, see [`super::opaque`].
    pub(super) functions: RefCell<super::opaque::Functions>,
    /// The modules as each process sees them.
    pub(super) processes: RefCell<walls::Processes>,
    /// How many objects had outlived the last collection.
    outlived: Cell<usize>,
    natives: OnceCell<Natives>,
}

/// Where and after how much work code was stopped.
#[derive(Clone, Copy)]
pub(super) struct Stop {
    pub(super) line: Option<u32>,
    /// The budget.
    pub(super) ticks: u64,
    pub(super) why: Limit,
}

/// What was used up.
#[derive(Clone, Copy)]
pub(super) enum Limit {
    /// The budget of one call.
    Call,
    /// What was left of the whole suite's.
    Suite,
    /// The memory that one call may take.
    Memory,
}

/// Objects made once for an interpreter.
pub(super) struct Natives {
    pub(super) tick: PyObjectRef,
    /// The class of what a tick raises.
    pub(super) exhausted: PyTypeRef,
    /// What learner code finds without importing.
    pub(super) learner_builtins: PyDictRef,
    clock: PyObjectRef,
    watch_lines: PyObjectRef,
    /// Begins every tuple that our own awaitables yield.
    pub(super) mark: PyObjectRef,
    /// The modules that were imported, by name. Not the interpreter's own table: that one has more in it.
    pub(super) modules: PyDictRef,
}

/// How many more objects than last time may have outlived the interpreter's look at the young ones: some 20 MB.
const MOST_OUTLIVED: usize = 50_000;

/// How many objects that may be part of a circle have outlived that look.
fn outlived() -> usize {
    let (_, middle, old) = gc_state().get_count();
    middle + old
}

struct Runtime {
    interpreter: Interpreter,
    host: Rc<Host>,
}

/// What finalizers may take that run between two calls, when objects are dropped.
const IDLE_TICKS: u64 = 1_000;

thread_local! {
    /// Leaked: objects of the interpreter can't be dropped once the thread's own storage is being taken down.
    static RUNTIME: OnceCell<&'static Runtime> = const { OnceCell::new() };
}

/// Runs `f` with this thread's interpreter, which is started on first use.
pub fn enter<R>(f: impl FnOnce(&Python<'_>) -> R) -> R {
    RUNTIME.with(|runtime| {
        let runtime = runtime.get_or_init(|| Box::leak(Box::new(Runtime::start())));
        runtime.interpreter.enter(|vm| {
            let py = Python { vm, host: &runtime.host };
            f(&py)
        })
    })
}

/// What people import most, dearest first.
const POPULAR: &[&str] = &["dataclasses", "typing", "enum", "collections", "heapq", "contextlib", "uuid", "random"];

/// Imports the `n`th of the most popular modules, so that the first run that wants it needn't; false after the last.
/// Little by little, because the caller has other things to do in between.
pub fn import_ahead(n: usize) -> bool {
    let Some(module) = POPULAR.get(n) else { return false };
    enter(|py| {
        // A module that fails to load here fails again, with words, where a learner imports it.
        let _ = py.unmetered(|| library::import(py.vm, py.host, module, Reader::Library));
    });
    true
}

impl Runtime {
    fn start() -> Self {
        let host = Rc::new(Host {
            now_us: Cell::new(0),
            ticks_left: Cell::new(u64::MAX),
            budget: Cell::new(u64::MAX),
            is_rest_of_suite: Cell::new(false),
            stop: Cell::new(None),
            raised: RefCell::default(),
            suite_left: Cell::new(u64::MAX),
            most_memory: Cell::new(usize::MAX),
            ticks: RefCell::default(),
            seed: Cell::new(0),
            output: RefCell::default(),
            output_dropped: Cell::new(0),
            returned_at: Cell::new(None),
            wall_offset_us: Cell::new(0),
            wall_reads: Cell::new(0),
            commands: RefCell::default(),
            next_id: Cell::new(0),
            current_task: Cell::new(0),
            done: RefCell::default(),
            unawaited: RefCell::default(),
            drivers: RefCell::default(),
            functions: RefCell::default(),
            processes: RefCell::default(),
            outlived: Cell::new(0),
            natives: OnceCell::new(),
        });
        let mut settings = rustpython_vm::Settings::default();
        settings.hash_seed = Some(0);
        settings.install_signal_handlers = false;
        let interpreter = Interpreter::without_stdlib(settings);
        interpreter.enter(|vm| {
            let made = natives::install(vm, &host);
            let _ = host.natives.set(made);
            // The interpreter asks for it when a finalizer raises, perhaps with no stack left to load it.
            library::import(vm, &host, "sys", Reader::Library).expect("our own module loads");
            // It looks at what the walls close, to have names for it.
            library::import(vm, &host, "types", Reader::Library).expect("our own module loads");
            walls::close(vm, &host);
        });
        host.ticks_left.set(IDLE_TICKS);
        Runtime { interpreter, host }
    }
}

impl Host {
    pub(super) fn natives(&self) -> &Natives {
        self.natives.get().expect("set when the runtime starts")
    }

    pub(super) fn natives_once_made(&self) -> Option<&Natives> {
        self.natives.get()
    }

    pub(super) fn print(&self, text: &str) {
        let mut output = self.output.borrow_mut();
        let room = OUTPUT_LIMIT.saturating_sub(output.len());
        let fits = (0..=room.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        output.push_str(&text[..fits]);
        self.output_dropped.set(self.output_dropped.get() + (text.len() - fits));
    }
}

/// The interpreter while we are in it.
pub struct Python<'vm> {
    pub(super) vm: &'vm VirtualMachine,
    pub(super) host: &'vm Rc<Host>,
}

/// A compiled learner's file.
pub struct Program {
    pub(super) code: PyRef<PyCode>,
}

/// A file that was run: one simulated process's globals.
pub struct Module {
    globals: PyDictRef,
    before: leftovers::Snapshot,
    views: Rc<walls::Views>,
}

/// A file of ours that was run: it calls learner code as an application would.
pub struct Driver {
    globals: PyDictRef,
}

impl Python<'_> {
    /// Frees what only circles of references keep alive. The interpreter by itself looks at young objects only, so that
    /// what a run leaves behind would pile up from run to run.
    pub fn collect_garbage(&self) {
        chains::cut(self.vm);
        self.vm.state.gc.collect_force(2);
        classes::forget_dead(self.vm);
        self.host.outlived.set(outlived());
    }

    /// The same once much has piled up since the last time. It is for the moment before a process of a simulated run
    /// starts: what finalizers change then is seen by those who look whether a file's state is as it was. Counted in
    /// objects, so that it happens at the same moments on every platform.
    pub fn collect_what_piled_up(&self) {
        if outlived().saturating_sub(self.host.outlived.get()) > MOST_OUTLIVED {
            self.collect_garbage();
        }
    }

    /// Compiles a learner's file.
    ///
    /// # Errors
    /// What is wrong with it, with line and column.
    pub fn compile(&self, source: &str) -> Result<Program, Problem> {
        if source.len() > SOURCE_LIMIT {
            return Err(Problem::new(
                ProblemKind::Syntax,
                format!("The file has {} KB; {} KB are read.", source.len() / 1024, SOURCE_LIMIT / 1024),
            ));
        }
        if let Some(at) = source.find('\0') {
            let line = source[..at].matches('\n').count() + 1;
            return Err(Problem {
                line: u32::try_from(line).ok(),
                ..Problem::new(ProblemKind::Syntax, format!("SyntaxError: there is a NUL character in line {line}"))
            });
        }
        let source = source.strip_prefix('\u{feff}').unwrap_or(source).replace("\r\n", "\n").replace('\r', "\n");
        if source.matches('\n').count() > LINES_LIMIT {
            return Err(Problem::new(
                ProblemKind::Syntax,
                format!("The file has more than {LINES_LIMIT} lines, which is more than is read."),
            ));
        }
        if let Some(shape::Flaw { line, class, what }) = shape::flaw(&source) {
            let message = format!("{class}: {what} (line {line})");
            return Err(Problem { line: Some(line), ..Problem::new(ProblemKind::Syntax, message) });
        }
        let code = self.budgeted(TICKS_PER_LOAD, || compile(self, &source, LEARNER_FILE, Mode::Exec));
        Ok(Program { code: code.map_err(|problem| problem.with_missing_colon(&source))? })
    }

    /// The simulation's clock, a callable that gives seconds as a float.
    pub fn clock(&self) -> Object {
        Object(self.host.natives().clock.clone())
    }

    /// Sets virtual time, in microseconds.
    pub fn set_time_us(&self, now_us: u64) {
        self.host.now_us.set(now_us);
    }

    /// Starts the simulation's random numbers anew.
    pub fn set_seed(&self, seed: u64) {
        self.host.seed.set(seed);
    }

    /// Where the simulation's random numbers stand.
    pub fn seed(&self) -> u64 {
        self.host.seed.get()
    }

    /// Takes what was printed so far, with a last line that says how much was left out.
    pub fn take_output(&self) -> String {
        let mut output = std::mem::take(&mut *self.host.output.borrow_mut());
        let dropped = self.host.output_dropped.take();
        if dropped > 0 {
            output.push_str(&format!("\n… and {dropped} bytes more, left out\n"));
        }
        output
    }

    /// Runs `f`; if anything is printed meanwhile, a heading goes before it.
    pub fn output_under<R>(&self, heading: &str, f: impl FnOnce() -> R) -> R {
        let before = self.host.output.borrow().len();
        let result = f();
        let mut output = self.host.output.borrow_mut();
        if output.len() > before {
            output.insert_str(before, &format!("── {heading} ──\n"));
            if !output.ends_with('\n') {
                output.push('\n');
            }
        }
        result
    }

    /// Runs `f` and forgets what it prints.
    pub fn quietly<R>(&self, f: impl FnOnce() -> R) -> R {
        let (length, dropped) = (self.host.output.borrow().len(), self.host.output_dropped.get());
        let result = f();
        self.host.output.borrow_mut().truncate(length);
        self.host.output_dropped.set(dropped);
        result
    }

    /// Runs `f` and notes on which learner line the outermost learner function returned. Slow: for runs that are
    /// shown, not for searching.
    pub fn watching_lines<R>(&self, f: impl FnOnce() -> R) -> R {
        self.vm.trace_func.replace(self.host.natives().watch_lines.clone());
        self.vm.use_tracing.set(true);
        let result = f();
        self.vm.use_tracing.set(false);
        self.vm.trace_func.replace(self.vm.ctx.none());
        result
    }

    /// The line noted since the last call of this.
    pub fn take_returned_line(&self) -> Option<u32> {
        self.host.returned_at.take()
    }

    pub(super) fn arguments(&self, args: &[Arg<'_>]) -> FuncArgs {
        let ctx = &self.vm.ctx;
        let args: Vec<PyObjectRef> = args
            .iter()
            .map(|arg| match arg {
                Arg::Str(s) => ctx.new_str(*s).into(),
                Arg::Float(x) => ctx.new_float(*x).into(),
                Arg::Int(n) => ctx.new_int(*n).into(),
                Arg::Object(o) => o.0.clone(),
            })
            .collect();
        FuncArgs::from(args)
    }

    /// Runs learner code under a budget of `ticks`. A stop counts even if the code swallowed the exception.
    pub(super) fn budgeted<R: ToResult>(&self, ticks: u64, f: impl FnOnce() -> PyResult<R>) -> Result<R::Out, Problem> {
        let result = self.with_budget(ticks, f);
        let problem = match result {
            Ok(value) if self.host.stop.get().is_none() => return Ok(value.to_result()),
            Ok(_) => self.host.stop.get().map_or_else(|| Problem::stopped_somewhere(ticks), Problem::stopped),
            Err(exception) => Problem::from_exception(self, &exception),
        };
        self.host.stop.set(None);
        Err(problem)
    }

    fn with_budget<R>(&self, ticks: u64, f: impl FnOnce() -> R) -> R {
        let host = self.host;
        host.stop.set(None);
        host.raised.take();
        host.is_rest_of_suite.set(host.suite_left.get() < ticks);
        let ticks = ticks.min(host.suite_left.get());
        host.budget.set(ticks);
        host.ticks_left.set(ticks);
        host.most_memory.set(memory::live().saturating_add(memory::MOST_PER_CALL));
        memory::call_begins();
        signs::beat();
        let result = f();
        let used = ticks - host.ticks_left.get().min(ticks);
        host.suite_left.set(host.suite_left.get() - used);
        host.ticks_left.set(IDLE_TICKS);
        result
    }

    /// A small budget for asking a learner's object for its text while a report is made.
    pub(super) fn with_fresh_budget<R>(&self, f: impl FnOnce() -> R) -> R {
        let result = self.with_budget(1_000, f);
        self.host.stop.set(None);
        result
    }

    /// From here on, all calls together may take so many ticks; `u64::MAX` is no limit.
    pub fn give_suite_budget(&self, ticks: u64) {
        self.host.suite_left.set(ticks);
    }

    /// What is left of the suite's budget.
    pub fn suite_budget_left(&self) -> u64 {
        self.host.suite_left.get()
    }

    /// Whether nothing is left of the suite's budget.
    pub fn suite_budget_is_used_up(&self) -> bool {
        self.host.suite_left.get() == 0
    }

    /// Puts text back that [`Python::take_output`] took.
    pub fn put_output(&self, text: &str) {
        self.host.print(text);
    }

    pub(super) fn unmetered<R>(&self, f: impl FnOnce() -> R) -> R {
        natives::unmetered(self.host, f)
    }

    pub(super) fn text_of(&self, object: &PyObjectRef) -> Option<String> {
        object.downcast_ref::<PyStr>().map(|s| s.as_wtf8().to_string())
    }
}

/// What [`Python::budgeted`] hands on: objects wrapped, plain values as they are.
pub(super) trait ToResult {
    type Out;
    fn to_result(self) -> Self::Out;
}

impl ToResult for PyObjectRef {
    type Out = Object;
    fn to_result(self) -> Object {
        Object(self)
    }
}

impl ToResult for PyRef<PyCode> {
    type Out = PyRef<PyCode>;
    fn to_result(self) -> Self {
        self
    }
}

impl ToResult for bool {
    type Out = bool;
    fn to_result(self) -> bool {
        self
    }
}

impl Python<'_> {
    /// Runs a file of ours, which may import the module `_leasehold`; once, whoever asks for it again. So it must keep no
    /// state in its globals.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn run_driver(&self, source: &str) -> Result<Driver, Problem> {
        let vm = self.vm;
        if let Some(globals) = self.host.drivers.borrow().get(source) {
            return Ok(Driver { globals: globals.clone() });
        }
        let globals = vm.ctx.new_dict();
        self.budgeted(TICKS_PER_LOAD, || {
            let code = compile(self, source, "<driver>", Mode::Exec)?;
            globals.set_item("__builtins__", vm.builtins.dict().into(), vm)?;
            globals.set_item("__name__", vm.ctx.new_str("driver").into(), vm)?;
            vm.run_code_obj(code, Scope::new(None, globals.clone()))
        })?;
        walls::seal(vm, &globals);
        self.host.drivers.borrow_mut().insert(source.to_owned(), globals.clone());
        Ok(Driver { globals })
    }
}

impl Driver {
    /// A global of it.
    ///
    /// # Panics
    /// If there is none: drivers are ours.
    pub fn get(&self, py: &Python<'_>, name: &str) -> Object {
        match self.globals.get_item_opt(name, py.vm) {
            Ok(Some(object)) => Object(object),
            _ => panic!("the driver has no {name}"),
        }
    }
}

impl Program {
    /// Runs the file in fresh globals: one simulated process starts.
    ///
    /// # Errors
    /// What the file raised, or that it was stopped.
    pub fn run(&self, py: &Python<'_>) -> Result<Module, Problem> {
        let vm = py.vm;
        let globals = vm.ctx.new_dict();
        let natives = py.host.natives();
        let views = py.host.processes.borrow_mut().start(&globals);
        py.budgeted(TICKS_PER_LOAD, || {
            // A copy for each process: what one patches there, another does not see.
            let builtins: PyDictRef = natives.learner_builtins.copy().into_ref(&vm.ctx);
            // The interpreter asks for it when a finalizer raises, perhaps with no stack left to make it.
            views.of(vm, "sys", natives.modules.get_item("sys", vm)?)?;
            globals.set_item("__builtins__", builtins.into(), vm)?;
            globals.set_item("__name__", vm.ctx.new_str("solution").into(), vm)?;
            views.begin(vm.new_module("solution", globals.clone(), None).into());
            vm.run_code_obj(self.code.clone(), Scope::new(None, globals.clone()))
        })?;
        let before = leftovers::Snapshot::first(vm, py.host, &globals);
        Ok(Module { globals, before, views })
    }
}

impl Module {
    /// The whole of its globals, as a dict.
    pub fn globals(&self) -> Object {
        Object(self.globals.clone().into())
    }

    /// A global of the file.
    ///
    /// # Errors
    /// That there is none of this name, in words.
    pub fn get(&self, py: &Python<'_>, name: &str) -> Result<Object, Problem> {
        match self.globals.get_item_opt(name, py.vm) {
            Ok(Some(object)) => Ok(Object(object)),
            _ => Err(Problem::missing(format!("The file defines no {name}. The task names it: keep that name."))),
        }
    }

    /// Whether what the file left in its globals is as it was just after it ran, so that the next run may use it
    /// again. When in doubt: no.
    pub fn is_untouched(&self, py: &Python<'_>) -> bool {
        self.views.are_untouched() && self.before.still_holds(py.vm, py.host, &self.globals)
    }
}

/// [`compile`] for text that a program made.
pub(super) fn compile_text(py: &Python<'_>, source: &str, path: &str, mode: Mode) -> PyResult<PyRef<PyCode>> {
    if let Some(shape::Flaw { what, .. }) = shape::flaw(source) {
        return Err(py.vm.new_value_error(what));
    }
    compile(py, source, path, mode)
}

/// Compiles with ticks and puts the host's tick function where the meter left its marks. The text's shape must have
/// been looked at.
fn compile(py: &Python<'_>, source: &str, path: &str, mode: Mode) -> PyResult<PyRef<PyCode>> {
    let code = compile_metered(source, path, mode, py.vm.compile_opts())
        .map_err(|error| syntax_error(py.vm, error, source))?;
    let code = PyCode::new_ref_from_bytecode(py.vm, code);
    Ok(bind_ticks(py.vm, py.host, &code))
}

fn syntax_error(vm: &VirtualMachine, error: CompileError, source: &str) -> Raised {
    vm.new_syntax_error(&error, Some(source))
}

/// A copy of `code`, and of the code in it, with the host's ticks in place of every [`TICK`].
pub(super) fn bind_ticks(vm: &VirtualMachine, host: &Rc<Host>, code: &PyRef<PyCode>) -> PyRef<PyCode> {
    let mut bound = code.code.clone();
    for constant in bound.constants.iter_mut() {
        let object: PyObjectRef = constant.clone().into();
        if let Some(text) = object.downcast_ref::<PyStr>() {
            if let Some(line) = text.as_wtf8().as_bytes().strip_prefix(TICK.as_bytes()) {
                let line = std::str::from_utf8(line).ok().and_then(|line| line.parse().ok());
                *constant = match line.filter(|line| *line as usize <= LINES_LIMIT + 1) {
                    Some(line) => natives::tick_at(vm, host, line).into(),
                    None => host.natives().tick.clone().into(),
                };
            }
        } else if let Ok(inner) = object.downcast::<PyCode>() {
            *constant = bind_ticks(vm, host, &inner).to_pyobject(vm).into();
        }
    }
    PyCode::new(bound).into_ref(&vm.ctx)
}

pub(super) fn make_clock(vm: &VirtualMachine, host: &Rc<Host>) -> PyObjectRef {
    let host = Rc::clone(host);
    vm.new_function("clock", move || crate::time::as_float_seconds(host.now_us.get())).into()
}

impl Natives {
    pub(super) fn new(
        tick: PyObjectRef,
        exhausted: PyTypeRef,
        learner_builtins: PyDictRef,
        clock: PyObjectRef,
        watch_lines: PyObjectRef,
        mark: PyObjectRef,
        modules: PyDictRef,
    ) -> Self {
        Natives { tick, exhausted, learner_builtins, clock, watch_lines, mark, modules }
    }
}
