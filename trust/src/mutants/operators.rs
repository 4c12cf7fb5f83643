//! Where a file can be changed, and into what: a walk over its syntax tree that collects edits of its text.

use ruff_text_size::{Ranged, TextRange};
use rustpython_compiler::ast::visitor::{
    Visitor, walk_body, walk_comprehension, walk_elif_else_clause, walk_except_handler, walk_expr, walk_stmt,
};
use rustpython_compiler::ast::{self, Expr, Stmt};
use rustpython_compiler::{TokenKind, Tokens, parser};

/// A piece of text to be put in the place of another.
pub(super) struct Edit {
    /// The operator's name.
    pub kind: &'static str,
    /// What is replaced,
    pub range: TextRange,
    /// by what.
    pub text: String,
    /// The change in words.
    pub words: String,
}

/// All edits of a file, as they are met. None for one that does not parse.
pub(super) fn edits(source: &str) -> Vec<Edit> {
    let Ok(parsed) = parser::parse_module(source) else { return Vec::new() };
    let mut finder = Finder { source, tokens: parsed.tokens(), edits: Vec::new() };
    finder.visit_body(&parsed.syntax().body);
    finder.edits
}

pub(super) struct Finder<'s> {
    source: &'s str,
    tokens: &'s Tokens,
    edits: Vec<Edit>,
}

impl<'s> Finder<'s> {
    pub fn text(&self, of: impl Ranged) -> &'s str {
        &self.source[of.range()]
    }

    /// Replaces a piece of text by another.
    pub fn replace(&mut self, kind: &'static str, of: impl Ranged, text: impl Into<String>) {
        let text = text.into();
        let words = format!("{} → {}", short(self.text(of.range())), short(&text));
        self.edits.push(Edit { kind, range: of.range(), text, words });
    }

    /// The same, with words of one's own for it.
    pub fn replace_saying(&mut self, kind: &'static str, of: impl Ranged, text: impl Into<String>, words: String) {
        self.edits.push(Edit { kind, range: of.range(), text: text.into(), words });
    }

    /// What stands between two expressions besides brackets: their operator.
    pub fn between(&self, left: impl Ranged, right: impl Ranged) -> Option<TextRange> {
        let gap = TextRange::new(left.end(), right.start());
        let tokens = self.tokens.in_range(gap).iter().filter(|token| {
            !matches!(
                token.kind(),
                TokenKind::Lpar | TokenKind::Rpar | TokenKind::Comment | TokenKind::NonLogicalNewline
            )
        });
        tokens.map(Ranged::range).reduce(TextRange::cover)
    }

    /// Whether other tasks may run while this does.
    pub fn awaits(&self, it: impl Ranged) -> bool {
        let tokens = self.tokens.in_range(it.range());
        tokens.iter().any(|token| matches!(token.kind(), TokenKind::Await | TokenKind::Async))
    }

    /// What decides is decided beforehand, or turned round.
    pub fn condition(&mut self, test: &Expr) {
        self.replace("cond", test, "True");
        self.replace("cond", test, "False");
        self.replace("cond", test, format!("not ({})", self.text(test)));
    }
}

impl<'s> Visitor<'s> for Finder<'s> {
    fn visit_body(&mut self, body: &'s [Stmt]) {
        self.order(body);
        walk_body(self, body);
    }

    fn visit_stmt(&mut self, stmt: &'s Stmt) {
        self.statement(stmt);
        walk_stmt(self, stmt);
    }

    fn visit_elif_else_clause(&mut self, clause: &'s ast::ElifElseClause) {
        match &clause.test {
            Some(test) => self.condition(test),
            None => self.empty("else", &clause.body),
        }
        walk_elif_else_clause(self, clause);
    }

    fn visit_except_handler(&mut self, handler: &'s ast::ExceptHandler) {
        self.handler(handler);
        walk_except_handler(self, handler);
    }

    fn visit_expr(&mut self, expr: &'s Expr) {
        self.expression(expr);
        match expr {
            // What a message says is judged by nobody.
            Expr::FString(_) | Expr::TString(_) => {}
            // `is None`, with anything else in the place of None, is another comparison and no nudge.
            Expr::Compare(compare) => {
                let operands = std::iter::once(&*compare.left).chain(&*compare.comparators);
                operands.filter(|operand| !operand.is_none_literal_expr()).for_each(|operand| self.visit_expr(operand));
            }
            _ => walk_expr(self, expr),
        }
    }

    fn visit_comprehension(&mut self, comprehension: &'s ast::Comprehension) {
        comprehension.ifs.iter().for_each(|test| self.condition(test));
        walk_comprehension(self, comprehension);
    }

    fn visit_annotation(&mut self, _: &'s Expr) {}

    fn visit_decorator(&mut self, _: &'s ast::Decorator) {}
}

/// A piece of code in one line of at most 60 characters.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
