//! The same schedule on two versions of the code: what is compared with what, and what came of it.

pub mod align;
mod sides;
mod words;

use super::link::SharedRun;
use super::runs::{Answer, Bench, Wanted};
use super::subject::{last_broken, own_code};
use crate::address;
use crate::components::{focus, into_view};
use crate::practice;
use crate::words as words_of;
use sides::Sides;
use std::rc::Rc;
use yew::prelude::*;

/// A file, and what it is called: fits behind "in".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Such as `the solution`.
    pub name: &'static str,
    /// The whole file.
    pub code: Rc<str>,
}

/// What is to be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wish {
    kata: String,
    replay: Option<String>,
    test: String,
    versions: [Version; 2],
}

/// What the reader may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Own,
    Before,
    Solution,
}

/// See [`Compare`].
#[derive(Properties, PartialEq)]
pub struct CompareProps {
    /// The run that everything is compared with.
    pub run: Rc<SharedRun>,
    /// What its code is called.
    pub name: &'static str,
    /// What the reader's own code is called.
    pub own: &'static str,
    /// Puts the comparison away.
    pub on_close: Callback<()>,
}

/// Asks with what a run is to be compared, and does it.
#[component]
pub fn Compare(CompareProps { run, name, own, on_close }: &CompareProps) -> Html {
    // Numbered: another wish is another comparison, never the old one with other data.
    let wish = use_state(|| (0_u32, None::<Rc<Wish>>));
    let answers = use_state(|| None::<Rc<[Answer]>>);
    // The solution is shown to those who said twice that they want it.
    let is_asking = use_state(|| false);
    let is_missing = use_state(|| false);
    let heading = use_node_ref();
    use_focus(&heading);

    let begin = {
        let (wish, answers, is_asking) = (wish.clone(), answers.clone(), is_asking.clone());
        Callback::from(move |wanted: Wish| {
            answers.set(None);
            is_asking.set(false);
            wish.set((wish.0 + 1, Some(Rc::new(wanted))));
        })
    };
    let on_choice = {
        let (run, name, own, is_asking, begin) = (run.clone(), *name, *own, is_asking.clone(), begin.clone());
        Callback::from(move |choice: Choice| match choice {
            Choice::Solution => is_asking.set(true),
            _ => {
                if let Some(wish) = Wish::of(choice, &run, name, own) {
                    begin.emit(wish);
                }
            }
        })
    };
    let on_solution = {
        let (run, name, is_missing) = (run.clone(), *name, is_missing.clone());
        Callback::from(move |_| {
            let (run, begin, is_missing) = (run.clone(), begin.clone(), is_missing.clone());
            let file = [&run.kata, ".solution"].concat();
            address::fetch(
                &file,
                Callback::from(move |text: Option<String>| {
                    is_missing.set(text.is_none());
                    if let Some(code) = text {
                        begin.emit(Wish::between(
                            &run,
                            Version::new(name, &run.code),
                            Version::new("the solution", &code),
                        ));
                    }
                }),
            );
        })
    };
    let on_end = {
        let answers = answers.clone();
        Callback::from(move |came: Vec<Answer>| answers.set(Some(came.into())))
    };
    html! {
        <section class="panel" aria-label="Comparison" onkeydown={on_escape(on_close)}>
            { head(&heading, "Compare: the same schedule on two versions", on_close) }
            { choices(run, name, own, &on_choice) }
            if *is_asking {
                <p class="panel-row">
                    { "This shows the whole solution of the kata. " }
                    <button type="button" onclick={on_solution}>{ "Show it" }</button>
                    <button type="button" class="quiet" onclick={move |_| is_asking.set(false)}>{ "Not yet" }</button>
                </p>
            }
            if *is_missing { <p role="alert">{ "The solution could not be loaded." }</p> }
            if let (number, Some(wish)) = &*wish {
                <p class="coverage">{ "Both run the schedule of: " }<strong>{ words_of::sentence(&wish.test) }</strong></p>
                if let Some(answers) = &*answers {
                    <Sides key={*number} versions={wish.versions.clone()} answers={answers.clone()} />
                } else {
                    <Bench key={*number} wanted={wish.wanted()} {on_end} />
                }
            }
        </section>
    }
}

impl Version {
    fn new(name: &'static str, code: &str) -> Self {
        Version { name, code: code.into() }
    }
}

impl Wish {
    fn between(run: &SharedRun, left: Version, right: Version) -> Self {
        let SharedRun { kata, replay, test, .. } = run.clone();
        Wish { kata, replay, test, versions: [left, right] }
    }

    /// None if there is no such code, or it is the same.
    fn of(choice: Choice, run: &SharedRun, name: &'static str, own: &'static str) -> Option<Self> {
        let mine = own_code(&run.kata);
        match choice {
            Choice::Own => {
                let mine = mine.filter(|mine| *mine != run.code)?;
                Some(Wish::between(run, Version::new(name, &run.code), Version::new(own, &mine)))
            }
            Choice::Before => {
                let mine = mine.unwrap_or_else(|| run.code.clone());
                let broken = last_broken(&run.kata).filter(|broken| broken.code != mine && broken.code != run.code)?;
                Some(Wish::between(&broken, Version::new("your code before", &broken.code), Version::new(own, &mine)))
            }
            Choice::Solution => None,
        }
    }

    fn wanted(&self) -> Rc<[Wanted]> {
        let wanted = |version: &Version| Wanted {
            kata: self.kata.clone(),
            source: version.code.clone(),
            replay: self.replay.clone(),
            test: self.test.clone(),
        };
        self.versions.iter().map(wanted).collect()
    }
}

fn choices(run: &Rc<SharedRun>, name: &'static str, own: &'static str, on_choice: &Callback<Choice>) -> Html {
    let button = |choice: Choice, words: Vec<&str>| {
        let onclick = on_choice.reform(move |_| choice);
        html! { <button type="button" {onclick}>{ words.concat() }</button> }
    };
    let is_there = |choice| Wish::of(choice, run, name, own).is_some();
    let why_not = match own_code(&run.kata) {
        None => "This browser holds no code of yours for this kata yet.",
        Some(_) => "Your code is the same as this one: edit it, then compare.",
    };
    html! {
        <>
            <div class="panel-row" role="group" aria-label="Compare with">
                <span>{ "With" }</span>
                if is_there(Choice::Own) { { button(Choice::Own, vec![own]) } }
                if is_there(Choice::Before) {
                    { button(Choice::Before, vec!["your code when it last broke a rule"]) }
                }
                // In a session of practice it would be the end of it.
                if address::hash() != practice::NOW { { button(Choice::Solution, vec!["the solution…"]) } }
            </div>
            if !is_there(Choice::Own) && !is_there(Choice::Before) { <p class="coverage">{ why_not }</p> }
        </>
    }
}

/// The first line of a panel, which has the focus when the panel has just been opened.
pub fn head(heading: &NodeRef, words: &'static str, on_close: &Callback<()>) -> Html {
    html! {
        <div class="panel-head">
            <h3 ref={heading} tabindex="-1">{ words }</h3>
            <button type="button" class="quiet" onclick={on_close.reform(|_| ())}>{ "Close" }</button>
        </div>
    }
}

/// Gives the focus to a heading when it is first there, and shows all of the panel below it.
#[hook]
pub fn use_focus(heading: &NodeRef) {
    let heading = heading.clone();
    use_effect_with((), move |()| {
        if let Some(heading) = heading.cast::<web_sys::Element>() {
            focus(&heading);
            if let Ok(Some(panel)) = heading.closest(".panel") {
                into_view(&panel);
            }
        }
    });
}

/// Escape puts a panel away.
pub fn on_escape(on_close: &Callback<()>) -> Callback<KeyboardEvent> {
    let on_close = on_close.clone();
    Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            event.stop_propagation();
            on_close.emit(());
        }
    })
}
