//! Draws a layout as SVG. Nothing here changes while the reader steps, so that a step costs the same for ten events
//! and for five hundred.

use super::layout::{ArrowKind, Bar, BarKind, Break, Figure, Layout, Mark, Row};
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
    let height = layout.height;
    html! {
        <g>
            <defs>
                <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="tl-hatch-ground" width="6" height="6" />
                    <rect class="tl-hatch-stroke" width="2" height="6" />
                </pattern>
            </defs>
            { for layout.rows.iter().filter_map(|row| band(row, layout.width)) }
            { for layout.lanes.iter().map(|lane| html! {
                <line class="tl-lane" x1={n(lane.x)} x2={n(lane.x)} y1="0" y2={n(height)} />
            }) }
            { for layout.bars.iter().filter(|bar| bar.kind == BarKind::Pause).map(bar) }
            { for layout.bars.iter().filter(|bar| bar.kind != BarKind::Pause).map(bar) }
            { for layout.breaks.iter().map(gap) }
            { for layout.rows.iter().map(row) }
        </g>
    }
}

fn n(number: i32) -> String {
    number.to_string()
}

fn text(class: &'static str, x: i32, y: i32, words: &str) -> Html {
    html! { <text {class} x={n(x)} y={n(y)}>{ words.to_owned() }</text> }
}

fn band(row: &Row, width: i32) -> Option<Html> {
    let (class, caption, words) = match row.mark? {
        Mark::Bad => ("tl-band-bad", "tl-caption tl-caption-bad", "✗ here it breaks"),
        Mark::Witness => ("tl-band-witness", "tl-caption tl-caption-witness", "◆ because of this"),
    };
    Some(html! {
        <>
            <rect {class} x="0" y={n(row.top)} width={n(width)} height={n(row.bottom - row.top)} rx="4" />
            <text class={caption} text-anchor="end" x={n(width - 8)} y={n(row.top + 13)}>{ words }</text>
        </>
    })
}

fn bar(bar: &Bar) -> Html {
    let (class, half) = match bar.kind {
        BarKind::Lease => ("tl-lease", 5),
        BarKind::Belief => ("tl-belief", 4),
        BarKind::FalseBelief => ("tl-false-belief", 4),
        BarKind::Pause => ("tl-pause", 12),
    };
    let height = (bar.to - bar.from).max(1);
    html! {
        <>
            <rect {class} x={n(bar.x - half)} y={n(bar.from)} width={n(2 * half)} height={n(height)} rx="2" />
            if bar.open {
                // Torn off: it goes on when the trace ends.
                <path class="tl-torn" d={format!("M{} {} l4 4 l4 -4 l4 4 l4 -4", bar.x - 8, bar.to - 2)} />
            }
        </>
    }
}

fn gap(gap: &Break) -> Html {
    let y = gap.y;
    html! {
        <>
            <path class="tl-break" d={format!("M6 {} l8 -5 l0 8 l8 -5", y + 1)} />
            { text("tl-elapsed", 27, y + 4, &gap.elapsed) }
            <line class="tl-gap" x1="76" x2="2000" y1={n(y)} y2={n(y)} />
        </>
    }
}

fn row(row: &Row) -> Html {
    let y = row.y;
    html! {
        <>
            if let Some(time) = &row.time {
                { text("tl-time", 8, y + 4, time) }
            }
            { figure(&row.figure, y) }
        </>
    }
}

fn figure(figure: &Figure, y: i32) -> Html {
    match figure {
        Figure::Arrow { from, to, label, kind } => {
            let class = match kind {
                ArrowKind::Call => "tl-arrow tl-call",
                ArrowKind::Grant => "tl-arrow tl-grant",
                ArrowKind::Answer => "tl-arrow tl-answer",
                ArrowKind::Broken => "tl-arrow tl-broken",
            };
            html! { <>{ arrow(class, *from, *to, y, 7) }{ beside(*from, *to, y, label) }</> }
        }
        Figure::Note { x, label } => text("tl-label", *x, y + 4, label),
        Figure::Expiry { x, label } => html! {
            <>
                <line class="tl-expiry" x1={n(x - 10)} x2={n(x + 10)} y1={n(y)} y2={n(y)} />
                { text("tl-label", x + 16, y + 4, label) }
            </>
        },
        Figure::Write { from, to, label, accepted, high_water } => {
            let (sign, word) = if *accepted {
                (html! { <circle class="tl-accepted" cx={n(*to)} cy={n(y)} r="6" /> }, "accepted")
            } else {
                let d = format!("M{} {} l10 10 m0 -10 l-10 10", to - 5, y - 5);
                (html! { <path class="tl-rejected" {d} /> }, "rejected")
            };
            html! {
                <>
                    { arrow("tl-arrow tl-write", *from, *to, y, 9) }
                    { sign }
                    { beside(*from, *to, y, label) }
                    { text("tl-outcome", to + 14, y - 5, word) }
                    { text("tl-mark", to + 14, y + 7, high_water) }
                </>
            }
        }
    }
}

// A horizontal arrow that keeps clear of what stands in both lanes.
fn arrow(class: &'static str, from: i32, to: i32, y: i32, clear: i32) -> Html {
    let way = (to - from).signum();
    let (from, tip) = (from + way * 7, to - way * clear);
    let head = format!("M{tip} {y} l{} -4.5 l0 9 z", -8 * way);
    html! {
        <g {class}>
            <line x1={n(from)} x2={n(tip - 6 * way)} y1={n(y)} y2={n(y)} />
            <path d={head} />
        </g>
    }
}

// Words over an arrow, beside the client whose arrow it is: clients stand left of what they talk to.
fn beside(from: i32, to: i32, y: i32, words: &str) -> Html {
    text("tl-label", from.min(to) + 12, y - 6, words)
}
