//! The picture of a trace at one step: the heads of the lanes, the shapes, the current row, a veil over what is still
//! to come.

use super::layout::{LaneKind, Layout};
use super::shapes::Shapes;
use super::steps::Move;
use std::rc::Rc;
use web_sys::{Element, MouseEvent};
use yew::prelude::*;

/// Height of the strip with the lanes' names.
const HEADS: i32 = 32;

/// The lanes' names, above the picture and as wide as it is. They stay in view while the picture scrolls.
pub fn heads(layout: &Layout) -> Html {
    let width = layout.width;
    html! {
        <div class="diagram">
            <svg class="diagram-heads" viewBox={format!("0 0 {width} {HEADS}")} width={width.to_string()} aria-hidden="true">
                { for layout.lanes.iter().map(|lane| {
                    let class = if lane.kind == LaneKind::Client { "tl-head tl-head-client" } else { "tl-head" };
                    html! { <text {class} text-anchor="middle" x={lane.x.to_string()} y="21">{ lane.name.clone() }</text> }
                }) }
            </svg>
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct DiagramProps {
    pub layout: Rc<Layout>,
    pub step: usize,
    pub on_move: Callback<Move>,
    /// The current row, which the player scrolls to.
    pub current: NodeRef,
}

#[component]
pub fn Diagram(DiagramProps { layout, step, on_move, current }: &DiagramProps) -> Html {
    let Layout { width, height, .. } = **layout;
    let row = layout.rows.get(*step);
    let (top, bottom) = row.map_or((0, height), |row| (row.top, row.bottom));
    let onclick = {
        let (layout, on_move) = (layout.clone(), on_move.clone());
        Callback::from(move |event: MouseEvent| {
            let Some(target) = event.target_dyn_into::<Element>() else { return };
            let Some(svg) = target.closest("svg").ok().flatten() else { return };
            let place = svg.get_bounding_client_rect();
            let y = (f64::from(event.client_y()) - place.top()) * f64::from(height) / place.height();
            if let Some(row) = layout.rows.iter().position(|row| y < f64::from(row.bottom)) {
                on_move.emit(Move::To(row));
            }
        })
    };
    html! {
        <div class="diagram">
            <svg class="diagram-body" viewBox={format!("0 0 {width} {height}")} width={width.to_string()}
                role="img" aria-label="Time-space diagram; the same as text is below" {onclick}>
                <rect class="tl-now" x="0" width={width.to_string()} y={top.to_string()} height={(bottom - top).to_string()} rx="4" />
                <Shapes layout={layout.clone()} />
                <rect class="tl-veil" x="0" width={width.to_string()} y={bottom.to_string()} height={(height - bottom).to_string()} />
                <rect ref={current.clone()} class="tl-now-edge" x="1" width={(width - 2).to_string()} y={(top + 1).to_string()} height={(bottom - top - 2).to_string()} rx="4" />
            </svg>
            <Legend />
        </div>
    }
}

#[component]
fn Legend() -> Html {
    let sign = |class: &'static str, words: &'static str| {
        html! { <li><svg width="14" height="16" aria-hidden="true"><rect {class} x="2" y="1" width="9" height="14" rx="2" /></svg>{ words }</li> }
    };
    html! {
        <ul class="legend">
            { sign("tl-lease", "lease") }
            { sign("tl-belief", "believes it holds the lock, and does") }
            { sign("tl-false-belief", "believes so, and does not") }
            { sign("tl-pause", "paused") }
        </ul>
    }
}
