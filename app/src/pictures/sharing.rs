//! What a reader can do with a run beside looking at it: make a link to it, or compare it.

mod link;

pub use link::ShareLink;

use super::compare::Compare;
use super::link::SharedRun;
use crate::components::focus;
use std::rc::Rc;
use yew::prelude::*;

/// For the player of a run: buttons for its bar, and what they open, which stands over it.
pub struct Sharing {
    pub buttons: Html,
    pub panel: Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Panel {
    Link,
    Compare,
}

/// `data` is what the picture is told, and `run` what a link to it holds; nothing where no code stands beside the picture.
#[hook]
pub fn use_sharing(data: &AttrValue, run: Option<Rc<SharedRun>>) -> Sharing {
    // Belongs to this run: with another one shown it is closed.
    let open = use_state(|| (AttrValue::default(), None::<Panel>));
    let buttons = [use_node_ref(), use_node_ref()];
    let Some(run) = &run else { return Sharing { buttons: Html::default(), panel: Html::default() } };
    let shown = open.1.filter(|_| open.0 == *data);
    let toggle = {
        let (open, data) = (open.clone(), data.clone());
        Callback::from(move |panel: Option<Panel>| open.set((data.clone(), panel)))
    };
    let button = |panel: Panel, place: &NodeRef, words: &'static str, title: &'static str| {
        let is_open = shown == Some(panel);
        let onclick = toggle.reform(move |_| (!is_open).then_some(panel));
        html! {
            <button ref={place} type="button" class="step" {title} aria-expanded={is_open.to_string()} {onclick}>{ words }</button>
        }
    };
    let on_close = |place: &NodeRef| {
        let place = place.clone();
        toggle.reform(move |()| {
            // What had the focus goes away.
            if let Some(button) = place.cast::<web_sys::Element>() {
                focus(&button);
            }
            None
        })
    };
    Sharing {
        buttons: html! {
            <div class="steps" role="group" aria-label="This run">
                { button(Panel::Link, &buttons[0], "Share", "A link to this run, with its code") }
                { button(Panel::Compare, &buttons[1], "Compare", "The same schedule on another version of the code") }
            </div>
        },
        panel: panel(shown, run, [on_close(&buttons[0]), on_close(&buttons[1])]),
    }
}

fn panel(shown: Option<Panel>, run: &Rc<SharedRun>, [close_link, close_compare]: [Callback<()>; 2]) -> Html {
    match shown {
        Some(Panel::Link) => html! { <ShareLink run={run.clone()} on_close={close_link} /> },
        Some(Panel::Compare) => html! {
            <Compare run={run.clone()} name="the code of this run" own="your code now" on_close={close_compare} />
        },
        None => Html::default(),
    }
}
