//! Days and times of day where the learner is, in figures.

const DAY_MS: i64 = 86_400_000;

/// A day as a number, where midnight is that of the learner: `behind` is how many minutes the place is behind UTC, as
/// browsers tell it.
pub fn day(ms: u64, behind: i32) -> u32 {
    u32::try_from(local(ms, behind).div_euclid(DAY_MS)).unwrap_or(0)
}

/// `2026-11-30`.
pub fn date(day: u32) -> String {
    // Howard Hinnant's "civil from days", from the first of March of the year 0.
    let days = i64::from(day) + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    [padded(year + era * 400 + carry), padded(month), padded(of_month)].join("-")
}

/// `14:05`.
pub fn time_of_day(ms: u64, behind: i32) -> String {
    let minutes = local(ms, behind).rem_euclid(DAY_MS) / 60_000;
    [padded(minutes / 60), padded(minutes % 60)].join(":")
}

/// Minutes and seconds as a clock has them: `4:05`.
pub fn clock(seconds: u64) -> String {
    [(seconds / 60).to_string(), padded((seconds % 60) as i64)].join(":")
}

/// The same in words: `4 min 5 s`.
pub fn length(seconds: u64) -> String {
    match (seconds / 60, seconds % 60) {
        (0, seconds) => [seconds.to_string().as_str(), " s"].concat(),
        (minutes, 0) => [minutes.to_string().as_str(), " min"].concat(),
        (minutes, seconds) => [&minutes.to_string(), " min ", &seconds.to_string(), " s"].concat(),
    }
}

fn local(ms: u64, behind: i32) -> i64 {
    i64::try_from(ms).unwrap_or(0).saturating_sub(i64::from(behind) * 60_000)
}

fn padded(n: i64) -> String {
    [if n < 10 { "0" } else { "" }, &n.to_string()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (day, text) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (20_787, "2026-11-30"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(day), text);
        }
        assert!(!date(u32::MAX).is_empty());
    }

    #[test]
    fn a_day_begins_at_the_learners_midnight() {
        let late = 20_787 * 86_400_000 - 30 * 60_000;
        assert_eq!(day(late, 0), 20_786);
        assert_eq!(day(late, -60), 20_787);
        assert_eq!(day(late, 60), 20_786);
        assert_eq!((time_of_day(late, 0), time_of_day(late, -60)), ("23:30".into(), "00:30".into()));
        assert_eq!((day(0, 60), day(u64::MAX, 0)), (0, 0));
    }

    #[test]
    fn lengths_are_told_in_minutes_and_seconds() {
        assert_eq!([0, 65, 600].map(clock), ["0:00", "1:05", "10:00"]);
        assert_eq!([0, 65, 600].map(length), ["0 s", "1 min 5 s", "10 min"]);
    }
}
