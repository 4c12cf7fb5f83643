//! How long somebody has been at it: time counts while the page is in sight and something was done in the last minute. Pure;
//! times are milliseconds of a clock that only goes forward.

/// What nobody does anything for longer than this is a break, and only so much of it counts.
const IDLE_MS: f64 = 60_000.0;

/// The time that has come together and was not taken yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Activity {
    /// When something was last done; none while the page is out of sight.
    last: Option<f64>,
    gathered: f64,
}

impl Activity {
    /// Somebody did something, or the page came into sight.
    pub fn acted(&mut self, now: f64) {
        self.left(now);
        self.last = Some(now);
    }

    /// The page is out of sight.
    pub fn left(&mut self, now: f64) {
        if let Some(last) = self.last.take() {
            self.gathered += (now - last).clamp(0.0, IDLE_MS);
        }
    }

    /// There is at least one second to be taken.
    pub fn has_seconds(&self) -> bool {
        self.gathered >= 1000.0
    }

    /// The whole seconds that have come together; the rest stays for the next time.
    pub fn take_seconds(&mut self) -> u32 {
        let seconds = (self.gathered / 1000.0).floor();
        self.gathered -= seconds * 1000.0;
        seconds as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(events: &[(f64, bool)]) -> u32 {
        let mut activity = Activity::default();
        for (at_s, acted) in events {
            let now = at_s * 1000.0;
            if *acted { activity.acted(now) } else { activity.left(now) }
        }
        activity.take_seconds()
    }

    #[test]
    fn time_counts_between_what_is_done_and_at_most_a_minute_after_it() {
        assert_eq!(after(&[(0.0, true), (10.0, true), (30.5, true)]), 30);
        assert_eq!(after(&[(0.0, true), (600.0, true), (610.0, true)]), 70);
        assert_eq!(after(&[(0.0, true)]), 0);
    }

    #[test]
    fn nothing_counts_while_the_page_is_out_of_sight() {
        assert_eq!(after(&[(0.0, true), (5.0, false), (50.0, true), (51.0, true)]), 6);
        assert_eq!(after(&[(0.0, false), (50.0, false)]), 0);
    }

    #[test]
    fn parts_of_a_second_are_kept_and_a_clock_that_steps_back_takes_nothing() {
        let mut activity = Activity::default();
        for ms in [0.0, 700.0, 1_400.0, 900.0, 1_500.0] {
            activity.acted(ms);
        }
        assert_eq!((activity.take_seconds(), activity.take_seconds()), (2, 0));
    }
}
