//! The places of the run in its picture, for the mouse: a mark on the lane of whoever is about to act, over the row of
//! what it is about to do. The list beside the picture has the same for everybody else.

use super::game::Msg;
use super::level::Attack;
use crate::timeline::layout::{Layout, layout};
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

/// Distance of marks that would stand on one another.
const APART: i32 = 17;

#[derive(Properties)]
pub struct MarkersProps {
    /// The shown run.
    pub run: Rc<Attack>,
    /// The current place.
    pub at: usize,
    /// The points where something is placed.
    pub taken: Vec<String>,
    /// Nothing can be placed: it is not the player's run.
    pub is_fixed: bool,
    /// In it is the picture.
    pub board: NodeRef,
    /// Opens a place.
    pub send: Callback<Msg>,
}

impl PartialEq for MarkersProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.run, &other.run)
            && (self.at, self.is_fixed, &self.taken) == (other.at, other.is_fixed, &other.taken)
    }
}

/// Where the mark of each point stands, from the points' events and clients.
fn spots(layout: &Layout, points: impl Iterator<Item = (usize, usize)>) -> Vec<(i32, i32)> {
    let mut spots: Vec<(i32, i32)> = Vec::new();
    for (event, client) in points {
        let x = layout.lanes.get(client).map_or(0, |lane| lane.x);
        let row = layout.rows.iter().find(|row| row.events.contains(&event));
        let y = row.map_or(layout.height, |row| row.top);
        let shift = (0..).map(|n| x - n * APART).find(|x| !spots.contains(&(*x, y)));
        spots.push((shift.unwrap_or(x), y));
    }
    spots
}

#[component]
pub fn Markers(props: &MarkersProps) -> Html {
    let MarkersProps { run, at, taken, is_fixed, board, send } = props;
    let picture = use_state(|| None::<Element>);
    let spots = use_memo(ByPointer(run.clone()), |ByPointer(run)| {
        spots(&layout(&run.trace), run.points.iter().map(|place| (place.event, place.client)))
    });
    {
        // The picture is another component's: it may come later than this, and be another one later.
        let (picture, board) = (picture.clone(), board.clone());
        use_effect(move || {
            let found = board.cast::<Element>().and_then(|board| board.query_selector(".diagram-body").ok().flatten());
            if found != *picture {
                picture.set(found);
            }
        });
    }
    let Some(host) = (*picture).clone() else { return Html::default() };
    let marks = run.points.iter().zip(&*spots).enumerate().filter_map(|(i, (place, (x, y)))| {
        let is_taken = taken.contains(&place.point);
        if *is_fixed && !is_taken {
            return None;
        }
        let class = match (i == *at, is_taken) {
            (true, true) => "spot spot-here spot-taken",
            (true, false) => "spot spot-here",
            (false, true) => "spot spot-taken",
            (false, false) => "spot",
        };
        let onclick = send.reform(move |event: MouseEvent| {
            // The row below it would be gone to as well.
            event.stop_propagation();
            Msg::Open(i)
        });
        let sign = if is_taken { "M-2.5 -2.5l5 5M2.5 -2.5l-5 5" } else { "M-3.5 0h7M0 -3.5v7" };
        Some(html! {
            <g {class} transform={["translate(", &x.to_string(), " ", &y.to_string(), ")"].concat()} {onclick}>
                <circle class="spot-reach" r="12" /><circle class="spot-disc" r="7" /><path d={sign} />
                <title>{ place.what.clone() }</title>
            </g>
        })
    });
    create_portal(html! { <g class="spots" aria-hidden="true">{ for marks }</g> }, host)
}

/// Two runs are the same only if they are one.
struct ByPointer(Rc<Attack>);

impl PartialEq for ByPointer {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::fixtures;

    #[test]
    fn marks_stand_over_their_rows_and_never_on_one_another() {
        let layout = layout(&fixtures::takeover());
        let spots = spots(&layout, [(0, 0), (2, 0), (2, 0), (4, 1), (99, 1)].into_iter());
        let (a, b) = (layout.lanes[0].x, layout.lanes[1].x);
        let top = |event: usize| layout.rows[layout.row_of(event)].top;
        assert_eq!(spots, [(a, top(0)), (a, top(2)), (a - APART, top(2)), (b, top(4)), (b, layout.height)]);
    }
}
