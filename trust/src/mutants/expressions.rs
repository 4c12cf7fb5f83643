//! How expressions are changed.

use super::operators::Finder;
use ruff_text_size::{Ranged, TextRange};
use rustpython_compiler::ast::{BoolOp, CmpOp, Expr, ExprBoolOp, ExprCall, ExprCompare, Number, Operator, UnaryOp};

impl Finder<'_> {
    pub(super) fn expression(&mut self, expr: &Expr) {
        match expr {
            Expr::Compare(compare) => self.comparison(compare),
            Expr::BoolOp(operation) => self.and_or(operation),
            Expr::BinOp(operation) => {
                let at = self.between(&*operation.left, &*operation.right);
                self.arithmetic(operation.op, at, "");
            }
            Expr::UnaryOp(operation) => match operation.op {
                UnaryOp::Not => self.replace("not", expr, self.text(&*operation.operand)),
                UnaryOp::USub => self.replace("arith", expr, self.text(&*operation.operand)),
                UnaryOp::Invert | UnaryOp::UAdd => {}
            },
            Expr::If(choice) => self.condition(&choice.test),
            Expr::Call(call) => self.call(call),
            Expr::NumberLiteral(number) => match &number.value {
                Number::Int(_) => self.whole_number(expr),
                Number::Float(value) => {
                    for other in [value * 2.0, value / 2.0, 0.0] {
                        self.replace("const", expr, format!("{other:?}"));
                    }
                }
                Number::Complex { .. } => {}
            },
            Expr::BooleanLiteral(it) => self.replace("const", expr, if it.value { "False" } else { "True" }),
            Expr::NoneLiteral(_) => self.replace("const", expr, "False"),
            _ => {}
        }
    }

    fn comparison(&mut self, compare: &ExprCompare) {
        let mut left = &*compare.left;
        for (op, right) in compare.ops.iter().zip(&*compare.comparators) {
            let others: &[&str] = match op {
                CmpOp::Lt => &["<=", ">", ">="],
                CmpOp::LtE => &["<", ">=", ">"],
                CmpOp::Gt => &[">=", "<", "<="],
                CmpOp::GtE => &[">", "<=", "<"],
                CmpOp::Eq => &["!="],
                CmpOp::NotEq => &["=="],
                CmpOp::Is => &["is not"],
                CmpOp::IsNot => &["is"],
                CmpOp::In => &["not in"],
                CmpOp::NotIn => &["in"],
            };
            if let Some(at) = self.between(left, right) {
                others.iter().for_each(|other| self.replace("cmp", at, *other));
            }
            left = right;
        }
    }

    fn and_or(&mut self, operation: &ExprBoolOp) {
        let (word, other) = match operation.op {
            BoolOp::And => ("and", "or"),
            BoolOp::Or => ("or", "and"),
        };
        for pair in operation.values.windows(2) {
            if let Some(at) = self.between(&pair[0], &pair[1]) {
                self.replace("bool", at, other);
            }
        }
        for dropped in 0..operation.values.len() {
            let left = operation.values.iter().enumerate().filter(|(n, _)| *n != dropped).map(|(_, value)| value);
            let texts: Vec<&str> = left.map(|value| self.text(value)).collect();
            let text = match texts.as_slice() {
                [one] => (*one).to_owned(),
                several => several.iter().map(|t| format!("({t})")).collect::<Vec<_>>().join(&format!(" {word} ")),
            };
            self.replace("operand", operation, text);
        }
    }

    /// `end` is what comes after the operator where it stands: `=` in `+=`.
    pub(super) fn arithmetic(&mut self, op: Operator, at: Option<TextRange>, end: &str) {
        let other = match op {
            Operator::Add => "-",
            Operator::Sub => "+",
            Operator::Mult | Operator::FloorDiv => "/",
            Operator::Div | Operator::Mod => "*",
            _ => return,
        };
        if let Some(at) = at {
            self.replace("arith", at, format!("{other}{end}"));
        }
    }

    fn whole_number(&mut self, expr: &Expr) {
        let Ok(value) = self.text(expr).parse::<i64>() else { return };
        for other in [value.saturating_add(1), value.saturating_sub(1), 0] {
            let text = if other < 0 { format!("({other})") } else { other.to_string() };
            self.replace("const", expr, text);
        }
    }

    fn call(&mut self, call: &ExprCall) {
        let args = &call.arguments.args;
        let smallest_or_greatest = call.func.as_name_expr().and_then(|name| match name.id.as_str() {
            "min" => Some("max"),
            "max" => Some("min"),
            _ => None,
        });
        if let (Some(other), true) = (smallest_or_greatest, args.len() > 1) {
            self.replace("call", &*call.func, other);
            for arg in args {
                self.replace("call", call, format!("({})", self.text(arg)));
            }
            return;
        }
        for pair in args.windows(2).filter(|pair| !pair.iter().any(Expr::is_starred_expr)) {
            let both = TextRange::new(pair[0].start(), pair[1].end());
            // One of them may stand in brackets, which belong to neither.
            let gap = &self.text(both)[usize::from(pair[0].range().len())..];
            let gap = &gap[..gap.len() - usize::from(pair[1].range().len())];
            let text = format!("{}{gap}{}", self.text(&pair[1]), self.text(&pair[0]));
            self.replace("args", both, text);
        }
    }
}
