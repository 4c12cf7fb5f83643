//! The picture of a trace at one step: the heads of the lanes, the shapes, the current row, a veil over what is still
//! to come.

use super::layout::{Lane, LaneKind, Layout, Sign};
use super::shapes::{Shapes, n};
use super::signs::{meaning, sign};
use super::steps::Move;
use std::rc::Rc;
use web_sys::{Element, MouseEvent};
use yew::prelude::*;

/// Height of a line in the strip with the lanes' names.
const LINE: i32 = 14;

/// The lanes' names, above the picture and as wide as it is. They stay in view while the picture scrolls.
pub fn heads(layout: &Layout) -> Html {
    let lines = layout.lanes.iter().map(|lane| lane.head.len()).max().unwrap_or(1) as i32;
    let (width, height) = (layout.width, LINE * lines + 12);
    let name = |lane: &Lane| {
        let class = if lane.kind == LaneKind::Client { "tl-head tl-head-client" } else { "tl-head" };
        let x = n((lane.left + lane.right) / 2);
        let first = height - 8 - LINE * (lane.head.len() as i32 - 1);
        html! {
            <text {class} text-anchor="middle">
                <title>{ lane.name.clone() }</title>
                { for lane.head.iter().zip(0..).map(|(line, i)| html! {
                    <tspan x={x.clone()} y={n(first + LINE * i)}>{ line.clone() }</tspan>
                }) }
            </text>
        }
    };
    html! {
        <div class="diagram">
            <svg class="diagram-heads" viewBox={view(width, height)} width={n(width)} aria-hidden="true">
                { for layout.lanes.iter().map(name) }
            </svg>
        </div>
    }
}

fn view(width: i32, height: i32) -> String {
    ["0 0 ", &n(width), " ", &n(height)].concat()
}

#[derive(Properties, PartialEq)]
pub struct DiagramProps {
    pub layout: Rc<Layout>,
    pub step: usize,
    pub on_move: Callback<Move>,
    /// The current row, which the player scrolls to.
    pub current: NodeRef,
    /// Whether what is still to come is veiled.
    #[prop_or(true)]
    pub veiled: bool,
}

#[component]
pub fn Diagram(DiagramProps { layout, step, on_move, current, veiled }: &DiagramProps) -> Html {
    let Layout { width, height, .. } = **layout;
    let row = layout.rows.get(layout.row_of(*step));
    let (top, bottom) = row.map_or((0, height), |row| (row.top, row.bottom));
    let onclick = {
        let (layout, on_move) = (layout.clone(), on_move.clone());
        Callback::from(move |event: MouseEvent| {
            let Some(target) = event.target_dyn_into::<Element>() else { return };
            let Some(svg) = target.closest("svg").ok().flatten() else { return };
            let place = svg.get_bounding_client_rect();
            let y = (f64::from(event.client_y()) - place.top()) * f64::from(height) / place.height();
            if let Some(event) = layout.event_at(y as i32) {
                on_move.emit(Move::To(event));
            }
        })
    };
    html! {
        <div class="diagram">
            <svg class="diagram-body" viewBox={view(width, height)} width={n(width)}
                role="img" aria-label="Time-space diagram; the same as text is below" {onclick}>
                <rect class="tl-now" x="0" width={n(width)} y={n(top)} height={n(bottom - top)} rx="4" />
                <Shapes layout={layout.clone()} />
                if *veiled {
                    <rect class="tl-veil" x="0" width={n(width)} y={n(bottom)} height={n(height - bottom)} />
                }
                <rect ref={current.clone()} class="tl-now-edge" x="1" width={n(width - 2)} y={n(top + 1)} height={n(bottom - top - 2)} rx="4" />
            </svg>
            { legend(layout) }
        </div>
    }
}

// Only what occurs.
fn legend(layout: &Layout) -> Html {
    let item = |kind: &Sign| {
        html! {
            <li><svg width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true">{ sign(*kind) }</svg>{ meaning(*kind) }</li>
        }
    };
    html! { <ul class="legend">{ for layout.legend.iter().map(item) }</ul> }
}
