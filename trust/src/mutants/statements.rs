//! How statements are changed.

use super::operators::{Finder, short};
use ruff_text_size::{Ranged, TextRange};
use rustpython_compiler::ast::{ExceptHandler, Expr, Stmt};

impl Finder<'_> {
    pub(super) fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Expr(it) if is_text(&it.value) => {}
            Stmt::Expr(it) => {
                self.drop(stmt);
                if let Expr::Await(awaited) = &*it.value {
                    self.replace("await", stmt, self.text(&*awaited.value));
                }
            }
            Stmt::AugAssign(it) => {
                let at = self.between(&*it.target, &*it.value);
                self.arithmetic(it.op, at, "=");
                self.drop(stmt);
            }
            Stmt::Return(it) => {
                if it.value.as_deref().is_some_and(|value| !value.is_none_literal_expr()) {
                    self.replace("return", stmt, "return None");
                }
                self.drop(stmt);
            }
            Stmt::Assign(_)
            | Stmt::AnnAssign(_)
            | Stmt::Assert(_)
            | Stmt::Break(_)
            | Stmt::Continue(_)
            | Stmt::Delete(_)
            | Stmt::Raise(_) => self.drop(stmt),
            Stmt::If(it) => self.condition(&it.test),
            Stmt::While(it) => {
                self.condition(&it.test);
                self.empty("else", &it.orelse);
            }
            Stmt::For(it) => {
                self.drop(stmt);
                self.empty("else", &it.orelse);
            }
            Stmt::Try(it) => {
                self.empty("else", &it.orelse);
                self.empty("finally", &it.finalbody);
            }
            _ => {}
        }
    }

    fn drop(&mut self, stmt: &Stmt) {
        let words = format!("{} dropped", short(self.text(stmt)));
        self.replace_saying("drop", stmt, "pass", words);
    }

    /// Takes a block's statements away.
    pub(super) fn empty(&mut self, kind: &'static str, body: &[Stmt]) {
        if let Some(range) = whole(body) {
            self.replace_saying(kind, range, "pass", format!("{kind}: {} dropped", short(self.text(range))));
        }
    }

    /// Neighbours change places, where somebody may look in between: around an `await`, or a call made for its effect.
    pub(super) fn order(&mut self, body: &[Stmt]) {
        for pair in body.windows(2).filter(|pair| pair.iter().all(can_move)) {
            if !pair.iter().any(|stmt| self.awaits(stmt) || is_call(stmt)) {
                continue;
            }
            let (first, second) = (self.text(&pair[0]), self.text(&pair[1]));
            let gap = self.text(TextRange::new(pair[0].end(), pair[1].start()));
            let words = format!("{} after {}", short(first), short(second));
            let both = TextRange::new(pair[0].start(), pair[1].end());
            self.replace_saying("order", both, format!("{second}{gap}{first}"), words);
        }
    }

    pub(super) fn handler(&mut self, handler: &ExceptHandler) {
        let ExceptHandler::ExceptHandler(handler) = handler;
        let types = handler.type_.as_deref();
        let what = types.map_or_else(String::new, |types| format!(" {}", self.text(types)));
        if let Some(body) = whole(&handler.body) {
            self.replace_saying("handler", body, "raise", format!("except{what} dropped"));
            self.replace_saying("handler", body, "pass", format!("except{what}: {} dropped", short(self.text(body))));
        }
        let Some(types) = types else { return };
        for other in ["Exception", "BaseException"] {
            self.replace("except", types, other);
        }
        if matches!(self.text(types), "Exception" | "BaseException") {
            self.replace("except", types, "ValueError");
        }
        if let Expr::Tuple(several) = types {
            for dropped in 0..several.elts.len() {
                let left = several.elts.iter().enumerate().filter(|(n, _)| *n != dropped);
                let left: Vec<&str> = left.map(|(_, elt)| self.text(elt)).collect();
                self.replace("except", types, format!("({})", left.join(", ")));
            }
        }
    }
}

/// From the first statement to the last.
fn whole(body: &[Stmt]) -> Option<TextRange> {
    Some(TextRange::new(body.first()?.start(), body.last()?.end()))
}

/// A docstring, or what stands for `pass`.
fn is_text(expr: &Expr) -> bool {
    expr.is_string_literal_expr() || expr.is_ellipsis_literal_expr()
}

fn is_call(stmt: &Stmt) -> bool {
    stmt.as_expr_stmt().is_some_and(|it| it.value.is_call_expr() || it.value.is_await_expr())
}

/// What defines nothing, and leaves nothing behind it that is never reached.
fn can_move(stmt: &Stmt) -> bool {
    !matches!(
        stmt,
        Stmt::FunctionDef(_)
            | Stmt::ClassDef(_)
            | Stmt::Import(_)
            | Stmt::ImportFrom(_)
            | Stmt::Return(_)
            | Stmt::Raise(_)
            | Stmt::Continue(_)
            | Stmt::Break(_)
            | Stmt::Global(_)
            | Stmt::Nonlocal(_)
    ) && !matches!(stmt, Stmt::Expr(it) if is_text(&it.value))
}
