//! Times as a picture says them: short, and never on the wrong side of a boundary.

use crate::words;
use leasehold_checker::time::{SECOND_US, seconds};

/// A moment: `12.03 s`. Where that would make it a whole second that it is not, it has more decimals.
pub fn moment(us: u64) -> String {
    rounded(us, 10_000)
}

/// The same with a decimal more, for a moment that would look like the one before it.
pub fn finer(us: u64) -> String {
    rounded(us, 1_000)
}

// To steps of so many microseconds, or the next finer ones.
fn rounded(us: u64, step: u64) -> String {
    if us < SECOND_US {
        return below_a_second(us);
    }
    let near = us.saturating_add(step / 2) / step * step;
    if step > 1 && near != us && near.is_multiple_of(SECOND_US) {
        return rounded(us, if step > 1_000 { 1_000 } else { 1 });
    }
    grouped(&seconds(near))
}

/// How much time passes: `+16 ms`, `+9 s`, `+2.5 h`. Rounded.
pub fn elapsed(us: u64) -> String {
    let unit = [(172_800, 86_400, " d"), (7_200, 3_600, " h"), (180, 60, " min")]
        .into_iter()
        .find(|(from, ..)| us >= from * SECOND_US);
    let Some((_, size, name)) = unit else {
        let shown = if us < SECOND_US { below_a_second(us) } else { seconds((us + 5_000) / 10_000 * 10_000) };
        return ["+", &shown].concat();
    };
    let tenths = us / (size * SECOND_US / 10);
    let (whole, rest) = ((tenths / 10).to_string(), tenths % 10);
    if rest == 0 { ["+", &whole, name].concat() } else { ["+", &whole, ".", &rest.to_string(), name].concat() }
}

// Whole milliseconds, or what is left of one where that is all there is.
fn below_a_second(us: u64) -> String {
    match us {
        0 => "0 s".to_owned(),
        1..500 => [&us.to_string(), " µs"].concat(),
        999_500.. => seconds(us),
        _ => [&((us + 500) / 1_000).to_string(), " ms"].concat(),
    }
}

// 1000012.5 as 1,000,012.5.
fn grouped(number: &str) -> String {
    let whole = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    if whole < 5 {
        return number.to_owned();
    }
    let (whole, rest) = number.split_at(whole);
    whole.parse().map_or_else(|_| number.to_owned(), |whole| words::grouped(whole) + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_short_and_stay_on_their_side_of_a_boundary() {
        let shown = [0, 15_625, 12_031_250, 9_984_375, 6_001_250, 9_999_999, 10_000_001, 999_999, 10_000_000];
        let expected =
            ["0 s", "16 ms", "12.03 s", "9.98 s", "6.001 s", "9.999999 s", "10.000001 s", "0.999999 s", "10 s"];
        assert_eq!(shown.map(moment), expected);
        assert_eq!((moment(1_000_012_500_000), finer(12_031_250)), ("1,000,012.5 s".to_owned(), "12.031 s".to_owned()));
    }

    #[test]
    fn the_end_of_time_can_be_told() {
        assert_eq!(
            (moment(u64::MAX), elapsed(u64::MAX)),
            ("18,446,744,073,709.55 s".to_owned(), "+213503982.3 d".to_owned())
        );
    }

    #[test]
    fn what_passes_is_rounded_to_its_size() {
        let passed = [15_625, 1, 3_377_708, 9_000_000, 90_000_000, 600_000_000, 9_000_000_000, 260_000_000_000];
        let expected = ["+16 ms", "+1 µs", "+3.38 s", "+9 s", "+90 s", "+10 min", "+2.5 h", "+3 d"];
        assert_eq!(passed.map(elapsed), expected);
    }
}
