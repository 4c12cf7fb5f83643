//! Virtual time: integer microseconds, so that sums are exact and runs repeat. Nothing here asks a real clock.
//!
//! ```
//! use leasehold_checker::time::seconds;
//! assert_eq!(seconds(10_000_000), "10 s");
//! assert_eq!(seconds(9_875_000), "9.875 s");
//! ```

/// Microseconds in a second.
pub const SECOND_US: u64 = 1_000_000;

/// Microseconds as seconds for people: at most six decimals, none that say nothing.
pub fn seconds(us: u64) -> String {
    let fraction = format!("{:06}", us % SECOND_US);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{}{point}{fraction} s", us / SECOND_US)
}

/// Microseconds as the float of seconds that Python code sees. Exact for multiples of 1/8 s, which is what the
/// suites use, so that `now + ttl` in the learner's floats meets the boundary instant to the bit.
pub fn as_float_seconds(us: u64) -> f64 {
    us as f64 / SECOND_US as f64
}
