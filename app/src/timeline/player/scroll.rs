//! Scrolls a player's own box, and nothing around it.

use web_sys::Element;

/// How much of what comes before and after a row is to be seen with it, in CSS pixels.
const BESIDE: f64 = 36.0;
/// Less than this is no place to show anything in.
const LEAST: f64 = 80.0;

/// Shows a row in its box; in the middle of what can be seen of the box, if the story opens there.
pub fn show(sight: &Element, row: &Element, opens: bool) {
    let place = sight.get_bounding_client_rect();
    let mut seen = Span { from: place.top(), to: place.bottom() };
    // The lanes' names stay above.
    if let Some(lanes) = sight.first_element_child() {
        seen.from += lanes.get_bounding_client_rect().height();
    }
    // Where the column around it ends, the box may go on out of sight.
    let around = sight.closest(".detail").ok().flatten().map(|detail| detail.get_bounding_client_rect());
    let to = around.map_or(seen.to, |around| around.bottom().min(seen.to));
    if to - seen.from >= LEAST {
        seen.to = to;
    }
    let row = row.get_bounding_client_rect();
    let by = scrolled(seen, Span { from: row.top(), to: row.bottom() }, opens);
    if by != 0.0 {
        sight.set_scroll_top(sight.scroll_top() + by.round() as i32);
    }
}

/// From here to there, in CSS pixels.
#[derive(Clone, Copy)]
struct Span {
    from: f64,
    to: f64,
}

// By how much to scroll, so that the row is seen.
fn scrolled(seen: Span, row: Span, to_the_middle: bool) -> f64 {
    let beside = BESIDE.min(((seen.to - seen.from) - (row.to - row.from)).max(0.0) / 2.0);
    let (above, below) = (row.from - beside - seen.from, row.to + beside - seen.to);
    if above >= 0.0 && below <= 0.0 {
        0.0
    } else if to_the_middle {
        f64::midpoint(row.from, row.to) - f64::midpoint(seen.from, seen.to)
    } else if above < 0.0 {
        above
    } else {
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Span = Span { from: 100.0, to: 300.0 };

    fn to(from: f64, to: f64, opens: bool) -> f64 {
        scrolled(SEEN, Span { from, to }, opens)
    }

    #[test]
    fn a_row_that_is_seen_moves_nothing() {
        assert_eq!(to(180.0, 208.0, false), 0.0);
        assert_eq!(to(180.0, 208.0, true), 0.0);
    }

    #[test]
    fn a_step_scrolls_as_little_as_it_takes_to_see_the_rows_beside_it() {
        assert_eq!(to(290.0, 318.0, false), 318.0 + BESIDE - 300.0);
        assert_eq!(to(90.0, 118.0, false), 90.0 - BESIDE - 100.0);
    }

    #[test]
    fn a_story_opens_with_its_row_in_the_middle() {
        assert_eq!(to(900.0, 920.0, true), 710.0);
    }

    #[test]
    fn of_a_row_that_is_too_tall_the_beginning_is_seen() {
        assert_eq!(to(90.0, 500.0, false), -10.0);
    }
}
