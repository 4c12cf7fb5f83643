//! Signs of life, for whoever must tell a hang from work.
//!
//! The work budget ends whatever ticks. What doesn't tick (a regular expression that backtracks for ever, numbers that
//! grow with each multiplication) can only be ended from outside, by someone who has a clock and kills the process or the
//! worker. How long is too long for him? Not a fixed time for a whole run: on a slow machine that ends right programs. But
//! between two signs of life there is never more than a thousand ticks' work, so long silence means a hang, on any
//! machine. And he shall be able to say where it was: the test that was under way, and the last line at which a loop round
//! or a call began.

use crate::report::TestReport;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// How many signs of life pass before the hearer is told one. A call is one sign.
const TOLD: u32 = 8;

/// For the whole process: a watcher sits in another thread. Where several threads check at once, they mix.
static BEATS: AtomicU64 = AtomicU64::new(0);
static LINE: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static HEARER: RefCell<Option<Hearer>> = const { RefCell::new(None) };
    static UNTOLD: Cell<u32> = const { Cell::new(0) };
}

/// Hears the signs of this thread. It must not run Python code.
pub type Hearer = Box<dyn FnMut(Sign<'_>)>;

/// What happened.
pub enum Sign<'a> {
    /// The code does not hang. Every now and then only.
    Alive,
    /// The test of this name begins; "" where there is none.
    Begins(&'a str),
    /// A test has its verdict.
    Ended(&'a TestReport),
}

/// From now on `hearer` hears this thread's signs.
pub fn listen(hearer: impl FnMut(Sign<'_>) + 'static) {
    HEARER.with(|place| *place.borrow_mut() = Some(Box::new(hearer)));
}

/// How many signs of life there were. Changes as long as nothing hangs.
pub fn beats() -> u64 {
    BEATS.load(Relaxed)
}

/// The learner's line at which a loop round or a call last began.
pub fn line() -> Option<u32> {
    Some(LINE.load(Relaxed)).filter(|line| *line > 0)
}

/// Learner code has come to this line.
pub(crate) fn at(line: u32) {
    LINE.store(line, Relaxed);
}

/// It does not hang.
pub(crate) fn beat() {
    BEATS.fetch_add(1, Relaxed);
    let untold = UNTOLD.get() + 1;
    UNTOLD.set(untold % TOLD);
    if untold == TOLD {
        tell(Sign::Alive);
    }
}

/// A test begins.
pub(crate) fn begins(test: &str) {
    BEATS.fetch_add(1, Relaxed);
    LINE.store(0, Relaxed);
    tell(Sign::Begins(test));
}

/// A test has ended.
pub(crate) fn ended(test: &TestReport) {
    tell(Sign::Ended(test));
}

fn tell(sign: Sign<'_>) {
    HEARER.with(|hearer| {
        // Who hears is not told of what it does itself.
        if let Ok(mut hearer) = hearer.try_borrow_mut()
            && let Some(hearer) = hearer.as_mut()
        {
            hearer(sign);
        }
    });
}
