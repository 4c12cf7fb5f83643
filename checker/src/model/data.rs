//! A value as it goes over the simulated wire: what Python code can send to a store and get back.
//!
//! ```
//! use leasehold_checker::model::data::Data;
//! let record = Data::List(vec![Data::from(7), Data::from(1.5), Data::from("it's"), Data::None]);
//! assert_eq!(record.to_string(), r#"[7, 1.5, "it's", None]"#);
//! ```

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};

/// A value. It is a copy: changing what was sent changes nothing at the receiver.
///
/// Its order and its equality are those of a key, not Python's: `Int(1)`, `Float(1.0)` and `Bool(true)` are three.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Data {
    /// Python's `None`.
    #[default]
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer that fits 64 bits. What does not fit can't be sent.
    Int(i64),
    /// A float.
    Float(Float),
    /// A text.
    Str(String),
    /// A list, or a tuple: the wire does not tell them apart.
    List(Vec<Data>),
    /// A dict with texts as keys, in the keys' order.
    Map(BTreeMap<String, Data>),
    /// A dict with other keys as well, which are plain values but no lists and no dicts; in its own order.
    Dict(Vec<(Data, Data)>),
}

/// A float that is equal, ordered and hashed by its bits, so that it can be part of a key. `NaN` equals itself, and
/// `0.0` is not `-0.0`. The order is total, but it is not that of the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Float(u64);

impl Float {
    /// The number itself.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl From<f64> for Float {
    fn from(number: f64) -> Self {
        Float(number.to_bits())
    }
}

impl Data {
    /// Its type for people, as in "not an int".
    pub fn kind(&self) -> &'static str {
        match self {
            Data::None => "None",
            Data::Bool(_) => "a bool",
            Data::Int(_) => "an int",
            Data::Float(_) => "a float",
            Data::Str(_) => "a text",
            Data::List(_) => "a list",
            Data::Map(_) | Data::Dict(_) => "a dict",
        }
    }
}

impl From<bool> for Data {
    fn from(truth: bool) -> Self {
        Data::Bool(truth)
    }
}

impl From<i64> for Data {
    fn from(number: i64) -> Self {
        Data::Int(number)
    }
}

impl From<f64> for Data {
    fn from(number: f64) -> Self {
        Data::Float(number.into())
    }
}

impl From<&str> for Data {
    fn from(text: &str) -> Self {
        Data::Str(text.to_owned())
    }
}

impl From<String> for Data {
    fn from(text: String) -> Self {
        Data::Str(text)
    }
}

impl From<Vec<Data>> for Data {
    fn from(items: Vec<Data>) -> Self {
        Data::List(items)
    }
}

impl From<BTreeMap<String, Data>> for Data {
    fn from(entries: BTreeMap<String, Data>) -> Self {
        Data::Map(entries)
    }
}

impl<T: Into<Data>> From<Option<T>> for Data {
    fn from(value: Option<T>) -> Self {
        value.map_or(Data::None, Into::into)
    }
}

/// As Python's `repr` shows it.
impl Display for Data {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Data::None => f.write_str("None"),
            Data::Bool(true) => f.write_str("True"),
            Data::Bool(false) => f.write_str("False"),
            Data::Int(number) => number.fmt(f),
            Data::Float(number) => number.fmt(f),
            Data::Str(text) => quoted(text, f),
            Data::List(items) => {
                f.write_char('[')?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_char(']')
            }
            Data::Map(entries) => {
                f.write_char('{')?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { ", " })?;
                    quoted(key, f)?;
                    write!(f, ": {value}")?;
                }
                f.write_char('}')
            }
            Data::Dict(entries) => {
                f.write_char('{')?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_char('}')
            }
        }
    }
}

/// As Python's `repr` shows it: the fewest digits that mean this number, with an exponent from 1e16 up and below
/// 1e-4.
impl Display for Float {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let number = self.get();
        if number.is_nan() {
            return f.write_str("nan");
        }
        if number.is_infinite() {
            return f.write_str(if number > 0.0 { "inf" } else { "-inf" });
        }
        let scientific = format!("{number:e}");
        let (digits, exponent) = scientific.split_once('e').expect("this format has an exponent");
        let exponent: i32 = exponent.parse().expect("the exponent is a small number");
        if (-4..16).contains(&exponent) {
            let point = if number.fract() == 0.0 { ".0" } else { "" };
            return write!(f, "{number}{point}");
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(f, "{digits}e{sign}{:02}", exponent.unsigned_abs())
    }
}

/// A text in Python's quotes: single ones, unless only double ones need no escape. Control characters are escaped;
/// Python also escapes a few rarer characters that can't be printed, this does not.
fn quoted(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    f.write_char(quote)?;
    for c in text.chars() {
        match c {
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c == quote => write!(f, "\\{c}")?,
            c if c.is_control() => write!(f, "\\x{:02x}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: impl Into<Data>, shown: &str) {
        assert_eq!(value.into().to_string(), shown);
    }

    #[test]
    fn constants_and_integers_look_as_in_python() {
        check(Data::None, "None");
        check(true, "True");
        check(false, "False");
        check(-7, "-7");
        check(i64::MIN, "-9223372036854775808");
        check(None::<i64>, "None");
        check(Some("x"), "'x'");
    }

    #[test]
    fn floats_look_as_in_python() {
        for (number, shown) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (10.0, "10.0"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1.25e100, "1.25e+100"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            check(number, shown);
        }
    }

    #[test]
    fn texts_are_quoted_as_in_python() {
        check("a", "'a'");
        check("it's", "\"it's\"");
        check("\"it's\"", "'\"it\\'s\"'");
        check("a\\b\n\r\t\u{0}\u{7f}é", "'a\\\\b\\n\\r\\t\\x00\\x7fé'");
    }

    #[test]
    fn lists_and_dicts_nest() {
        let inner = BTreeMap::from([("b".to_owned(), Data::from(1)), ("a'".to_owned(), Data::from(vec![]))]);
        check(vec![Data::from(inner), Data::from(BTreeMap::new()), Data::None], "[{\"a'\": [], 'b': 1}, {}, None]");
    }

    #[test]
    fn a_dict_with_other_keys_looks_as_in_python() {
        let keys = [Data::from("a"), Data::from(2), Data::from(true), Data::None];
        let dict = Data::Dict(keys.into_iter().map(|key| (key, Data::from(1))).collect());
        check(dict.clone(), "{'a': 1, 2: 1, True: 1, None: 1}");
        assert_eq!(dict.kind(), "a dict");
    }

    #[test]
    fn floats_are_the_same_by_their_bits() {
        assert_eq!(Data::from(f64::NAN), Data::from(f64::NAN));
        assert_ne!(Data::from(0.0), Data::from(-0.0));
        assert_ne!(Data::from(1.0), Data::from(1));
        assert_eq!(Float::from(1.25).get(), 1.25);
    }
}
