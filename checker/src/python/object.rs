//! Learner objects as the suites see them: something to call, and plain values.

use super::host::Python;
use super::problem::Problem;
use rustpython_vm::builtins::{PyBaseException, PyFloat, PyInt, PyStr};
use rustpython_vm::{AsObject, PyObjectRef, PyRef};

/// A Python object of the learner's world.
#[derive(Clone)]
pub struct Object(pub(super) PyObjectRef);

/// An argument for a call.
#[derive(Clone)]
pub enum Arg<'a> {
    /// A `str`.
    Str(&'a str),
    /// A `float`.
    Float(f64),
    /// An `int`.
    Int(i64),
    /// Any object.
    Object(&'a Object),
}

/// A plain value that came back.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An `int` (not a bool), as a decimal number.
    Int(Integer),
    /// A `float`.
    Float(f64),
    /// A `str`.
    Str(String),
    /// Anything else: its class's name.
    Other(String),
}

/// A whole number of any size, ordered as numbers are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integer(Size);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Size {
    Small(i64),
    /// What does not fit. Decimal digits without leading zeros.
    Big {
        negative: bool,
        digits: String,
    },
}

impl Integer {
    /// From decimal text with an optional minus sign.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |d| (true, d));
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let digits = digits.trim_start_matches('0');
        Some(Integer(match text.parse() {
            Ok(small) => Size::Small(small),
            Err(_) => Size::Big { negative, digits: digits.to_owned() },
        }))
    }
}

impl From<i64> for Integer {
    fn from(small: i64) -> Self {
        Integer(Size::Small(small))
    }
}

impl std::fmt::Display for Integer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Size::Small(small) => write!(f, "{small}"),
            Size::Big { negative, digits } => write!(f, "{}{digits}", if *negative { "-" } else { "" }),
        }
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        use std::cmp::Ordering;
        match (&self.0, &other.0) {
            (Size::Small(a), Size::Small(b)) => a.cmp(b),
            (Size::Small(_), Size::Big { negative, .. }) => {
                if *negative {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (Size::Big { .. }, Size::Small(_)) => other.cmp(self).reverse(),
            (Size::Big { negative: a, digits: x }, Size::Big { negative: b, digits: y }) => {
                let by_size = (x.len(), x.as_str()).cmp(&(y.len(), y.as_str()));
                match (a, b) {
                    (false, false) => by_size,
                    (true, true) => by_size.reverse(),
                    (true, false) => Ordering::Less,
                    (false, true) => Ordering::Greater,
                }
            }
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Object {
    /// Calls it.
    ///
    /// # Errors
    /// What the call raised, or that it was stopped.
    pub fn call(&self, py: &Python<'_>, args: &[Arg<'_>]) -> Result<Object, Problem> {
        self.call_within(py, super::TICKS_PER_CALL, args)
    }

    /// Calls it with the last argument by its keyword.
    ///
    /// # Errors
    /// What the call raised, or that it was stopped.
    pub fn call_by_keyword(&self, py: &Python<'_>, args: &[Arg<'_>], last: &str) -> Result<Object, Problem> {
        py.budgeted(super::TICKS_PER_CALL, || {
            let mut args = py.arguments(args);
            if let Some(value) = args.args.pop() {
                args.kwargs.insert(last.to_owned().into(), value);
            }
            self.0.call(args, py.vm)
        })
    }

    /// Calls what does more work than a method of a lock: it may take so many ticks.
    ///
    /// # Errors
    /// What the call raised, or that it was stopped.
    pub fn call_within(&self, py: &Python<'_>, ticks: u64, args: &[Arg<'_>]) -> Result<Object, Problem> {
        py.budgeted(ticks, || self.0.call(py.arguments(args), py.vm))
    }

    /// Calls its method `name`.
    ///
    /// # Errors
    /// What the call raised, that there is no such method, or that it was stopped.
    pub fn method(&self, py: &Python<'_>, name: &'static str, args: &[Arg<'_>]) -> Result<Object, Problem> {
        py.budgeted(super::TICKS_PER_CALL, || {
            // Without a bound method in between: half of what runs here are such calls.
            py.vm.call_method(&self.0, name, py.arguments(args))
        })
    }

    /// Its attribute `name`; a property runs learner code.
    ///
    /// # Errors
    /// That there is none, what a property raised, or that it was stopped.
    pub fn attribute(&self, py: &Python<'_>, name: &'static str) -> Result<Object, Problem> {
        py.budgeted(super::TICKS_PER_CALL, || self.0.get_attr(name, py.vm))
    }

    /// Whether it has something callable of this name.
    pub fn has_method(&self, py: &Python<'_>, name: &'static str) -> bool {
        py.with_fresh_budget(|| self.0.get_attr(name, py.vm).is_ok_and(|m| m.is_callable()))
    }

    /// The value, if it is a plain one.
    pub fn value(&self, py: &Python<'_>) -> Value {
        let vm = py.vm;
        if vm.is_none(&self.0) {
            return Value::None;
        }
        if self.0.fast_isinstance(vm.ctx.types.bool_type) {
            return Value::Bool(self.0.is(&vm.ctx.true_value));
        }
        if let Some(int) = self.0.downcast_ref::<PyInt>() {
            if let Ok(small) = i64::try_from(int.as_bigint()) {
                return Value::Int(small.into());
            }
            // Decimal text of a huge number takes for ever; CPython refuses it from 4,300 digits on.
            if int.as_bigint().bits() > 14_000 {
                return Value::Other("int of more than 4,000 digits".to_owned());
            }
            let text = int.as_bigint().to_string();
            return Integer::parse(&text).map_or_else(|| Value::Other("int".to_owned()), Value::Int);
        }
        if let Some(float) = self.0.downcast_ref::<PyFloat>() {
            return Value::Float(float.to_f64());
        }
        if let Some(text) = self.0.downcast_ref::<PyStr>() {
            return Value::Str(text.as_wtf8().to_string());
        }
        Value::Other(self.0.class().name().to_string())
    }

    /// Whether Python takes it for true.
    ///
    /// # Errors
    /// What its `__bool__` raised.
    pub fn is_true(&self, py: &Python<'_>) -> Result<bool, Problem> {
        py.budgeted(super::TICKS_PER_CALL, || self.0.clone().try_to_bool(py.vm))
    }

    /// A short text for messages: `42`, `'a'`, or `a Grant object`. Runs no learner code.
    pub fn describe(&self, py: &Python<'_>) -> String {
        match self.value(py) {
            Value::None => "None".to_owned(),
            Value::Bool(true) => "True".to_owned(),
            Value::Bool(false) => "False".to_owned(),
            Value::Int(n) => shorten(&n.to_string()),
            Value::Float(x) => rustpython_vm::literal::float::to_string(x),
            Value::Str(s) => format!("'{}'", shorten(&s)),
            Value::Other(class) if class == "coroutine" => "a coroutine (is there an `async` too many?)".to_owned(),
            Value::Other(class) if class.starts_with("int ") => format!("an {class}"),
            Value::Other(class) => format!("a {class} object"),
        }
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 60 { text.to_owned() } else { text.chars().take(57).chain("…".chars()).collect() }
}

pub(super) type Raised = PyRef<PyBaseException>;

#[cfg(test)]
mod tests {
    use super::Integer;

    #[test]
    fn numbers_of_any_size_are_ordered_as_numbers_are() {
        let texts = [
            "-100000000000000000000000000",
            "-99999999999999999999",
            "-9223372036854775808",
            "-10",
            "-9",
            "0",
            "9",
            "10",
            "9223372036854775807",
            "9223372036854775808",
            "99999999999999999999",
            "100000000000000000000000000",
        ];
        let numbers: Vec<Integer> = texts.iter().map(|t| Integer::parse(t).expect("a number")).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b && b > a), "{numbers:?}");
        assert!(numbers.iter().zip(texts).all(|(n, text)| n.to_string() == text));
        assert_eq!(Integer::parse("-000"), Integer::parse("0"));
        assert_eq!(Integer::parse("000000000000000000000000007"), Some(7.into()));
        assert!(["", "-", "1x", "+1", " 1"].iter().all(|t| Integer::parse(t).is_none()));
    }
}
