//! Did a run leave something behind in the file's globals?
//!
//! A file is too slow to run anew for every schedule, and a schedule must not see what another one did. So after the
//! file ran, its mutable state is written down: globals, attributes of its classes, defaults, closures, what stands in
//! its lists, dicts and sets, and so on downwards. If after a schedule all of it is the same, the next one may use it.
//! What can't be looked into (an `itertools.count`, a generator, an `lru_cache`) counts as changed, always. No code of
//! the learner's runs while we look.

use super::host::Host;
use rustpython_vm::builtins::{
    PyBool, PyBytes, PyClassMethod, PyCode, PyDict, PyDictRef, PyFloat, PyFrozenSet, PyFunction, PyInt, PyList,
    PyMappingProxy, PyModule, PyNone, PyProperty, PySet, PyStaticMethod, PyStr, PyTuple, PyType,
};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, VirtualMachine};
use std::collections::BTreeSet;

/// How many objects are looked at; a file with more state than this is run anew each time.
const MOST: usize = 4_000;

/// How deep we look.
const DEEPEST: usize = 60;

/// The state of a file's globals at one moment.
pub(super) struct Snapshot {
    /// Every value seen, in the order of the walk. Held, so that no address is used twice. `None`: can't tell.
    seen: Option<Vec<PyObjectRef>>,
}

impl Snapshot {
    /// The state just after the file ran. Looking makes some of it (a function's `__dict__`, a class's cached
    /// annotations come into being when asked for), hence the second look.
    pub(super) fn first(vm: &VirtualMachine, host: &Host, globals: &PyDictRef) -> Self {
        Snapshot::take(vm, host, globals, 0);
        Snapshot::take(vm, host, globals, 0)
    }

    fn take(vm: &VirtualMachine, host: &Host, globals: &PyDictRef, about: usize) -> Self {
        let mut walk = Walk { vm, host, seen: Vec::with_capacity(about), entered: BTreeSet::new(), depth: 0 };
        let clear = walk.dict(globals, true);
        Snapshot { seen: clear.then_some(walk.seen) }
    }

    pub(super) fn still_holds(&self, vm: &VirtualMachine, host: &Host, globals: &PyDictRef) -> bool {
        let Some(before) = &self.seen else { return false };
        let Some(now) = Snapshot::take(vm, host, globals, before.len()).seen else { return false };
        before.len() == now.len() && before.iter().zip(&now).all(|(a, b)| a.is(b))
    }
}

struct Walk<'a> {
    vm: &'a VirtualMachine,
    host: &'a Host,
    seen: Vec<PyObjectRef>,
    /// Addresses of objects whose contents were walked, against circles.
    entered: BTreeSet<usize>,
    depth: usize,
}

impl Walk<'_> {
    /// Notes the object and all that can change below it; false if that can't be told.
    fn object(&mut self, object: &PyObjectRef) -> bool {
        self.seen.push(object.clone());
        if self.seen.len() > MOST || self.depth > DEEPEST {
            return false;
        }
        let plain = is_static(object.class());
        if plain
            && (is::<PyInt>(object)
                || is::<PyStr>(object)
                || is::<PyNone>(object)
                || is::<PyFloat>(object)
                || is::<PyBool>(object)
                || is::<PyBytes>(object)
                || is::<PyCode>(object)
                || is::<PyModule>(object))
        {
            return true;
        }
        if !self.entered.insert(std::ptr::from_ref::<PyObject>(object).addr()) {
            return true;
        }
        self.depth += 1;
        let clear = self.contents(object) && (plain || self.instance(object));
        self.depth -= 1;
        clear
    }

    /// What the object holds by its make, whatever its class adds.
    fn contents(&mut self, object: &PyObjectRef) -> bool {
        if let Some(class) = object.downcast_ref::<PyType>() {
            return self.class(class);
        }
        if let Some(tuple) = object.downcast_ref::<PyTuple>() {
            return tuple.as_slice().iter().all(|o| self.object(o));
        }
        if let Some(list) = object.downcast_ref::<PyList>() {
            let items = list.borrow_vec().to_vec();
            return items.iter().all(|o| self.object(o));
        }
        if let Some(dict) = object.downcast_ref::<PyDict>() {
            return self.dict(&dict.to_owned(), false);
        }
        if let Some(set) = object.downcast_ref::<PySet>() {
            return set.elements().iter().all(|o| self.object(o));
        }
        if let Some(set) = object.downcast_ref::<PyFrozenSet>() {
            return set.elements().iter().all(|o| self.object(o));
        }
        if is::<PyFunction>(object) {
            return ["__defaults__", "__kwdefaults__", "__dict__", "__closure__"]
                .into_iter()
                .all(|name| self.attribute(object, name));
        }
        if is::<PyStaticMethod>(object) || is::<PyClassMethod>(object) {
            return self.attribute(object, "__func__");
        }
        if is::<PyProperty>(object) {
            return ["fget", "fset", "fdel"].into_iter().all(|name| self.attribute(object, name));
        }
        if is::<PyMappingProxy>(object) {
            let copy = self.vm.ctx.new_dict();
            let copied = self.vm.call_method(copy.as_object(), "update", (object.clone(),));
            return copied.is_ok() && self.dict(&copy, false);
        }
        // From here on only the class tells what there is. Its innermost class that no Python code made decides how
        // the object is laid out.
        let Some(make) = object.class().mro_map_collect(|c| c.to_owned()).into_iter().find(|c| is_static(c)) else {
            return false;
        };
        match &*make.name() {
            "cell" => self.attribute(object, "cell_contents"),
            "int" | "str" | "float" | "bytes" | "object" | "complex" => true,
            name => FIXED.contains(&name),
        }
    }

    fn class(&mut self, class: &rustpython_vm::Py<PyType>) -> bool {
        if is_static(class) || self.is_the_librarys(class) {
            return true;
        }
        class.attributes.entries().iter().all(|(_, value)| self.object(value))
    }

    fn dict(&mut self, dict: &PyDictRef, is_globals: bool) -> bool {
        for (key, value) in dict.items_vec() {
            if is_globals && key.downcast_ref::<PyStr>().is_some_and(|k| k.as_wtf8().as_bytes() == b"__builtins__") {
                // The copy that belongs to this process: names and values, not what is below them.
                let Some(builtins) = value.downcast_ref::<PyDict>() else { return false };
                self.seen.extend(builtins.items_vec().into_iter().map(|(_, value)| value));
                continue;
            }
            if !self.object(&key) || !self.object(&value) {
                return false;
            }
        }
        true
    }

    /// Below an attribute of an object of the interpreter's own, which may be absent.
    fn attribute(&mut self, object: &PyObjectRef, name: &'static str) -> bool {
        match object.get_attr(name, self.vm) {
            Ok(value) => self.object(&value),
            Err(_) => true,
        }
    }

    /// What a class made in Python adds: its class, the instance's dict, its slots.
    fn instance(&mut self, object: &PyObjectRef) -> bool {
        let class: PyObjectRef = object.class().to_owned().into();
        if !self.object(&class) || object.dict().is_some_and(|dict| !self.dict(&dict, false)) {
            return false;
        }
        for class in object.class().mro_map_collect(|c| c.to_owned()) {
            if is_static(&class) {
                continue;
            }
            // Slots hold state that no dict shows.
            for (_, descriptor) in class.attributes.entries() {
                if *descriptor.class().name() != *"member_descriptor" {
                    continue;
                }
                let value = self.vm.call_method(&descriptor, "__get__", (object.clone(), class.clone()));
                if value.is_ok_and(|value| !self.object(&value)) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether a module of the library has this very class under its name. What a class says of itself proves nothing.
    fn is_the_librarys(&self, class: &rustpython_vm::Py<PyType>) -> bool {
        let text = |name: &'static str| {
            let value = class.attributes.get(self.vm.ctx.intern_str(name))?;
            value.downcast_ref::<PyStr>().map(|s| s.as_wtf8().to_string())
        };
        let Some(module) = text("__module__").filter(|m| m != "solution") else { return false };
        let modules = &self.host.natives().modules;
        let Ok(Some(module)) = modules.get_item_opt(module.as_str(), self.vm) else { return false };
        let known = module.dict().and_then(|d| d.get_item_opt(&*class.name(), self.vm).ok().flatten());
        known.is_some_and(|known| known.is(class.as_object()))
    }
}

/// Makes whose objects nothing can change, or whose changes no program can see.
const FIXED: &[&str] = &[
    "NoneType",
    "NotImplementedType",
    "Pattern",
    "SRE_Pattern",
    "TypeVar",
    "Union",
    "UnionType",
    "_abc._abc_data",
    "_abc_data",
    "_tuplegetter",
    "builtin_function_or_method",
    "classmethod_descriptor",
    "ellipsis",
    "function",
    "getset_descriptor",
    "member_descriptor",
    "method_descriptor",
    "range",
    "re.Pattern",
    "slice",
    "types.GenericAlias",
    "GenericAlias",
    "types.UnionType",
    "wrapper_descriptor",
    "weakref",
];

fn is_static(class: &rustpython_vm::Py<PyType>) -> bool {
    !class.slots.flags.contains(&PyTypeFlags::HEAPTYPE)
}

fn is<T: PyPayload>(object: &PyObjectRef) -> bool {
    object.downcast_ref::<T>().is_some()
}
