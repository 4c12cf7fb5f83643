//! The suite, for the page's worker. The boot module (`app/editor/worker-boot.js`) loads it and passes messages on.

use leasehold_checker::memory::{self, Counted};
use leasehold_checker::python;
use leasehold_checker::report::{Search, TestReport};
use leasehold_checker::signs::{self, Sign};
use leasehold_checker::suites::given_up::{self, Reason};
use leasehold_checker::suites::{self, Deeper, Options, attack as attacks};
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::js_sys::Function;

/// When memory ends, the code ends there, and the page replaces the worker.
#[global_allocator]
static MEMORY: Counted = Counted(|| std::process::abort());

/// From now on `hears` is called with the name of the test that begins, or with "" as a sign of life, and with the line that
/// the code had come to (0: not known). Of these functions it may call [`silent_words`] only.
#[wasm_bindgen]
pub fn listen(hears: Function) {
    signs::listen(move |sign| {
        let test = match sign {
            Sign::Alive => "",
            Sign::Begins(test) => test,
            Sign::Ended(_) => return,
        };
        let line = signs::line().unwrap_or_default();
        // Nothing that it could raise concerns the run.
        let _ = hears.call2(&JsValue::NULL, &test.into(), &line.into());
    });
}

/// What to say of a run that this worker did not survive; none if it was neither for memory nor, as the browser tells, for
/// the stack.
#[wasm_bindgen]
pub fn last_words(is_stack: bool) -> Option<String> {
    let reason = if memory::is_exhausted() { Reason::Memory } else { Reason::Stack };
    (is_stack || memory::is_exhausted()).then(|| given_up::words(signs::line(), reason))
}

/// What to say of a run that gives no sign any more since `line`, 0 if that is not known.
#[wasm_bindgen]
pub fn silent_words(line: u32) -> String {
    given_up::words((line > 0).then_some(line), Reason::Silent)
}

/// Starts the interpreter ahead of the first run, while the reader reads.
#[wasm_bindgen]
pub fn start() {
    python::enter(|_| ());
}

/// Imports one more of the modules that people use most; false when there are no more.
#[wasm_bindgen]
pub fn import_ahead(n: usize) -> bool {
    python::import_ahead(n)
}

/// The report on `source` as JSON; none for a kata that is not there.
#[wasm_bindgen]
pub fn check(kata: &str, source: &str) -> Option<String> {
    let report = suites::check(kata, source)?;
    serde_json::to_string(&report).ok()
}

/// For `app/e2e/engine-figures.mjs`: runs so many drawn schedules on a file of kata 1, and counts those that broke
/// nothing; none if the file does not load.
#[wasm_bindgen]
pub fn run_drawn(source: &str, count: u32, seed: u32) -> Option<u32> {
    let fine = suites::acquire_with_fencing::run_drawn(source, u64::from(count), u64::from(seed)).ok()?;
    u32::try_from(fine).ok()
}

/// Frees what the last run left behind, some 10 ms; for after the answer, when nobody waits.
#[wasm_bindgen]
pub fn tidy() {
    python::enter(|py| py.collect_garbage());
}

/// Runs the schedule of a replay string on `source`: `{"test": TestReport}`, or `{"error": "a sentence"}`.
#[wasm_bindgen]
pub fn replay(kata: &str, source: &str, string: &str) -> String {
    json(&match suites::replay(kata, source, string) {
        Ok(test) => Answer::Ended { test },
        Err(error) => Answer::Refused { error: error.to_string() },
    })
}

/// Runs a level with what a person placed: `{"attack": Attack}`, see [`attacks::answer`]. `order` is an [`attacks::Order`].
#[wasm_bindgen]
pub fn attack(order: &str) -> String {
    attacks::answer(order, attacks::attack)
}

/// Looks for the shortest attack on a level, and shows it in the same way.
#[wasm_bindgen]
pub fn shortest(order: &str) -> String {
    attacks::answer(order, attacks::shortest)
}

/// A search that goes further than the suite's own, in parts, so that the worker hears messages in between.
#[wasm_bindgen]
pub struct DeeperSearch(Option<Box<dyn Deeper>>);

#[wasm_bindgen]
impl DeeperSearch {
    /// From its beginning, to be complete to `bound`; longer schedules are drawn from `seed` on.
    ///
    /// # Errors
    /// In a sentence: there is no such kata, or the file does not load.
    #[wasm_bindgen(constructor)]
    pub fn new(kata: &str, source: &str, bound: u32, seed: u32) -> Result<DeeperSearch, String> {
        let options = Options { bound: Some(bound), seed: seed.into(), ..Options::default() };
        suites::deeper(kata, source, &options).map(|deeper| DeeperSearch(Some(deeper))).map_err(|e| e.to_string())
    }

    /// Tries `most` more schedules. At the end `{"test": TestReport}`, before that nothing.
    pub fn step(&mut self, most: u32) -> Option<String> {
        let deeper = self.0.as_mut()?;
        let test = python::enter(|py| deeper.step(py, most.into()))?;
        Some(json(&Answer::Ended { test }))
    }

    /// How far it has come: `{"reached": Search, "left": a number or null}`.
    pub fn progress(&self) -> Option<String> {
        let (reached, left) = self.0.as_ref()?.progress();
        Some(json(&Answer::Under { reached, left }))
    }
}

impl Drop for DeeperSearch {
    /// Objects of the learner's file go while the interpreter is there to end them.
    fn drop(&mut self) {
        python::enter(|_| self.0 = None);
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Ended { test: TestReport },
    Under { reached: Search, left: Option<u64> },
    Refused { error: String },
}

fn json(answer: &Answer) -> String {
    serde_json::to_string(answer).expect("a report holds nothing that JSON can't say")
}

/// Nothing by itself: the functions above are called from outside.
fn main() {}
