//! Runs under way: the worker behind them, and how far they are.

use super::{Answer, Effect, Phase, Runs, Wanted};
use crate::components::loading;
use crate::engine::Engine;
use gloo_timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use yew::prelude::*;

/// A run for a picture is a single schedule. One that has not ended after this long is ended from outside.
const WATCHDOG_MS: u32 = 5_000;

type Said = Result<String, String>;
/// Who hears a worker now.
type Ear = Rc<RefCell<Callback<Said>>>;

/// A worker, and who hears it.
struct Worker {
    engine: Engine,
    ear: Ear,
}

thread_local! {
    /// The worker between two runs, ready for the next one: to start one takes a second.
    static KEPT: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

/// See [`Bench`].
#[derive(Properties, PartialEq)]
pub struct BenchProps {
    /// What to run, one after the other.
    pub wanted: Rc<[Wanted]>,
    /// Gets as many answers.
    pub on_end: Callback<Vec<Answer>>,
}

/// What happens to [`Bench`].
pub enum BenchMsg {
    /// The worker says something, or failed as a whole.
    Said(Said),
    /// The watchdog of this run has come to its end.
    TimedOut(u32),
    /// Once more, with another worker.
    Again,
}

/// Makes some runs, from the moment it is there, and shows how far they are. A worker that failed is not kept.
pub struct Bench {
    runs: Runs,
    worker: Option<Worker>,
    watchdog: Option<Timeout>,
}

impl Component for Bench {
    type Message = BenchMsg;
    type Properties = BenchProps;

    fn create(ctx: &Context<Self>) -> Self {
        let mut bench = Bench { runs: Runs::new(ctx.props().wanted.clone()), worker: None, watchdog: None };
        bench.start(ctx);
        bench
    }

    fn update(&mut self, ctx: &Context<Self>, msg: BenchMsg) -> bool {
        let effect = match msg {
            BenchMsg::Said(Ok(text)) => self.runs.heard(&text),
            BenchMsg::Said(Err(message)) => Some(self.runs.lost(&message)),
            BenchMsg::TimedOut(id) => self.runs.timed_out(id),
            BenchMsg::Again => {
                self.runs = Runs::new(ctx.props().wanted.clone());
                self.start(ctx);
                None
            }
        };
        self.perform(ctx, effect);
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let say = |words: &'static str| html! { <p class="engine" role="status">{ words }</p> };
        match &self.runs.phase {
            Phase::Loading { total: 0, .. } => say("Loading the Python interpreter…"),
            Phase::Loading { received, total } => loading("bench-progress", *received, *total),
            Phase::Starting => say("Starting the Python interpreter…"),
            Phase::Running | Phase::Ended => say("Running…"),
            Phase::Failed(why) => html! {
                <p class="engine engine-failed" role="alert">
                    <span>{ why.clone() }</span>
                    <button type="button" onclick={ctx.link().callback(|_| BenchMsg::Again)}>{ "Try again" }</button>
                </p>
            },
        }
    }

    fn destroy(&mut self, _: &Context<Self>) {
        // One that is still busy goes with this.
        if let Some(worker) = self.worker.take().filter(|_| self.runs.phase == Phase::Ended) {
            worker.ear.replace(Callback::noop());
            KEPT.set(Some(worker));
        }
    }
}

impl Bench {
    fn start(&mut self, ctx: &Context<Self>) {
        let hears = ctx.link().callback(BenchMsg::Said);
        if let Some(kept) = KEPT.take() {
            kept.ear.replace(hears);
            self.worker = Some(kept);
            let effect = self.runs.ready();
            return self.perform(ctx, Some(effect));
        }
        let ear: Ear = Rc::new(RefCell::new(hears));
        let heard = ear.clone();
        let started = Engine::start(Rc::new(move |said: Result<&str, String>| {
            // Not borrowed while it hears: what it does may put another ear here.
            let hears = heard.borrow().clone();
            hears.emit(said.map(str::to_owned));
        }));
        match started {
            Ok(engine) => self.worker = Some(Worker { engine, ear }),
            Err(message) => {
                self.runs.lost(&message);
            }
        }
    }

    fn perform(&mut self, ctx: &Context<Self>, effect: Option<Effect>) {
        match effect {
            Some(Effect::Send) => {
                let id = self.runs.id();
                let sent = match (&self.worker, self.runs.order()) {
                    (Some(worker), Some(order)) => worker.engine.send(&order),
                    _ => Err(String::new()),
                };
                if let Err(message) = sent {
                    self.runs.lost(&message);
                    self.worker = None;
                    return;
                }
                let timed_out = ctx.link().callback(BenchMsg::TimedOut);
                self.watchdog = Some(Timeout::new(WATCHDOG_MS, move || timed_out.emit(id)));
            }
            Some(Effect::End) => {
                self.watchdog = None;
                ctx.props().on_end.emit(std::mem::take(&mut self.runs.answers));
            }
            Some(Effect::Drop) => {
                self.watchdog = None;
                self.worker = None;
            }
            None => {}
        }
    }
}
