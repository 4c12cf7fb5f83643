//! Compiles the hand-picked part of Python's library that learner code may import, with ticks in it, into one file
//! that `python::library` embeds. What is our own (`lib/*.py`) stands in for modules that would reach the host.

use rustpython_compiler::core::marshal::serialize_code;
use rustpython_compiler::{CompileOpts, Mode};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[path = "src/python/meter.rs"]
mod meter;

/// Modules taken as they are from the interpreter's library: name, file below its `Lib`.
const TAKEN: &[(&str, &str)] = &[
    ("__future__", "__future__.py"),
    ("_collections_abc", "_collections_abc.py"),
    ("_weakrefset", "_weakrefset.py"),
    ("abc", "abc.py"),
    ("annotationlib", "annotationlib.py"),
    ("bisect", "bisect.py"),
    ("collections", "collections/__init__.py"),
    ("contextlib", "contextlib.py"),
    ("copy", "copy.py"),
    ("copyreg", "copyreg.py"),
    ("dataclasses", "dataclasses.py"),
    ("enum", "enum.py"),
    ("functools", "functools.py"),
    ("heapq", "heapq.py"),
    ("keyword", "keyword.py"),
    ("numbers", "numbers.py"),
    ("operator", "operator.py"),
    ("re", "re/__init__.py"),
    ("re._casefix", "re/_casefix.py"),
    ("re._compiler", "re/_compiler.py"),
    ("re._constants", "re/_constants.py"),
    ("re._parser", "re/_parser.py"),
    ("reprlib", "reprlib.py"),
    ("string", "string/__init__.py"),
    ("types", "types.py"),
    ("typing", "typing.py"),
    ("weakref", "weakref.py"),
];

const PACKAGES: &[&str] = &["collections", "re", "string"];

fn main() {
    println!("cargo:rerun-if-changed=lib");
    println!("cargo:rerun-if-changed=src/python/meter.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let taken_from = Path::new(rustpython_pylib::LIB_PATH);
    let mut modules: Vec<(String, PathBuf)> =
        TAKEN.iter().map(|(name, file)| ((*name).to_owned(), taken_from.join(file))).collect();
    for entry in std::fs::read_dir("lib").expect("checker/lib is there") {
        let file = entry.expect("checker/lib can be read").path();
        if let Some(name) = file.to_str().and_then(|f| f.strip_suffix(".py")) {
            modules.push((name.trim_start_matches("lib").trim_start_matches(['/', '\\']).to_owned(), file));
        }
    }
    modules.sort();

    let mut table =
        String::from("/// Name, is a package, compiled code.\npub static MODULES: &[(&str, bool, &[u8])] = &[\n");
    for (name, file) in &modules {
        let source = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        // -OO: docstrings of the library would only be bytes to download.
        let opts = CompileOpts { optimize: 2, ..CompileOpts::default() };
        let code = meter::compile_metered(&source, &format!("<{name}>"), Mode::Exec, opts)
            .unwrap_or_else(|e| panic!("{name} does not compile: {e}"));
        // Not compressed: the download is, as a whole, and what is compressed twice gets larger.
        let mut bytes = Vec::new();
        serialize_code(&mut bytes, &code);
        std::fs::write(out.join(format!("{name}.code")), bytes).expect("OUT_DIR can be written");
        let package = PACKAGES.contains(&name.as_str());
        writeln!(table, "    ({name:?}, {package}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.code\"))),")
            .expect("to a string");
    }
    table.push_str("];\n");
    std::fs::write(out.join("modules.rs"), table).expect("OUT_DIR can be written");
}
