//! What stays closed to learner code although the interpreter would show it: the globals under our own functions, the
//! frames of who called, the classes and modules that all processes share. Without this a learner's file could change what
//! judges it, and what one file changed the next one would find.
//!
//! Three ways lead there, and each has its wall. Classes of ours are made immutable ([`seal`]). Modules are shown as
//! copies, one for each process ([`Views`]). And functions and frames keep to themselves what leads to real modules
//! ([`close`]), unless code of the library itself asks.

use super::host::Host;
use rustpython_vm::builtins::{PyDictRef, PyFunction, PyModule, PyStr, PyType};
use rustpython_vm::function::PySetterValue;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

/// What functions show of themselves only if they are the learner's own.
const OF_FUNCTIONS: [&str; 6] =
    ["__globals__", "__builtins__", "__closure__", "__code__", "__defaults__", "__kwdefaults__"];

/// What frames show to nobody but the library.
const OF_FRAMES: [&str; 4] = ["f_back", "f_builtins", "f_globals", "f_locals"];

const OF_NATIVES: &str = "__self__";

struct Closed {
    host: Rc<Host>,
    /// The interpreter's own descriptors, by name.
    originals: BTreeMap<&'static str, PyObjectRef>,
}

thread_local! {
    /// Leaked like the interpreter itself. Here, because descriptors can hold nothing that belongs to one thread.
    static CLOSED: OnceCell<&'static Closed> = const { OnceCell::new() };
}

/// Puts guards in place of the descriptors that lead to the globals of functions and frames.
pub(super) fn close(vm: &VirtualMachine, host: &Rc<Host>) {
    let mut originals = BTreeMap::new();
    let function = vm.ctx.types.function_type;
    for name in OF_FUNCTIONS {
        let key = vm.ctx.intern_str(name);
        let Some(original) = function.attributes.get(key) else { continue };
        originals.insert(name, original);
        let get = move |it: PyObjectRef, vm: &VirtualMachine| -> PyResult { guarded(vm, name, &it)?.get(vm, it) };
        let set = move |it: PyObjectRef, value: PySetterValue, vm: &VirtualMachine| -> PyResult<()> {
            guarded(vm, name, &it)?.set(vm, it, value)
        };
        function.attributes.insert(key, vm.ctx.new_static_getset(name, function, get, set).into());
    }
    let frame = vm.ctx.types.frame_type;
    for name in OF_FRAMES {
        let key = vm.ctx.intern_str(name);
        let Some(original) = frame.attributes.get(key) else { continue };
        originals.insert(name, original);
        let get = move |it: PyObjectRef, vm: &VirtualMachine| -> PyResult { guarded(vm, name, &it)?.get(vm, it) };
        frame.attributes.insert(key, vm.ctx.new_readonly_getset(name, frame, get).into());
    }
    // What a native function is bound to is its module, the real one.
    let native = vm.ctx.types.builtin_function_or_method_type;
    let key = vm.ctx.intern_str(OF_NATIVES);
    if let Some(original) = native.attributes.get(key) {
        originals.insert(OF_NATIVES, original);
        let get = move |it: PyObjectRef, vm: &VirtualMachine| -> PyResult {
            let closed = CLOSED.with(|closed| closed.get().copied());
            let original = closed.and_then(|closed| closed.originals.get(OF_NATIVES));
            let bound = original.map(|original| Original(original.clone()).get(vm, it)).transpose()?;
            Ok(bound.filter(|to| to.downcast_ref::<PyModule>().is_none()).unwrap_or_else(|| vm.ctx.none()))
        };
        native.attributes.insert(key, vm.ctx.new_readonly_getset(OF_NATIVES, native, get).into());
    }
    CLOSED.with(|closed| {
        let _ = closed.set(Box::leak(Box::new(Closed { host: Rc::clone(host), originals })));
    });
}

/// A descriptor of the interpreter's.
struct Original(PyObjectRef);

impl Original {
    fn get(&self, vm: &VirtualMachine, it: PyObjectRef) -> PyResult {
        vm.call_get_descriptor_specific(&self.0, Some(&it), Some(it.class().as_object()))
            .unwrap_or_else(|| Err(vm.new_attribute_error("not readable")))
    }

    fn set(&self, vm: &VirtualMachine, it: PyObjectRef, value: PySetterValue) -> PyResult<()> {
        match self.0.class().slots.descr_set.load() {
            Some(set) => set(&self.0, it, value, vm),
            None => Err(vm.new_attribute_error("readonly attribute")),
        }
    }
}

/// The interpreter's descriptor, if who asks may use it on this object: the library and native code always, a learner on
/// the learner's own functions.
fn guarded(vm: &VirtualMachine, name: &'static str, it: &PyObjectRef) -> PyResult<Original> {
    let closed = CLOSED.with(|closed| closed.get().copied());
    let original = closed.and_then(|closed| closed.originals.get(name));
    let (Some(closed), Some(original)) = (closed, original) else {
        return Err(vm.new_attribute_error(format!("{name} is not available here")));
    };
    let original = Original(original.clone());
    let asked_by_us = vm.current_frame().is_none_or(|frame| is_ours(vm, &closed.host, &frame.f_globals()));
    let open = asked_by_us
        || it.downcast_ref::<PyFunction>().is_some() && {
            let globals = Original(closed.originals["__globals__"].clone()).get(vm, it.clone())?;
            !globals
                .downcast::<rustpython_vm::builtins::PyDict>()
                .is_ok_and(|globals| is_ours(vm, &closed.host, &globals))
        };
    if open {
        return Ok(original);
    }
    Err(vm.new_attribute_error(format!(
        "{name} is not available here: it would lead out of your own code, into what the simulation is made of"
    )))
}

/// Whether these are the globals of a module of the library or of a driver. Compared by identity: names can be forged.
pub(super) fn is_ours(vm: &VirtualMachine, host: &Host, globals: &PyDictRef) -> bool {
    let Some(natives) = host.natives_once_made() else { return true };
    let is = |dict: &PyDictRef| dict.is(globals);
    let module =
        |module: &PyObjectRef| module.downcast_ref::<PyModule>().is_some() && module.dict().is_some_and(|d| is(&d));
    host.drivers.borrow().values().any(is)
        || natives.modules.items_vec().iter().any(|(_, value)| module(value))
        || is(&vm.builtins.dict())
}

/// Makes the classes immutable that were made where these are the globals.
pub(super) fn seal(vm: &VirtualMachine, globals: &PyDictRef) {
    let name = globals.get_item_opt("__name__", vm).ok().flatten();
    let name = name.as_ref().and_then(|n| n.downcast_ref::<PyStr>());
    for (_, value) in globals.items_vec() {
        let Some(class) = value.downcast_ref::<PyType>() else { continue };
        let made_in = class.attributes.get(vm.ctx.intern_str("__module__"));
        let made_in = made_in.as_ref().and_then(|m| m.downcast_ref::<PyStr>());
        if made_in.is_some_and(|made_in| name.is_some_and(|name| name.as_wtf8() == made_in.as_wtf8())) {
            class.slots.flags.insert(PyTypeFlags::IMMUTABLETYPE);
        }
    }
}

/// The modules as one process sees them: copies, so that what it changes there changes nothing for others, and without
/// what the modules themselves imported.
#[derive(Default)]
pub(super) struct Views {
    imported: RefCell<BTreeMap<String, View>>,
    /// The process's own file.
    solution: RefCell<Option<PyObjectRef>>,
}

/// The processes whose files are loaded, in the order of their starts: by the address of their globals.
#[derive(Default)]
pub(super) struct Processes(Vec<(usize, Weak<Views>)>);

impl Processes {
    /// A process starts, with these globals.
    pub(super) fn start(&mut self, globals: &PyDictRef) -> Rc<Views> {
        self.0.retain(|(_, views)| views.strong_count() > 0);
        let views = Rc::default();
        self.0.push((address(globals), Rc::downgrade(&views)));
        views
    }

    /// What the process sees whose code runs; the one that was started last, where that can't be told.
    pub(super) fn of_caller(&mut self, vm: &VirtualMachine) -> Rc<Views> {
        let mut frame = vm.current_frame();
        while let Some(at) = frame {
            let globals = address(&at.f_globals());
            // The last of this address: an earlier one is gone.
            if let Some(views) =
                self.0.iter().rev().find(|(of, _)| *of == globals).and_then(|(_, views)| views.upgrade())
            {
                return views;
            }
            frame = at.f_back(vm);
        }
        self.0.iter().rev().find_map(|(_, views)| views.upgrade()).unwrap_or_default()
    }
}

fn address(globals: &PyDictRef) -> usize {
    std::ptr::from_ref(&**globals).addr()
}

struct View {
    module: PyObjectRef,
    /// What stood in it when it was made.
    before: Vec<PyObjectRef>,
}

impl Views {
    /// The process's file is about to run.
    pub(super) fn begin(&self, solution: PyObjectRef) {
        self.solution.replace(Some(solution));
    }

    /// The process's own file as a module.
    pub(super) fn solution(&self) -> Option<PyObjectRef> {
        self.solution.borrow().clone()
    }

    /// The module of this full name as the process sees it.
    pub(super) fn of(&self, vm: &VirtualMachine, full: &str, module: PyObjectRef) -> PyResult {
        if let Some(view) = self.imported.borrow().get(full) {
            return Ok(view.module.clone());
        }
        let shown = vm.ctx.new_dict();
        for (name, value) in contents(&module) {
            let is_private = name.downcast_ref::<PyStr>().is_some_and(|name| {
                let name = name.as_wtf8().as_bytes();
                name == b"__builtins__" || full == "leasehold" && name.starts_with(b"_") && !name.starts_with(b"__")
            });
            if !is_private {
                shown.set_item(&*name, value, vm)?;
            }
        }
        let module: PyObjectRef = vm.new_module(full, shown, None).into();
        let before = contents(&module).map(|(_, value)| value).collect();
        self.imported.borrow_mut().insert(full.to_owned(), View { module: module.clone(), before });
        Ok(module)
    }

    /// Whether the process has changed none of them.
    pub(super) fn are_untouched(&self) -> bool {
        self.imported.borrow().values().all(|View { module, before }| {
            let mut before = before.iter();
            contents(module).all(|(_, value)| before.next().is_some_and(|b| b.is(&value))) && before.next().is_none()
        })
    }
}

/// What a module defines, without other modules.
fn contents(module: &PyObjectRef) -> impl Iterator<Item = (PyObjectRef, PyObjectRef)> {
    let all = module.dict().map(|dict| dict.items_vec()).unwrap_or_default();
    all.into_iter().filter(|(_, value)| value.downcast_ref::<PyModule>().is_none())
}
