//! The sliders: what each sets, over which values, and how a value is told.

use leasehold_checker::sizing::{Field, Settings, Waiter, bounds};
use leasehold_checker::time::{SECOND_US, seconds};

/// One slider.
#[derive(Debug, PartialEq, Eq)]
pub struct Dial {
    /// What it sets.
    pub field: Field,
    /// Its name.
    pub name: &'static str,
    /// What that means, in a few words.
    pub means: &'static str,
}

/// What is always there.
pub const DIALS: [Dial; 7] = [
    Dial { field: Field::Ttl, name: "ttl", means: "how long a grant or a renewal lasts" },
    Dial { field: Field::Interval, name: "Renewal interval", means: "from one renewal to the next" },
    Dial { field: Field::Jitter, name: "Jitter", means: "each interval is up to so much shorter or longer" },
    Dial { field: Field::Pause, name: "Pause", means: "the whole process stands still, once in a life" },
    Dial { field: Field::Drift, name: "Client's clock", means: "against the service's clock" },
    Dial { field: Field::RoundTrip, name: "Round trip", means: "to the service and back" },
    Dial { field: Field::Failure, name: "Failed renewals", means: "of all attempts, lost on the way" },
];

/// What is there for those who ask.
pub const MORE: [Dial; 2] = [
    Dial { field: Field::Timeout, name: "Timeout", means: "until an attempt counts as failed" },
    Dial { field: Field::Retry, name: "Retry delay", means: "from a failed attempt to the next" },
];

/// How often a waiter asks, if it does.
pub const ASKS: Dial = Dial { field: Field::Waiter, name: "A waiter asks every", means: "from one try to the next" };

/// Between two decades: steps that look even on a logarithmic scale and are numbers that people would choose.
const SERIES: [u64; 25] =
    [10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 25, 27, 30, 33, 36, 40, 45, 50, 55, 60, 65, 70, 75, 80, 90];
/// What a clock can be slow or fast by, in millionths.
const DRIFTS: [i64; 12] = [0, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 20_000, 100_000, 200_000];

/// The values that a slider goes through, rising.
pub fn stops(field: Field) -> Vec<i64> {
    match field {
        Field::Jitter => (0..=i64::from(*bounds::JITTER_PERCENT.end())).collect(),
        Field::Failure => (0..=i64::from(*bounds::FAILURE_PERCENT.end())).collect(),
        Field::Drift => DRIFTS[1..].iter().rev().map(|ppm| -ppm).chain(DRIFTS).collect(),
        Field::Ttl => times(*bounds::TTL_US.start(), *bounds::TTL_US.end()),
        Field::Interval => times(*bounds::INTERVAL_US.start(), *bounds::INTERVAL_US.end()),
        Field::Waiter => times(*bounds::EVERY_US.start(), *bounds::EVERY_US.end()),
        Field::Pause => times_and_none(10_000, *bounds::PAUSE_US.end()),
        Field::RoundTrip => times_and_none(1_000, *bounds::ROUND_TRIP_US.end()),
        Field::Timeout => times_and_none(10_000, *bounds::TIMEOUT_US.end()),
        Field::Retry => times_and_none(10_000, *bounds::RETRY_US.end()),
    }
}

fn times_and_none(least_us: u64, most_us: u64) -> Vec<i64> {
    std::iter::once(0).chain(times(least_us, most_us)).collect()
}

fn times(least_us: u64, most_us: u64) -> Vec<i64> {
    let decades = std::iter::successors(Some(100), |unit: &u64| Some(unit * 10));
    let all = decades.flat_map(|unit| SERIES.map(|step| step * unit));
    let mut stops: Vec<i64> = all
        .skip_while(|us| *us < least_us)
        .take_while(|us| *us < most_us)
        .map(|us| i64::try_from(us).unwrap_or(i64::MAX))
        .collect();
    stops.push(i64::try_from(most_us).unwrap_or(i64::MAX));
    stops
}

/// Which of the stops lies nearest.
pub fn nearest(stops: &[i64], value: i64) -> usize {
    let above = stops.partition_point(|stop| *stop < value);
    match (above.checked_sub(1).map(|below| stops[below]), stops.get(above)) {
        (Some(below), Some(stop)) if value - below < stop - value => above - 1,
        (Some(_), None) => above - 1,
        _ => above,
    }
}

/// A setting as a number in its unit.
pub fn value(settings: &Settings, field: Field) -> i64 {
    let time = |us: u64| i64::try_from(us).unwrap_or(i64::MAX);
    match field {
        Field::Ttl => time(settings.ttl_us),
        Field::Interval => time(settings.interval_us),
        Field::Jitter => settings.jitter_percent.into(),
        Field::Pause => time(settings.pause_us),
        Field::Drift => settings.drift_ppm.into(),
        Field::RoundTrip => time(settings.round_trip_us),
        Field::Failure => settings.failure_percent.into(),
        Field::Timeout => time(settings.timeout_us),
        Field::Retry => time(settings.retry_us),
        Field::Waiter => match settings.waiter {
            Waiter::Asks { every_us } => time(every_us),
            Waiter::Woken => 0,
        },
    }
}

/// Sets one. A number that the field's type can't hold becomes one that is out of bounds, which is said when it is played.
pub fn set(settings: &mut Settings, field: Field, value: i64) {
    let time = u64::try_from(value).unwrap_or_default();
    let percent = u32::try_from(value).unwrap_or(u32::MAX);
    match field {
        Field::Ttl => settings.ttl_us = time,
        Field::Interval => settings.interval_us = time,
        Field::Jitter => settings.jitter_percent = percent,
        Field::Pause => settings.pause_us = time,
        Field::Drift => settings.drift_ppm = i32::try_from(value).unwrap_or(i32::MAX),
        Field::RoundTrip => settings.round_trip_us = time,
        Field::Failure => settings.failure_percent = percent,
        Field::Timeout => settings.timeout_us = time,
        Field::Retry => settings.retry_us = time,
        Field::Waiter => settings.waiter = Waiter::Asks { every_us: time },
    }
}

/// A value as it stands beside its slider.
pub fn told(field: Field, value: i64) -> String {
    let magnitude = value.unsigned_abs();
    match field {
        Field::Jitter => ["± ", &magnitude.to_string(), " %"].concat(),
        Field::Failure => [&magnitude.to_string(), " %"].concat(),
        Field::Drift if value == 0 => "runs evenly".to_owned(),
        Field::Drift => {
            let way = if value < 0 { " slow" } else { " fast" };
            let (number, unit) = if magnitude < 1_000 {
                (magnitude.to_string(), " ppm")
            } else {
                // Tenths of a percent are the finest that the slider goes through.
                (decimal(magnitude / 1_000), " %")
            };
            [&number, unit, way].concat()
        }
        Field::Pause if value == 0 => "none".to_owned(),
        _ => time(magnitude),
    }
}

/// Tenths as a number with a decimal, if it says something.
pub fn decimal(tenths: u64) -> String {
    let (whole, rest) = (tenths / 10, tenths % 10);
    if rest == 0 { whole.to_string() } else { [&whole.to_string(), ".", &rest.to_string()].concat() }
}

/// A time for people: milliseconds below a second, hundredths of a second above.
pub fn time(us: u64) -> String {
    match us {
        0 => "0 s".to_owned(),
        1..1_000 => "under 1 ms".to_owned(),
        1_000..10_000 => [&decimal((us + 50) / 100), " ms"].concat(),
        10_000..999_500 => [&((us + 500) / 1_000).to_string(), " ms"].concat(),
        _ => {
            let unit = SECOND_US / 100;
            seconds((us + unit / 2) / unit * unit)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leasehold_checker::sizing::PRESETS;

    const ALL: [Field; 10] = [
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
    ];

    #[test]
    fn stops_rise_and_reach_from_bound_to_bound() {
        for field in ALL {
            let stops = stops(field);
            assert!(stops.is_sorted_by(|a, b| a < b), "{field:?}: {stops:?}");
            assert!((10..150).contains(&stops.len()), "{field:?}: {}", stops.len());
        }
        let ttl = stops(Field::Ttl);
        assert_eq!((ttl[0], ttl[ttl.len() - 1]), (100_000, 3_600_000_000));
        assert_eq!(stops(Field::Pause)[..3], [0, 10_000, 11_000]);
    }

    #[test]
    fn a_stop_is_nearest_to_itself_and_what_lies_between_goes_to_the_nearer_one() {
        for field in ALL {
            let stops = stops(field);
            for (i, stop) in stops.iter().enumerate() {
                assert_eq!(nearest(&stops, *stop), i);
            }
        }
        assert_eq!([-5, 0, 4, 6, 99].map(|value| nearest(&[0, 10, 20], value)), [0, 0, 0, 1, 2]);
    }

    #[test]
    fn what_is_set_is_read_back() {
        for field in ALL {
            for stop in stops(field) {
                let mut settings = Settings::default();
                set(&mut settings, field, stop);
                assert_eq!(value(&settings, field), stop, "{field:?}");
            }
        }
    }

    #[test]
    fn presets_are_told_in_round_numbers() {
        for preset in PRESETS {
            for field in ALL {
                let told = told(field, value(&preset.settings, field));
                assert!(told.len() <= 12, "{}: {told}", preset.name);
            }
        }
    }

    #[test]
    fn times_are_told_for_people() {
        let cases = [
            (0, "0 s"),
            (250, "under 1 ms"),
            (1_500, "1.5 ms"),
            (20_000, "20 ms"),
            (999_600, "1 s"),
            (6_666_667, "6.67 s"),
            (3_600_000_000, "3600 s"),
        ];
        for (us, words) in cases {
            assert_eq!(time(us), words);
        }
    }

    #[test]
    fn a_clock_is_slow_or_fast() {
        let drift = |ppm| told(Field::Drift, ppm);
        assert_eq!([0, -500, 5_000].map(drift), ["runs evenly", "500 ppm slow", "0.5 % fast"]);
    }
}
