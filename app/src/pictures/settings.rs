//! What can be set, and the list of keys: both in one dialog.

use crate::keys::{PAGE, PLAYER, Row, cap, is_mac};
use crate::settings::{self, THEMES};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// The dialog's inside.
#[component]
pub fn Settings() -> Html {
    let now = use_state(|| (settings::theme(), settings::single_keys()));
    let kept = use_state(|| true);
    let mac = is_mac();
    let (theme, keys) = &*now;
    let radio = |(value, words): (&'static str, &'static str)| {
        let (now, kept, keys) = (now.clone(), kept.clone(), *keys);
        let onchange = move |_: Event| {
            kept.set(settings::set_theme(value));
            now.set((value.to_owned(), keys));
        };
        html! { <label><input type="radio" name="theme" {value} checked={theme == value} {onchange} />{ words }</label> }
    };
    let onchange = {
        let (now, kept, theme) = (now.clone(), kept.clone(), theme.clone());
        move |e: Event| {
            let on = e.target_dyn_into::<HtmlInputElement>().is_some_and(|field| field.checked());
            kept.set(settings::set_single_keys(on));
            now.set((theme.clone(), on));
        }
    };
    html! {
        <div class="settings">
            <fieldset><legend>{ "Theme" }</legend>{ for THEMES.into_iter().map(radio) }</fieldset>
            <p role="status">
                if !*kept { { "This browser stores nothing for the page: what you set holds until you close it." } }
            </p>
            <h3>{ "Keys" }</h3>
            { list(PAGE, mac) }
            <label>
                <input type="checkbox" role="switch" checked={*keys} {onchange} />
                <span>{ for singles().map(kbd) }{ "act by themselves, except while you type" }</span>
            </label>
            <h3>{ "In a timeline that has the focus" }</h3>
            { list(PLAYER, mac) }
        </div>
    }
}

/// The keys that the switch is about.
fn singles() -> impl Iterator<Item = &'static str> {
    PAGE.iter().flat_map(|row| row.keys).filter(|(_, action)| action.is_single()).map(|(key, _)| cap(key, false))
}

fn kbd(cap: &'static str) -> Html {
    html! { <><kbd>{ cap }</kbd>{ " " }</> }
}

fn list<A>(rows: &'static [Row<A>], mac: bool) -> Html {
    let row = |row: &'static Row<A>| {
        html! {
            <>
                <dt>{ for row.keys.iter().map(|(key, _)| kbd(cap(key, mac))) }</dt>
                <dd>{ row.what }</dd>
            </>
        }
    };
    html! { <dl>{ for rows.iter().map(row) }</dl> }
}
