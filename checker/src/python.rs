//! The Python host: loads a learner's file, calls what it defines, and turns whatever goes wrong into a
//! [`Problem`] with the learner's line.
//!
//! The interpreter is RustPython, the same natively and in wasm. Around it stands a wall without a door: modules
//! come from a hand-picked library compiled into us ([`library`]), clocks and random numbers are the simulation's,
//! `print` goes to a buffer, and every loop and call costs a tick of a work budget ([`meter`]).
//!
//! ```
//! leasehold_checker::python::enter(|py| {
//!     let program = py.compile("class Box:\n    def get(self):\n        return 41 + 1\n")?;
//!     let module = program.run(py)?;
//!     let the_box = module.get(py, "Box")?.call(py, &[])?;
//!     assert_eq!(the_box.method(py, "get", &[])?.describe(py), "42");
//!     Ok::<(), leasehold_checker::python::Problem>(())
//! }).unwrap();
//! ```

mod attributes;
mod chains;
mod classes;
mod guards;
mod host;
mod leftovers;
pub mod library;
pub mod meter;
mod natives;
mod object;
mod opaque;
mod problem;
mod shape;
mod tasks;
mod walls;
mod wire;

pub use host::{Driver, Module, Program, Python, enter, import_ahead};
pub use object::{Arg, Integer, Object, Value};
pub use opaque::Exception;
pub use problem::{Problem, ProblemKind};
pub use tasks::{Ask, Command, Coroutine, Failure, Resume, Stepped};

/// The name under which the learner's file stands in code objects and tracebacks.
pub const LEARNER_FILE: &str = "your code";

/// How many ticks (loop rounds and calls) one call of learner code may take. A lock manager's `acquire` takes
/// fewer than ten.
pub const TICKS_PER_CALL: u64 = 50_000;

/// How many ticks running the file itself may take.
pub const TICKS_PER_LOAD: u64 = 200_000;

/// What `print` may fill, in bytes; the rest is dropped and counted.
pub const OUTPUT_LIMIT: usize = 16 * 1024;

/// The longest file that is read, in bytes.
pub const SOURCE_LIMIT: usize = 256 * 1024;

/// The most lines that are read.
pub const LINES_LIMIT: usize = 5_000;
