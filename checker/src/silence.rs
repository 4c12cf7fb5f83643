//! When silence means a hang.
//!
//! A watcher looks every tenth of a second whether there was a sign of life ([`crate::signs`]). Time alone says little: a
//! machine that slept, or has ten other things to do, lets a right program be silent for seconds. So looks are counted, and
//! the processor time that the silent program took meanwhile: who hangs in a loop takes all that he can get.

use std::time::Duration;

/// After how many looks in vain a run is given up,
const LOOKS: u32 = 15;

/// if it has worked for so long since the last sign of life,
const WORKED: Duration = Duration::from_millis(1_200);

/// and after how many in any case: it may hang without work.
const LOOKS_WITHOUT_WORK: u32 = 600;

/// How long there was no sign of life.
#[derive(Default)]
pub struct Silence {
    beats: u64,
    looks: u32,
    worked: Option<Duration>,
}

impl Silence {
    /// Another look: how many signs of life there were, and how long the process has worked, if that is known. Whether it
    /// hangs.
    pub fn is_a_hang(&mut self, beats: u64, worked: Option<Duration>) -> bool {
        if beats != self.beats {
            *self = Silence { beats, looks: 0, worked };
            return false;
        }
        self.looks += 1;
        // Before the first sign nobody has looked yet.
        self.worked = self.worked.or(worked);
        let has_worked = match (self.worked, worked) {
            (Some(then), Some(now)) => now.saturating_sub(then) >= WORKED,
            // Nobody knows. Looks are what there is.
            _ => true,
        };
        (self.looks >= LOOKS && has_worked) || self.looks >= LOOKS_WITHOUT_WORK
    }
}

/// How much processor time this process has taken; none where the system does not say.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library has no such clock; this asks the system's")]
pub fn worked() -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a place for one value of the type that the call writes.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) } != 0;
    let (seconds, nanos) = (u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?);
    (!failed).then(|| Duration::new(seconds, nanos))
}

/// How much processor time this process has taken; none where the system does not say.
#[cfg(not(unix))]
pub fn worked() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many looks it counts as a hang, if the program works for so many milliseconds between two.
    fn looks_until_a_hang(per_look_ms: Option<u64>) -> Option<u64> {
        let mut silence = Silence::default();
        silence.is_a_hang(7, per_look_ms.map(|_| Duration::from_secs(40)));
        let worked = |look| per_look_ms.map(|ms| Duration::from_secs(40) + Duration::from_millis(ms * look));
        (1..2_000).find(|look| silence.is_a_hang(7, worked(*look)))
    }

    #[test]
    fn who_works_and_is_silent_hangs_and_who_gets_no_processor_does_not() {
        assert_eq!(looks_until_a_hang(Some(100)), Some(15));
        assert_eq!(looks_until_a_hang(Some(10)), Some(120), "a tenth of a processor: ten times as long");
        assert_eq!(looks_until_a_hang(Some(0)), Some(600), "it may wait for what never comes");
        assert_eq!(looks_until_a_hang(None), Some(15));
    }

    #[test]
    fn who_gets_no_processor_before_the_first_sign_is_waited_for_too() {
        let mut silence = Silence::default();
        assert!((0..100).all(|_| !silence.is_a_hang(0, Some(Duration::from_secs(1)))));
    }

    #[test]
    fn a_sign_of_life_ends_the_silence() {
        let mut silence = Silence::default();
        for look in 0..1_000 {
            assert!(!silence.is_a_hang(look / 10, Some(Duration::from_secs(look))), "{look}");
        }
    }

    #[test]
    fn processor_time_goes_on_while_one_works() {
        let Some(before) = worked() else { return };
        while worked().is_some_and(|now| now <= before) {
            std::hint::black_box((0..1_000).sum::<u64>());
        }
    }
}
