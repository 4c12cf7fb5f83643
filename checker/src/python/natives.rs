//! Native functions that Python code meets: the tick, `print`, `exec` and its kin, and the module `_leasehold` under
//! our own library modules.

use super::LEARNER_FILE;
use super::guards;
use super::host::{self, Host, Limit, Natives, Python, Stop};
use super::library::{self, Reader};
use super::tasks;
use super::walls;
use crate::random::split_mix;
use crate::{memory, signs};
use rustpython_vm::builtins::{PyCode, PyDictRef, PyStrRef, PyType};
use rustpython_vm::compiler::Mode;
use rustpython_vm::function::{ArgBytesLike, ArgIntoFloat, FuncArgs};
use rustpython_vm::scope::Scope;
use rustpython_vm::{AsObject as _, PyObjectRef, PyPayload as _, PyResult, TryFromObject, VirtualMachine};
use std::rc::Rc;

/// Puts the walls up: replaces what would reach the host and makes the objects that [`Natives`] holds.
pub(super) fn install(vm: &VirtualMachine, host: &Rc<Host>) -> Natives {
    let exhausted = vm.ctx.new_exception_type(
        "leasehold",
        "WorkBudgetUsedUp",
        Some(vec![vm.ctx.exceptions.base_exception_type.to_owned()]),
    );
    let tick = tick(vm, host, None);
    guards::install(vm, host);
    let base = vm.builtins.dict();
    let put = |dict: &PyDictRef, name: &'static str, object: PyObjectRef| {
        dict.set_item(name, object, vm).expect("a dict of ours takes a string key");
    };
    for gone in ["open", "input", "breakpoint", "exit", "quit", "help", "copyright", "credits", "license"] {
        let _ = base.del_item(gone, vm);
    }
    put(&base, "print", print(vm, host));
    put(&base, "exec", exec(vm, host, Mode::Exec));
    put(&base, "eval", exec(vm, host, Mode::Eval));
    put(&base, "compile", compile(vm, host));
    put(&base, "__import__", library::importer(vm, host, Reader::Library));
    let learner_builtins = base.copy().into_ref(&vm.ctx);
    put(&learner_builtins, "__import__", library::importer(vm, host, Reader::Learner));
    for (name, instead) in [
        ("open", "There are no files here. Keep what you need in the object."),
        ("input", "Nobody is there to type an answer: the suite calls your methods."),
        ("breakpoint", "There is no debugger here. print() shows its text below the results."),
    ] {
        put(&learner_builtins, name, refusal(vm, name, instead));
    }
    let modules = vm.ctx.new_dict();
    let mark: PyObjectRef = vm.ctx.new_base_object(vm.ctx.types.object_type.to_owned(), None);
    put(&modules, "_leasehold", install_module(vm, host, &mark));
    // For finalizers that run while no learner's frame stands: they ask the interpreter's own `sys`.
    let _ = vm.sys_module.set_attr("unraisablehook", unraisable_hook(vm, host), vm);
    Natives::new(tick, exhausted, learner_builtins, host::make_clock(vm, host), watch_lines(vm, host), mark, modules)
}

/// Runs `f` with the meter standing still: our own library's loading is nobody's work.
pub(super) fn unmetered<R>(host: &Host, f: impl FnOnce() -> R) -> R {
    let left = host.ticks_left.replace(u64::MAX);
    let result = f();
    host.ticks_left.set(left);
    result
}

/// The tick of a line of the learner's file, or of a file of ours.
fn tick(vm: &VirtualMachine, host: &Rc<Host>, line: Option<u32>) -> PyObjectRef {
    let host = Rc::clone(host);
    vm.new_function("tick", move |vm: &VirtualMachine| -> PyResult<bool> {
        let left = host.ticks_left.get();
        if left == u64::MAX {
            return Ok(true);
        }
        if let Some(line) = line {
            signs::at(line);
        }
        if left > 0
            && left.trailing_zeros() < TICKS_PER_BEAT
            && memory::live() <= host.most_memory.get()
            && vm.current_recursion_depth() < DEEP
        {
            host.ticks_left.set(left - 1);
            return Ok(true);
        }
        let depth = vm.current_recursion_depth();
        spend(vm, &host, if depth < DEEP { 1 } else { depth as u64 / 32 }).map(|()| true)
    })
    .into()
}

/// So much printed text costs a tick.
const BYTES_PER_TICK: u64 = 64;

/// The tick of a line, made once.
pub(super) fn tick_at(vm: &VirtualMachine, host: &Rc<Host>, line: u32) -> PyObjectRef {
    host.ticks.borrow_mut().entry(line).or_insert_with(|| tick(vm, host, Some(line))).clone()
}

/// From so many frames on a tick costs more: an exception that leaves as many is that much more work, and code that catches
/// it and goes in again can have one for every tick.
const DEEP: usize = 500;

/// A sign of life comes every 2 to the power of this many ticks.
const TICKS_PER_BEAT: u32 = 10;

/// Takes so many ticks from the budget.
///
/// # Errors
/// The stop, if there are not so many.
pub(super) fn spend(vm: &VirtualMachine, host: &Host, ticks: u64) -> PyResult<()> {
    let left = host.ticks_left.get();
    if left == u64::MAX {
        return Ok(());
    }
    let takes_too_much_memory = memory::live() > host.most_memory.get();
    if left >= ticks && left > 0 && !takes_too_much_memory {
        host.ticks_left.set(left - ticks);
        if left >> TICKS_PER_BEAT != (left - ticks) >> TICKS_PER_BEAT {
            signs::beat();
        }
        return Ok(());
    }
    host.ticks_left.set(0);
    if host.stop.get().is_none() {
        let why = match (takes_too_much_memory, host.is_rest_of_suite.get()) {
            (true, _) => Limit::Memory,
            (false, true) => Limit::Suite,
            (false, false) => Limit::Call,
        };
        host.stop.set(Some(Stop { line: learner_line(vm), ticks: host.budget.get(), why }));
    }
    // One exception for all ticks from here on: a chain of new ones, each the other's context, has no end.
    let mut raised = host.raised.borrow_mut();
    let raised = raised.get_or_insert_with(|| {
        let words = vm.ctx.new_str("the work budget is used up").into();
        vm.new_exception(host.natives().exhausted.clone(), vec![words])
    });
    Err(raised.clone())
}

/// The line at which the innermost frame of the learner's file stands.
pub(super) fn learner_line(vm: &VirtualMachine) -> Option<u32> {
    let mut frame = vm.current_frame()?;
    loop {
        if frame.f_code().code.source_path.as_str() == LEARNER_FILE {
            return frame.as_object().get_attr("f_lineno", vm).ok()?.try_to_value(vm).ok();
        }
        frame = frame.f_back(vm)?;
    }
}

/// A trace function that notes the line on which a learner's function returns; the outermost comes last and stays.
fn watch_lines(vm: &VirtualMachine, host: &Rc<Host>) -> PyObjectRef {
    let host = Rc::clone(host);
    let function = Rc::new(std::cell::OnceCell::<PyObjectRef>::new());
    let itself = Rc::clone(&function);
    let made: PyObjectRef = vm
        .new_function(
            "watch_lines",
            move |frame: PyObjectRef, event: PyStrRef, _arg: PyObjectRef, vm: &VirtualMachine| -> PyResult {
                let code = frame.get_attr("f_code", vm)?;
                let is_learners =
                    code.downcast_ref::<PyCode>().is_some_and(|c| c.code.source_path.as_str() == LEARNER_FILE);
                if !is_learners {
                    return Ok(vm.ctx.none());
                }
                if event.as_wtf8().as_bytes() == b"return"
                    && let Ok(line) = frame.get_attr("f_lineno", vm)?.try_to_value(vm)
                {
                    host.returned_at.set(Some(line));
                }
                Ok(itself.get().cloned().unwrap_or_else(|| vm.ctx.none()))
            },
        )
        .into();
    let _ = function.set(made.clone());
    made
}

/// Tells of an exception in a finalizer. Native, because it is called where Python may have no stack left.
fn unraisable_hook(vm: &VirtualMachine, host: &Rc<Host>) -> PyObjectRef {
    let host = Rc::clone(host);
    vm.new_function("unraisablehook", move |unraisable: PyObjectRef, vm: &VirtualMachine| {
        let class = unraisable.get_attr("exc_type", vm).ok();
        let class = class.and_then(|c| c.downcast_ref::<PyType>().map(|c| c.name().to_string()));
        let text = unraisable.get_attr("exc_value", vm).and_then(|e| e.str(vm)).map(|t| t.as_wtf8().to_string());
        // A run ended while a coroutine stood before an `await` in its `finally`: nothing that its code did.
        let ended = text.is_ok_and(|t| t.ends_with("ignored GeneratorExit"));
        // Our own stop is told by the verdict.
        if let Some(class) = class.filter(|c| c != "WorkBudgetUsedUp" && !ended) {
            host.print(&format!("(ignored, because a finalizer raised it: {class})\n"));
        }
    })
    .into()
}

fn refusal(vm: &VirtualMachine, name: &'static str, instead: &'static str) -> PyObjectRef {
    vm.new_function(name, move |_args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        Err(vm.new_runtime_error(format!("{name}() is not available here. {instead}")))
    })
    .into()
}

fn print(vm: &VirtualMachine, host: &Rc<Host>) -> PyObjectRef {
    let host = Rc::clone(host);
    vm.new_function("print", move |mut args: FuncArgs, vm: &VirtualMachine| -> PyResult<()> {
        let mut option = |name: &str| args.kwargs.swap_remove(name).filter(|o| !vm.is_none(o));
        let (sep, end, file) = (option("sep"), option("end"), option("file"));
        args.kwargs.swap_remove("flush");
        if let Some(unknown) = args.kwargs.keys().next() {
            return Err(vm.new_type_error(format!("print() got an unexpected keyword argument '{unknown}'")));
        }
        let word = |o: Option<PyObjectRef>, default: &str| -> PyResult<String> {
            o.map_or_else(|| Ok(default.to_owned()), |o| Ok(PyStrRef::try_from_object(vm, o)?.as_wtf8().to_string()))
        };
        let sep = word(sep, " ")?;
        let mut text = String::new();
        for (i, object) in args.args.iter().enumerate() {
            if i > 0 {
                text.push_str(&sep);
            }
            text.push_str(&object.str(vm)?.as_wtf8().to_string());
        }
        text.push_str(&word(end, "\n")?);
        spend(vm, &host, text.len() as u64 / BYTES_PER_TICK)?;
        match file {
            Some(file) => {
                vm.call_method(&file, "write", (vm.ctx.new_str(text),))?;
            }
            None => host.print(&text),
        }
        Ok(())
    })
    .into()
}

/// `exec` or `eval`: text is compiled with ticks like the learner's own file.
fn exec(vm: &VirtualMachine, host: &Rc<Host>, mode: Mode) -> PyObjectRef {
    let host = Rc::clone(host);
    let is_eval = matches!(mode, Mode::Eval);
    let name = if is_eval { "eval" } else { "exec" };
    vm.new_function(name, move |mut args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        let source = args.take_positional().ok_or_else(|| vm.new_type_error(format!("{name}() takes a source")))?;
        let given = |o: Option<PyObjectRef>| o.filter(|o| !vm.is_none(o));
        let globals = given(args.take_positional().or_else(|| args.kwargs.swap_remove("globals")));
        let locals = given(args.take_positional().or_else(|| args.kwargs.swap_remove("locals")));
        let code = if let Some(code) = source.downcast_ref::<PyCode>() {
            code.to_owned()
        } else {
            let text = PyStrRef::try_from_object(vm, source)?.as_wtf8().to_string();
            let text = if is_eval { text.trim_start_matches([' ', '\t']).to_owned() } else { text };
            let mode = if is_eval { Mode::Eval } else { Mode::Exec };
            host::compile_text(&Python { vm, host: &host }, &text, "<string>", mode)?
        };
        let (globals, locals) = match (globals, locals) {
            (None, None) => (vm.current_globals(), Some(vm.current_locals()?)),
            (None, Some(locals)) => (vm.current_globals(), Some(locals.try_into_value(vm)?)),
            (Some(globals), locals) => {
                let globals = PyDictRef::try_from_object(vm, globals)?;
                if !globals.contains_key("__builtins__", vm) {
                    let builtins = vm.current_globals().get_item("__builtins__", vm)?;
                    globals.set_item("__builtins__", builtins, vm)?;
                }
                (globals, locals.map(|l| l.try_into_value(vm)).transpose()?)
            }
        };
        let result = vm.run_code_obj(code, Scope::new(locals, globals))?;
        Ok(if is_eval { result } else { vm.ctx.none() })
    })
    .into()
}

fn compile(vm: &VirtualMachine, host: &Rc<Host>) -> PyObjectRef {
    let host = Rc::clone(host);
    vm.new_function(
        "compile",
        move |source: PyStrRef, filename: PyStrRef, mode: PyStrRef, _rest: FuncArgs, vm: &VirtualMachine| -> PyResult {
            let mode = match mode.as_wtf8().to_string().as_str() {
                "eval" => Mode::Eval,
                "exec" => Mode::Exec,
                _ => return Err(vm.new_value_error("compile() mode must be 'exec' or 'eval' here")),
            };
            let py = Python { vm, host: &host };
            let code = host::compile_text(&py, &source.as_wtf8().to_string(), &filename.as_wtf8().to_string(), mode)?;
            Ok(code.into())
        },
    )
    .into()
}

/// The module `_leasehold`: what our own `lib/*.py` are made of.
fn install_module(vm: &VirtualMachine, host: &Rc<Host>, mark: &PyObjectRef) -> PyObjectRef {
    let dict = vm.ctx.new_dict();
    let put = |name: &'static str, object: PyObjectRef| {
        dict.set_item(name, object, vm).expect("a dict of ours takes a string key");
    };
    let clock = Rc::clone(host);
    put("now_us", vm.new_function("now_us", move || clock.now_us.get()).into());
    let seed = Rc::clone(host);
    put(
        "draw",
        vm.new_function("draw", move || {
            let (state, drawn) = split_mix(seed.seed.get());
            seed.seed.set(state);
            drawn
        })
        .into(),
    );
    put("step", vm.new_function("step", |state: u64| split_mix(state)).into());
    put(
        "digest",
        vm.new_function("digest", |name: PyStrRef, data: ArgBytesLike, vm: &VirtualMachine| -> PyResult {
            use sha2::Digest as _;
            let digest = data.with_ref(|bytes| match name.as_wtf8().as_bytes() {
                b"md5" => Some(md5::Md5::digest(bytes).to_vec()),
                b"sha1" => Some(sha1::Sha1::digest(bytes).to_vec()),
                b"sha256" => Some(sha2::Sha256::digest(bytes).to_vec()),
                _ => None,
            });
            let digest = digest.ok_or_else(|| vm.new_value_error("unsupported hash type"))?;
            Ok(vm.ctx.new_bytes(digest).into())
        })
        .into(),
    );
    for (name, function) in UNARY {
        put(
            name,
            vm.new_function(name, move |x: ArgIntoFloat, vm: &VirtualMachine| -> PyResult<f64> {
                let x = x.into_float();
                checked(function(x), x.is_finite(), x.is_nan(), vm)
            })
            .into(),
        );
    }
    for (name, function) in BINARY {
        put(
            name,
            vm.new_function(name, move |x: ArgIntoFloat, y: ArgIntoFloat, vm: &VirtualMachine| -> PyResult<f64> {
                let (x, y) = (x.into_float(), y.into_float());
                checked(function(x, y), x.is_finite() && y.is_finite(), x.is_nan() || y.is_nan(), vm)
            })
            .into(),
        );
    }
    let modules = Rc::clone(host);
    put(
        "module",
        vm.new_function("module", move |name: PyStrRef, vm: &VirtualMachine| -> PyResult {
            let module = modules.natives().modules.get_item_opt(&*name, vm)?;
            let name = name.as_wtf8().to_string();
            let views = modules.processes.borrow_mut().of_caller(vm);
            if name == "solution" {
                return Ok(views.solution().unwrap_or_else(|| vm.ctx.none()));
            }
            let asks = vm.current_frame().and_then(|frame| frame.f_back(vm));
            match module {
                // Between parts of the library.
                Some(module) if asks.is_none_or(|frame| walls::is_ours(vm, &modules, &frame.f_globals())) => Ok(module),
                Some(module) if !name.starts_with("_leasehold") => views.of(vm, &name, module),
                _ => Ok(vm.ctx.none()),
            }
        })
        .into(),
    );
    put("mark", mark.clone());
    tasks::install(vm, host, put);
    put("unraisablehook", unraisable_hook(vm, host));
    for name in OF_SYS {
        put(name, vm.sys_module.get_attr(*name, vm).unwrap_or_else(|_| vm.ctx.none()));
    }
    vm.new_module("_leasehold", dict, None).into()
}

/// What our `sys` hands on of the interpreter's.
const OF_SYS: &[&str] = &[
    "_clear_type_descriptors",
    "_getframe",
    "_getframemodulename",
    "exc_info",
    "exception",
    "get_int_max_str_digits",
    "getrecursionlimit",
    "getsizeof",
    "implementation",
    "intern",
    "version_info",
];

/// Python's rule for `math`: no NaN out of numbers, no infinity out of finite ones.
fn checked(result: f64, finite: bool, had_nan: bool, vm: &VirtualMachine) -> PyResult<f64> {
    if result.is_nan() && !had_nan {
        return Err(vm.new_value_error("math domain error"));
    }
    if result.is_infinite() && finite {
        return Err(vm.new_overflow_error("math range error"));
    }
    Ok(result)
}

type Named1 = (&'static str, fn(f64) -> f64);
type Named2 = (&'static str, fn(f64, f64) -> f64);

/// From `libm`, so that a browser and a native build agree to the last bit.
const UNARY: [Named1; 26] = [
    ("acos", libm::acos),
    ("acosh", libm::acosh),
    ("asin", libm::asin),
    ("asinh", libm::asinh),
    ("atan", libm::atan),
    ("atanh", libm::atanh),
    ("cbrt", libm::cbrt),
    ("cos", libm::cos),
    ("cosh", libm::cosh),
    ("erf", libm::erf),
    ("erfc", libm::erfc),
    ("exp", libm::exp),
    ("exp2", libm::exp2),
    ("expm1", libm::expm1),
    ("fabs", libm::fabs),
    ("gamma", libm::tgamma),
    ("lgamma", libm::lgamma),
    ("ln", |x| if x > 0.0 || x.is_nan() { libm::log(x) } else { f64::NAN }),
    ("log10", |x| if x > 0.0 || x.is_nan() { libm::log10(x) } else { f64::NAN }),
    ("log1p", |x| if x > -1.0 || x.is_nan() { libm::log1p(x) } else { f64::NAN }),
    ("log2", |x| if x > 0.0 || x.is_nan() { libm::log2(x) } else { f64::NAN }),
    ("sin", libm::sin),
    ("sinh", libm::sinh),
    ("sqrt", libm::sqrt),
    ("tan", libm::tan),
    ("tanh", libm::tanh),
];

const BINARY: [Named2; 6] = [
    ("atan2", libm::atan2),
    ("copysign", libm::copysign),
    ("fmod", libm::fmod),
    ("hypot2", libm::hypot),
    ("nextafter", libm::nextafter),
    ("pow", libm::pow),
];
