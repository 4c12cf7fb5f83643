//! Classes that are gone.
//!
//! A class keeps a weak reference to each class that derives from it, and the interpreter never takes a dead one out. A
//! file that is run anew for every schedule makes its classes anew each time: thousands in a run of its suite, 20 KB that
//! `object` alone would keep of it for ever.

use rustpython_vm::builtins::PyType;
use rustpython_vm::{Py, VirtualMachine};

/// Takes the dead ones out.
pub(super) fn forget_dead(vm: &VirtualMachine) {
    forget_below(vm.ctx.types.object_type);
}

fn forget_below(base: &Py<PyType>) {
    let (live, dead): (Vec<_>, Vec<_>) =
        std::mem::take(&mut *base.subclasses.write()).into_iter().partition(|class| class.upgrade().is_some());
    let below: Vec<_> = live.iter().filter_map(|class| class.upgrade()?.downcast::<PyType>().ok()).collect();
    *base.subclasses.write() = live;
    // Not while the list is locked: it is asked when a reference goes.
    drop(dead);
    below.iter().for_each(|class| forget_below(class));
}
