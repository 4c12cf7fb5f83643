//! The keys, in one table for the page and one for the players of timelines: by these they are bound, and from these the
//! list is made that `?` opens. Single keys do nothing while one types, and can be switched off (WCAG 2.1.4); those of a
//! player act only while it has the focus.

use crate::components::find as find_element;
use crate::settings;
use crate::timeline::{Move, Press};
use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Element, Event, HtmlDialogElement, HtmlElement, KeyboardEvent};

/// Keys that belong together: a line of the list.
pub struct Row<A: 'static> {
    /// Each key by its name in `KeyboardEvent.key`, letters as capitals, and what it does.
    pub keys: &'static [(&'static str, A)],
    /// Other keys that do the same, which the list leaves out.
    pub also: &'static [(&'static str, A)],
    /// What they do, in words.
    pub what: &'static str,
}

/// What a key does in the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Runs the tests; with Ctrl or ⌘.
    Run,
    /// Opens the search.
    Search,
    /// Opens the list of keys, with the settings.
    Keys,
    /// To the step before this one of the run that the tests show, or else to the page before this one in the book.
    Back,
    /// To what comes after it.
    On,
    /// Closes the dialog.
    Close,
}

impl Action {
    /// It acts by a key alone, and only where such keys are not switched off.
    pub fn is_single(self) -> bool {
        !matches!(self, Action::Run | Action::Close)
    }
}

/// The keys of the page.
pub const PAGE: &[Row<Action>] = &[
    Row { keys: &[("Enter", Action::Run)], also: &[], what: "run the tests, also from within the editor" },
    Row { keys: &[("S", Action::Search), ("/", Action::Search)], also: &[], what: "search in all there is to read" },
    Row {
        keys: &[("ArrowLeft", Action::Back), ("ArrowRight", Action::On)],
        also: &[],
        what: "previous and next page of the book; after a run of the tests, its steps",
    },
    Row { keys: &[("?", Action::Keys)], also: &[], what: "settings and this list" },
    Row { keys: &[("Escape", Action::Close)], also: &[], what: "close what is open" },
];

/// The keys of a player, see [`crate::timeline::pressed`].
pub const PLAYER: &[Row<Press>] = &[
    Row {
        keys: &[("ArrowLeft", Press::Go(Move::Back)), ("ArrowRight", Press::Go(Move::Forward))],
        also: &[("ArrowUp", Press::Go(Move::Back)), ("ArrowDown", Press::Go(Move::Forward))],
        what: "step",
    },
    Row {
        keys: &[("Home", Press::Go(Move::First)), ("End", Press::Go(Move::Last))],
        also: &[],
        what: "first and last event",
    },
    Row { keys: &[(" ", Press::Play)], also: &[], what: "plays" },
    Row {
        keys: &[("+", Press::Faster), ("-", Press::Slower)],
        also: &[("=", Press::Faster), ("_", Press::Slower)],
        what: "speed",
    },
    Row { keys: &[("B", Press::Go(Move::Bad))], also: &[], what: "where it breaks" },
];

/// What a table says of a key.
pub fn find<A: Copy>(rows: &[Row<A>], key: &str) -> Option<A> {
    let all = rows.iter().flat_map(|row| row.keys.iter().chain(row.also));
    all.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, action)| *action)
}

/// A key as it is written on a keyboard.
pub fn cap(key: &'static str, mac: bool) -> &'static str {
    match (key, mac) {
        ("Enter", true) => "⌘↩",
        ("Enter", false) => "Ctrl+Enter",
        ("ArrowLeft", _) => "←",
        ("ArrowRight", _) => "→",
        (" ", _) => "Space",
        ("-", _) => "−",
        ("Escape", _) => "Esc",
        (other, _) => other,
    }
}

/// What is held together with a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Ctrl or ⌘.
    pub command: bool,
    /// Alt.
    pub alt: bool,
    /// Shift.
    pub shift: bool,
}

/// What has the focus, as far as it wants keys for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// Nothing that does.
    Page,
    /// What arrows scroll sideways.
    Wide,
    /// What one types into or chooses from: all single keys are its own.
    Field,
    /// A dialog is open; nothing behind it acts.
    Dialog,
}

/// What a key means. `singles`: single keys are not switched off.
pub fn meant(key: &str, held: Held, focus: Focus, singles: bool) -> Option<Action> {
    let action = find(PAGE, key)?;
    let wanted = match action {
        Action::Run => held.command && focus != Focus::Dialog,
        Action::Close => held == Held::default() && focus == Focus::Dialog,
        // Shift is how some keyboards write a sign.
        _ if held.command || held.alt || (held.shift && key.as_bytes()[0].is_ascii_alphabetic()) => false,
        Action::Back | Action::On => singles && focus == Focus::Page,
        _ => singles && matches!(focus, Focus::Page | Focus::Wide),
    };
    wanted.then_some(action)
}

/// Binds the keys of the page, but for [`Action::Run`], which is the kata's.
pub fn bind() -> Option<EventListener> {
    let options = EventListenerOptions::enable_prevent_default();
    let window = web_sys::window()?;
    Some(EventListener::new_with_options(&window, "keydown", options, |event| {
        if let Some(action) = pressed(event).filter(|action| *action != Action::Run) {
            event.prevent_default();
            act(action);
        }
    }))
}

/// What this event of a key means; nothing if somebody else has used it, or the key is only held down.
pub fn pressed(event: &Event) -> Option<Action> {
    let event = event.dyn_ref::<KeyboardEvent>()?;
    if event.repeat() {
        return None;
    }
    let held = Held { command: event.ctrl_key() || event.meta_key(), alt: event.alt_key(), shift: event.shift_key() };
    let action = meant(&event.key(), held, focus_of(event), settings::single_keys())?;
    // The editor uses up the keys of Run Tests, so that they type nothing.
    (action == Action::Run || !event.default_prevented()).then_some(action)
}

fn focus_of(event: &Event) -> Focus {
    if find_element("dialog[open]").is_some() {
        return Focus::Dialog;
    }
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return Focus::Page };
    if matches!(target.closest("input, textarea, select, [contenteditable]"), Ok(Some(_))) {
        Focus::Field
    } else if target.scroll_width() > target.client_width() {
        Focus::Wide
    } else {
        Focus::Page
    }
}

/// Does what a key does; buttons do the same.
pub fn act(action: Action) {
    match action {
        Action::Search => open_dialog("search", "Search"),
        Action::Keys => open_dialog("keys", "Settings and keys"),
        // Who looks at a run and presses an arrow wants to step through it, and must not lose it to another page.
        Action::Back => click_first("#detail .step-back", ".turn-back"),
        Action::On => click_first("#detail .step-on", ".turn-on"),
        Action::Close => {
            if let Some(dialog) =
                find_element("dialog[open]").and_then(|open| open.dyn_into::<HtmlDialogElement>().ok())
            {
                dialog.close();
            }
        }
        Action::Run => click_first(".run", ".run"),
    }
}

/// Clicks what the first selector fits, or else what the other does.
fn click_first(selector: &str, otherwise: &str) {
    if let Some(element) = find_element(selector).or_else(|| find_element(otherwise)) {
        element.unchecked_into::<HtmlElement>().click();
    }
}

/// The machine is a Mac, whose shortcuts are written differently.
pub fn is_mac() -> bool {
    let platform = web_sys::window().and_then(|w| w.navigator().platform().ok()).unwrap_or_default();
    platform.starts_with("Mac") || platform.starts_with("iP")
}

#[wasm_bindgen]
extern "C" {
    // In app/editor/dialogs.js.
    #[wasm_bindgen(js_name = openDialog)]
    fn open_dialog(kind: &str, title: &str);
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: Held = Held { command: false, alt: false, shift: false };
    const COMMAND: Held = Held { command: true, ..BARE };
    const SHIFT: Held = Held { shift: true, ..BARE };

    #[test]
    fn every_key_in_the_list_does_what_the_list_says() {
        for (key, action) in PAGE.iter().flat_map(|row| row.keys) {
            let (held, focus) = match action {
                Action::Run => (COMMAND, Focus::Field),
                Action::Close => (BARE, Focus::Dialog),
                _ => (BARE, Focus::Page),
            };
            assert_eq!(meant(key, held, focus, true), Some(*action), "{key}");
        }
    }

    #[test]
    fn no_key_means_two_things() {
        let page: Vec<&str> =
            PAGE.iter().flat_map(|row| row.keys.iter().chain(row.also)).map(|(key, _)| *key).collect();
        let player: Vec<&str> =
            PLAYER.iter().flat_map(|row| row.keys.iter().chain(row.also)).map(|(key, _)| *key).collect();
        for keys in [page, player] {
            assert!(keys.iter().all(|key| keys.iter().filter(|other| other == &key).count() == 1), "{keys:?}");
        }
    }

    #[test]
    fn single_keys_do_nothing_in_a_field_with_a_modifier_behind_a_dialog_or_switched_off() {
        for key in ["s", "S", "/", "?", "ArrowLeft", "ArrowRight"] {
            assert!(meant(key, BARE, Focus::Page, true).is_some(), "{key}");
            for focus in [Focus::Field, Focus::Dialog] {
                assert_eq!(meant(key, BARE, focus, true), None, "{key} {focus:?}");
            }
            for held in [COMMAND, Held { alt: true, ..BARE }] {
                assert_eq!(meant(key, held, Focus::Page, true), None, "{key} {held:?}");
            }
            assert_eq!(meant(key, BARE, Focus::Page, false), None, "{key}");
        }
    }

    #[test]
    fn shift_writes_signs_and_changes_letters_and_arrows() {
        assert_eq!(meant("?", SHIFT, Focus::Page, true), Some(Action::Keys));
        assert_eq!(meant("/", SHIFT, Focus::Page, true), Some(Action::Search));
        assert_eq!(meant("S", SHIFT, Focus::Page, true), None);
        assert_eq!(meant("ArrowLeft", SHIFT, Focus::Page, true), None);
    }

    #[test]
    fn arrows_scroll_what_is_wider_than_its_place() {
        assert_eq!(meant("ArrowRight", BARE, Focus::Wide, true), None);
        assert_eq!(meant("/", BARE, Focus::Wide, true), Some(Action::Search));
    }

    #[test]
    fn the_tests_run_from_anywhere_but_behind_a_dialog_and_whatever_is_switched_off() {
        for focus in [Focus::Page, Focus::Field] {
            assert_eq!(meant("Enter", COMMAND, focus, false), Some(Action::Run));
        }
        assert_eq!(meant("Enter", COMMAND, Focus::Dialog, true), None);
        assert_eq!(meant("Enter", BARE, Focus::Page, true), None);
    }
}
