//! What the learner must be told, above everything else.

use crate::state::{Msg, Notice};
use yew::prelude::*;

/// See [`Notices`].
#[derive(Properties, PartialEq)]
pub struct NoticesProps {
    /// The notices, oldest first.
    pub notices: Vec<Notice>,
    /// Hears what is chosen.
    pub on_msg: Callback<Msg>,
}

/// A strip for each notice, with a button to put it away, or two where it offers two versions of the code.
#[component]
pub fn Notices(NoticesProps { notices, on_msg }: &NoticesProps) -> Html {
    if notices.is_empty() {
        return Html::default();
    }
    html! { <section aria-label="Notices">{ for notices.iter().map(|notice| strip(notice, on_msg)) }</section> }
}

fn strip(notice: &Notice, on_msg: &Callback<Msg>) -> Html {
    let (keep, take) = notice.choices();
    let button = |words: &'static str, msg: fn(Notice) -> Msg| {
        let notice = notice.clone();
        html! { <button type="button" onclick={on_msg.reform(move |_| msg(notice.clone()))}>{ words }</button> }
    };
    html! {
        <div class="notice">
            <p>{ notice.text() }</p>
            { button(keep, Msg::Dismiss) }
            { for take.map(|words| button(words, Msg::Take)) }
        </div>
    }
}
