//! The link to a run: made, copied and shown; or, where the code is too long for one, another way to hand the run on.

use crate::pictures::compare::{head, on_escape, use_focus};
use crate::pictures::link::{SharedRun, pack, to_address};
use crate::timeline::carry;
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::platform::spawn_local;
use yew::prelude::*;

/// See [`ShareLink`].
#[derive(Properties, PartialEq)]
pub struct ShareLinkProps {
    pub run: Rc<SharedRun>,
    pub on_close: Callback<()>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Made {
    /// Under way.
    Packing,
    /// The whole address.
    Link(AttrValue),
    /// The code is too long for a link.
    TooLong,
    /// The browser can't pack.
    NoStreams,
}

/// Makes a link to a run and copies it.
#[component]
pub fn ShareLink(ShareLinkProps { run, on_close }: &ShareLinkProps) -> Html {
    let made = use_state(|| Made::Packing);
    let copied = use_state(|| None::<bool>);
    let heading = use_node_ref();
    use_focus(&heading);
    {
        let (made, copied) = (made.clone(), copied.clone());
        use_effect_with(run.clone(), move |run| {
            let json = run.to_json();
            spawn_local(async move {
                let Some(packed) = pack(json.as_bytes()).await else { return made.set(Made::NoStreams) };
                let Some(hash) = to_address(&json, &packed) else { return made.set(Made::TooLong) };
                let link = [here().as_str(), &hash].concat();
                carry::copy(&link, Callback::from(move |done| copied.set(Some(done))));
                made.set(Made::Link(link.into()));
            });
        });
    }
    let on_copy = |text: AttrValue| {
        let copied = copied.clone();
        Callback::from(move |_: MouseEvent| {
            let copied = copied.clone();
            carry::copy(&text, Callback::from(move |done| copied.set(Some(done))));
        })
    };
    let on_save = {
        let run = run.clone();
        Callback::from(move |_: MouseEvent| carry::save(&file_name(&run), "text/x-python", &run.code))
    };
    let status = match (&*made, *copied) {
        (Made::Packing, _) => "",
        (Made::Link(_), Some(true)) => {
            "The link is copied. Whoever opens it reads this code and can run this schedule on it; nothing runs by itself, \
             and their own code stays as it is."
        }
        (Made::Link(_), None) => "",
        (Made::Link(_), Some(false)) => {
            "This browser does not let the page copy. The link is in the field: copy it yourself."
        }
        (Made::TooLong, Some(true)) => "The command is copied.",
        (Made::TooLong, _) => {
            "This file is too long for a link: many programs cut addresses of such a length. Hand on the file itself, and \
             this command, which brings the same run back:"
        }
        (Made::NoStreams, _) => {
            "This browser can't pack a link. Hand on the file itself, and this command, which brings the same run back:"
        }
    };
    let ways = match &*made {
        Made::Packing => Html::default(),
        Made::Link(link) => html! {
            <p class="panel-row">
                <input class="panel-link" readonly=true value={link.clone()} aria-label="Link to this run"
                    onfocus={|event: FocusEvent| if let Some(field) = event.target_dyn_into::<HtmlInputElement>() { field.select() }} />
                <button type="button" onclick={on_copy(link.clone())}>{ "Copy" }</button>
                <span class="coverage">{ link.len() }{ " characters" }</span>
            </p>
        },
        Made::TooLong | Made::NoStreams => {
            let command = AttrValue::from(command(run));
            html! {
                <p class="panel-row">
                    <code>{ command.clone() }</code>
                    <button type="button" onclick={on_copy(command)}>{ "Copy the command" }</button>
                    <button type="button" onclick={on_save}>{ "Save the file" }</button>
                </p>
            }
        }
    };
    html! {
        <section class="panel" aria-label="Link" onkeydown={on_escape(on_close)}>
            { head(&heading, "A link to this run", on_close) }
            <p role="status">{ status }</p>
            { ways }
        </section>
    }
}

/// What the code is called as a file.
fn file_name(run: &SharedRun) -> String {
    [&run.kata.replace('-', "_"), ".py"].concat()
}

/// The command that brings the run back.
fn command(run: &SharedRun) -> String {
    let (verb, replay) = match &run.replay {
        Some(replay) => ("replay", replay.as_str()),
        None => ("check", ""),
    };
    ["leasehold", verb, &run.kata, &file_name(run), replay].join(" ").trim_end().to_owned()
}

/// The page's address, without what is asked for within it.
fn here() -> String {
    let href = web_sys::window().and_then(|w| w.location().href().ok()).unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_brings_the_run_back() {
        let mut run = SharedRun {
            kata: "storage-gate".into(),
            code: String::new(),
            replay: Some("AxR".into()),
            test: "t".into(),
            from: None,
        };
        assert_eq!(command(&run), "leasehold replay storage-gate storage_gate.py AxR");
        run.replay = None;
        assert_eq!(command(&run), "leasehold check storage-gate storage_gate.py");
    }
}
