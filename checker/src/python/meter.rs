//! The work meter: code is compiled with a *tick* at every loop head and every function entry.
//!
//! A tick is a call of a constant that no name leads to, so learner code can't rebind it. The host puts its own
//! native function where [`TICK`] stands ([`super::host`]). Once the budget is used up every tick raises: `except
//! BaseException` gets no further than the next loop head or call, so the code ends however much it catches.
//! Measured against a trace function and `sys.monitoring` in ARCHITECTURE.md, "Work budget".
//!
//! `build.rs` includes this file too, so that the library's own loops are metered as well.

use ruff_source_file::SourceFileBuilder;
use ruff_text_size::Ranged;
use rustpython_compiler::ast::relocate::relocate_expr;
use rustpython_compiler::ast::visitor::transformer::{
    Transformer, walk_body, walk_comprehension, walk_expr, walk_stmt,
};
use rustpython_compiler::ast::{self, Expr, Stmt};
use rustpython_compiler::core::bytecode::CodeObject;
use rustpython_compiler::{CompileError, CompileOpts, Mode, codegen, parser};

/// What the constant begins with that stands for the tick until the host replaces it: a string that no sane program
/// contains. (A program that does contain it has a constant replaced by a function that counts; nothing else comes of it.)
/// The line follows, in a learner's file.
pub const TICK: &str = "\u{e000}tick\u{e000}";

/// Compiles `source` with ticks. Errors are worded as CPython words them where the compiler does that.
///
/// # Errors
/// A syntax error, or one of the compiler's own limits (nesting, for instance).
pub fn compile_metered(source: &str, path: &str, mode: Mode, opts: CompileOpts) -> Result<CodeObject, CompileError> {
    let file = SourceFileBuilder::new(path, source).finish();
    let parser_mode = match mode {
        Mode::Eval => parser::Mode::Expression,
        _ => parser::Mode::Module,
    };
    let Ok(parsed) = parser::parse(source, parser::ParseOptions::from(parser_mode)) else {
        // The compiler's own entry point words the error; ours has no need to know how.
        return rustpython_compiler::compile(source, mode, path, opts);
    };
    let mut module = parsed.into_syntax();
    rustpython_compiler::too_deeply_nested_error(&module, &file, opts.recursion_limit)?;
    let meter = Meter::new(source, path);
    match &mut module {
        ast::Mod::Module(module) => walk_body(&meter, &mut module.body),
        ast::Mod::Expression(expression) => meter.visit_expr(&mut expression.body),
        #[allow(unreachable_patterns, reason = "newer parsers know more kinds")]
        _ => {}
    }
    codegen::compile::compile_top(module, file, mode, opts).map_err(CompileError::from)
}

struct Meter {
    /// `TICK()`, parsed once and copied to every place that needs one.
    tick: Expr,
    /// Where the lines end, as offsets into the source; none in files of ours, whose lines are nobody's business.
    line_ends: Vec<usize>,
}

impl Meter {
    fn new(source: &str, path: &str) -> Self {
        let call = parser::parse_expression(&format!("'{TICK}'()")).expect("the tick is a valid expression");
        let is_ours = path.starts_with('<');
        let line_ends = source.match_indices('\n').map(|(at, _)| at).filter(|_| !is_ours).collect();
        Meter { tick: *call.into_syntax().body, line_ends }
    }

    fn tick(&self, at: impl Ranged) -> Expr {
        let mut tick = self.tick.clone();
        if let (false, Expr::Call(call)) = (self.line_ends.is_empty(), &mut tick)
            && let Expr::StringLiteral(name) = &mut *call.func
        {
            let line = self.line_ends.partition_point(|end| *end < at.range().start().to_usize()) + 1;
            name.value = ast::StringLiteralValue::single(ast::StringLiteral {
                node_index: ast::AtomicNodeIndex::default(),
                range: at.range(),
                value: format!("{TICK}{line}").into(),
                flags: ast::StringLiteralFlags::empty(),
            });
        }
        relocate_expr(&mut tick, at.range());
        tick
    }

    fn statement(&self, at: impl Ranged) -> Stmt {
        let range = at.range();
        Stmt::Expr(ast::StmtExpr { node_index: ast::AtomicNodeIndex::default(), range, value: Box::new(self.tick(at)) })
    }
}

impl Transformer for Meter {
    fn visit_stmt(&self, stmt: &mut Stmt) {
        walk_stmt(self, stmt);
        match stmt {
            Stmt::While(s) => {
                let tick = self.statement(&*s.test);
                s.body.insert(0, tick);
            }
            Stmt::For(s) => {
                let tick = self.statement(&*s.target);
                s.body.insert(0, tick);
            }
            Stmt::FunctionDef(s) => {
                let has_docstring = s.body.first().is_some_and(is_docstring);
                let tick = self.statement(&s.name);
                s.body.insert(usize::from(has_docstring), tick);
            }
            _ => {}
        }
    }

    fn visit_expr(&self, expr: &mut Expr) {
        walk_expr(self, expr);
        if let Expr::Lambda(lambda) = expr {
            // `tick() and body` is body, because a tick that returns is true.
            let tick = self.tick(&*lambda.body);
            let body = std::mem::replace(&mut *lambda.body, self.tick.clone());
            let range = body.range();
            *lambda.body = Expr::BoolOp(ast::ExprBoolOp {
                node_index: ast::AtomicNodeIndex::default(),
                range,
                op: ast::BoolOp::And,
                values: vec![tick, body],
                runtime_values: None,
            });
        }
    }

    fn visit_comprehension(&self, comprehension: &mut ast::Comprehension) {
        walk_comprehension(self, comprehension);
        let tick = self.tick(&comprehension.target);
        comprehension.ifs.insert(0, tick);
    }
}

fn is_docstring(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Expr(e) if e.value.is_string_literal_expr())
}
