//! A bar between two areas that can be dragged, or moved by keys once it has the focus. Where it was put is remembered.

use crate::storage::{self, LAYOUT};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Which way the areas lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Side by side.
    Columns,
    /// One above the other.
    Rows,
}

/// See [`Splitter`].
#[derive(Properties, PartialEq)]
pub struct SplitterProps {
    /// Which way the areas lie.
    pub axis: Axis,
    /// What it separates, for assistive technology.
    pub label: &'static str,
    /// The id of the area before it.
    pub controls: &'static str,
    /// The custom property of the parent that carries the share of the area before it.
    pub property: &'static str,
    /// The share in percent until somebody moves it; the style sheet has the same.
    pub share: i32,
}

const MIN: i32 = 20;
const MAX: i32 = 80;
const STEP: i32 = 2;

/// A separator that can be moved.
#[component]
pub fn Splitter(props: &SplitterProps) -> Html {
    let key = [LAYOUT, props.controls].concat();
    let moved = use_state(|| {
        let kept = storage::text(&key).ok().flatten()?.parse::<i32>().ok()?;
        (MIN..=MAX).contains(&kept).then_some(kept)
    });
    let bar = use_node_ref();
    let share = moved.unwrap_or(props.share);
    {
        let (bar, property) = (bar.clone(), props.property);
        use_effect_with(*moved, move |moved| {
            let parent = bar.cast::<Element>().and_then(|bar| bar.parent_element());
            if let (Some(share), Some(parent)) = (moved, parent) {
                // Fails for no value that we give.
                let _ = parent.unchecked_into::<HtmlElement>().style().set_property(property, &format!("{share}%"));
            }
        });
    }
    let set = {
        let moved = moved.clone();
        move |share: i32| {
            let share = share.clamp(MIN, MAX);
            moved.set(Some(share));
            // What can't be kept is only where a bar stands.
            let _ = storage::set_text(&key, &share.to_string());
        }
    };
    let axis = props.axis;
    let onkeydown = {
        let set = set.clone();
        Callback::from(move |e: KeyboardEvent| {
            let to = match (axis, e.key().as_str()) {
                (Axis::Columns, "ArrowLeft") | (Axis::Rows, "ArrowUp") => share - STEP,
                (Axis::Columns, "ArrowRight") | (Axis::Rows, "ArrowDown") => share + STEP,
                (_, "Home") => MIN,
                (_, "End") => MAX,
                _ => return,
            };
            e.prevent_default();
            set(to);
        })
    };
    let onpointerdown = Callback::from(|e: PointerEvent| {
        if let Some(bar) = e.target_dyn_into::<Element>() {
            e.prevent_default();
            // Without the capture a fast drag only ends early.
            let _ = bar.set_pointer_capture(e.pointer_id());
        }
    });
    let onpointermove = Callback::from(move |e: PointerEvent| {
        let Some(bar) = e.target_dyn_into::<Element>().filter(|bar| bar.has_pointer_capture(e.pointer_id())) else {
            return;
        };
        let Some(parent) = bar.parent_element() else { return };
        let all = parent.get_bounding_client_rect();
        let part = match axis {
            Axis::Columns => (f64::from(e.client_x()) - all.left()) / all.width(),
            Axis::Rows => (f64::from(e.client_y()) - all.top()) / all.height(),
        };
        set((part * 100.0).round() as i32);
    });
    let (class, orientation) = match axis {
        Axis::Columns => ("splitter splitter-columns", "vertical"),
        Axis::Rows => ("splitter splitter-rows", "horizontal"),
    };
    html! {
        <div ref={bar} {class} role="separator" tabindex="0" aria-orientation={orientation} aria-label={props.label}
            aria-controls={props.controls} aria-valuemin={MIN.to_string()} aria-valuemax={MAX.to_string()}
            aria-valuenow={share.to_string()} {onkeydown} {onpointerdown} {onpointermove}></div>
    }
}
