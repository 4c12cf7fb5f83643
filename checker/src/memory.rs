//! How much memory learner code may use.
//!
//! A program sets [`Counted`] as its allocator. Then code that lets memory grow is stopped at its next loop round or call,
//! with its line ([`MOST_PER_CALL`]); and what would take too much at once, where no tick can come in between, ends at
//! the allocator ([`MOST_AT_ONCE`]): what is done there is the program's own ([`Counted`]).

#![allow(unsafe_code, reason = "an allocator is unsafe by its nature; this one adds up and asks the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// By how many bytes memory may grow during one call of learner code.
pub const MOST_PER_CALL: usize = 32 << 20;

/// By how many bytes memory may grow from the beginning of a call on where no tick looks at it. Not a number for all that
/// there is: a search that goes on for minutes remembers much itself, and the learner's code is not to be blamed for it.
pub const MOST_AT_ONCE: usize = 256 << 20;

/// How many bytes there may be in all, so that many calls that each keep a little don't take the machine's memory.
pub const MOST: usize = 1 << 30;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static ALLOWED: AtomicUsize = AtomicUsize::new(MOST_AT_ONCE);
static EXHAUSTED: AtomicBool = AtomicBool::new(false);

/// How many bytes are in use; 0 where nobody counts.
pub fn live() -> usize {
    LIVE.load(Relaxed)
}

/// A call of learner code begins: from here on memory may grow by [`MOST_AT_ONCE`].
pub fn call_begins() {
    ALLOWED.store(live().saturating_add(MOST_AT_ONCE).min(MOST), Relaxed);
}

/// Whether more was asked for than is allowed. From then on there is no limit, so that a verdict can be written.
pub fn is_exhausted() -> bool {
    EXHAUSTED.load(Relaxed)
}

/// The system's allocator, with a limit. Where that is reached it calls the function that it was made with, which must not
/// return: the code that asked can't go on, and most of it can't be told. A process leaves the thread standing there and
/// writes its verdict from another one; in a browser the worker traps and is replaced.
pub struct Counted(pub fn() -> !);

impl Counted {
    fn grow(&self, bytes: usize) {
        let live = LIVE.fetch_add(bytes, Relaxed).saturating_add(bytes);
        if live > ALLOWED.load(Relaxed) && !EXHAUSTED.swap(true, Relaxed) {
            LIVE.fetch_sub(bytes, Relaxed);
            (self.0)();
        }
    }
}

// Never inlined: there are thousands of places that ask for memory, and the page downloads each copy (half a megabyte).
// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counted {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.grow(layout.size());
        unsafe { System.alloc(layout) }
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.grow(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline(never)]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match size.checked_sub(layout.size()) {
            Some(more) => self.grow(more),
            None => _ = LIVE.fetch_sub(layout.size() - size, Relaxed),
        }
        unsafe { System.realloc(block, layout, size) }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(block, layout) }
    }
}
