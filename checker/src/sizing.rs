//! How long should a lease be? The simulation behind the page's ttl explorer.
//!
//! [`simulate`] plays one client's life with a lease some hundred times, each with other jitter, other failed renewals
//! and its pause at another moment, and counts the lives that were *lost falsely*: the client was alive and would have
//! gone on, yet the lease was over. It also says how long a waiter waits for a holder that really died, what the
//! renewals cost, and whether the sizing rule holds: `ttl > renewal interval + pause margin + drift`.
//!
//! Counted, not computed: pauses, retries and drift work on each other, and a sample of lives shows what a formula
//! would have to leave out. What lost a life is found by living the same life again with one disturbance alone.
//! All of it is integer microseconds and draws from one seed; the lives of two settings with one seed draw the same,
//! so that a slider's effect is the settings' and not chance's.
//!
//! ```
//! use leasehold_checker::sizing::{Settings, simulate};
//! let outcome = simulate(&Settings { pause_us: 20_000_000, ..Settings::with_ttl(15_000_000) });
//! assert!(!outcome.formula.holds());
//! assert_eq!(outcome.lost.all.share(), 1.0); // no renewal survives a pause that is longer than the ttl
//! ```

mod advice;
mod formula;
mod life;
mod presets;
mod settings;
mod share;
mod shown;
#[cfg(test)]
mod tests;

pub use formula::Formula;
pub use presets::{PRESETS, Preset};
pub use settings::{Complaint, Field, Settings, Waiter, bounds};
pub use share::{Cause, Losses, Share, Spread};
pub use shown::Shown;

use life::{Life, Loss, Played, With};

/// How many lives are played. At 400, a share of a half is known to within five percent.
pub const LIVES: u32 = 400;
/// How long one life is, in renewal intervals. With the shortest interval allowed that is more than two ttls, so that a
/// client that can't renew at all loses every life.
pub const INTERVALS_PER_LIFE: u64 = 24;

/// What the simulation found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The settings as they were played, within their bounds.
    pub settings: Settings,
    /// What was moved to bring them there.
    pub complaints: Vec<Complaint>,
    /// How long the client of one life works, in microseconds, its pause not counted.
    pub life_us: u64,
    /// How many lives were lost falsely, and to what.
    pub lost: Losses,
    /// From the holder's crash until a waiter hears that the lock is its own. None if no life came as far as its crash.
    pub takeover: Option<Spread>,
    /// The longest that such a takeover can take with these settings.
    pub takeover_bound_us: u64,
    /// In the lives that were lost: from the lease's end at the service until its holder knows; 0 where it knew in
    /// time. None if no life was lost.
    pub unaware: Option<Spread>,
    /// What the service has to do for one lock.
    pub load: Load,
    /// The sizing rule with these settings.
    pub formula: Formula,
    /// What to do about it: one to four sentences, the most important first.
    pub advice: Vec<String>,
    /// One life to look at.
    pub shown: Shown,
}

/// Calls per second for one lock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Attempts to renew, failed ones among them.
    pub renewals_per_s: f64,
    /// What one waiter asks. 0 for one that is woken.
    pub asks_per_s: f64,
}

/// Plays [`LIVES`] lives. Settings that are out of bounds are brought within them first.
pub fn simulate(settings: &Settings) -> Outcome {
    let (settings, complaints) = settings.clamped();
    let (mut lost, mut unaware, mut takeovers) = (Losses::of(LIVES), Vec::new(), Vec::new());
    let (mut attempts, mut held_us) = (0, 0);
    let mut choice = Choice::default();
    let mut room = Vec::new();
    for number in 0..LIVES {
        let life = Life::draw(&settings, number);
        let played = life.play(&settings, With::ALL, &mut room);
        attempts += room.len() as u64;
        held_us += played.held_us();
        choice.see(number, &played, life::failed(&room));
        if let Some(loss) = played.loss {
            lost.count(life.cause(&settings, &mut room));
            unaware.push(loss.unaware_us());
        }
        takeovers.extend(life.takeover_us(&settings, &mut room));
    }
    let formula = Formula::of(&settings);
    let load = Load {
        renewals_per_s: attempts as f64 * 1e6 / held_us.max(1) as f64,
        asks_per_s: match settings.waiter {
            Waiter::Asks { every_us } => 1e6 / every_us as f64,
            Waiter::Woken => 0.0,
        },
    };
    let mut outcome = Outcome {
        settings,
        complaints,
        life_us: life::length_us(&settings),
        lost,
        takeover: Spread::of(takeovers),
        takeover_bound_us: settings.takeover_bound_us(),
        unaware: Spread::of(unaware),
        load,
        formula,
        advice: Vec::new(),
        shown: Shown::draw(&settings, choice.number()),
    };
    outcome.advice = advice::of(&outcome);
    outcome
}

/// Which life is shown: the lost one whose holder went on longest without knowing; if none was lost, the first with a
/// failed renewal in it, or the first of all.
#[derive(Default)]
struct Choice {
    worst: Option<(u32, Loss)>,
    typical: Option<u32>,
}

impl Choice {
    fn see(&mut self, number: u32, played: &Played, failed: usize) {
        if let Some(loss) = played.loss {
            if self.worst.is_none_or(|(_, worst)| loss.unaware_us() > worst.unaware_us()) {
                self.worst = Some((number, loss));
            }
        } else if failed > 0 {
            self.typical = self.typical.or(Some(number));
        }
    }

    fn number(&self) -> u32 {
        self.worst.map(|(number, _)| number).or(self.typical).unwrap_or(0)
    }
}
