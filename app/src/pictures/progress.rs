//! `#/progress`: how far one has come with each kata, everything as a file and back, what was set aside, and how to erase it all.

pub mod file;
mod table;
mod words;

use crate::address;
use crate::components::{find, focus};
use crate::pictures::contents::contents;
use crate::practice::past::{self, Entry};
use crate::practice::{CARDS, HOME, NOW, REPORT, cards, report, rows, session};
use crate::storage::{self, ASIDE, SaveError};
use crate::timeline::carry;
use file::{Fate, Step, Store};
use leasehold_exercises::Entry as Page;
use table::{day, table, today};
use web_sys::Element;
use web_sys::js_sys::Date;
use words::{count, name, practised};
use yew::prelude::*;

/// See the module.
pub struct Overview {
    katas: Katas,
    /// All pages of the contents, once they are there.
    pages: Option<&'static [Page]>,
    import: Option<Import>,
    /// How many files were done with: each has a field of its own, since one that was read keeps its file's name.
    fields: u32,
    asking: Asking,
    /// What came of the last thing that was done.
    said: AttrValue,
    status: NodeRef,
    /// What has the focus goes away: the status gets it.
    is_to_focus: bool,
}

/// The katas of the contents.
enum Katas {
    Coming,
    Missing,
    Here(Vec<&'static Page>),
}

/// A file that was read and waits for a word.
struct Import {
    steps: Vec<Step>,
    /// Of each step: the file's is taken where both differ.
    taken: Vec<bool>,
    /// It was brought in. The list stays, so that nothing slides under the pointer that pressed the button below it.
    is_done: bool,
}

/// What is asked before it is done.
#[derive(Clone, PartialEq, Eq)]
enum Asking {
    Nothing,
    /// Erase everything?
    Erase,
    /// Delete what was set aside under this key?
    Delete(String),
}

/// What happens.
#[derive(Clone)]
pub enum Msg {
    /// The contents came, or did not.
    Came(Option<&'static [Page]>),
    /// They are to be fetched once more.
    Fetch,
    /// Everything as a file.
    Export,
    /// A file was chosen in this field.
    Chosen(Element),
    /// Its text, if it can be read, and whether it is too large to be.
    Read(Option<String>, bool),
    /// The file's is taken of this step, or not.
    Toggle(usize),
    /// The file's is taken wherever both differ.
    TakeAll,
    /// Do it.
    Import,
    /// Don't.
    Cancel,
    /// Save what was set aside as a file.
    Download(String),
    /// Ask first.
    Ask(String),
    /// Delete what was asked about.
    Delete,
    /// Ask first.
    AskErase,
    /// Erase everything.
    Erase,
    /// Not.
    Keep,
}

impl Component for Overview {
    type Message = Msg;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        fetch(ctx);
        Overview {
            katas: Katas::Coming,
            pages: None,
            import: None,
            fields: 0,
            asking: Asking::Nothing,
            said: AttrValue::default(),
            status: NodeRef::default(),
            is_to_focus: false,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Came(entries) => {
                self.katas = entries.map_or(Katas::Missing, |entries| Katas::Here(katas(entries)));
                self.pages = entries;
            }
            Msg::Fetch => {
                self.katas = Katas::Coming;
                fetch(ctx);
            }
            Msg::Export => {
                let file = ["leasehold-progress-", &day(Date::now() as u64), ".json"].concat();
                let items = items();
                carry::save(&file, "application/json", &file::write(&items));
                self.said = [&count(items.len(), "entry is", "entries are"), " in ", &file, "."].concat().into();
            }
            Msg::Chosen(field) => {
                let read = ctx.link().callback(|(text, is_large)| Msg::Read(text, is_large));
                carry::chosen(&field, file::MOST, read);
                return false;
            }
            Msg::Read(text, is_large) => self.read(text, is_large),
            Msg::Toggle(i) => {
                if let Some(taken) = self.import.as_mut().and_then(|import| import.taken.get_mut(i)) {
                    *taken = !*taken;
                }
            }
            Msg::TakeAll => {
                if let Some(import) = &mut self.import {
                    import.taken.fill(true);
                }
            }
            Msg::Import => {
                if let Some(Import { steps, taken, is_done: false }) = self.import.take() {
                    self.import(steps, taken);
                }
            }
            Msg::Cancel => {
                self.import = None;
                self.fields += 1;
                self.done("Nothing was changed.");
            }
            Msg::Download(key) => {
                let text = storage::text(&key).ok().flatten().unwrap_or_default();
                let (text, end) = file::readable(&text);
                carry::save(&[&key.replace(':', "-"), end].concat(), "text/plain", &text);
                return false;
            }
            Msg::Ask(key) => self.asking = Asking::Delete(key),
            Msg::Delete => {
                if let Asking::Delete(key) = &self.asking {
                    storage::remove(key);
                }
                self.done("It is deleted.");
            }
            Msg::AskErase => self.asking = Asking::Erase,
            Msg::Erase => {
                for key in storage::keys() {
                    storage::remove(&key);
                }
                self.import = None;
                self.done("Everything is erased.");
            }
            Msg::Keep => self.done("Nothing was changed."),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let is_blocked = storage::text(storage::BEFORE) == Err(SaveError::Blocked);
        let katas = match &self.katas {
            Katas::Coming => p("The list of katas is on its way…"),
            Katas::Missing => {
                row(vec![html! { "The list of katas could not be loaded." }, button(ctx, "Try again", Msg::Fetch)])
            }
            Katas::Here(katas) => table(katas),
        };
        html! {
            <div class="progress">
                <p ref={self.status.clone()} class="progress-said" role="status" tabindex="-1">{ self.said.clone() }</p>
                if is_blocked { { p("This browser lets the page store nothing, so there is no progress to show.") } }
                { katas }
                { self.practice() }
                { self.carrying(ctx) }
                { self.aside(ctx) }
                { self.erasing(ctx) }
            </div>
        }
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        if std::mem::take(&mut self.is_to_focus)
            && let Some(place) = find(".progress-done").or_else(|| self.status.cast::<Element>())
        {
            focus(&place);
        }
    }
}

impl Overview {
    /// Something came to its end: it is said, and the focus is where it is said.
    fn done(&mut self, said: &'static str) {
        self.import.take_if(|import| import.is_done);
        self.said = said.into();
        self.asking = Asking::Nothing;
        self.is_to_focus = true;
    }

    fn read(&mut self, text: Option<String>, is_large: bool) {
        self.import = None;
        let items = match text {
            _ if is_large => Err(file::Trouble::TooLarge),
            None => Err(file::Trouble::Damaged),
            Some(text) => file::read(&text),
        };
        match items {
            Err(trouble) => {
                self.said = trouble.text().into();
                self.fields += 1;
            }
            Ok(items) => {
                let steps = file::plan(items, |key| storage::text(key).ok().flatten());
                let taken = vec![false; steps.len()];
                self.said = "The file was read. What it would change is listed below; nothing is changed yet.".into();
                self.import = Some(Import { steps, taken, is_done: false });
            }
        }
    }

    fn import(&mut self, steps: Vec<Step>, taken: Vec<bool>) {
        self.fields += 1;
        if !file::carry_out(&steps, &taken, &mut Browser) {
            return self.done("This browser's storage has no room for all of the file. Nothing was changed.");
        }
        self.done(if file::replaces(&steps, &taken) {
            "The file was brought in. What it replaced is set aside below."
        } else {
            "The file was brought in. Nothing of yours was replaced."
        });
        self.import = Some(Import { steps, taken, is_done: true });
    }

    fn name(&self, key: &str) -> String {
        let title = |slug: &str| match &self.katas {
            Katas::Here(katas) => {
                let kata = katas.iter().find(|entry| address::kata(entry.address) == Some(slug));
                kata.map(|entry| entry.title)
            }
            _ => None,
        };
        name(key, title)
    }

    /// What was practised, and the way there.
    fn practice(&self) -> Html {
        // Only a look: what can't be read is told of, and set aside, where it is used.
        let past = rows::peek(past::KEY, past::read).unwrap_or_default();
        let known = rows::peek(cards::KEY, cards::read).unwrap_or_default();
        // A card whose page is not in the contents is not shown there either.
        let is_here = |slug: &str| self.pages.is_none_or(|pages| pages.iter().any(|page| page.address.ends_with(slug)));
        let due = known.due(today(), &is_here);
        let last = past.past.first().map(|entry| {
            let Entry { session, .. } = entry;
            let result =
                entry.score().map_or_else(|| "no tests run".to_owned(), |(passed, of)| report::score(passed, of));
            let report = [REPORT, &session.started.to_string()].concat();
            html! {
                <p>
                    { ["The last one, on ", &day(session.started), ": "].concat() }
                    <a href={report}>{ session.title.clone() }</a>{ [", ", &result, "."].concat() }
                </p>
            }
        });
        let is_under_way = session::now().is_some();
        section(
            "Interview practice",
            vec![
                p(practised(past.past.len(), due)),
                last.unwrap_or_default(),
                row(vec![
                    way(
                        if is_under_way { NOW } else { HOME },
                        if is_under_way { "Back to the session under way" } else { "To interview practice" },
                    ),
                    if due > 0 { way(CARDS, "To the cards that are due") } else { Html::default() },
                ]),
            ],
        )
    }

    fn carrying(&self, ctx: &Context<Self>) -> Html {
        let chosen = ctx.link().batch_callback(|event: Event| event.target_dyn_into::<Element>().map(Msg::Chosen));
        section(
            "To another browser, or to keep",
            vec![
                p(
                    "Code, results, cards and settings live in this browser only. Export writes all of it into one file; \
                   import brings such a file in here or elsewhere, and says first what it would change.",
                ),
                row(vec![
                    button(ctx, "Export everything", Msg::Export),
                    html! { <label for="import">{ "Import a file:" }</label> },
                    html! { <input key={self.fields} id="import" type="file" accept=".json,application/json" onchange={chosen} /> },
                ]),
                self.import.as_ref().map(|import| self.planned(ctx, import)).unwrap_or_default(),
            ],
        )
    }

    /// What an import would change.
    fn planned(&self, ctx: &Context<Self>, Import { steps, taken, is_done }: &Import) -> Html {
        let named = |words: &'static str, is_of: fn(&Fate) -> bool| {
            let names: Vec<String> =
                steps.iter().filter(|step| is_of(&step.fate)).map(|step| self.name(&step.key)).collect();
            if names.is_empty() { Html::default() } else { p([words, &names.join(", "), "."].concat()) }
        };
        let choice = |i: usize| {
            let onchange = ctx.link().callback(move |_| Msg::Toggle(i));
            html! {
                <label>
                    <input type="checkbox" checked={taken[i]} disabled={*is_done} {onchange} />
                    { [" Take the file’s: ", &self.name(&steps[i].key)].concat() }
                </label>
            }
        };
        let differ: Vec<usize> = (0..steps.len()).filter(|i| matches!(steps[*i].fate, Fate::Differs { .. })).collect();
        html! {
            <div class="panel" role="group" aria-label={if *is_done { "What the file changed" } else { "What the file would change" }}>
                { named("New here: ", |fate| *fate == Fate::New) }
                { named("Joined with yours, of which nothing is lost: ", |fate| matches!(fate, Fate::Joined(_))) }
                { named("The same in both: ", |fate| *fate == Fate::Same) }
                { named("Can’t be read, and left out: ", |fate| *fate == Fate::LeftOut) }
                if !differ.is_empty() {
                    {
                        p([
                            count(differ.len(), "entry differs", "entries differ").as_str(),
                            ". Yours stays unless you take the file’s; then yours is set aside. Results are joined either way.",
                        ].concat())
                    }
                    <div class="progress-choices">{ for differ.iter().map(|i| choice(*i)) }</div>
                }
                if *is_done {
                    <p class="progress-done" tabindex="-1">{ self.said.clone() }</p>
                } else {
                    { row(vec![
                        button(ctx, "Bring it in", Msg::Import),
                        if differ.len() > 1 { button(ctx, "Tick all", Msg::TakeAll) } else { Html::default() },
                        button(ctx, "Cancel", Msg::Cancel),
                    ]) }
                }
            </div>
        }
    }

    fn aside(&self, ctx: &Context<Self>) -> Html {
        let keys: Vec<String> = storage::keys().into_iter().filter(|key| key.contains(ASIDE)).collect();
        if keys.is_empty() {
            return Html::default();
        }
        let mut parts = vec![p(
            "What could not be read, and code that other code took the place of, is kept here until you delete it.",
        )];
        for key in keys {
            let number = key.rsplit('-').next().unwrap_or_default();
            let called = [&self.name(&key), " (", number, ")"].concat();
            let size = storage::text(&key).ok().flatten().map_or(0, |text| text.len());
            let what = html! { { [&called, ", ", &count(size, "byte", "bytes")].concat() } };
            parts.push(row(if self.asking == Asking::Delete(key.clone()) {
                vec![
                    what,
                    html! { "Delete it for good?" },
                    button(ctx, "Yes, delete it", Msg::Delete),
                    button(ctx, "Keep it", Msg::Keep),
                ]
            } else {
                let named = |words: &'static str, msg: Msg| {
                    named_button(ctx, words, Some([words, ": ", &called].concat()), msg)
                };
                vec![what, named("Download", Msg::Download(key.clone())), named("Delete", Msg::Ask(key))]
            }));
        }
        section("Set aside", parts)
    }

    fn erasing(&self, ctx: &Context<Self>) -> Html {
        let parts = if self.asking == Asking::Erase {
            let words = [
                "This erases all that the page keeps in this browser, with your code, results and settings: ",
                &count(storage::keys().len(), "entry", "entries"),
                ". It can’t be undone; export first if you may want it back.",
            ];
            vec![
                p(words.concat()),
                row(vec![button(ctx, "Yes, erase everything", Msg::Erase), button(ctx, "Keep everything", Msg::Keep)]),
            ]
        } else {
            vec![button(ctx, "Erase everything…", Msg::AskErase)]
        };
        section("Begin anew", parts)
    }
}

fn fetch(ctx: &Context<Overview>) {
    contents(ctx.link().callback(Msg::Came));
}

fn katas(entries: &'static [Page]) -> Vec<&'static Page> {
    entries.iter().filter(|entry| address::kata(entry.address).is_some()).collect()
}

fn items() -> Vec<file::Item> {
    let item = |key: String| Some((key.clone(), storage::text(&key).ok()??));
    storage::keys().into_iter().filter_map(item).collect()
}

// Plain functions for what comes often: each `html!` is a few hundred bytes.

fn p(words: impl Into<AttrValue>) -> Html {
    fn made(words: AttrValue) -> Html {
        html! { <p>{ words }</p> }
    }
    made(words.into())
}

fn row(parts: Vec<Html>) -> Html {
    html! { <div class="panel-row">{ parts }</div> }
}

fn way(address: &'static str, words: &'static str) -> Html {
    html! { <a href={address}>{ words }</a> }
}

fn section(title: &'static str, parts: Vec<Html>) -> Html {
    html! { <section><h2>{ title }</h2>{ parts }</section> }
}

fn button(ctx: &Context<Overview>, words: &'static str, msg: Msg) -> Html {
    named_button(ctx, words, None, msg)
}

/// A button in a list, where its words alone don't say which.
fn named_button(ctx: &Context<Overview>, words: &'static str, name: Option<String>, msg: Msg) -> Html {
    let onclick = ctx.link().callback(move |_: MouseEvent| msg.clone());
    html! { <button type="button" aria-label={name} {onclick}>{ words }</button> }
}

/// This browser's storage.
struct Browser;

impl Store for Browser {
    fn get(&self, key: &str) -> Option<String> {
        storage::text(key).ok().flatten()
    }

    fn set(&mut self, key: &str, text: &str) -> bool {
        storage::set_text(key, text).is_ok()
    }

    fn remove(&mut self, key: &str) {
        storage::remove(key);
    }
}
