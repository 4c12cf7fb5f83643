//! Which attributes a file gives its objects. A method may as well be a closure that `__init__` binds to the object, and
//! then the class knows nothing of it before there is one.

use super::host::Program;
use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::{PyCode, PyStr, PyTuple};
use rustpython_vm::bytecode::{Instruction, OpArgState};

impl Program {
    /// Whether the file sets an attribute of this name on anything, or holds the name as a text (`setattr`, a `__dict__`).
    pub fn sets_attribute(&self, name: &str) -> bool {
        sets(&self.code, name)
    }
}

fn sets(code: &PyCode, name: &str) -> bool {
    let mut args = OpArgState::default();
    let stores = code.code.instructions.iter().any(|unit| {
        let (instruction, arg) = args.get(*unit);
        // A hot instruction is replaced by a special one, with the same argument.
        matches!(instruction.deoptimize(), Instruction::StoreAttr { .. })
            && code.code.names.get(u32::from(arg) as usize).is_some_and(|stored| stored.as_str() == name)
    });
    stores || code.code.constants.iter().any(|constant| names(&constant.clone().into(), name))
}

fn names(constant: &PyObjectRef, name: &str) -> bool {
    if let Some(text) = constant.downcast_ref::<PyStr>() {
        text.as_wtf8().as_bytes() == name.as_bytes()
    } else if let Some(tuple) = constant.downcast_ref::<PyTuple>() {
        tuple.as_slice().iter().any(|item| names(item, name))
    } else {
        constant.downcast_ref::<PyCode>().is_some_and(|inner| sets(inner, name))
    }
}
