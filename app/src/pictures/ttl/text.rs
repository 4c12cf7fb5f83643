//! Settings as a short text, for the address: the name of a preset, or what differs from a usual client of that ttl, such as
//! `ttl=10s,pause=2s,fail=5`.

use super::dials;
use leasehold_checker::sizing::{Field, PRESETS, Preset, Settings, Waiter};

/// What stands before each value.
const KEYS: [(&str, Field); 10] = [
    ("ttl", Field::Ttl),
    ("every", Field::Interval),
    ("jitter", Field::Jitter),
    ("pause", Field::Pause),
    ("drift", Field::Drift),
    ("rtt", Field::RoundTrip),
    ("fail", Field::Failure),
    ("timeout", Field::Timeout),
    ("retry", Field::Retry),
    ("asks", Field::Waiter),
];
/// A waiter that is told.
const WOKEN: &str = "woken";
/// More complaints than that would not be read.
const MOST: usize = 3;
/// No value is larger: far out of bounds, and far from overflow.
const LARGEST: f64 = 1e13;

/// A preset's name in the address: `watchdog-30-s`.
pub fn slug(preset: &Preset) -> String {
    let words = preset.name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// The text; none for the settings that an address without one stands for.
pub fn write(settings: &Settings) -> String {
    if let Some(preset) = PRESETS.iter().find(|preset| preset.settings == *settings) {
        return slug(preset);
    }
    let usual = |field| if field == Field::Ttl { Settings::default() } else { Settings::with_ttl(settings.ttl_us) };
    let mut parts = Vec::new();
    for (key, field) in KEYS {
        let value = dials::value(settings, field);
        if value == dials::value(&usual(field), field) {
            continue;
        }
        parts.push(match (field, settings.waiter) {
            (Field::Waiter, Waiter::Woken) => WOKEN.to_owned(),
            _ => [key, "=", &number(field, value)].concat(),
        });
    }
    parts.join(",")
}

fn number(field: Field, value: i64) -> String {
    let (value, unit) = match value {
        _ if matches!(field, Field::Jitter | Field::Failure | Field::Drift) => (value, ""),
        _ if value % 1_000_000 == 0 => (value / 1_000_000, "s"),
        _ if value % 1_000 == 0 => (value / 1_000, "ms"),
        _ => (value, "us"),
    };
    [&value.to_string(), unit].concat()
}

/// The settings that such a text stands for, and what of it could not be read.
pub fn read(text: &str) -> (Settings, Vec<String>) {
    if let Some(preset) = PRESETS.iter().find(|preset| slug(preset) == text) {
        return (preset.settings, Vec::new());
    }
    let mut said = Vec::new();
    let mut values = Vec::new();
    let mut woken = false;
    for part in text.split(',').filter(|part| !part.is_empty()) {
        if part == WOKEN {
            woken = true;
        } else if let Some(value) = pair(part) {
            values.push(value);
        } else if said.len() < MOST {
            let part: String = part.chars().take(24).collect();
            said.push(["The address says “", &part, "”, which means nothing here. It was left out."].concat());
        }
    }
    let ttl = values.iter().rev().find(|(field, _)| *field == Field::Ttl);
    let mut settings = Settings::default();
    if let Some((field, ttl)) = ttl {
        dials::set(&mut settings, *field, *ttl);
        // So that thirds and fifteenths are those of a ttl that can be played.
        settings = Settings { ttl_us: settings.ttl_us, ..Settings::with_ttl(settings.clamped().0.ttl_us) };
    }
    for (field, value) in values {
        dials::set(&mut settings, field, value);
    }
    if woken {
        settings.waiter = Waiter::Woken;
    }
    (settings, said)
}

fn pair(part: &str) -> Option<(Field, i64)> {
    let (key, text) = part.split_once('=')?;
    let (_, field) = *KEYS.iter().find(|(name, _)| *name == key)?;
    let end = text.find(|c: char| c.is_ascii_alphabetic() || c == '%').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let is_time = !matches!(field, Field::Jitter | Field::Failure | Field::Drift);
    let scale = match unit {
        "" | "s" if is_time => 1e6,
        "ms" if is_time => 1e3,
        "us" if is_time => 1.0,
        "" | "%" | "ppm" if !is_time => 1.0,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    // Not a number is no number in bounds either; a time below 0 is the least that there is.
    let value = (number * scale).round();
    value.is_finite().then(|| (field, value.clamp(-LARGEST, LARGEST) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_from_their_text() {
        for preset in PRESETS {
            assert_eq!(read(&write(&preset.settings)), (preset.settings, vec![]), "{}", preset.name);
            let other = Settings { pause_us: 1_234_567, drift_ppm: -40, ..preset.settings };
            assert_eq!(read(&write(&other)), (other, vec![]), "{}", write(&other));
        }
        assert_eq!(read(""), (Settings::default(), vec![]));
    }

    #[test]
    fn only_what_differs_from_a_usual_client_is_written() {
        assert_eq!(write(&Settings::default()), "");
        let ten = Settings::with_ttl(10_000_000);
        assert_eq!(write(&ten), "ttl=10s");
        let other = Settings { pause_us: 250_000, failure_percent: 5, waiter: Waiter::Woken, ..ten };
        assert_eq!(write(&other), "ttl=10s,pause=250ms,fail=5,woken");
        let slugs: Vec<String> = PRESETS.iter().map(slug).collect();
        assert_eq!(slugs[1], "watchdog-30-s");
        assert!(slugs.iter().all(|slug| slug.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')), "{slugs:?}");
    }

    #[test]
    fn numbers_may_be_written_in_several_ways() {
        assert_eq!(read("ttl=2.5,pause=300ms").0, read("ttl=2500ms,pause=0.3s").0);
        assert_eq!(read("fail=5%,ttl=10s").0, read("ttl=10s,fail=5").0);
    }

    #[test]
    fn what_means_nothing_is_said_and_left_out() {
        let (settings, said) = read("ttl=10s,color=red,pause=long,fail=NaN");
        assert_eq!(settings, Settings::with_ttl(10_000_000));
        assert_eq!(said.len(), 3);
        assert!(said[0].contains("“color=red”"), "{said:?}");
    }

    #[test]
    fn no_text_makes_it_fall_over() {
        let long = "x".repeat(100_000);
        let many = "a,".repeat(9_000);
        let texts =
            ["=", ",,,", "ttl=", "ttl=1e300s", "ttl=-5s", "drift=-1e99", "fail=1e18", "ttl=0,every=0", "%F0%9F", "é=ü"];
        for text in texts.into_iter().chain([long.as_str(), many.as_str()]) {
            let (settings, said) = read(text);
            assert!(said.len() <= MOST);
            let (clamped, _) = settings.clamped();
            assert_eq!(clamped.clamped().1, []);
        }
    }
}
