//! What came of it, in sentences.

use super::dials::{decimal, time};
use leasehold_checker::sizing::{Formula, Outcome, Share, Spread, Waiter};

/// How many lives were lost.
pub fn lost(outcome: &Outcome) -> String {
    let Share { count, of } = outcome.lost.all;
    match count {
        0 => format!("None of {of} live holders lost its lock."),
        1 => format!("One of {of} live holders lost its lock."),
        _ if count == of => format!("Every one of {of} live holders lost its lock."),
        _ => format!("{count} of {of} live holders lost their lock: {}.", percent(outcome.lost.all.share())),
    }
}

/// Where the true share lies.
pub fn how_sure(share: Share) -> String {
    let (low, high) = share.interval();
    if share.count == 0 {
        return format!("With so many lives tried, the true share is below {}.", percent(high));
    }
    if share.count == share.of {
        return format!("With so many lives tried, the true share is above {}.", percent(low));
    }
    format!("With so many lives tried, the true share lies between {} and {}.", percent(low), percent(high))
}

/// A share, to the tenth where it is small.
pub fn percent(share: f64) -> String {
    let thousandths = (share * 1000.0).round() as u64;
    let tenths = if thousandths < 100 { thousandths } else { (thousandths + 5) / 10 * 10 };
    [&decimal(tenths), " %"].concat()
}

/// Whether the rule holds.
pub fn rule(outcome: &Outcome) -> String {
    let formula = &outcome.formula;
    let spare = time(formula.spare_us().unsigned_abs());
    if !formula.covers() {
        return match formula.spare_us() {
            0 => "The rule does not hold: nothing is left over.".to_owned(),
            _ => format!("The rule does not hold: {spare} are missing."),
        };
    }
    if formula.three_intervals {
        format!("The rule holds, with {spare} to spare.")
    } else {
        format!("The sum fits with {spare} to spare, but fewer than three intervals fit into the ttl.")
    }
}

/// The rule in words, and with these settings' numbers.
pub fn sum(outcome: &Outcome) -> String {
    let Formula { ttl_us, interval_us, pause_us, drift_us, round_trip_us, .. } = outcome.formula;
    let terms = [interval_us, pause_us, drift_us, round_trip_us].map(time).join(" + ");
    [
        "The rule: the ttl is longer than the longest interval, the pause, the drift and a round trip together, and three \
         intervals fit into it. Here ",
        &terms,
        " make ",
        &time(outcome.formula.sum_us()),
        ", and the ttl is ",
        &time(ttl_us),
        ".",
    ]
    .concat()
}

/// How long the next holder waits after a crash.
pub fn takeover(outcome: &Outcome) -> String {
    let bound = time(outcome.takeover_bound_us);
    match outcome.takeover {
        Some(Spread { median_us, worst_us }) => {
            format!("{} in the median, {} at worst, never more than {bound}", time(median_us), time(worst_us))
        }
        None => format!("never more than {bound}; no life here came to its crash"),
    }
}

/// How long a holder that lost its lease goes on.
pub fn unaware(outcome: &Outcome) -> String {
    match outcome.unaware {
        None => "no lease was lost".to_owned(),
        Some(Spread { worst_us: 0, .. }) => "each knew in time".to_owned(),
        Some(Spread { median_us, worst_us }) => {
            format!("{} in the median, {} at worst", time(median_us), time(worst_us))
        }
    }
}

/// What the service has to do for one lock.
pub fn load(outcome: &Outcome) -> String {
    let renewals = rate(outcome.load.renewals_per_s);
    match outcome.settings.waiter {
        Waiter::Asks { .. } => format!("{renewals} to renew, {} from each waiter", rate(outcome.load.asks_per_s)),
        Waiter::Woken => format!("{renewals} to renew, none from waiters"),
    }
}

fn rate(per_s: f64) -> String {
    if per_s < 1.0 {
        return format!("one call every {}", time((1e6 / per_s.max(1e-9)) as u64));
    }
    match (per_s * 10.0).round() as u64 {
        10 => "one call a second".to_owned(),
        tenths => format!("{} calls a second", decimal(tenths)),
    }
}

/// What one sees in the life that is shown.
pub fn shown(outcome: &Outcome) -> String {
    match outcome.shown.cause {
        Some(cause) => format!("The lease was lost here, because of this: {}.", cause.words()),
        None if outcome.lost.all.count == 0 => {
            "None of the lives was lost. In this one, A renews until its work is done.".to_owned()
        }
        None => "In this one, A renews until its work is done.".to_owned(),
    }
}

/// All of it in one breath, for those who hear it.
pub fn summary(outcome: &Outcome) -> String {
    [&lost(outcome), " ", &rule(outcome), " After a crash the next holder waits ", &takeover(outcome), "."].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use leasehold_checker::sizing::{PRESETS, Settings, simulate};

    fn outcome(settings: Settings) -> Outcome {
        simulate(&settings)
    }

    #[test]
    fn a_lease_that_suits_its_pause_is_told_so() {
        let outcome = outcome(Settings { failure_percent: 0, ..Settings::default() });
        assert_eq!(
            summary(&outcome),
            "None of 400 live holders lost its lock. The rule holds, with 7.48 s to spare. After a crash the next holder \
             waits 13.25 s in the median, 15.9 s at worst, never more than 16.02 s."
        );
        assert_eq!(how_sure(outcome.lost.all), "With so many lives tried, the true share is below 1 %.");
        assert_eq!(unaware(&outcome), "no lease was lost");
        let load = load(&outcome);
        assert!(
            load.starts_with("one call every ") && load.ends_with(", one call a second from each waiter"),
            "{load}"
        );
    }

    #[test]
    fn a_pause_as_long_as_the_ttl_loses_every_life() {
        let outcome = outcome(Settings { pause_us: 20_000_000, ..Settings::default() });
        assert_eq!(lost(&outcome), "Every one of 400 live holders lost its lock.");
        assert!(rule(&outcome).starts_with("The rule does not hold: 10.52 s"), "{}", rule(&outcome));
        assert_eq!(shown(&outcome), "The lease was lost here, because of this: the pause.");
    }

    #[test]
    fn the_rule_is_named_with_its_numbers() {
        let told = sum(&outcome(Settings::default()));
        assert!(told.contains("Here 5.5 s + 2 s + 0 s + 20 ms make 7.52 s, and the ttl is 15 s."), "{told}");
    }

    #[test]
    fn shares_are_told_to_the_tenth_where_they_are_small() {
        let cases = [(0.0, "0 %"), (0.0095, "1 %"), (0.0325, "3.3 %"), (0.126, "13 %"), (1.0, "100 %")];
        for (share, words) in cases {
            assert_eq!(percent(share), words);
        }
    }

    #[test]
    fn every_preset_is_told() {
        for preset in PRESETS {
            let outcome = outcome(preset.settings);
            for sentence in [lost(&outcome), rule(&outcome), takeover(&outcome), load(&outcome), shown(&outcome)] {
                assert!((10..200).contains(&sentence.len()), "{sentence}");
            }
        }
    }
}
