//! What native functions may take. They don't tick, so what could go on for ever in them, or swell beyond reason by one
//! short expression, is looked at where it begins.
//!
//! The interpreter asks a class for its functions through slots, and a slot can be set. So there is no cost for whoever
//! uses none of this: the iterators that need not end spend a part of a tick for each element, operators on integers
//! look at the size of large ones only, and `*` on texts and lists looks at what would come out. What takes another
//! way (`int.__mul__(a, b)`, a regular expression) is left to the second line, see [`crate::signs`] and
//! [`crate::memory`].

use super::host::Host;
use super::natives::spend;
use rustpython_vm::builtins::{PyByteArray, PyBytes, PyInt, PyList, PyStr, PyTuple, PyType};
use rustpython_vm::protocol::{PyIterReturn, PySequence};
use rustpython_vm::{Py, PyObject, PyResult, VirtualMachine};
use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::sync::OnceLock;

/// So many elements that a native iterator gives cost a tick.
const ELEMENTS_PER_TICK: u32 = 8;

/// The greatest integer that operators make, in bits: some 79,000 digits.
const MOST_BITS: u64 = 1 << 18;

/// Below this many bits in all nothing is worth a look.
const FEW_BITS: u64 = 4_096;

/// So many products of two machine words cost a tick.
const PRODUCTS_PER_TICK: u64 = 512;

/// The most that `*` makes of a text or a list, in bytes.
const MOST_REPEATED: usize = 16 << 20;

type Next = fn(&PyObject, &VirtualMachine) -> PyResult<PyIterReturn>;
type Binary = fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult;
type Ternary = fn(&PyObject, &PyObject, &PyObject, &VirtualMachine) -> PyResult;
type Repeat = fn(PySequence<'_>, isize, &VirtualMachine) -> PyResult;

/// The interpreter's own functions. Classes are shared by all threads, so this is.
struct Originals {
    next: [Option<Next>; ITERATORS],
    multiply: Option<Binary>,
    lshift: Option<Binary>,
    divide: [Option<Binary>; 4],
    power: Option<Ternary>,
    repeat: [Option<Repeat>; SEQUENCES],
    repeat_in_place: [Option<Repeat>; SEQUENCES],
}

const ITERATORS: usize = 11;
/// From this one on they give tuples.
const FIRST_OF_TUPLES: usize = 7;
const SEQUENCES: usize = 5;

static ORIGINALS: OnceLock<Originals> = OnceLock::new();

thread_local! {
    /// Leaked with the interpreter.
    static HOST: OnceCell<Rc<Host>> = const { OnceCell::new() };
    static ELEMENTS: Cell<u32> = const { Cell::new(0) };
}

/// Puts the guards into the slots.
pub(super) fn install(vm: &VirtualMachine, host: &Rc<Host>) {
    let _ = HOST.with(|place| place.set(Rc::clone(host)));
    let iterators = iterators(vm);
    let int = vm.ctx.types.int_type;
    let sequences = sequences(vm);
    ORIGINALS.get_or_init(|| {
        let number = &int.slots.as_number;
        Originals {
            next: iterators.map(|class| class.and_then(|class| class.slots.iternext.load())),
            multiply: number.multiply.load(),
            lshift: number.lshift.load(),
            divide: [&number.floor_divide, &number.remainder, &number.divmod, &number.true_divide].map(|s| s.load()),
            power: number.power.load(),
            repeat: sequences.map(|class| class.slots.as_sequence.repeat.load()),
            repeat_in_place: sequences.map(|class| class.slots.as_sequence.inplace_repeat.load()),
        }
    });
    for (class, next) in iterators.iter().zip(NEXT) {
        if let Some(class) = class {
            class.slots.iternext.store(Some(next));
        }
    }
    // Subclasses that exist already have slots of their own.
    for class in [int, vm.ctx.types.bool_type] {
        let number = &class.slots.as_number;
        number.multiply.store(Some(multiply));
        number.right_multiply.store(Some(multiply));
        number.lshift.store(Some(lshift));
        number.right_lshift.store(Some(lshift));
        number.power.store(Some(power));
        number.right_power.store(Some(power));
        let slots = [
            (&number.floor_divide, &number.right_floor_divide),
            (&number.remainder, &number.right_remainder),
            (&number.divmod, &number.right_divmod),
            (&number.true_divide, &number.right_true_divide),
        ];
        for ((left, right), divide) in slots.into_iter().zip(DIVIDE) {
            left.store(Some(divide));
            right.store(Some(divide));
        }
    }
    for (class, (repeat, in_place)) in sequences.iter().zip(REPEAT) {
        let slots = &class.slots.as_sequence;
        slots.repeat.store(Some(repeat));
        if slots.inplace_repeat.load().is_some() {
            slots.inplace_repeat.store(Some(in_place));
        }
    }
}

/// The iterators that need not end, or are far longer than what they are made from; and a list's, which grows with it.
fn iterators(vm: &VirtualMachine) -> [Option<&'static Py<PyType>>; ITERATORS] {
    let types = &vm.ctx.types;
    let itertools = rustpython_vm::import::import_builtin(vm, "itertools").ok();
    let of = |name: &'static str| {
        let class = itertools.as_ref().and_then(|module| module.get_attr(name, vm).ok())?;
        // A class of the interpreter's is never freed.
        class.downcast::<PyType>().ok().map(|class| &**Box::leak(Box::new(class)))
    };
    [
        Some(types.callable_iterator),
        Some(types.range_iterator_type),
        Some(types.long_range_iterator_type),
        Some(types.list_iterator_type),
        of("count"),
        of("cycle"),
        of("repeat"),
        of("product"),
        of("permutations"),
        of("combinations"),
        of("combinations_with_replacement"),
    ]
}

const NEXT: [Next; ITERATORS] = [
    next::<0>, next::<1>, next::<2>, next::<3>, next::<4>, next::<5>, next::<6>, next::<7>, next::<8>, next::<9>,
    next::<10>,
];

fn next<const I: usize>(it: &PyObject, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
    // A tuple is more work than a number.
    let elements = ELEMENTS.get() + if I < FIRST_OF_TUPLES { 1 } else { ELEMENTS_PER_TICK };
    ELEMENTS.set(elements % ELEMENTS_PER_TICK);
    if elements >= ELEMENTS_PER_TICK {
        pay(vm, 1)?;
    }
    match ORIGINALS.get().and_then(|originals| originals.next[I]) {
        Some(original) => original(it, vm),
        None => Ok(PyIterReturn::StopIteration(None)),
    }
}

fn pay(vm: &VirtualMachine, ticks: u64) -> PyResult<()> {
    HOST.with(|host| host.get().map_or(Ok(()), |host| spend(vm, host, ticks)))
}

fn bits(object: &PyObject) -> Option<u64> {
    object.downcast_ref::<PyInt>().map(|int| int.as_bigint().bits())
}

/// An integer of so many bits may be made.
fn may_have(vm: &VirtualMachine, bits: u64) -> PyResult<()> {
    if bits <= MOST_BITS {
        return Ok(());
    }
    // 0.30103 digits a bit.
    let (digits, most) = (bits / 3 - bits / 31, MOST_BITS / 3 - MOST_BITS / 31);
    Err(vm.new_memory_error(format!("a number of some {digits} digits; numbers of up to {most} digits are kept here")))
}

/// What it costs to multiply or divide numbers of so many bits.
fn pay_for_product(vm: &VirtualMachine, a: u64, b: u64) -> PyResult<()> {
    pay(vm, a.div_ceil(64).saturating_mul(b.div_ceil(64)) / PRODUCTS_PER_TICK)
}

fn call(original: Option<Binary>, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    original.map_or_else(|| Ok(vm.ctx.not_implemented()), |original| original(a, b, vm))
}

fn multiply(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    if let (Some(x), Some(y)) = (bits(a), bits(b))
        && x + y > FEW_BITS
    {
        may_have(vm, x + y)?;
        pay_for_product(vm, x, y)?;
    }
    call(ORIGINALS.get().and_then(|o| o.multiply), a, b, vm)
}

fn lshift(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    if let (Some(x), Some(by)) = (bits(a), b.downcast_ref::<PyInt>()) {
        // What is no such number the operator itself turns away.
        if x > 0
            && let Ok(by) = u64::try_from(by.as_bigint())
        {
            may_have(vm, x.saturating_add(by))?;
        }
    }
    call(ORIGINALS.get().and_then(|o| o.lshift), a, b, vm)
}

const DIVIDE: [Binary; 4] = [divide::<0>, divide::<1>, divide::<2>, divide::<3>];

fn divide<const I: usize>(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    if let (Some(x), Some(y)) = (bits(a), bits(b))
        && x + y > FEW_BITS
    {
        pay_for_product(vm, x, y)?;
    }
    call(ORIGINALS.get().and_then(|o| o.divide[I]), a, b, vm)
}

fn power(a: &PyObject, b: &PyObject, modulus: &PyObject, vm: &VirtualMachine) -> PyResult {
    if let (Some(x), Some(exponent)) = (bits(a), b.downcast_ref::<PyInt>()) {
        let exponent = exponent.as_bigint();
        if let Some(m) = bits(modulus) {
            let words = m.div_ceil(64);
            pay(vm, exponent.bits().saturating_mul(words.saturating_mul(words)) / PRODUCTS_PER_TICK)?;
        } else if x > 1
            && let Ok(exponent) = u64::try_from(exponent)
        {
            let bits = (x - 1).saturating_mul(exponent);
            may_have(vm, bits)?;
            pay_for_product(vm, bits, bits)?;
        }
    }
    match ORIGINALS.get().and_then(|o| o.power) {
        Some(original) => original(a, b, modulus, vm),
        None => Ok(vm.ctx.not_implemented()),
    }
}

fn sequences(vm: &VirtualMachine) -> [&'static Py<PyType>; SEQUENCES] {
    let types = &vm.ctx.types;
    [types.str_type, types.list_type, types.tuple_type, types.bytes_type, types.bytearray_type]
}

/// How many bytes it takes, about.
fn size(object: &PyObject) -> usize {
    const SLOT: usize = 8;
    if let Some(text) = object.downcast_ref::<PyStr>() {
        return text.byte_len();
    }
    if let Some(list) = object.downcast_ref::<PyList>() {
        return list.borrow_vec().len() * SLOT;
    }
    if let Some(tuple) = object.downcast_ref::<PyTuple>() {
        return tuple.as_slice().len() * SLOT;
    }
    if let Some(bytes) = object.downcast_ref::<PyBytes>() {
        return bytes.as_bytes().len();
    }
    object.downcast_ref::<PyByteArray>().map_or(0, |bytes| bytes.borrow_buf().len())
}

const REPEAT: [(Repeat, Repeat); SEQUENCES] = [
    (repeat::<0>, repeat_in_place::<0>),
    (repeat::<1>, repeat_in_place::<1>),
    (repeat::<2>, repeat_in_place::<2>),
    (repeat::<3>, repeat_in_place::<3>),
    (repeat::<4>, repeat_in_place::<4>),
];

fn may_repeat(vm: &VirtualMachine, object: &PyObject, times: isize) -> PyResult<()> {
    let bytes = size(object).saturating_mul(usize::try_from(times).unwrap_or(0));
    if bytes <= MOST_REPEATED {
        return pay(vm, bytes as u64 >> 14);
    }
    let most = MOST_REPEATED >> 20;
    Err(vm.new_memory_error(format!("'*' would make something of {} MB; up to {most} MB are made here", bytes >> 20)))
}

fn repeat<const I: usize>(sequence: PySequence<'_>, times: isize, vm: &VirtualMachine) -> PyResult {
    may_repeat(vm, sequence.obj, times)?;
    match ORIGINALS.get().and_then(|o| o.repeat[I]) {
        Some(original) => original(sequence, times, vm),
        None => Ok(vm.ctx.not_implemented()),
    }
}

fn repeat_in_place<const I: usize>(sequence: PySequence<'_>, times: isize, vm: &VirtualMachine) -> PyResult {
    may_repeat(vm, sequence.obj, times)?;
    match ORIGINALS.get().and_then(|o| o.repeat_in_place[I]) {
        Some(original) => original(sequence, times, vm),
        None => Ok(vm.ctx.not_implemented()),
    }
}
