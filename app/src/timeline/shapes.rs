//! Draws a layout as SVG. Nothing here changes while the reader steps, so that a step costs the same for ten events
//! and for five hundred.

use super::layout::{
    Arrow, ArrowKind, Bar, BarKind, Break, Caption, CaptionKind, Lane, LaneKind, Layout, Mark, Row, Tip, Words,
};
use super::signs::sign;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub struct ShapesProps {
    pub layout: Rc<Layout>,
}

impl PartialEq for ShapesProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.layout, &other.layout)
    }
}

#[component]
pub fn Shapes(ShapesProps { layout }: &ShapesProps) -> Html {
    let lies_below = |bar: &&Bar| matches!(bar.kind, BarKind::Pause | BarKind::Down);
    let Layout { width, height, times, words, .. } = **layout;
    html! {
        <g>
            <defs>
                <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="tl-hatch-ground" width="6" height="6" />
                    <rect class="tl-hatch-stroke" width="2" height="6" />
                </pattern>
            </defs>
            { for layout.rows.iter().filter_map(|row| band(row, width)) }
            { for layout.bars.iter().filter(lies_below).map(bar) }
            { for layout.rivals.iter().map(|r| rect("tl-rivals", r.left, r.right, r.from, r.to)) }
            { for layout.lanes.iter().map(|l| lane(l, height)) }
            { for layout.bars.iter().filter(|bar| !lies_below(bar)).map(bar) }
            { for layout.breaks.iter().map(|gap| self::gap(gap, times, words)) }
            { for layout.arrows.iter().map(arrow) }
            { for layout.rows.iter().map(|r| row(r, words)) }
            if let Some(y) = layout.cut {
                <text class="tl-elapsed" x={n(words)} y={n(y)}>{ "… and so on" }</text>
            }
        </g>
    }
}

/// A number as an attribute.
pub fn n(number: i32) -> String {
    number.to_string()
}

fn rect(class: &'static str, left: i32, right: i32, from: i32, to: i32) -> Html {
    html! { <rect {class} x={n(left)} y={n(from)} width={n(right - left)} height={n((to - from).max(1))} rx="2" /> }
}

// Moves what is drawn around 0.
fn at(x: i32, y: i32) -> String {
    ["translate(", &n(x), " ", &n(y), ")"].concat()
}

fn line(class: &'static str, from: (i32, i32), to: (i32, i32)) -> Html {
    html! { <line {class} x1={n(from.0)} y1={n(from.1)} x2={n(to.0)} y2={n(to.1)} /> }
}

fn band(row: &Row, width: i32) -> Option<Html> {
    let class = match row.mark? {
        Mark::Bad => "tl-band-bad",
        Mark::Witness => "tl-band-witness",
    };
    Some(html! {
        <rect {class} x="0" y={n(row.top)} width={n(width)} height={n(row.bottom - row.top)} rx="4" />
    })
}

fn lane(lane: &Lane, height: i32) -> Html {
    if lane.threads.is_empty() {
        return line("tl-lane", (lane.x, 0), (lane.x, height));
    }
    lane.threads.iter().map(|thread| line("tl-lane", (thread.x, 0), (thread.x, height))).collect()
}

fn bar(bar: &Bar) -> Html {
    let class = match bar.kind {
        BarKind::Lease => "tl-lease",
        BarKind::Belief => "tl-belief",
        BarKind::FalseBelief => "tl-false-belief",
        BarKind::Validity => "tl-validity",
        BarKind::Pause => "tl-pause",
        BarKind::Cut => "tl-cut",
        BarKind::Down => "tl-down",
        BarKind::Mark => "tl-mark",
    };
    let is_process = matches!(bar.kind, BarKind::Pause | BarKind::Down | BarKind::Cut | BarKind::Validity);
    html! {
        <>
            { rect(class, bar.left, bar.right, bar.from, bar.to) }
            if bar.tick {
                { line(if bar.kind == BarKind::Lease { "tl-expiry" } else { "tl-deadline" }, (bar.left - 3, bar.to), (bar.right + 3, bar.to)) }
            }
            if bar.open && !is_process {
                // Torn off: it goes on when the trace ends.
                <path class="tl-torn" d="M-8 -2l4 4l4 -4l4 4l4 -4" transform={at((bar.left + bar.right) / 2, bar.to)} />
            }
            if let Some(tag) = &bar.tag {
                <text class="tl-tag" x={n(tag.x)} y={n(tag.y)}>{ tag.words.clone() }</text>
            }
        </>
    }
}

fn gap(gap: &Break, times: i32, words: i32) -> Html {
    let y = gap.y;
    html! {
        <>
            { line("tl-gap", (times, y), (words - 8, y)) }
            { line("tl-gap-edge", (times, y - 3), (words - 8, y - 3)) }
            { line("tl-gap-edge", (times, y + 3), (words - 8, y + 3)) }
            <path class="tl-break" d="M0 1l5 -5l0 8l5 -5" transform={at(8, y)} />
            <text class="tl-elapsed" x="23" y={n(y + 4)}><title>{ gap.exact.clone() }</title>{ gap.elapsed.clone() }</text>
        </>
    }
}

fn arrow(arrow: &Arrow) -> Html {
    let class = match arrow.kind {
        ArrowKind::Call => "tl-arrow tl-call",
        ArrowKind::Again => "tl-arrow tl-again",
        ArrowKind::Write => "tl-arrow tl-write",
        ArrowKind::Grant => "tl-arrow tl-grant",
        ArrowKind::Answer => "tl-arrow tl-answer",
        ArrowKind::Receipt => "tl-arrow tl-receipt",
        ArrowKind::Broken => "tl-arrow tl-broken",
    };
    let (x, y) = arrow.to;
    let angle = f64::from(y - arrow.from.1).atan2(f64::from(x - arrow.from.0)).to_degrees() as i32;
    let place = [&at(x, y), " rotate(", &n(angle), ")"].concat();
    html! {
        <g {class}>
            { line("", arrow.from, arrow.to) }
            if arrow.tip == Tip::Head {
                <path d="M1 0l-8 -3.7v7.4z" transform={place} />
            } else if arrow.tip == Tip::Lost {
                <path class="tl-lost" d="M-5 -5l10 10m0 -10l-10 10" transform={at(x, y)} />
            }
        </g>
    }
}

fn row(row: &Row, x: i32) -> Html {
    let y = row.y;
    html! {
        <>
            if let Some(time) = &row.time {
                <text class="tl-time" x="8" y={n(y + 4)}><title>{ time.exact.clone() }</title>{ time.shown.clone() }</text>
            }
            { for row.signs.iter().map(|(kind, x)| html! { <g transform={at(*x, y)}>{ sign(*kind) }</g> }) }
            if let Some((x, token)) = &row.coin {
                <circle class="tl-coin" cx={n(*x)} cy={n(y)} r="8" />
                <text class="tl-coin-token" text-anchor="middle" x={n(*x)} y={n(y + 4)}>{ token.clone() }</text>
            }
            { for row.captions.iter().map(|c| caption(c, x)) }
            { words(&row.words, x, y + 4) }
        </>
    }
}

fn caption(caption: &Caption, x: i32) -> Html {
    let class = match caption.kind {
        CaptionKind::Bad => "tl-caption tl-caption-bad",
        CaptionKind::Witness => "tl-caption tl-caption-witness",
        CaptionKind::Rivals => "tl-caption tl-caption-rivals",
    };
    html! { <text {class} x={n(x)} y={n(caption.y)}>{ caption.words.clone() }</text> }
}

fn words(words: &Words, x: i32, y: i32) -> Html {
    let class = match words.kind {
        LaneKind::Client => "tl-who tl-who-client",
        LaneKind::Server => "tl-who tl-who-server",
        LaneKind::Storage => "tl-who",
    };
    html! {
        <text class="tl-words" x={n(x)} y={n(y)}>
            <title>{ words.full.clone() }</title>
            <tspan {class}>{ words.actor.clone() }</tspan>
            { " " }{ words.text.clone() }
        </text>
    }
}
