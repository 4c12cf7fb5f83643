//! Objects of ours that Python code can call and not look into: native functions and plain records. Behind a function
//! there is no code object, no frame, no globals, so that nothing tells one from another but what it answers.

use super::host::Python;
use super::object::{Arg, Object, Raised};
use rustpython_vm::PyObjectRef;
use rustpython_vm::VirtualMachine;
use rustpython_vm::function::FuncArgs;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

type Body = Rc<dyn Fn(&Python<'_>, &[Object]) -> Result<Object, Exception>>;

/// Functions of one name and these parameters. The interpreter never frees a native function, so they are used again.
#[derive(Default)]
pub(super) struct Row {
    slots: Vec<(PyObjectRef, Rc<RefCell<Option<Body>>>)>,
    used: usize,
}

/// By name and parameters.
pub(super) type Functions = BTreeMap<(&'static str, &'static [&'static str]), Row>;

/// An exception on its way through a function of ours.
pub struct Exception(Raised);

impl Python<'_> {
    /// A function with these parameters, which may be given by position or by name.
    pub fn function(
        &self,
        name: &'static str,
        parameters: &'static [&'static str],
        f: impl Fn(&Python<'_>, &[Object]) -> Result<Object, Exception> + 'static,
    ) -> Object {
        let body: Body = Rc::new(f);
        let mut pool = self.host.functions.borrow_mut();
        let Row { slots, used } = pool.entry((name, parameters)).or_default();
        *used += 1;
        if let Some((function, slot)) = slots.get(*used - 1) {
            slot.replace(Some(body));
            return Object(function.clone());
        }
        let slot = Rc::new(RefCell::new(Some(body)));
        let (host, behind) = (Rc::clone(self.host), Rc::clone(&slot));
        let function = self.vm.new_function(name, move |args: FuncArgs, vm: &VirtualMachine| {
            let py = Python { vm, host: &host };
            let given = bind(name, parameters, args).map_err(|words| vm.new_type_error(words))?;
            let body = behind.borrow().clone();
            let body = body.ok_or_else(|| vm.new_runtime_error(format!("{name}() belongs to a run that is over")))?;
            body(&py, &given).map(|object| object.0).map_err(|exception| exception.0)
        });
        slots.push((function.clone().into(), slot));
        Object(function.into())
    }

    /// The functions made so far are done with: what stood behind them is dropped, and they are used again.
    pub fn forget_functions(&self) {
        for Row { slots, used } in self.host.functions.borrow_mut().values_mut() {
            *used = 0;
            slots.iter().for_each(|(_, slot)| drop(slot.take()));
        }
    }

    /// An object with these attributes and nothing else.
    pub fn record(&self, attributes: &[(&'static str, Object)]) -> Result<Object, Exception> {
        let record = self.vm.ctx.types.namespace_type.to_owned();
        let record = PyObjectRef::from(record).call((), self.vm).map_err(Exception)?;
        let record = Object(record);
        attributes.iter().try_for_each(|(name, value)| record.set(self, name, value))?;
        Ok(record)
    }

    /// A plain value as an object.
    pub fn object(&self, value: &Arg<'_>) -> Object {
        let mut arguments = self.arguments(std::slice::from_ref(value));
        Object(arguments.take_positional().unwrap_or_else(|| self.vm.ctx.none()))
    }

    /// `None`.
    pub fn none(&self) -> Object {
        Object(self.vm.ctx.none())
    }

    /// `True` or `False`.
    pub fn truth(&self, value: bool) -> Object {
        Object(self.vm.ctx.new_bool(value).into())
    }

    /// A `ValueError` to raise.
    pub fn value_error(&self, words: &str) -> Exception {
        Exception(self.vm.new_value_error(words.to_owned()))
    }

    /// A `TypeError` to raise.
    pub fn type_error(&self, words: &str) -> Exception {
        Exception(self.vm.new_type_error(words.to_owned()))
    }
}

impl Object {
    /// Calls it from within a function of ours: under the budget that is running.
    ///
    /// # Errors
    /// What it raised.
    pub fn ask(&self, py: &Python<'_>) -> Result<Object, Exception> {
        self.0.call((), py.vm).map(Object).map_err(Exception)
    }

    /// It as a number.
    ///
    /// # Errors
    /// A `TypeError`, if it is none.
    pub fn number(&self, py: &Python<'_>) -> Result<f64, Exception> {
        self.0.try_float(py.vm).map(|float| float.to_f64()).map_err(Exception)
    }

    /// Sets its attribute `name`.
    ///
    /// # Errors
    /// What that raised.
    pub fn set(&self, py: &Python<'_>, name: &'static str, value: &Object) -> Result<(), Exception> {
        self.0.set_attr(name, value.0.clone(), py.vm).map_err(Exception)
    }
}

/// The arguments in the parameters' order; otherwise what is wrong, as Python would say it.
fn bind(name: &str, parameters: &[&str], args: FuncArgs) -> Result<Vec<Object>, String> {
    let FuncArgs { args, mut kwargs } = args;
    if args.len() > parameters.len() {
        return Err(format!("{name}() takes {} arguments but {} were given", parameters.len(), args.len()));
    }
    let mut given: Vec<Object> = args.into_iter().map(Object).collect();
    for parameter in &parameters[given.len()..] {
        let value = kwargs.swap_remove(parameter);
        given.push(Object(value.ok_or_else(|| format!("{name}() is missing its argument '{parameter}'"))?));
    }
    match kwargs.keys().next() {
        Some(other) => Err(format!("{name}() got an unexpected keyword argument '{other}'")),
        None => Ok(given),
    }
}

#[cfg(test)]
mod tests {
    use crate::python::{Arg, Object, Problem, Python, enter};

    /// Runs `f(function)` of a file, where `function(a, b)` gives a * 10 + b and takes no negative a.
    fn run(body: &str) -> Result<String, Problem> {
        enter(|py| {
            let program = py.compile(&format!("def f(function):\n    return {body}\n"))?;
            let module = program.run(py)?;
            let function = py.function("function", &["a", "b"], |py: &Python<'_>, args: &[Object]| {
                let (a, b) = (args[0].number(py)?, args[1].number(py)?);
                if a < 0.0 {
                    return Err(py.value_error("a is not negative"));
                }
                let sum = py.object(&Arg::Float(a * 10.0 + b));
                py.record(&[("sum", sum), ("fine", py.truth(true)), ("nothing", py.none())])
            });
            module.get(py, "f")?.call(py, &[Arg::Object(&function)]).map(|object| object.describe(py))
        })
    }

    #[test]
    fn arguments_come_by_position_and_by_name() {
        for call in ["function(1, 2)", "function(1, b=2)", "function(b=2, a=True)"] {
            assert_eq!(run(&format!("{call}.sum")).unwrap(), "12.0", "{call}");
        }
        assert_eq!(run("(function(1, 2).fine, function(1, 2).nothing) == (True, None)").unwrap(), "True");
    }

    #[test]
    fn a_wrong_call_is_worded_as_python_words_it() {
        for (call, words) in [
            ("function(1)", "TypeError: function() is missing its argument 'b'"),
            ("function(1, 2, 3)", "TypeError: function() takes 2 arguments but 3 were given"),
            ("function(1, 2, c=3)", "TypeError: function() got an unexpected keyword argument 'c'"),
            ("function(-1, 2)", "ValueError: a is not negative"),
        ] {
            let problem = run(call).unwrap_err();
            assert_eq!((problem.message.as_str(), problem.line), (words, Some(2)));
        }
    }

    #[test]
    fn nothing_can_be_seen_of_what_is_behind_a_function() {
        for name in ["__code__", "__globals__", "__closure__", "__defaults__", "__kwdefaults__"] {
            assert_eq!(run(&format!("hasattr(function, '{name}')")).unwrap(), "False", "{name}");
        }
    }
}
