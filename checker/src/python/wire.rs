//! Plain values between learner code and the simulated network.

use crate::model::data::{Data, Float};
use rustpython_vm::builtins::{PyDict, PyFloat, PyInt, PyList, PyStr, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use std::collections::BTreeMap;

/// How deep a value may be nested.
const DEEPEST: usize = 16;
/// How many values one may hold in all.
const MOST: usize = 2_000;

/// A copy of a plain value; raises a TypeError or an OverflowError, in words, for anything else.
pub(super) fn to_data(vm: &VirtualMachine, object: &PyObjectRef) -> PyResult<Data> {
    let mut room = MOST;
    copy(vm, object, DEEPEST, &mut room)
}

fn copy(vm: &VirtualMachine, object: &PyObjectRef, depth: usize, room: &mut usize) -> PyResult<Data> {
    if depth == 0 || *room == 0 {
        return Err(vm.new_type_error("this value is too large, or contains itself: it can't be sent"));
    }
    *room -= 1;
    if vm.is_none(object) {
        return Ok(Data::None);
    }
    if object.fast_isinstance(vm.ctx.types.bool_type) {
        return Ok(Data::Bool(object.is(&vm.ctx.true_value)));
    }
    if let Some(int) = object.downcast_ref::<PyInt>() {
        let int = i64::try_from(int.as_bigint());
        return int
            .map(Data::Int)
            .map_err(|_| vm.new_overflow_error("an int beyond 64 bits can't be sent over the network"));
    }
    if let Some(float) = object.downcast_ref::<PyFloat>() {
        return Ok(Data::Float(Float::from(float.to_f64())));
    }
    if let Some(text) = object.downcast_ref::<PyStr>() {
        return Ok(Data::Str(text.as_wtf8().to_string()));
    }
    let items = object
        .downcast_ref::<PyList>()
        .map(|l| l.borrow_vec().to_vec())
        .or_else(|| object.downcast_ref::<PyTuple>().map(|t| t.as_slice().to_vec()));
    if let Some(items) = items {
        return items.iter().map(|item| copy(vm, item, depth - 1, room)).collect::<PyResult<_>>().map(Data::List);
    }
    if let Some(dict) = object.downcast_ref::<PyDict>() {
        let items = dict.to_owned().items_vec();
        if items.iter().all(|(key, _)| key.downcast_ref::<PyStr>().is_some()) {
            let mut map = BTreeMap::new();
            for (key, value) in items {
                let key = key.downcast_ref::<PyStr>().map(|k| k.as_wtf8().to_string()).unwrap_or_default();
                map.insert(key, copy(vm, &value, depth - 1, room)?);
            }
            return Ok(Data::Map(map));
        }
        let pair = |(key, value): (PyObjectRef, PyObjectRef)| -> PyResult<(Data, Data)> {
            let sent = copy(vm, &key, depth - 1, room)?;
            // A list can't be a key again at the receiver.
            if matches!(sent, Data::List(_) | Data::Map(_) | Data::Dict(_)) {
                return Err(vm.new_type_error(format!(
                    "the keys of a dict that is sent over the network are None, bool, int, float or str, and not of the type \
                     {}",
                    key.class().name()
                )));
            }
            Ok((sent, copy(vm, &value, depth - 1, room)?))
        };
        return items.into_iter().map(pair).collect::<PyResult<_>>().map(Data::Dict);
    }
    Err(vm.new_type_error(format!(
        "an object of the type {} can't be sent over the network: send None, bool, int, float, str, and lists and dicts of \
         them",
        object.class().name()
    )))
}

/// The Python value.
pub(super) fn from_data(vm: &VirtualMachine, data: &Data) -> PyObjectRef {
    match data {
        Data::None => vm.ctx.none(),
        Data::Bool(b) => vm.ctx.new_bool(*b).into(),
        Data::Int(n) => vm.ctx.new_int(*n).into(),
        Data::Float(x) => vm.ctx.new_float(x.get()).into(),
        Data::Str(s) => vm.ctx.new_str(s.as_str()).into(),
        Data::List(items) => vm.ctx.new_list(items.iter().map(|item| from_data(vm, item)).collect()).into(),
        Data::Map(map) => {
            let dict = vm.ctx.new_dict();
            for (key, value) in map {
                // A dict of ours takes a string key.
                let _ = dict.set_item(key.as_str(), from_data(vm, value), vm);
            }
            dict.into()
        }
        Data::Dict(entries) => {
            let dict = vm.ctx.new_dict();
            for (key, value) in entries {
                // Its keys are plain values, which can be hashed.
                let _ = dict.set_item(&*from_data(vm, key), from_data(vm, value), vm);
            }
            dict.into()
        }
    }
}
