//! What the learner must be told, above everything else.

use crate::state::Notice;
use yew::prelude::*;

/// See [`Notices`].
#[derive(Properties, PartialEq)]
pub struct NoticesProps {
    /// The notices, oldest first.
    pub notices: Vec<Notice>,
    /// Puts one away.
    pub on_dismiss: Callback<Notice>,
}

/// A strip for each notice, with a button to put it away.
#[component]
pub fn Notices(NoticesProps { notices, on_dismiss }: &NoticesProps) -> Html {
    if notices.is_empty() {
        return Html::default();
    }
    html! { <section aria-label="Notices">{ for notices.iter().map(|notice| strip(notice, on_dismiss)) }</section> }
}

fn strip(notice: &Notice, on_dismiss: &Callback<Notice>) -> Html {
    let away = notice.clone();
    html! {
        <div class="notice">
            <p>{ notice.text() }</p>
            <button type="button" onclick={on_dismiss.reform(move |_| away.clone())}>{ "OK" }</button>
        </div>
    }
}
