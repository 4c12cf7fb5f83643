use super::life::{Life, With};
use super::*;
use crate::random::split_mix;
use crate::time::SECOND_US;
use crate::trace::{Happening, Reply};

const MS: u64 = 1_000;

fn calm() -> Settings {
    Settings { pause_us: 0, failure_percent: 0, drift_ppm: 0, ..Settings::default() }
}

/// Settings from all over their bounds, the same on each run.
fn drawn(many: u64) -> impl Iterator<Item = Settings> {
    let mut state = 7;
    let mut upto = move |n: u64| {
        let (next, drawn) = split_mix(state);
        state = next;
        drawn % (n + 1)
    };
    (0..many).map(move |seed| {
        let ttl_us = SECOND_US + upto(60 * SECOND_US);
        let waiter = Waiter::Asks { every_us: 10 * MS + upto(5 * SECOND_US) };
        let settings = Settings {
            ttl_us,
            interval_us: ttl_us / 10 + upto(ttl_us),
            jitter_percent: upto(50) as u32,
            pause_us: upto(1) * upto(ttl_us * 3 / 2),
            drift_ppm: upto(1) as i32 * (upto(400_000) as i32 - 200_000),
            round_trip_us: upto(1) * upto(ttl_us / 4),
            failure_percent: (upto(1) * upto(100)) as u32,
            timeout_us: upto(ttl_us / 4),
            retry_us: upto(ttl_us / 4),
            waiter: if upto(3) == 0 { Waiter::Woken } else { waiter },
            seed,
        };
        settings.clamped().0
    })
}

/// Which lives are lost.
fn lost(settings: &Settings) -> Vec<bool> {
    let play = |number| Life::draw(settings, number).play(settings, With::ALL, &mut Vec::new());
    (0..LIVES).map(|number| play(number).loss.is_some()).collect()
}

#[test]
fn settings_within_the_bounds_are_played_as_they_are() {
    for settings in drawn(300).chain([Settings::default()]) {
        assert_eq!(settings.clamped(), (settings, vec![]));
    }
}

#[test]
fn settings_out_of_bounds_are_moved_with_a_reason_each() {
    let wild = Settings {
        ttl_us: 0,
        interval_us: u64::MAX,
        jitter_percent: 51,
        pause_us: u64::MAX,
        drift_ppm: i32::MIN,
        round_trip_us: u64::MAX,
        failure_percent: 101,
        timeout_us: u64::MAX,
        retry_us: u64::MAX,
        waiter: Waiter::Asks { every_us: 0 },
        seed: u64::MAX,
    };
    let outcome = simulate(&wild);
    let fields: Vec<Field> = outcome.complaints.iter().map(|c| c.field).collect();
    for field in [
        Field::Ttl,
        Field::Interval,
        Field::Jitter,
        Field::Pause,
        Field::Drift,
        Field::RoundTrip,
        Field::Failure,
        Field::Timeout,
        Field::Retry,
        Field::Waiter,
    ] {
        assert!(fields.contains(&field), "{field:?}");
    }
    assert!(outcome.complaints.iter().all(|c| c.reason.ends_with('.')));
    assert_eq!(outcome.settings.clamped(), (outcome.settings, vec![]));
}

#[test]
fn the_largest_settings_are_counted_without_overflow() {
    let hour = *bounds::TTL_US.end();
    let large = Settings {
        ttl_us: hour,
        interval_us: hour,
        jitter_percent: 50,
        pause_us: hour,
        drift_ppm: -200_000,
        round_trip_us: 10 * SECOND_US,
        failure_percent: 50,
        timeout_us: hour,
        retry_us: hour,
        waiter: Waiter::Asks { every_us: hour },
        seed: u64::MAX,
    };
    assert_eq!(simulate(&large).complaints, vec![]);
}

#[test]
fn the_same_settings_have_the_same_outcome_and_another_seed_another() {
    let settings = Settings { pause_us: 9 * SECOND_US, failure_percent: 20, ..Settings::default() };
    assert_eq!(simulate(&settings), simulate(&settings));
    assert_ne!(simulate(&settings).shown, simulate(&Settings { seed: 2, ..settings }).shown);
}

#[test]
fn nothing_is_lost_where_nothing_goes_wrong() {
    for settings in drawn(200) {
        let settings = Settings { pause_us: 0, failure_percent: 0, drift_ppm: 0, ..settings };
        let outcome = simulate(&settings);
        if outcome.formula.covers() {
            assert_eq!(outcome.lost.all.count, 0, "{settings:?}");
            assert_eq!((outcome.unaware, outcome.shown.cause), (None, None));
        }
        assert_eq!(outcome.lost.all, outcome.lost.interval);
    }
}

#[test]
fn where_the_formula_covers_a_pause_no_life_is_lost_to_it() {
    let mut covered = 0;
    for settings in drawn(2_000) {
        let settings = Settings { failure_percent: 0, ..settings };
        if Formula::of(&settings).covers() {
            covered += 1;
            assert!(!lost(&settings).contains(&true), "{settings:?}");
        }
    }
    assert!(covered > 200, "{covered}");
}

#[test]
fn at_the_least_ttl_the_formula_holds_and_just_below_it_does_not() {
    for settings in drawn(300) {
        let least = settings.least_ttl_us();
        let holds = |ttl_us| Formula::of(&settings.moved_to(ttl_us)).holds();
        assert!(holds(least) && !holds(least - 1), "{settings:?}");
    }
}

#[test]
fn with_the_ttl_that_is_advised_the_rule_holds_also_where_the_interval_grows_with_it() {
    let mut advised = 0;
    for seconds in [1, 5, 15, 60, 600] {
        for pause in [0, 1, 10, 130, 900] {
            for (jitter_percent, drift_ppm) in [(0, 0), (10, 0), (50, 200_000), (25, -150_000)] {
                for interval in [seconds * SECOND_US / 3, seconds * SECOND_US / 2, 2 * SECOND_US] {
                    let settings = Settings {
                        interval_us: interval,
                        pause_us: pause * SECOND_US,
                        jitter_percent,
                        drift_ppm,
                        ..Settings::with_ttl(seconds * SECOND_US)
                    };
                    advised += u32::from(advice_holds(&settings.clamped().0));
                }
            }
        }
    }
    assert!(advised > 100, "{advised}");
}

/// Whether a ttl was advised; then the rule holds with it.
fn advice_holds(settings: &Settings) -> bool {
    let outcome = simulate(settings);
    let Some((_, rest)) = outcome.advice[0].split_once("take a ttl of at least ") else { return false };
    let seconds: f64 = rest.split(' ').next().unwrap().parse().unwrap();
    let moved = settings.moved_to((seconds * SECOND_US as f64).round() as u64);
    let (within, complaints) = moved.clamped();
    assert!(Formula::of(&within).holds(), "{}\n{complaints:?}\n{settings:?}", outcome.advice[0]);
    true
}

#[test]
fn a_pause_is_called_longer_than_the_ttl_where_it_is() {
    let of = |pause_us| simulate(&Settings { pause_us, ..Settings::default() }).advice[0].clone();
    assert!(
        of(130 * SECOND_US).starts_with("A pause of 130 s is longer than the whole ttl"),
        "{}",
        of(130 * SECOND_US)
    );
    assert!(of(15 * SECOND_US).starts_with("A pause of 15 s is as long as the whole ttl"), "{}", of(15 * SECOND_US));
    assert!(of(3600 * SECOND_US).contains(": even a ttl of 3600 s is too short, or make"), "{}", of(3600 * SECOND_US));
}

#[test]
fn a_pause_longer_than_the_ttl_loses_every_life() {
    for settings in drawn(100) {
        let settings = Settings { pause_us: settings.ttl_us + settings.round_trip_us + 1, ..settings };
        assert_eq!(simulate(&settings).lost.all.share(), 1.0, "{settings:?}");
    }
}

#[test]
fn a_client_that_can_never_renew_loses_every_life() {
    for settings in drawn(100) {
        let settings = Settings { failure_percent: 100, ..settings };
        assert_eq!(simulate(&settings).lost.all.share(), 1.0, "{settings:?}");
    }
}

#[test]
fn a_life_that_a_shorter_ttl_keeps_is_kept_by_a_longer_one() {
    for settings in drawn(300) {
        // No more than ten renewals in a ttl: there the interval would move too.
        let longer = Settings { ttl_us: (settings.ttl_us * 5 / 4).min(settings.interval_us * 10), ..settings };
        let pairs = lost(&settings).into_iter().zip(lost(&longer));
        assert!(pairs.into_iter().all(|(short, long)| short || !long), "{settings:?}");
    }
}

#[test]
fn a_life_that_survives_a_pause_survives_a_shorter_one() {
    for settings in drawn(300) {
        let settings = Settings { failure_percent: 0, ..settings };
        let shorter = Settings { pause_us: settings.pause_us / 2, ..settings };
        let pairs = lost(&settings).into_iter().zip(lost(&shorter));
        assert!(pairs.into_iter().all(|(long, short)| long || !short), "{settings:?}");
    }
}

#[test]
fn failures_cost_more_the_more_there_are() {
    let counts: Vec<u32> = [0, 10, 30, 60, 90]
        .map(|failure_percent| simulate(&Settings { failure_percent, ..calm() }).lost.all.count)
        .to_vec();
    assert!(counts.is_sorted() && counts[0] == 0 && counts[4] == LIVES, "{counts:?}");
}

#[test]
fn a_slow_clock_renews_too_late_and_a_fast_one_does_not() {
    let tight = Settings { ttl_us: 10 * SECOND_US, interval_us: 9 * SECOND_US, jitter_percent: 0, ..calm() };
    let of = |drift_ppm| simulate(&Settings { drift_ppm, ..tight });
    assert_eq!(of(-150_000).lost.drift.share(), 1.0);
    assert_eq!(of(150_000).lost.all.count, 0);
    assert_eq!(of(0).lost.all.count, 0);
    // It finds out only when the service refuses its renewal.
    assert!(of(-150_000).unaware.unwrap().worst_us > 400 * MS);
}

#[test]
fn each_lost_life_has_one_cause() {
    for settings in drawn(100) {
        let lost = simulate(&settings).lost;
        let sum: u32 = Cause::ALL.iter().map(|cause| lost.by(*cause).count).sum();
        assert_eq!(sum, lost.all.count);
        assert!(lost.pause.count == 0 || settings.pause_us > 0);
        assert!(lost.failures.count == 0 || settings.failure_percent > 0);
        assert!(lost.drift.count == 0 || settings.drift_ppm != 0);
    }
}

#[test]
fn a_pause_and_a_failed_renewal_lose_together_what_neither_would_lose_alone() {
    let settings = Settings { pause_us: 8 * SECOND_US, failure_percent: 10, ..Settings::default() };
    let lost = simulate(&settings).lost;
    assert!(lost.together.count > 0 && lost.pause.count == 0, "{lost:?}");
}

#[test]
fn a_takeover_comes_within_a_ttl_and_one_ask() {
    for settings in drawn(200) {
        let outcome = simulate(&settings);
        let Some(takeover) = outcome.takeover else { continue };
        assert!(takeover.worst_us <= outcome.takeover_bound_us, "{settings:?}");
        let Waiter::Asks { every_us } = settings.waiter else { continue };
        assert_eq!(outcome.takeover_bound_us, settings.ttl_us + every_us + settings.round_trip_us);
        assert!(takeover.median_us <= takeover.worst_us);
    }
}

#[test]
fn a_waiter_that_is_woken_waits_no_longer_than_the_lease() {
    let settings = Settings { waiter: Waiter::Woken, round_trip_us: 0, ..calm() };
    let takeover = simulate(&settings).takeover.unwrap();
    assert!(takeover.worst_us <= settings.ttl_us);
    // A crash finds the lease between fresh and one interval old.
    assert!(takeover.median_us > settings.ttl_us - settings.interval_us * 11 / 10);
}

#[test]
fn a_holder_with_an_honest_clock_that_does_not_pause_knows_in_time() {
    for settings in drawn(200) {
        let settings = Settings { pause_us: 0, drift_ppm: 0, ..settings };
        let unaware = simulate(&settings).unaware.map_or(0, |spread| spread.worst_us);
        assert_eq!(unaware, 0, "{settings:?}");
    }
}

#[test]
fn a_paused_holder_knows_only_when_it_wakes() {
    let settings = Settings { pause_us: 40 * SECOND_US, failure_percent: 0, ..Settings::default() };
    let unaware = simulate(&settings).unaware.unwrap();
    assert!(unaware.worst_us <= 30 * SECOND_US + 600 * MS && unaware.median_us >= 25 * SECOND_US, "{unaware:?}");
}

#[test]
fn the_load_is_one_renewal_an_interval_and_more_where_some_fail() {
    let of = |failure_percent| simulate(&Settings { failure_percent, ..calm() }).load.renewals_per_s;
    assert!((0.19..0.21).contains(&of(0)), "{}", of(0));
    assert!(of(30) > of(0));
    assert_eq!(simulate(&calm()).load.asks_per_s, 1.0);
}

#[test]
fn an_interval_around_none_of_a_sample_still_has_a_width() {
    let (low, high) = Share { count: 0, of: 400 }.interval();
    assert!(low == 0.0 && (0.009..0.010).contains(&high), "{high}");
    let (low, high) = Share { count: 200, of: 400 }.interval();
    assert!((0.45..0.46).contains(&low) && (0.54..0.55).contains(&high));
    assert_eq!(Share { count: 400, of: 400 }.interval().1, 1.0);
}

#[test]
fn presets_lie_within_the_bounds_and_do_what_their_reasons_say() {
    for preset in PRESETS {
        let outcome = simulate(&preset.settings);
        assert_eq!(outcome.complaints, vec![], "{}", preset.name);
        let (broken, tight) = (preset.name.starts_with("Session"), preset.name.starts_with("Too tight"));
        assert_eq!(outcome.formula.holds(), !broken && !tight, "{}", preset.name);
        assert_eq!(outcome.formula.covers(), !tight, "{}", preset.name);
        let most = if tight { 1.0 } else { 0.1 };
        assert!(outcome.lost.all.share() <= most, "{}: {:?}", preset.name, outcome.lost);
        assert!(!tight || outcome.lost.all.share() > 0.5, "{:?}", outcome.lost);
    }
}

#[test]
fn advice_is_never_empty_and_asks_for_a_ttl_that_holds() {
    for settings in drawn(200) {
        let outcome = simulate(&settings);
        assert!((1..=4).contains(&outcome.advice.len()));
        assert!(outcome.advice.iter().all(|sentence| sentence.ends_with('.')));
        assert_eq!(
            outcome.formula.covers(),
            !outcome.advice[0].contains("take a ttl of at least"),
            "{:?}",
            outcome.advice
        );
        let says_none = outcome.advice.iter().any(|sentence| sentence.contains("none of 400"));
        assert!(!says_none || outcome.lost.all.count == 0);
    }
}

#[test]
fn the_life_that_is_shown_fits_its_outcome() {
    for settings in drawn(600) {
        let outcome = simulate(&settings);
        let trace = &outcome.shown.trace;
        assert!(trace.events.len() <= 200, "{}\n{}", trace.events.len(), trace.text());
        assert!(trace.events.is_sorted_by_key(|e| e.at_us));
        let is_lost = outcome.lost.all.count > 0;
        assert_eq!((outcome.shown.cause.is_some(), trace.first_bad.is_some()), (is_lost, is_lost));
        assert!(trace.witnesses.iter().all(|i| Some(*i) < trace.first_bad), "{}", trace.text());
        // Nothing that moved the lease is left out: it ends where the trace says so, not before.
        let moves = |e: &&crate::trace::Event| {
            matches!(&e.what, Happening::Served { client: 0, reply: Reply::Granted { .. } | Reply::Renewed { .. }, .. })
        };
        let until = |e: &crate::trace::Event| match &e.what {
            Happening::Served { reply: Reply::Granted { expires_us, .. } | Reply::Renewed { expires_us }, .. } => {
                *expires_us
            }
            _ => 0,
        };
        let moved: Vec<_> = trace.events.iter().filter(moves).collect();
        assert!(moved.windows(2).all(|pair| pair[1].at_us <= until(pair[0])), "{}", trace.text());
        assert!(trace.events[0].at_us == 0 && matches!(trace.events[0].what, Happening::Called { client: 0, .. }));
    }
}

/// When A's lease is over, and when B's begins.
fn handover(outcome: &Outcome) -> (u64, u64) {
    let events = &outcome.shown.trace.events;
    let is_over = |what: &Happening| {
        matches!(what, Happening::Expired { .. } | Happening::Served { client: 0, reply: Reply::Released, .. })
    };
    let over = events.iter().find(|e| is_over(&e.what)).unwrap().at_us;
    let begins = |what: &Happening| matches!(what, Happening::Served { client: 1, reply: Reply::Granted { .. }, .. });
    (over, events.iter().find(|e| begins(&e.what)).unwrap().at_us)
}

#[test]
fn b_is_granted_the_lock_when_the_lease_of_a_is_over_and_not_before() {
    for settings in drawn(300) {
        let settings = Settings { drift_ppm: 0, ..settings };
        let outcome = simulate(&settings);
        let (over, granted) = handover(&outcome);
        let wait = settings.takeover_bound_us() - settings.ttl_us;
        assert!(over <= granted && granted <= over + wait, "{}", outcome.shown.trace.text());
    }
}

#[test]
fn the_worst_life_of_a_long_pause_shows_two_who_believe_that_they_hold_the_lock() {
    let settings = Settings { pause_us: 20 * SECOND_US, failure_percent: 0, ..Settings::default() };
    let outcome = simulate(&settings);
    let trace = &outcome.shown.trace;
    assert_eq!(outcome.shown.cause, Some(Cause::Pause));
    assert!(matches!(trace.events[trace.first_bad.unwrap()].what, Happening::Expired { client: 0, .. }));
    assert!(matches!(trace.events[trace.witnesses[0]].what, Happening::Paused { client: 0, .. }));
    let believes = |who: usize, what: bool| {
        let is_it =
            |h: &Happening| matches!(h, Happening::Believes { client, holds, .. } if *client == who && *holds == what);
        trace.events.iter().position(|e| is_it(&e.what)).unwrap()
    };
    assert!(believes(1, true) < believes(0, false), "{}", trace.text());
}
