//! Chains of exceptions that are too long to be dropped.
//!
//! An exception holds its cause and its context. What a collection of garbage frees it frees one object inside another, so
//! that a chain of tens of thousands (`raise Again from error`, in a loop) would need a stack as deep. Nobody reads as
//! many: such a chain is cut first.

use rustpython_vm::VirtualMachine;
use rustpython_vm::builtins::{PyBaseException, PyBaseExceptionRef};

/// How many links a chain keeps.
const LONGEST: usize = 500;

/// Cuts every chain that is longer.
pub(super) fn cut(vm: &VirtualMachine) {
    for object in vm.state.gc.get_objects(None) {
        if let Ok(first) = object.downcast::<PyBaseException>() {
            let last = (0..LONGEST).try_fold(first, |link, _| next(&link).ok_or(()));
            if let Ok(last) = last {
                last.set_cause(None);
                last.set_context(None);
            }
        }
    }
}

fn next(link: &PyBaseExceptionRef) -> Option<PyBaseExceptionRef> {
    link.__cause__().or_else(|| link.__context__())
}
