//! A run that came as a link: its code to read, and its schedule to run for those who ask.

use super::code::Code;
use super::compare::Compare;
use super::life_cycle::LifeCycle;
use super::link::{self, MOST_UNPACKED, SharedRun, Trouble};
use super::runs::{Answer, Bench, Wanted};
use super::subject::put_into_editor;
use crate::address;
use crate::components::{leave_focus, marked_up};
use crate::timeline::{Move, Player, title};
use crate::words;
use leasehold_checker::report::TestReport;
use leasehold_checker::trace::Trace;
use leasehold_exercises::Kata;
use std::rc::Rc;
use yew::platform::spawn_local;
use yew::prelude::*;

/// See [`Shared`].
#[derive(Properties, PartialEq)]
pub struct SharedProps {
    /// The part of the address that is ours.
    pub hash: AttrValue,
}

/// What the link holds, as far as that is known; none while it is read.
type Opened = Option<Result<Source, Trouble>>;

/// What the link holds, and where it is from.
#[derive(Clone, PartialEq)]
struct Source {
    run: Rc<SharedRun>,
    /// The kata's title.
    kata: &'static str,
    /// The address of the card of the museum that has this link.
    card: Option<AttrValue>,
}

/// The page of a link.
#[component]
pub fn Shared(SharedProps { hash }: &SharedProps) -> Html {
    let opened = use_state(|| Opened::None);
    // Counts the tries: a kata's file may come the second time.
    let tries = use_state(|| 0_u32);
    {
        let opened = opened.clone();
        use_effect_with((hash.clone(), *tries), move |(hash, _)| {
            let hash = hash.clone();
            spawn_local(async move {
                match unpack(&hash).await {
                    Ok(run) => with_title(run, hash, opened),
                    Err(trouble) => opened.set(Some(Err(trouble))),
                }
            });
        });
    }
    match &*opened {
        None => html! { <p role="status">{ "The link is being read…" }</p> },
        Some(Ok(source)) => html! { <Opening source={source.clone()} /> },
        Some(Err(trouble)) => {
            let may_come = matches!(trouble, Trouble::NoKata(_));
            let again = {
                let (opened, tries) = (opened.clone(), tries.clone());
                Callback::from(move |_: MouseEvent| {
                    opened.set(None);
                    tries.set(*tries + 1);
                })
            };
            html! {
                <div class="shared-trouble" role="alert">
                    <p>{ trouble.text() }</p>
                    <p class="panel-row">
                        if may_come { <button type="button" onclick={again}>{ "Try again" }</button> }
                        <a href={address::CONTENTS}>{ "Go to the contents" }</a>
                    </p>
                </div>
            }
        }
    }
}

async fn unpack(hash: &str) -> Result<SharedRun, Trouble> {
    let bytes = link::of_address(hash)?;
    let (sum, packed) = bytes.split_first_chunk::<4>().ok_or(Trouble::Damaged)?;
    let json = link::unpack(packed, MOST_UNPACKED).await?;
    SharedRun::of_json(&json, *sum)
}

/// The kata's title is in its file.
fn with_title(run: SharedRun, hash: AttrValue, opened: UseStateHandle<Opened>) {
    let file = [&run.kata, ".kata"].concat();
    let came = move |text: Option<String>| {
        let kata = text.and_then(Kata::from_file).filter(|kata| kata.slug == run.kata);
        match kata {
            Some(kata) => with_card(run.clone(), kata.title, hash.clone(), opened.clone()),
            None => opened.set(Some(Err(Trouble::NoKata(run.kata.clone())))),
        }
    };
    address::fetch(&file, Callback::from(came));
}

/// Anybody can write into a link that it is from the museum; only a card of ours has this very link.
fn with_card(run: SharedRun, kata: &'static str, hash: AttrValue, opened: UseStateHandle<Opened>) {
    let from = run.from.clone().unwrap_or_default();
    let source = Source { run: Rc::new(run), kata, card: None };
    let Some((kind, slug)) = address::file(&from) else { return opened.set(Some(Ok(source))) };
    let file = [slug, ".", kind].concat();
    let came = move |text: Option<String>| {
        let card = text.filter(|text| text.contains(hash.as_str())).map(|_| from.clone().into());
        opened.set(Some(Ok(Source { card, ..source.clone() })));
    };
    address::fetch(&file, Callback::from(came));
}

/// What is shown beside the code.
#[derive(Clone, PartialEq)]
enum Beside {
    /// What the run is; nothing has run.
    Summary,
    /// It is under way.
    Running,
    /// What came of it.
    Ended(Rc<Told>),
    /// It could not be made. In a sentence.
    Refused(AttrValue),
}

#[derive(Properties, PartialEq)]
struct OpeningProps {
    source: Source,
}

#[component]
fn Opening(OpeningProps { source: Source { run, kata, card } }: &OpeningProps) -> Html {
    let beside = use_state(|| Beside::Summary);
    let line = use_state(|| 0_u32);
    let go = use_state(|| (0_u32, 0_u32));
    let is_comparing = use_state(|| false);
    let on_run = {
        let beside = beside.clone();
        Callback::from(move |event: MouseEvent| {
            // The button goes.
            leave_focus(&event, "section", "h2");
            beside.set(Beside::Running);
        })
    };
    let on_end = {
        let (beside, run) = (beside.clone(), run.clone());
        Callback::from(move |answers: Vec<Answer>| {
            beside.set(match answers.into_iter().next() {
                Some(Ok(test)) => Beside::Ended(Rc::new(Told::of(&run, test))),
                Some(Err(why)) => Beside::Refused(why.into()),
                None => Beside::Summary,
            });
        })
    };
    let on_line = {
        let go = go.clone();
        Callback::from(move |line| go.set((line, go.1 + 1)))
    };
    let on_step = {
        let line = line.clone();
        Callback::from(move |at| line.set(at))
    };
    let compare = |wanted: bool| {
        let is_comparing = is_comparing.clone();
        Callback::from(move |()| is_comparing.set(wanted))
    };
    let wanted = Wanted {
        kata: run.kata.clone(),
        source: run.code.as_str().into(),
        replay: run.replay.clone(),
        test: run.test.clone(),
    };
    let on_put = {
        let run = run.clone();
        move |_: MouseEvent| put_into_editor(&run.kata, &run.code)
    };
    html! {
        <>
            { welcome(card.clone()) }
            <div class="shared">
                <section class="shared-code" aria-label="The shared code">
                    <h2>{ "The shared code" }<span class="coverage">{ size(&run.code) }</span></h2>
                    <div class="code-read">
                        <Code label="The shared code, to read" code={AttrValue::from(run.code.clone())} line={*line} go={*go} />
                    </div>
                </section>
                <section class="shared-run" aria-label="The shared run">
                    <h2 tabindex="-1">{ *kata }</h2>
                    <p>{ "Test: " }<strong>{ words::sentence(&run.test) }</strong></p>
                    { match &*beside {
                        Beside::Summary => html! { <p class="shared-note">{ note(run, card.is_some()) }</p> },
                        Beside::Ended(told) => outcome(&told.test),
                        _ => Html::default(),
                    } }
                    <div class="panel-row">
                        if matches!(*beside, Beside::Summary | Beside::Refused(_)) {
                            <button type="button" class="run" onclick={on_run}>
                                { if run.replay.is_some() { "Run this schedule" } else { "Run the tests on it" } }
                            </button>
                        }
                        <button type="button" aria-expanded={is_comparing.to_string()}
                            onclick={compare(!*is_comparing).reform(|_| ())}>{ "Compare" }</button>
                        <button type="button" class="only-wide" onclick={on_put}>{ "Try it in the editor" }</button>
                        <a href={["#/kata/", &run.kata].concat()}>{ "Open the kata" }</a>
                    </div>
                    { match &*beside {
                        Beside::Summary => Html::default(),
                        Beside::Running => html! { <Bench wanted={Rc::from([wanted])} {on_end} /> },
                        Beside::Ended(told) => html! { <Report told={told.clone()} {on_step} {on_line} /> },
                        Beside::Refused(why) => html! { <p role="alert">{ why }</p> },
                    } }
                </section>
            </div>
            if *is_comparing {
                <Compare run={run.clone()} name="the shared code" own="your code" on_close={compare(false)} />
            }
        </>
    }
}

/// For whoever comes by a link and sees nothing else of the page.
fn welcome(card: Option<AttrValue>) -> Html {
    match card {
        Some(card) => html! {
            <p class="shared-note shared-welcome"><a href={card}>{ "← Back to the card in the museum of real bugs" }</a></p>
        },
        None => html! {
            <p class="shared-note shared-welcome">
                { "Leasehold is a page on which one learns distributed locks by writing them in Python; it looks for the shortest \
                   run that breaks them. This is one such run: play it, and look for the moment at which a second client gets \
                   what the first still believes to hold. " }
                <a href="#">{ "Start with the first kata" }</a>
            </p>
        },
    }
}

fn note(run: &SharedRun, is_card: bool) -> &'static str {
    match (is_card, &run.replay) {
        (true, _) => {
            "This code is ours, made like the code in the report that the card retells. Run the schedule to step through it, or \
             try it in the editor and mend it. There a button brings your own code for this kata back."
        }
        (_, Some(_)) => {
            "Somebody shared this code and one schedule that it runs under. Nothing has run yet, and your own code for this \
             kata is untouched. Code from a link runs in the same closed interpreter as your own."
        }
        (_, None) => {
            "Somebody shared this code and the name of a test, which has no schedule of its own: all tests of the kata are run, \
             and this one is shown. Nothing has run yet, and your own code for this kata is untouched."
        }
    }
}

/// `64 lines`.
fn size(code: &str) -> String {
    let lines = code.lines().count();
    format!(" {lines} line{}", if lines == 1 { "" } else { "s" })
}

/// What came of a run.
#[derive(PartialEq)]
struct Told {
    test: TestReport,
    title: AttrValue,
    trace: Option<Rc<Trace>>,
    code: AttrValue,
}

impl Told {
    fn of(run: &SharedRun, mut test: TestReport) -> Self {
        // A replay is of no test in particular; the link says of which it was.
        if run.replay.is_some() {
            test.name.clone_from(&run.test);
        }
        let title = title(&test).into();
        let trace = test.trace.take().filter(|trace| !trace.events.is_empty()).map(Rc::new);
        Told { test, title, trace, code: run.code.clone().into() }
    }
}

/// The verdict, above all else.
fn outcome(test: &TestReport) -> Html {
    html! {
        <p class="shared-outcome" role="status">
            <strong>{ words::outcome(test.outcome) }</strong>{ " " }{ marked_up(&test.message) }
        </p>
    }
}

#[derive(Properties)]
struct ReportProps {
    told: Rc<Told>,
    on_step: Callback<u32>,
    on_line: Callback<u32>,
}

impl PartialEq for ReportProps {
    // A report is never changed, only replaced.
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.told, &other.told) && (&self.on_step, &self.on_line) == (&other.on_step, &other.on_line)
    }
}

#[component]
fn Report(ReportProps { told, on_step, on_line }: &ReportProps) -> Html {
    let Told { test, title, trace, code } = &**told;
    let step = use_state(|| trace.as_ref().map_or(0, |trace| Move::opening(trace)));
    {
        let (on_step, trace) = (on_step.clone(), trace.clone());
        use_effect_with(*step, move |step| {
            let event = trace.as_ref().and_then(|trace| trace.events.get(*step));
            on_step.emit(event.and_then(|event| event.line).unwrap_or(0));
        });
    }
    let on_move = {
        let (step, trace) = (step.clone(), trace.clone());
        Callback::from(move |to: Move| {
            if let Some(trace) = &trace {
                step.set(to.from(*step, trace));
            }
        })
    };
    html! {
        <>
            if let Some(traceback) = &test.traceback {
                <pre class="traceback" tabindex="0" role="region" aria-label="Traceback">{ traceback.clone() }</pre>
            }
            if let Some(trace) = trace {
                <Player name={test.name.clone()} {title} trace={trace.clone()} step={*step} source={code}
                    line_name="line" on_move={on_move.clone()} {on_line} />
                <LifeCycle trace={trace.clone()} step={*step} {on_move} />
            }
        </>
    }
}
