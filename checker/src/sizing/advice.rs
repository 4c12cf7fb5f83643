//! What to do about settings, in sentences.

use super::{Cause, Outcome, Waiter, bounds};
use crate::time::{SECOND_US, seconds};

/// More would not be read.
const MOST: usize = 4;

/// One to four sentences, the most important first.
pub(super) fn of(outcome: &Outcome) -> Vec<String> {
    let rules: [fn(&Outcome) -> Option<String>; 8] =
        [covers, intervals, failures, drift, unaware, fits, takeover, load];
    rules.iter().filter_map(|rule| rule(outcome)).take(MOST).collect()
}

fn covers(outcome: &Outcome) -> Option<String> {
    let (s, formula) = (&outcome.settings, &outcome.formula);
    if formula.covers() {
        return None;
    }
    let longer = longer(outcome);
    if s.pause_us >= s.ttl_us {
        let than = if s.pause_us > s.ttl_us { "longer than" } else { "as long as" };
        return Some(format!(
            "A pause of {} is {than} the whole ttl, so no rhythm of renewals survives it: {longer}, or make the work bear a \
             takeover.",
            seconds(s.pause_us)
        ));
    }
    let short = match formula.spare_us().unsigned_abs() {
        0 => "and the ttl is no longer".to_owned(),
        us => format!("{} more than the ttl", at_least(us)),
    };
    let sum = near(formula.sum_us());
    let sooner = sooner(outcome).map(|us| format!(", or renew every {}", at_most(us))).unwrap_or_default();
    Some(format!("Interval, pause, drift and round trip make {sum} together, {short}: {longer}{sooner}."))
}

/// What to do about a ttl that is too short. With the ttl that it names the rule holds, also where the interval grows with it.
fn longer(outcome: &Outcome) -> String {
    let s = &outcome.settings;
    // Where the sum is rounded up, a few microseconds more may hold a little less.
    let least = at_least(s.least_ttl_us() + 5);
    if s.least_ttl_us() + 10_000 > *bounds::TTL_US.end() {
        return format!("even a ttl of {} is too short", seconds(*bounds::TTL_US.end()));
    }
    let third = if s.renews_at_thirds() { ", still renewed every third of it" } else { "" };
    format!("take a ttl of at least {least}{third}")
}

/// The longest interval for which the rule would hold with this ttl, if there is one worth naming.
fn sooner(outcome: &Outcome) -> Option<u64> {
    let (s, formula) = (&outcome.settings, &outcome.formula);
    let others = formula.sum_us() - formula.interval_us;
    let room = s.ttl_us.checked_sub(others + 1)?;
    let interval = (room * 100 / u64::from(100 + s.jitter_percent)).min(s.ttl_us / 3);
    (interval >= s.ttl_us / 10 && room > s.round_trip_us).then_some(interval)
}

fn intervals(outcome: &Outcome) -> Option<String> {
    let s = &outcome.settings;
    if outcome.formula.three_intervals || s.pause_us >= s.ttl_us {
        return None;
    }
    if s.interval_us >= s.ttl_us {
        return Some(format!(
            "The renewal comes when the lease is over already: renew every {}, a third of the ttl.",
            near(s.ttl_us / 3)
        ));
    }
    let tenths = s.ttl_us * 10 / s.interval_us;
    Some(format!(
        "Only {} intervals fit into the ttl. With three, a failed renewal can be made good before the deadline: renew \
         every {}.",
        tenths as f64 / 10.0,
        near(s.ttl_us / 3)
    ))
}

fn failures(outcome: &Outcome) -> Option<String> {
    let s = &outcome.settings;
    let lost = outcome.lost.by(Cause::Failures);
    let together = outcome.lost.by(Cause::Together);
    if s.failure_percent == 0 || (lost.count + together.count) * 100 < lost.of {
        return None;
    }
    let each = s.timeout_us + s.retry_us;
    let more = s.ttl_us.saturating_sub(s.interval_us).div_ceil(each.max(1));
    let attempts = if more == 1 { "1 attempt".to_owned() } else { format!("{more} attempts") };
    let what = if lost.count >= together.count {
        "Failed renewals alone cost leases here"
    } else {
        "A failed renewal and a pause together cost leases that neither would cost alone"
    };
    Some(format!(
        "{what}: between the planned renewal and the deadline there is time for {attempts}. A shorter timeout or retry \
         delay gives more of them, and so does a shorter interval."
    ))
}

fn drift(outcome: &Outcome) -> Option<String> {
    let s = &outcome.settings;
    // Below that, the answer's way home hides it.
    if s.drift_ppm >= 0 || outcome.formula.drift_us <= s.round_trip_us {
        return None;
    }
    Some(format!(
        "The client's clock is slow, so it may believe in a lease for {} longer than the service does: let it count with \
         a ttl that is shorter by that.",
        at_least(outcome.formula.drift_us)
    ))
}

fn unaware(outcome: &Outcome) -> Option<String> {
    let worst = outcome.unaware?.worst_us;
    (worst > 0).then(|| {
        format!(
            "In the worst life the holder went on for {} after its lease was over. No ttl closes that window; a storage \
             that rejects old fencing tokens does.",
            near(worst)
        )
    })
}

fn fits(outcome: &Outcome) -> Option<String> {
    let lost = outcome.lost.all;
    let spare = near(outcome.formula.spare_us().unsigned_abs());
    let lives = match lost.count {
        0 => format!("and none of {} lives was lost", lost.of),
        count => {
            format!("yet of {} lives {count} ended early: it reckons with a pause, not with failed renewals", lost.of)
        }
    };
    outcome.formula.holds().then(|| format!("The rule holds with {spare} to spare, {lives}."))
}

fn takeover(outcome: &Outcome) -> Option<String> {
    let s = &outcome.settings;
    let least = s.least_ttl_us().max(100_000);
    // Only where the wait is the ttl's doing, and a much shorter one would do.
    if !outcome.formula.holds() || least * 2 > s.ttl_us {
        return None;
    }
    let asks = match s.waiter {
        Waiter::Asks { .. } => "",
        Waiter::Woken => ", though it is woken",
    };
    Some(format!(
        "After a crash a waiter may be blocked for {}{asks}: with this {}pause a ttl of {} would do.",
        near(outcome.takeover_bound_us),
        if s.renews_at_thirds() { "" } else { "interval and this " },
        at_least(least + 5)
    ))
}

fn load(outcome: &Outcome) -> Option<String> {
    let per_s = outcome.load.renewals_per_s;
    (per_s >= 1.0).then(|| {
        format!(
            "A thousand such locks ask the service for {} renewals a second: see that it can bear that when a network \
             comes back.",
            (per_s * 1000.0) as u64
        )
    })
}

/// Exact enough to read: milliseconds, from a second on hundredths of one.
fn near(us: u64) -> String {
    let unit = unit(us);
    seconds((us + unit / 2) / unit * unit)
}

/// The same, never less than it is.
fn at_least(us: u64) -> String {
    let unit = unit(us);
    seconds(us.div_ceil(unit) * unit)
}

/// The same, never more than it is.
fn at_most(us: u64) -> String {
    let unit = unit(us);
    seconds(us / unit * unit)
}

fn unit(us: u64) -> u64 {
    match us {
        0..1_000 => 1,
        1_000..SECOND_US => 1_000,
        _ => 10_000,
    }
}
