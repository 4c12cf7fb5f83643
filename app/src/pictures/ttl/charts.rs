//! Two bars: what the lives were lost to, and the sizing rule. Drawn on a scale of 1000, as wide as there is room.

use super::dials::time;
use super::words;
use leasehold_checker::sizing::{Cause, Formula, Losses, Outcome};
use yew::prelude::*;

/// The full width.
const WIDE: u64 = 1000;

/// A part of a bar.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is called in the style sheet.
    class: &'static str,
    /// Its name for people.
    name: &'static str,
    /// Its value for people.
    value: String,
    /// From where it goes, and how far.
    x: u64,
    width: u64,
}

/// Parts laid end to end; `full` fills the whole width. What is there is seen: no part is thinner than a hair.
fn laid(parts: impl IntoIterator<Item = (&'static str, &'static str, String, u64)>, full: u64) -> Vec<Part> {
    let mut x = 0;
    let full = u128::from(full.max(1));
    let scaled = |amount: u64| u64::try_from(u128::from(amount) * u128::from(WIDE) / full).unwrap_or(WIDE);
    let part = |(class, name, value, amount)| {
        let width = if amount == 0 { 0 } else { scaled(amount).max(3) };
        x += width;
        Part { class, name, value, x: x - width, width }
    };
    parts.into_iter().map(part).collect()
}

fn class(cause: Cause) -> &'static str {
    match cause {
        Cause::Interval => "ttl-interval",
        Cause::Pause => "ttl-pause",
        Cause::Failures => "ttl-failures",
        Cause::Drift => "ttl-drift",
        Cause::Together => "ttl-together",
    }
}

/// What the lives were lost to; nothing of causes that took none.
pub fn losses(lost: &Losses) -> Vec<Part> {
    let causes = Cause::ALL.map(|cause| (cause, lost.by(cause).count));
    let parts = causes.into_iter().filter(|(_, count)| *count > 0);
    let parts = parts.map(|(cause, count)| (class(cause), cause.words(), count.to_string(), u64::from(count)));
    laid(parts, lost.all.of.into())
}

/// The right side of the rule.
pub fn sum(formula: &Formula) -> Vec<Part> {
    let Formula { interval_us, pause_us, drift_us, round_trip_us, .. } = *formula;
    let terms = [
        ("ttl-interval", "longest interval", interval_us),
        ("ttl-pause", "pause", pause_us),
        ("ttl-drift", "drift in a ttl", drift_us),
        ("ttl-trip", "round trip", round_trip_us),
    ];
    laid(terms.map(|(class, name, us)| (class, name, time(us), us)), full(formula))
}

/// Both sides of the rule have the same scale.
fn full(formula: &Formula) -> u64 {
    formula.ttl_us.max(formula.sum_us())
}

/// The left side: how far the ttl goes, and where in it renewals are planned, at most so many that they can be told apart.
pub fn ttl(formula: &Formula, interval_us: u64) -> (u64, Vec<u64>) {
    let end = formula.ttl_us * WIDE / full(formula).max(1);
    let ticks = (1..=12).map(|n| n * interval_us).take_while(|at| *at < formula.ttl_us);
    (end, ticks.map(|at| at * WIDE / full(formula)).collect())
}

fn rect(class: &'static str, x: u64, y: u64, width: u64, height: u64) -> Html {
    html! { <rect {class} x={x.to_string()} y={y.to_string()} width={width.to_string()} height={height.to_string()} /> }
}

fn bar(parts: &[Part], height: u64) -> Html {
    parts.iter().filter(|part| part.width > 0).map(|part| rect(part.class, part.x, 2, part.width, height)).collect()
}

fn tick(class: &'static str, x: u64, from: u64, to: u64) -> Html {
    html! { <path {class} d={format!("M{x} {from}V{to}")} /> }
}

/// Swatches with names and values.
fn legend(parts: &[Part], after: Html) -> Html {
    html! {
        <ul class="ttl-legend">
            { for parts.iter().map(|part| html! {
                <li>
                    <svg width="12" height="12" aria-hidden="true"><rect class={part.class} width="12" height="12" /></svg>
                    { part.name }{ " " }<strong>{ part.value.clone() }</strong>
                </li>
            }) }
            { after }
        </ul>
    }
}

/// The share of lives that were lost, by cause, and how sure it is.
pub fn lost(outcome: &Outcome) -> Html {
    let parts = losses(&outcome.lost);
    let (low, high) = outcome.lost.all.interval();
    let at = |share: f64| (share * WIDE as f64).round() as u64;
    let (low, high) = (at(low), at(high));
    html! {
        <>
            <svg class="ttl-bar" viewBox="0 0 1000 36" preserveAspectRatio="none" aria-hidden="true">
                { rect("ttl-track", 0, 2, WIDE, 24) }
                { bar(&parts, 24) }
                <path class="ttl-sure" d={format!("M{low} 32H{high}M{low} 28V36M{high} 28V36")} />
            </svg>
            <p class="ttl-scale" aria-hidden="true"><span>{ "0" }</span><span>{ "half of the lives" }</span><span>{ "all" }</span></p>
            { legend(&parts, Html::default()) }
            <p class="ttl-faint">{ words::how_sure(outcome.lost.all) }</p>
        </>
    }
}

/// The sizing rule: the sum above, the ttl with its renewals below.
pub fn rule(outcome: &Outcome) -> Html {
    let formula = &outcome.formula;
    let parts = sum(formula);
    let (end, ticks) = ttl(formula, outcome.settings.interval_us);
    let sum_end = parts.last().map_or(0, |part| part.x + part.width).min(WIDE);
    let total = html! { <li>{ "together " }<strong>{ time(formula.sum_us()) }</strong></li> };
    html! {
        <>
            <svg class="ttl-bar" viewBox="0 0 1000 58" preserveAspectRatio="none" aria-hidden="true">
                { bar(&parts, 24) }
                if sum_end > end {
                    { rect("ttl-over", end, 2, sum_end - end, 24) }
                }
                { rect("ttl-ttl", 0, 31, end, 24) }
                { for ticks.iter().map(|x| tick("ttl-tick", *x, 31, 55)) }
                { tick("ttl-end", end, 0, 58) }
            </svg>
            { legend(&parts, total) }
            <ul class="ttl-legend">
                <li>
                    <svg width="12" height="12" aria-hidden="true"><rect class="ttl-ttl" width="12" height="12" /></svg>
                    { "ttl " }<strong>{ time(formula.ttl_us) }</strong>{ ", with a line for each planned renewal" }
                </li>
            </ul>
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leasehold_checker::sizing::{PRESETS, Settings, simulate};

    #[test]
    fn parts_lie_end_to_end_and_within_the_width() {
        for preset in PRESETS {
            let outcome = simulate(&preset.settings);
            for parts in [losses(&outcome.lost), sum(&outcome.formula)] {
                let mut end = 0;
                for part in parts {
                    assert_eq!(part.x, end, "{}: {part:?}", preset.name);
                    end = part.x + part.width;
                }
                // A hair for each part that would not be seen.
                assert!(end <= WIDE + 12, "{}: {end}", preset.name);
            }
        }
    }

    #[test]
    fn what_is_small_is_seen_and_what_is_nothing_is_not() {
        let widths: Vec<u64> = laid([1, 0, 999_999].map(|amount| ("", "", String::new(), amount)), 1_000_000)
            .iter()
            .map(|p| p.width)
            .collect();
        assert_eq!(widths, [3, 0, 999]);
    }

    #[test]
    fn a_renewal_at_the_very_end_of_the_ttl_is_none_in_time() {
        let outcome = simulate(&Settings::with_ttl(9_000_000));
        assert_eq!(ttl(&outcome.formula, 3_000_000), (1000, vec![333, 666]));
        let late =
            simulate(&Settings { pause_us: 18_000_000, jitter_percent: 0, round_trip_us: 0, ..outcome.settings });
        assert_eq!(ttl(&late.formula, 3_000_000), (428, vec![142, 285]));
    }

    #[test]
    fn bounds_do_not_overflow() {
        let hour = 3_600_000_000;
        let widest = Settings { interval_us: hour, pause_us: hour, drift_ppm: -200_000, ..Settings::with_ttl(hour) };
        let outcome = simulate(&widest);
        assert_eq!(ttl(&outcome.formula, hour).1, Vec::<u64>::new());
        assert_eq!(sum(&outcome.formula).len(), 4);
    }
}
