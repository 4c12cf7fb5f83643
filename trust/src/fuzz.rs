//! Half-right text for everything that reads what comes from outside: whatever comes, nothing may panic.
//!
//! Each [`Target`] has seeds, texts that the program itself has made. What is tried are seeds with a few [`changes`], and now
//! and then noise. A target also says what must hold of what it reads: what is taken comes back when it is written and read
//! again, what is refused is refused in words, what was stored is not lost. All is drawn from a number, so that what fell out
//! comes again, and proptest cuts it down to the fewest and smallest changes.
//!
//! ```
//! use leasehold_trust::fuzz;
//! let records = fuzz::target("records").unwrap();
//! let outcome = records.run(7, 20, &|_| ());
//! assert_eq!((outcome.tried, outcome.fell), (20, None));
//! ```

mod changes;
mod command;
mod targets;

pub use command::{USAGE, command};
pub use targets::all;

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

/// Room for deep recursion, as the command `leasehold` has it.
const STACK: usize = 4 << 20;
/// What takes longer than this, on however slow a machine, has no end.
const LONGEST: Duration = Duration::from_secs(60);
/// So many smaller texts are tried in the place of one that fell out.
const MOST_SHRINKING: u32 = 400;

/// Whether a text was taken for what it should be, or which rule does not hold of it.
pub type Read = Result<bool, String>;

/// Something that reads text from outside.
pub struct Target {
    /// Its name in commands and tables.
    pub name: &'static str,
    /// What it reads, in a few words.
    pub reads: &'static str,
    /// How many texts a short run tries.
    pub short: u32,
    /// Texts that it takes.
    seeds: fn() -> Vec<String>,
    read: fn(&str) -> Read,
}

/// What came of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How many texts were tried, those of shrinking not counted.
    pub tried: u32,
    /// How many of them were taken.
    pub taken: u32,
    /// What fell out; then no more was tried.
    pub fell: Option<Fall>,
}

/// A text that something is wrong with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fall {
    /// The text, as small as could be found.
    pub text: String,
    /// What it did.
    pub why: String,
}

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    all().iter().find(|target| target.name == name)
}

impl Target {
    /// Tries as many texts, drawn from `seed`; `hear` is told of each before it is tried.
    pub fn run(&self, seed: u64, times: u32, hear: &dyn Fn(&str)) -> Outcome {
        let seeds = (self.seeds)();
        for seed in &seeds {
            hear(seed);
            // What is not taken as it is would be turned away at the door, and so would what is made of it.
            let why = match self.read(seed) {
                Ok(true) => continue,
                Ok(false) => "a seed is refused".to_owned(),
                Err(why) => why,
            };
            return Outcome { fell: Some(Fall { text: seed.clone(), why }), ..Outcome::default() };
        }
        let (tried, taken, is_shrinking) = (Cell::new(0), Cell::new(0), Cell::new(false));
        let config = Config { cases: times, max_shrink_iters: MOST_SHRINKING, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, generator(seed));
        let ended = runner.run(&changes::texts(seeds), |text| {
            hear(&text);
            let read = self.read(&text);
            if !is_shrinking.get() {
                tried.set(tried.get() + 1);
                taken.set(taken.get() + u32::from(read == Ok(true)));
                is_shrinking.set(read.is_err());
            }
            read.map(|_| ()).map_err(TestCaseError::fail)
        });
        let fell = match ended {
            Ok(()) => None,
            Err(TestError::Fail(why, text)) => Some(Fall { text, why: why.to_string() }),
            Err(TestError::Abort(why)) => Some(Fall { text: String::new(), why: why.to_string() }),
        };
        Outcome { tried: tried.get(), taken: taken.get(), fell }
    }

    /// The same in a thread of its own with the stack of the command, and with a watcher for what has no end.
    pub fn run_watched(&'static self, seed: u64, times: u32, hear: impl Fn(&str) + Send + 'static) -> Outcome {
        let (tell, told) = mpsc::channel();
        let work = move || {
            let outcome = self.run(seed, times, &|text| {
                hear(text);
                drop(tell.send(Told::Tries(text.to_owned())));
            });
            drop(tell.send(Told::Ended(outcome)));
        };
        let mut last = String::new();
        let fall = |text: String, why: &str| {
            let fell = Some(Fall { text, why: why.to_owned() });
            Outcome { tried: times, taken: 0, fell }
        };
        if let Err(error) = std::thread::Builder::new().stack_size(STACK).spawn(work) {
            return fall(last, &format!("no thread could be started: {error}"));
        }
        loop {
            match told.recv_timeout(LONGEST) {
                Ok(Told::Tries(text)) => last = text,
                Ok(Told::Ended(outcome)) => return outcome,
                Err(mpsc::RecvTimeoutError::Timeout) => return fall(last, "it has no end"),
                Err(mpsc::RecvTimeoutError::Disconnected) => return fall(last, "the thread ended"),
            }
        }
    }

    /// A panic is a rule that does not hold.
    fn read(&self, text: &str) -> Read {
        catch_unwind(AssertUnwindSafe(|| (self.read)(text))).unwrap_or_else(|panic| Err(words(panic.as_ref())))
    }
}

enum Told {
    Tries(String),
    Ended(Outcome),
}

thread_local! {
    /// What the last panic said, with its place.
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on a panic is not printed but remembered: those of targets are caught, and told once they are shrunk.
fn catch_panics() {
    std::panic::set_hook(Box::new(|info| SAID.with(|said| *said.borrow_mut() = info.to_string())));
}

fn words(panic: &(dyn Any + Send)) -> String {
    let said = SAID.with(|said| said.take());
    if !said.is_empty() {
        return said;
    }
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("without a word"))
}

fn generator(seed: u64) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: Target = Target {
        name: "numbers",
        reads: "a number below a thousand",
        short: 1,
        seeds: || vec!["17".to_owned(), "999".to_owned()],
        read: |text| match text.parse::<u32>() {
            Ok(n) if n > 999 => panic!("{n} is too large"),
            read => Ok(read.is_ok()),
        },
    };

    fn texts(seed: u64) -> Vec<String> {
        let texts = RefCell::new(Vec::new());
        let record = Target { read: |_| Ok(true), ..NUMBERS };
        record.run(seed, 50, &|text| texts.borrow_mut().push(text.to_owned()));
        texts.into_inner()
    }

    #[test]
    fn the_same_number_draws_the_same_texts() {
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(2));
        assert_eq!(texts(1).len(), 52);
    }

    #[test]
    fn a_panic_falls_out_with_its_text_and_the_same_number_brings_it_again() {
        let outcome = NUMBERS.run(1, 5_000, &|_| ());
        let Fall { text, why } = outcome.fell.clone().unwrap();
        assert!(text.parse::<u32>().unwrap() > 999, "{text}");
        assert!(why.contains("is too large"), "{why}");
        assert_eq!(NUMBERS.run(1, 5_000, &|_| ()), outcome);
    }

    #[test]
    fn a_seed_that_is_refused_falls_out() {
        let refuses = Target { read: |_| Ok(false), ..NUMBERS };
        assert_eq!(refuses.run(1, 5, &|_| ()).fell.unwrap().why, "a seed is refused");
    }
}
