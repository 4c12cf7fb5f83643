//! Which run and which code a link or a comparison is about.

use super::link::SharedRun;
use super::{Shown, tell};
use crate::address;
use crate::components::{PUT, find};
use crate::storage;
use gloo_timers::callback::Timeout;
use leasehold_checker::report::{Outcome, TestReport};
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;

/// A run, without what came of it: [`super::Shown`] with the trace left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The kata's slug.
    pub kata: String,
    /// The test.
    pub test: Named,
    /// The file that ran.
    pub source: String,
}

/// The part of a test that says which one it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Its schedule.
    pub replay: Option<String>,
}

impl Subject {
    /// Of what a picture is told; none where no code stands beside the picture.
    pub fn of(Shown { kata, test, source }: &Shown) -> Option<Self> {
        let TestReport { name, outcome, replay, .. } = test;
        let test = Named { name: name.clone(), outcome: *outcome, replay: replay.clone() };
        (!source.is_empty()).then(|| Subject { kata: kata.clone(), test, source: source.clone() })
    }

    /// What a link to it holds.
    pub fn share(&self) -> SharedRun {
        SharedRun {
            kata: self.kata.clone(),
            code: self.source.clone(),
            replay: self.test.replay.clone(),
            test: self.test.name.clone(),
            from: None,
        }
    }
}

/// How often it is looked whether an editor is there, and for how long: half a minute in all.
const TRY_MS: u32 = 60;
const TRIES: u32 = 500;

thread_local! {
    /// The last run that broke a rule, of each kata.
    static BROKEN: RefCell<Vec<SharedRun>> = const { RefCell::new(Vec::new()) };
}

/// Keeps a run that broke a rule, so that it is still there when the code has been mended. Gone with the page.
pub fn remember(subject: &Subject) {
    if subject.test.outcome != Outcome::Passed && subject.test.replay.is_some() {
        BROKEN.with_borrow_mut(|all| keep(all, subject.share()));
    }
}

/// The last run of this kata that broke a rule.
pub fn last_broken(kata: &str) -> Option<SharedRun> {
    BROKEN.with_borrow(|all| all.iter().find(|run| run.kata == kata).cloned())
}

fn keep(all: &mut Vec<SharedRun>, run: SharedRun) {
    all.retain(|other| other.kata != run.kata);
    all.push(run);
}

/// The reader's own code as it stands now: in the editor if it is open, else as this browser saved it.
pub fn own_code(kata: &str) -> Option<String> {
    typed().or_else(|| storage::saved(kata))
}

/// Opens a kata and puts code into its editor as the solution is put there: the reader's own is set aside, and a button
/// brings it back. The kata's page may have to come first.
pub fn put_into_editor(kata: &str, code: &str) {
    let hash = [address::KATA, kata].concat();
    if let Some(window) = web_sys::window() {
        let _ = window.location().set_hash(&hash);
    }
    put_when_there(hash, code.to_owned(), 0);
}

fn put_when_there(hash: String, code: String, tries: u32) {
    let look = move || {
        // Whoever went elsewhere meanwhile is left alone.
        if address::hash() != hash {
            return;
        }
        match find("#code code-editor") {
            Some(editor) => tell(&editor, PUT, code.as_str()),
            None if tries < TRIES => put_when_there(hash, code, tries + 1),
            None => {}
        }
    };
    Timeout::new(TRY_MS, look).forget();
}

/// What stands in the editor, if it is open.
pub fn typed() -> Option<String> {
    let editor = find("code-editor:not([read-only])")?;
    editor.unchecked_into::<Text>().text()
}

#[wasm_bindgen]
extern "C" {
    /// `<code-editor>`, as far as it is read here.
    type Text;
    #[wasm_bindgen(method, getter)]
    fn text(this: &Text) -> Option<String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str = r#"{"kata":"k","test":{"name":"t","outcome":"failed","message":"m","line":1,"replay":"AQ",
        "search":null,"trace":{"clients":["A"],"events":[],"first_bad":null,"witnesses":[]}},"source":"x = 1\n"}"#;

    fn told(data: &str) -> Option<Subject> {
        Subject::of(&serde_json::from_str(data).ok()?)
    }

    #[test]
    fn a_picture_with_code_beside_it_can_be_shared() {
        let run = told(DATA).unwrap().share();
        assert_eq!(
            run,
            SharedRun {
                kata: "k".into(),
                code: "x = 1\n".into(),
                replay: Some("AQ".into()),
                test: "t".into(),
                from: None
            }
        );
        assert_eq!(told(&DATA.replace("x = 1\\n", "")), None);
        assert_eq!(told("{}"), None);
    }

    #[test]
    fn the_last_broken_run_of_each_kata_is_kept() {
        let mut subject = told(DATA).unwrap();
        remember(&subject);
        subject.source = "x = 2\n".into();
        remember(&subject);
        subject.test.outcome = Outcome::Passed;
        subject.source = "x = 3\n".into();
        remember(&subject);
        assert_eq!(last_broken("k").unwrap().code, "x = 2\n");
        assert_eq!(last_broken("other"), None);
    }
}
