//! Below the picture: the keys, what can be taken along, the same as text, and the whole state at the current step.

use crate::keys::{PLAYER, Row, cap};
use crate::timeline::carry;
use crate::timeline::export::{self, cut};
use crate::timeline::layout::times::moment;
use crate::timeline::state_at::History;
use crate::timeline::steps::{Move, Press};
use leasehold_checker::trace::{Event, Trace};
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties)]
pub struct FootProps {
    pub name: AttrValue,
    pub title: AttrValue,
    pub trace: Rc<Trace>,
    pub history: Rc<History>,
    pub step: usize,
    pub line_name: &'static str,
    /// The id of the line about the keys.
    pub keys: String,
    /// The player.
    pub place: NodeRef,
}

impl PartialEq for FootProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.trace, &other.trace) && self.step == other.step && self.title == other.title
    }
}

#[component]
pub fn Foot(props: &FootProps) -> Html {
    let FootProps { name, title, trace, history, step, line_name, keys, place } = props;
    html! {
        <div class="player-foot">
            if let Some(cut) = cut(trace) { <p class="player-cut">{ cut }</p> }
            <Carry name={name.clone()} title={title.clone()} trace={trace.clone()} place={place.clone()} />
            <AsText trace={trace.clone()} history={history.clone()} line_name={*line_name} />
            <details class="known">
                <summary>{ "Everything known at this step" }</summary>
                { state(history, *step) }
            </details>
            <p id={keys.clone()} class="player-keys">
                { "Keys:" }
                { for PLAYER.iter().filter(|row| row.keys[0].1 != Press::Go(Move::Bad) || trace.first_bad.is_some()).map(keys_of) }
            </p>
        </div>
    }
}

fn keys_of(row: &'static Row<Press>) -> Html {
    html! {
        <span>
            { for row.keys.iter().map(|(key, _)| html! { <>{ " " }<kbd>{ cap(key, false) }</kbd></> }) }
            { " " }{ row.what }
        </span>
    }
}

/// What the buttons came to.
#[derive(Clone, PartialEq)]
enum Said {
    Nothing,
    Copied(&'static str),
    Refused(String),
    Saved(String),
}

#[derive(Properties)]
struct CarryProps {
    name: AttrValue,
    title: AttrValue,
    trace: Rc<Trace>,
    place: NodeRef,
}

impl PartialEq for CarryProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.trace, &other.trace) && self.title == other.title
    }
}

#[component]
fn Carry(CarryProps { name, title, trace, place }: &CarryProps) -> Html {
    let said = use_state(|| Said::Nothing);
    let copy = |what: &'static str, word: fn(&str, &Trace) -> String| {
        let (said, title, trace) = (said.clone(), title.clone(), trace.clone());
        Callback::from(move |_: MouseEvent| {
            let (said, text) = (said.clone(), word(&title, &trace));
            let kept = text.clone();
            carry::copy(
                &text,
                Callback::from(move |copied| {
                    said.set(if copied { Said::Copied(what) } else { Said::Refused(kept.clone()) });
                }),
            );
        })
    };
    let download = {
        let (said, name, title) = (said.clone(), name.clone(), title.clone());
        let (trace, place) = (trace.clone(), place.clone());
        Callback::from(move |_: MouseEvent| {
            let Some(place) = place.cast::<Element>() else { return };
            let file = ["leasehold-", &name.replace('_', "-"), ".svg"].concat();
            carry::save(&file, "image/svg+xml", &carry::drawing(&place, &title, &trace.text()));
            said.set(Said::Saved(file));
        })
    };
    let (says, by_hand) = match &*said {
        Said::Nothing => (String::new(), None),
        Said::Copied(what) => (["Copied ", what, "."].concat(), None),
        Said::Saved(file) => ([file, " is in your downloads."].concat(), None),
        Said::Refused(text) => {
            ("The browser did not let the page copy. Here it is, to be copied by hand:".to_owned(), Some(text.clone()))
        }
    };
    html! {
        <div class="carry">
            <button type="button" class="quiet" onclick={copy("the text", export::text)}>{ "Copy as text" }</button>
            <button type="button" class="quiet" onclick={copy("the Mermaid diagram", export::mermaid)}>{ "Copy as Mermaid" }</button>
            <button type="button" class="quiet" onclick={download}>{ "Download SVG" }</button>
            <span class="carry-says" role="status">{ says }</span>
            if let Some(text) = by_hand {
                <textarea readonly=true rows="6" aria-label="What was to be copied" value={text} />
            }
        </div>
    }
}

#[derive(Properties)]
struct AsTextProps {
    trace: Rc<Trace>,
    history: Rc<History>,
    line_name: &'static str,
}

impl PartialEq for AsTextProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.trace, &other.trace)
    }
}

#[component]
fn AsText(AsTextProps { trace, history, line_name }: &AsTextProps) -> Html {
    let item = |(i, event): (usize, &Event)| {
        let mark = if trace.first_bad == Some(i) {
            Some(" ✗ here it breaks")
        } else {
            trace.witnesses.contains(&i).then_some(" ◆ because of this")
        };
        let changes: Vec<String> =
            history.at(i).iter().map(|c| [&c.what, ": ", &c.before, " → ", &c.after].concat()).collect();
        html! {
            <li>
                <span class="as-text-time">{ moment(event.at_us) }</span>
                { " " }{ event.told(&trace.clients) }
                if let Some(line) = event.line { <span class="as-text-line">{ format!(" ({line_name} {line})") }</span> }
                if let Some(mark) = mark { <strong>{ mark }</strong> }
                if !changes.is_empty() { <span class="as-text-changes">{ changes.join("; ") }</span> }
            </li>
        }
    };
    html! {
        <details class="as-text">
            <summary>{ "The same as text" }</summary>
            <ol>{ for trace.events.iter().enumerate().map(item) }</ol>
        </details>
    }
}

fn state(history: &History, step: usize) -> Html {
    let facts = history.state_at(step);
    if facts.is_empty() {
        return html! { <p>{ "No lease, belief or mark changes in this run." }</p> };
    }
    html! {
        <table><tbody>
            { for facts.into_iter().map(|fact| html! {
                <tr><th scope="row">{ fact.what }</th><td class={fact.new.then_some("known-new")}>{ fact.value }</td></tr>
            }) }
        </tbody></table>
    }
}
