//! How fast a story plays.

use leasehold_checker::trace::Trace;

/// The speeds, as their buttons show them; each is twice the one before it.
pub const SPEEDS: [&str; 4] = ["0.5×", "1×", "2×", "4×"];
/// Which of them it begins with.
pub const USUAL: usize = 1;

/// How long event `step` stays before the next comes, in milliseconds. Longer where virtual time passes, and bounded, so that
/// an hour costs little more than a second.
pub fn stays_ms(trace: &Trace, step: usize, speed: usize) -> u32 {
    let at = |i: usize| trace.events.get(i).map_or(0, |event| event.at_us);
    let passes_us = at(step + 1).saturating_sub(at(step));
    let longer = match passes_us {
        0 => 0,
        1..100_000 => 150,
        100_000..1_000_000 => 350,
        1_000_000..10_000_000 => 600,
        _ => 900,
    };
    ((650 + longer) * 2) >> speed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::fixtures;
    use leasehold_checker::time::SECOND_US;

    #[test]
    fn playing_waits_longer_where_time_passes_but_never_long() {
        let mut trace = fixtures::takeover();
        let at_once = stays_ms(&trace, 0, USUAL);
        let ten_seconds = stays_ms(&trace, 2, USUAL);
        assert!(at_once < ten_seconds);
        trace.events.last_mut().unwrap().at_us = 1_000_000 * SECOND_US;
        assert!(stays_ms(&trace, 7, USUAL) < 2_000);
    }

    #[test]
    fn each_speed_is_twice_the_one_before() {
        let trace = fixtures::takeover();
        let stays: Vec<u32> = (0..SPEEDS.len()).map(|speed| stays_ms(&trace, 0, speed)).collect();
        assert!(stays.windows(2).all(|two| two[0].abs_diff(two[1] * 2) <= 2), "{stays:?}");
    }
}
