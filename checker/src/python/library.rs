//! What can be imported, by whom, and what the others are told.
//!
//! The modules themselves are compiled by `build.rs` and embedded. Learner code may import those in [`PUBLIC`];
//! the library's own modules may import each other and the interpreter's native ones.

use super::host::{Host, bind_ticks};
use super::natives::unmetered;
use super::walls::{self, Views};
use rustpython_compiler::core::bytecode::BasicBag;
use rustpython_compiler::core::marshal::deserialize_code;
use rustpython_vm::builtins::{PyCode, PyDictRef, PyTupleRef};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::scope::Scope;
use rustpython_vm::{PyObjectRef, PyResult, TryFromObject, VirtualMachine};
use std::rc::Rc;

mod compiled {
    include!(concat!(env!("OUT_DIR"), "/modules.rs"));
}

/// What learner code may import.
pub const PUBLIC: &[&str] = &[
    "__future__",
    "abc",
    "bisect",
    "collections",
    "collections.abc",
    "contextlib",
    "copy",
    "dataclasses",
    "enum",
    "functools",
    "hashlib",
    "heapq",
    "itertools",
    "leasehold",
    "math",
    "numbers",
    "operator",
    "random",
    "re",
    "secrets",
    "string",
    "sys",
    "time",
    "types",
    "typing",
    "uuid",
    "weakref",
];

/// What the interpreter itself imports in the learner's name.
const BEHIND: &[&str] = &["_collections_abc", "annotationlib", "copyreg", "warnings"];

/// Native modules that the library is made of.
const NATIVE: &[&str] = &[
    "_abc",
    "_codecs",
    "_collections",
    "_functools",
    "_operator",
    "_sre",
    "_string",
    "_types",
    "_typing",
    "_weakref",
    "builtins",
    "itertools",
];

/// Modules on whose classes things are noted later on.
const GROWING: &[&str] = &["_collections_abc", "collections.abc", "string"];

/// What people reach for and don't find, and what to do instead.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (
        &["threading", "_thread"],
        "There are no threads here: the suite calls your methods one at a time, as one event loop would. No lock \
         inside the lock is needed.",
    ),
    (
        &["multiprocessing", "concurrent", "subprocess"],
        "There are no threads and no other processes to start here: the suite calls your methods one at a time, as one \
         event loop would.",
    ),
    (
        &["queue"],
        "There are no threads here that would have to wait for an item: a list or collections.deque is queue enough.",
    ),
    (
        &["asyncio", "trio", "anyio", "selectors", "sched"],
        "There is no event loop here: the suite itself steps your code, under virtual time.",
    ),
    (
        &["os", "pathlib", "io", "shutil", "tempfile", "platform", "signal", "gc", "ctypes", "builtins"],
        "Your code runs in a simulation without files, environment or operating system. Keep what you need in the \
         object.",
    ),
    (
        &["socket", "http", "urllib", "requests", "httpx", "ssl", "redis", "boto3", "kazoo", "etcd3"],
        "There is no network here: what you would ask of a server is what you are writing.",
    ),
    (
        &["datetime", "zoneinfo", "calendar"],
        "Take the clock that you are given: it returns seconds as a float, and only it knows the virtual time.",
    ),
    (
        &["decimal", "fractions"],
        "Only a part of Python's own library is here. Where floats won't do, count in whole microseconds.",
    ),
    (&["logging", "traceback", "warnings", "pprint", "pdb"], "print() works: its text is shown below the results."),
    (&["unittest", "pytest", "doctest", "hypothesis"], "The suite is the test: press Run Tests."),
    (&["numpy", "pandas", "attrs", "attr", "pydantic"], "Only a part of Python's own library is here."),
];

/// Who imports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// The learner's file.
    Learner,
    /// A module of the library.
    Library,
}

/// An `__import__`: a learner's process has views of its own, the library none. One for all processes, since a native
/// function is never freed, with all that it holds.
pub(super) fn importer(vm: &VirtualMachine, host: &Rc<Host>, reader: Reader) -> PyObjectRef {
    let host = Rc::clone(host);
    vm.new_function("__import__", move |mut args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        let views = (reader == Reader::Learner).then(|| host.processes.borrow_mut().of_caller(vm));
        let mut next = |keyword: &str| args.take_positional().or_else(|| args.kwargs.swap_remove(keyword));
        let name = next("name").ok_or_else(|| vm.new_type_error("__import__() takes a name"))?;
        let (globals, _locals, wanted, level) = (next("globals"), next("locals"), next("fromlist"), next("level"));
        let name = name.str(vm)?.as_wtf8().to_string();
        let level: usize = level.map(|l| l.try_to_value(vm)).transpose()?.unwrap_or(0);
        let wanted: Vec<String> = match wanted.filter(|w| !vm.is_none(w)) {
            Some(wanted) => {
                let wanted = PyTupleRef::try_from_object(vm, wanted.clone())
                    .map(|t| t.as_slice().to_vec())
                    .or_else(|_| wanted.try_to_value::<Vec<PyObjectRef>>(vm))?;
                wanted.iter().map(|w| Ok(w.str(vm)?.as_wtf8().to_string())).collect::<PyResult<_>>()?
            }
            None => Vec::new(),
        };
        let full = if level == 0 { name.clone() } else { absolute(vm, globals, &name, level, reader)? };
        let module = shown(vm, &host, &full, views.as_deref())?;
        if wanted.is_empty() {
            let top = full.split('.').next().unwrap_or(&full);
            return shown(vm, &host, top, views.as_deref());
        }
        for item in wanted {
            let inner = format!("{full}.{item}");
            if find(&inner).is_some() && module.get_attr(vm.ctx.intern_str(item), vm).is_err() {
                shown(vm, &host, &inner, views.as_deref())?;
            }
        }
        Ok(module)
    })
    .into()
}

/// The module of this full name as a process sees it; as it is, for the library.
fn shown(vm: &VirtualMachine, host: &Rc<Host>, full: &str, views: Option<&Views>) -> PyResult {
    let Some(views) = views else { return import(vm, host, full, Reader::Library) };
    let view = views.of(vm, full, import(vm, host, full, Reader::Learner)?)?;
    if let Some((package, leaf)) = full.rsplit_once('.') {
        shown(vm, host, package, Some(views))?.set_attr(vm.ctx.intern_str(leaf), view.clone(), vm)?;
    }
    Ok(view)
}

/// Imports the module of this full name, parents first.
pub(super) fn import(vm: &VirtualMachine, host: &Rc<Host>, full: &str, reader: Reader) -> PyResult {
    if reader == Reader::Learner && !PUBLIC.contains(&full) && !BEHIND.contains(&full) {
        return Err(not_here(vm, full));
    }
    let modules = &host.natives().modules;
    if let Some(module) = modules.get_item_opt(full, vm)? {
        return Ok(module);
    }
    let parent = full.rsplit_once('.');
    if let Some((package, _)) = parent {
        import(vm, host, package, reader)?;
    }
    let module = unmetered(host, || load(vm, host, modules, full))?;
    if let Some((package, leaf)) = parent {
        modules.get_item(package, vm)?.set_attr(vm.ctx.intern_str(leaf), module.clone(), vm)?;
    }
    Ok(module)
}

fn load(vm: &VirtualMachine, host: &Rc<Host>, modules: &PyDictRef, full: &str) -> PyResult {
    let Some((is_package, bytes)) = find(full) else {
        if !NATIVE.contains(&full) {
            return Err(not_here(vm, full));
        }
        let module = rustpython_vm::import::import_builtin(vm, full)?;
        modules.set_item(full, module.clone(), vm)?;
        return Ok(module);
    };
    let code = deserialize_code(&mut &bytes[..], BasicBag)
        .map_err(|e| vm.new_import_error(format!("the embedded library is damaged: {e}"), vm.ctx.new_str(full)))?;
    let code = PyCode::new_ref_from_bytecode(vm, code);
    let globals = vm.ctx.new_dict();
    globals.set_item("__builtins__", vm.builtins.dict().into(), vm)?;
    let package = if is_package { full } else { full.rsplit_once('.').map_or("", |(package, _)| package) };
    let module = vm.new_module(full, globals.clone(), None);
    globals.set_item("__package__", vm.ctx.new_str(package).into(), vm)?;
    if is_package {
        globals.set_item("__path__", vm.ctx.new_list(Vec::new()).into(), vm)?;
    }
    modules.set_item(full, module.clone().into(), vm)?;
    let code = bind_ticks(vm, host, &code);
    match vm.run_code_obj(code, Scope::new(None, globals.clone())) {
        Ok(_) => {
            if !GROWING.contains(&full) {
                walls::seal(vm, &globals);
            }
            Ok(module.into())
        }
        Err(e) => {
            let _ = modules.del_item(full, vm);
            Err(e)
        }
    }
}

fn find(full: &str) -> Option<(bool, &'static [u8])> {
    let at = compiled::MODULES.binary_search_by(|(name, ..)| (*name).cmp(full)).ok()?;
    let (_, is_package, bytes) = compiled::MODULES[at];
    Some((is_package, bytes))
}

fn absolute(
    vm: &VirtualMachine,
    globals: Option<PyObjectRef>,
    name: &str,
    level: usize,
    reader: Reader,
) -> PyResult<String> {
    let package = match globals.filter(|_| reader == Reader::Library) {
        Some(globals) => globals.get_item("__package__", vm)?.str(vm)?.as_wtf8().to_string(),
        None => {
            let why = "Relative imports need a package; your code is one file.";
            return Err(vm.new_import_error(why, vm.ctx.new_str(name)));
        }
    };
    let mut package = package.as_str();
    for _ in 1..level {
        package = package.rsplit_once('.').map_or("", |(outer, _)| outer);
    }
    Ok(if name.is_empty() { package.to_owned() } else { format!("{package}.{name}") })
}

fn not_here(vm: &VirtualMachine, full: &str) -> super::object::Raised {
    let top = full.split('.').next().unwrap_or(full);
    let advice = ELSEWHERE.iter().find(|(names, _)| names.contains(&top)).map_or_else(
        || {
            let shown: Vec<&str> = PUBLIC.iter().copied().filter(|m| !m.starts_with('_') && !m.contains('.')).collect();
            format!("What can be imported: {}.", shown.join(", "))
        },
        |(_, advice)| (*advice).to_owned(),
    );
    vm.new_import_error(format!("'{full}' is not available here. {advice}"), vm.ctx.new_str(full))
}
