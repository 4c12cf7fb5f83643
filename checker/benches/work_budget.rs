//! The three ways to count a learner's work, side by side on the same code (ARCHITECTURE.md, "Work budget"), and the
//! whole suite of kata 1.
//!
//! `cargo bench -p leasehold-checker --profile dev`

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{Criterion, criterion_group, criterion_main};
use leasehold_checker::{python, suites};
use rustpython_vm::compiler::Mode;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::scope::Scope;
use rustpython_vm::{Interpreter, PyObjectRef, PyResult, Settings, VirtualMachine};
use std::cell::Cell;
use std::rc::Rc;

/// A lock manager in use and a plain loop: calls and loop heads in about the proportion that katas have.
const WORK: &str = "
class LockManager:
    def __init__(self):
        self.locks, self.counter = {}, 0
    def acquire(self, name, client, ttl, now):
        lock = self.locks.get(name)
        if lock is not None and now < lock['expiry']:
            return None
        self.counter += 1
        self.locks[name] = {'client': client, 'expiry': now + ttl, 'token': self.counter}
        return self.counter
    def release(self, name, client):
        if name in self.locks and self.locks[name]['client'] == client:
            del self.locks[name]
            return True
        return False

def f():
    manager = LockManager()
    for i in range(100):
        manager.acquire('job', 'A', 10.0, float(i))
        manager.release('job', 'A')
    n = 0
    while n < 500:
        n += 1
    return [x for x in range(500)]
";

fn work_budget(c: &mut Criterion) {
    let mut group = c.benchmark_group("work budget");
    let interpreter = Interpreter::without_stdlib(Settings::default());
    interpreter.enter(|vm| {
        let f = plain(vm);
        group.bench_function("none", |b| b.iter(|| f.call((), vm).expect("runs")));

        let counted = Rc::new(Cell::new(0u64));
        vm.trace_func.replace(tracer(vm, Rc::clone(&counted)));
        vm.use_tracing.set(true);
        group.bench_function("trace function", |b| b.iter(|| f.call((), vm).expect("runs")));
        vm.use_tracing.set(false);
        vm.trace_func.replace(vm.ctx.none());
        assert!(counted.get() > 0, "the trace function was called");

        counted.set(0);
        let f = plain(vm);
        monitor(vm, Rc::clone(&counted));
        group.bench_function("sys.monitoring", |b| b.iter(|| f.call((), vm).expect("runs")));
        assert!(counted.get() > 0, "the monitoring callback was called");
    });
    python::enter(|py| {
        let program = py.compile(WORK).expect("compiles");
        let f = program.run(py).and_then(|m| m.get(py, "f")).expect("runs");
        group.bench_function("ticks in the code", |b| b.iter(|| f.call(py, &[]).map(|_| ()).expect("runs")));
    });
    group.finish();
}

fn plain(vm: &VirtualMachine) -> PyObjectRef {
    let scope = vm.new_scope_with_builtins();
    let code = vm.compile(WORK, Mode::Exec, "work".to_owned()).expect("compiles");
    vm.run_code_obj(code, Scope::new(None, scope.globals.clone())).expect("runs");
    scope.globals.get_item("f", vm).expect("is there")
}

fn tracer(vm: &VirtualMachine, counted: Rc<Cell<u64>>) -> PyObjectRef {
    let itself = Rc::new(std::cell::OnceCell::<PyObjectRef>::new());
    let inner = Rc::clone(&itself);
    let made: PyObjectRef = vm
        .new_function("trace", move |_args: FuncArgs, vm: &VirtualMachine| -> PyResult {
            counted.set(counted.get() + 1);
            Ok(inner.get().cloned().unwrap_or_else(|| vm.ctx.none()))
        })
        .into();
    let _ = itself.set(made.clone());
    made
}

fn monitor(vm: &VirtualMachine, counted: Rc<Cell<u64>>) {
    let scope = vm.new_scope_with_builtins();
    let callback = vm.new_function("count", move |_args: FuncArgs| counted.set(counted.get() + 1));
    scope.globals.set_item("count", callback.into(), vm).expect("is set");
    let source = "
import sys
m = sys.monitoring
m.use_tool_id(3, 'budget')
m.set_events(3, m.events.PY_START | m.events.JUMP)
m.register_callback(3, m.events.PY_START, count)
m.register_callback(3, m.events.JUMP, count)
";
    let code = vm.compile(source, Mode::Exec, "monitor".to_owned()).expect("compiles");
    vm.run_code_obj(code, scope).expect("sys.monitoring is there");
}

fn kata_1(c: &mut Criterion) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../exercises/01-acquire-with-fencing");
    let mut group = c.benchmark_group("kata 1, whole suite");
    for file in ["solution.py", "alt_dataclass.py", "alt_class_counter.py", "wrong/held_at_its_expiry.py"] {
        let source = std::fs::read_to_string(format!("{folder}/{file}")).expect("the exercise is there");
        group.bench_function(file, |b| b.iter(|| suites::check("acquire-with-fencing", &source)));
    }
    group.finish();
}

criterion_group!(benches, work_budget, kata_1);
criterion_main!(benches);
