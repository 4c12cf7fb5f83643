//! For whoever comes for the first time: what this is, what to do at once, and where else to go.

use super::{find, focus};
use crate::address;
use crate::settings;
use yew::prelude::*;

/// A few lines at the head of the first kata, until they are put away.
#[component]
pub fn Introduction() -> Html {
    let away = use_state(settings::introduced);
    if *away {
        return Html::default();
    }
    let onclick = Callback::from(move |_: MouseEvent| {
        settings::set_introduced();
        away.set(true);
        // The button that had the focus is gone.
        if let Some(chapter) = find("#chapter") {
            focus(&chapter);
        }
    });
    html! {
        <section class="introduction" aria-label="Introduction">
            <p>
                { "You write a distributed lock in Python. " }<b>{ "Run Tests" }</b>
                { " searches every short schedule, and draws the shortest one that breaks your code." }
            </p>
            <p class="only-wide">
                { "Press it before you change a line: the starter fails, and you see how a failure looks. Then fix it." }
            </p>
            <p>
                { "Or " }<a href={address::CONTENTS}>{ "read the book in order" }</a>{ ", " }
                <a href="#/practice">{ "practise for an interview" }</a>{ ", see " }
                <a href={address::MUSEUM}>{ "locks that failed in the wild" }</a>{ ", " }
                <a href="#/break">{ "break one yourself" }</a>{ ", or " }<a href="#/ttl">{ "choose a ttl" }</a>{ "." }
                <button type="button" class="quiet" {onclick}>{ "Put this away" }</button>
            </p>
        </section>
    }
}
