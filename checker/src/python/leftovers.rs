//! Did a run leave something behind in the file's globals?
//!
//! A file is too slow to run anew for every schedule, and a schedule must not see what another one did. So after the
//! file ran, its mutable state is written down: globals, attributes of its classes, defaults, closures, what stands
//! in its lists, dicts and sets. If after a schedule all of it is the same, the next one may use it. What can't be
//! looked into (an `itertools.count`, a generator, an `lru_cache`) counts as changed, always.

use rustpython_vm::builtins::{
    PyBool, PyBytes, PyClassMethod, PyCode, PyDict, PyDictRef, PyFloat, PyFrozenSet, PyFunction, PyInt, PyList,
    PyModule, PyNone, PyProperty, PySet, PyStaticMethod, PyStr, PyTuple, PyType,
};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};

/// How many objects are looked at; a file with more state than this is run anew each time.
const MOST: usize = 4_000;

/// The state of a file's globals at one moment.
pub(super) struct Snapshot {
    /// Every value seen, in the order of the walk. Held, so that no address is used twice. `None`: can't tell.
    seen: Option<Vec<PyObjectRef>>,
}

impl Snapshot {
    /// The state just after the file ran. Looking makes some of it (a function's `__dict__`, a class's cached
    /// annotations come into being when asked for), hence the second look.
    pub(super) fn first(vm: &VirtualMachine, globals: &PyDictRef) -> Self {
        Snapshot::take(vm, globals);
        Snapshot::take(vm, globals)
    }

    fn take(vm: &VirtualMachine, globals: &PyDictRef) -> Self {
        let mut walk = Walk { vm, seen: Vec::new(), entered: Vec::new() };
        let clear = walk.dict(globals, true);
        Snapshot { seen: clear.then_some(walk.seen) }
    }

    pub(super) fn still_holds(&self, vm: &VirtualMachine, globals: &PyDictRef) -> bool {
        let Some(before) = &self.seen else { return false };
        let Some(now) = Snapshot::take(vm, globals).seen else { return false };
        before.len() == now.len() && before.iter().zip(&now).all(|(a, b)| a.is(b))
    }
}

struct Walk<'vm> {
    vm: &'vm VirtualMachine,
    seen: Vec<PyObjectRef>,
    /// Objects whose contents were walked, against circles.
    entered: Vec<PyObjectRef>,
}

impl Walk<'_> {
    /// Notes the object and all that can change below it; false if that can't be told.
    fn object(&mut self, object: &PyObjectRef) -> bool {
        self.seen.push(object.clone());
        if self.seen.len() > MOST {
            return false;
        }
        if is::<PyInt>(object)
            || is::<PyStr>(object)
            || is::<PyNone>(object)
            || is::<PyFloat>(object)
            || is::<PyBool>(object)
            || is::<PyBytes>(object)
            || is::<PyCode>(object)
            || is::<PyModule>(object)
        {
            return true;
        }
        if self.entered.iter().any(|o| o.is(object)) {
            return true;
        }
        self.entered.push(object.clone());
        if let Some(tuple) = object.downcast_ref::<PyTuple>() {
            return tuple.as_slice().iter().all(|o| self.object(o));
        }
        if let Some(function) = object.downcast_ref::<PyFunction>() {
            return self.function(function.as_object());
        }
        if let Some(class) = object.downcast_ref::<PyType>() {
            // The library's classes are not the learner's state.
            if !self.is_learners(class.as_object()) {
                return true;
            }
            return class.attributes.entries().iter().all(|(_, value)| self.object(value));
        }
        if let Some(list) = object.downcast_ref::<PyList>() {
            let items = list.borrow_vec().to_vec();
            return items.iter().all(|o| self.object(o));
        }
        if let Some(dict) = object.downcast_ref::<PyDict>() {
            return self.dict(&dict.to_owned(), false) && self.instance(object);
        }
        if let Some(set) = object.downcast_ref::<PySet>() {
            return set.elements().iter().all(|o| self.object(o));
        }
        if let Some(set) = object.downcast_ref::<PyFrozenSet>() {
            return set.elements().iter().all(|o| self.object(o));
        }
        if is::<PyStaticMethod>(object) || is::<PyClassMethod>(object) {
            return self.attribute(object, "__func__");
        }
        if is::<PyProperty>(object) {
            return ["fget", "fset", "fdel"].into_iter().all(|name| self.attribute(object, name));
        }
        if *object.class().name() == *"cell" {
            return self.attribute(object, "cell_contents");
        }
        let class: PyObjectRef = object.class().to_owned().into();
        if self.is_learners(&class) {
            return self.instance(object);
        }
        FIXED.contains(&&*object.class().name())
    }

    fn dict(&mut self, dict: &PyDictRef, is_globals: bool) -> bool {
        for (key, value) in dict.items_vec() {
            if is_globals && key.downcast_ref::<PyStr>().is_some_and(|k| k.as_wtf8().as_bytes() == b"__builtins__") {
                // The copy that belongs to this process: names and values, not what is below them.
                let Some(builtins) = value.downcast_ref::<PyDict>() else { return false };
                for (_, value) in builtins.items_vec() {
                    self.seen.push(value);
                }
                continue;
            }
            self.seen.push(key);
            if !self.object(&value) {
                return false;
            }
        }
        true
    }

    fn function(&mut self, function: &PyObject) -> bool {
        let function = function.to_owned();
        ["__defaults__", "__kwdefaults__", "__dict__", "__wrapped__"]
            .into_iter()
            .all(|name| self.attribute(&function, name))
            && self.closure(&function)
    }

    fn closure(&mut self, function: &PyObjectRef) -> bool {
        let Ok(closure) = function.get_attr("__closure__", self.vm) else { return true };
        let Some(cells) = closure.downcast_ref::<PyTuple>() else { return true };
        let cells = cells.as_slice().to_vec();
        cells.iter().all(|cell| self.attribute(cell, "cell_contents"))
    }

    /// Below an attribute that may be absent.
    fn attribute(&mut self, object: &PyObjectRef, name: &'static str) -> bool {
        match object.get_attr(name, self.vm) {
            Ok(value) => self.object(&value),
            Err(_) => true,
        }
    }

    fn instance(&mut self, object: &PyObjectRef) -> bool {
        if let Some(dict) = object.dict()
            && !self.dict(&dict, false)
        {
            return false;
        }
        // Slots hold state that no dict shows: member descriptors of the classes along the way.
        let class = object.class().to_owned();
        let mro: Vec<PyObjectRef> = class.mro_map_collect(|c| c.to_owned().into());
        for class in mro {
            if !self.is_learners(&class) {
                continue;
            }
            let Some(class) = class.downcast_ref::<PyType>() else { continue };
            for (name, descriptor) in class.attributes.entries() {
                if *descriptor.class().name() != *"member_descriptor" {
                    continue;
                }
                let Some(name) = name.downcast_ref::<PyStr>() else { continue };
                if let Ok(value) = object.get_attr(name, self.vm)
                    && !self.object(&value)
                {
                    return false;
                }
            }
        }
        true
    }

    fn is_learners(&self, class: &PyObject) -> bool {
        class
            .get_attr("__module__", self.vm)
            .ok()
            .and_then(|m| m.downcast_ref::<PyStr>().map(|m| m.as_wtf8().as_bytes() == b"solution"))
            .unwrap_or(false)
    }
}

/// Classes of objects that nothing can change.
const FIXED: &[&str] = &[
    "builtin_function_or_method",
    "method_descriptor",
    "wrapper_descriptor",
    "getset_descriptor",
    "member_descriptor",
    "classmethod_descriptor",
    "ellipsis",
    "NotImplementedType",
    "range",
    "complex",
    "mappingproxy",
    "GenericAlias",
    "types.GenericAlias",
    "types.UnionType",
    "Union",
    "_SpecialForm",
    "_TypedCacheSpecialForm",
    "_GenericAlias",
    "_UnionGenericAlias",
    "_CallableGenericAlias",
    "_SpecialGenericAlias",
    "TypeVar",
    "_Feature",
    "_MISSING_TYPE",
    "Field",
    "_DataclassParams",
    "_tuplegetter",
    "_abc_data",
    "_KW_ONLY_TYPE",
    "_Sentinel",
    "_HAS_DEFAULT_FACTORY_CLASS",
];

fn is<T: rustpython_vm::PyPayload>(object: &PyObjectRef) -> bool {
    object.downcast_ref::<T>().is_some()
}
