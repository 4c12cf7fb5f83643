//! One level as it is played. [`Game::update`] takes what happened and returns what is to be done about it; it does nothing
//! itself, so everything here is tested natively.

#[cfg(test)]
mod tests;

use super::level::{Attack, Level, Message, Move, Placed};
use super::progress::Record;
use crate::timeline;
use std::rc::Rc;

/// An order that was not answered for so long is given up, and the worker with it. The longest search takes two seconds.
pub const WATCHDOG_MS: u32 = 15_000;

/// After so many runs in which nothing broke, giving up is offered more plainly.
const TRIES: u32 = 4;

/// All that the page of a level shows.
pub struct Game {
    /// The level.
    pub level: Rc<Level>,
    /// How the interpreter is.
    pub engine: EngineState,
    /// What the player placed, in the order of placing.
    pub moves: Vec<Wanted>,
    /// The run with what the player placed, once there was one.
    pub own: Option<Rc<Attack>>,
    /// What the search for the shortest attack came to.
    pub found: Option<Rc<Attack>>,
    /// It is what is shown, instead of the player's own.
    pub shows_found: bool,
    /// The current event of the shown run.
    pub step: usize,
    /// The current place: an index into the shown run's points.
    pub at: usize,
    /// What may go wrong at the current place is listed.
    pub is_open: bool,
    /// The hint is open.
    pub has_hint: bool,
    /// What the player must be told: what could not be placed, or what became of the interpreter.
    pub notice: Option<String>,
    /// The fewest disturbances that the player broke it with since the level was opened.
    pub won: Option<usize>,
    tries: u32,
    /// The player asked to see what the search finds.
    asked: bool,
    running: Option<u32>,
    searching: Option<u32>,
    last_id: u32,
}

/// How the interpreter is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineState {
    /// Not asked for: the window is too narrow to play.
    Asleep,
    /// On its way: bytes so far, and in all, 0 if that is not known.
    Loading(u64, u64),
    /// All there, and starting.
    Starting,
    /// It takes orders.
    Ready,
    /// It could not be had; why.
    Failed(String),
}

/// Something that the player placed, with what it looked like there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// As the engine is told it.
    pub order: Move,
    /// Its kind.
    pub kind: String,
    /// In words.
    pub label: String,
}

/// What can happen.
#[derive(Debug)]
pub enum Msg {
    /// The window is wide enough to play.
    Wide,
    /// The worker says something.
    Heard(Message),
    /// The watchdog of an order came to its end.
    TimedOut(u32),
    /// Load the interpreter again.
    Retry,
    /// Go to another event.
    Step(timeline::Move),
    /// Go to the next place.
    Next,
    /// Go to the one before.
    Previous,
    /// List what may go wrong at a place, or close that list.
    Open(usize),
    /// List it at the current place.
    OpenHere,
    /// Close that list.
    Close,
    /// Place, replace or take away one of what is listed.
    Choose(usize),
    /// Take away what is placed at the point of this name.
    Remove(String),
    /// Take away what is placed at the current place.
    RemoveHere,
    /// Show the shortest attack, or that there is none.
    Shortest,
    /// Show the player's own run.
    Own,
    /// Open the hint.
    Hint,
}

/// What is to be done outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Start a worker, ending the one before it.
    StartEngine,
    /// Send what is placed, and set the watchdog.
    Attack(u32),
    /// Ask for the shortest attack, and set the watchdog.
    Shortest(u32),
    /// Keep what was reached.
    Keep(Record),
    /// Put the focus somewhere, once it is drawn.
    Focus(Focus),
}

/// Where the focus goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// The current place in the list.
    Place,
    /// The first of what may go wrong there.
    Options,
}

impl Game {
    /// A level that was just opened, with the interpreter as it is.
    pub fn new(level: Rc<Level>, engine: EngineState) -> Self {
        Game {
            level,
            engine,
            moves: Vec::new(),
            own: None,
            found: None,
            shows_found: false,
            step: 0,
            at: 0,
            is_open: false,
            has_hint: false,
            notice: None,
            won: None,
            tries: 0,
            asked: false,
            running: None,
            searching: None,
            last_id: 0,
        }
    }

    /// Opens another level. Answers that are still to come are of the one before.
    pub fn open(&mut self, level: Rc<Level>) -> Vec<Effect> {
        let engine = std::mem::replace(&mut self.engine, EngineState::Asleep);
        *self = Game { last_id: self.last_id, ..Game::new(level, engine) };
        self.begin()
    }

    /// The run that is shown.
    pub fn shown(&self) -> Option<&Rc<Attack>> {
        if self.shows_found { self.found.as_ref() } else { self.own.as_ref() }
    }

    /// Whether a search is under way.
    pub fn is_searching(&self) -> bool {
        self.searching.is_some()
    }

    /// Whether the player's run, as it is now, breaks the rule that is to be broken.
    pub fn is_broken(&self) -> bool {
        self.own.as_ref().is_some_and(|run| breaks(run, &self.level))
    }

    /// With how many disturbances a search says that it can be broken.
    pub fn shortest(&self) -> Option<usize> {
        self.found.as_ref().filter(|run| run.search.is_some_and(|s| s.found)).map(|run| run.placed.len())
    }

    /// Whether the search is over and what came of it is known to the player, or the player broke it.
    pub fn is_over(&self) -> bool {
        self.won.is_some() || (self.asked && self.found.is_some())
    }

    /// Whether to offer plainly what the search has to say.
    pub fn is_stuck(&self) -> bool {
        self.tries >= TRIES && !self.is_over()
    }

    /// What the current run shows of something placed.
    pub fn placed(&self, wanted: &Wanted) -> Option<&Placed> {
        self.own.as_ref()?.placed.iter().find(|p| p.point == wanted.order.point && p.option == wanted.order.option)
    }

    /// Why something placed did not happen.
    pub fn misfit(&self, wanted: &Wanted) -> Option<&str> {
        let misfits = &self.own.as_ref()?.misfits;
        misfits.iter().find(|m| m.point == wanted.order.point).map(|m| m.message.as_str())
    }

    /// What stands at a point of the shown run: the option's name.
    pub fn option_at(&self, point: &str) -> Option<&str> {
        if self.shows_found {
            let placed = self.found.as_ref()?.placed.iter().find(|p| p.point == point);
            return placed.map(|p| p.option.as_str());
        }
        self.moves.iter().find(|m| m.order.point == point).map(|m| m.order.option.as_str())
    }

    /// Takes in what happened and says what is to be done about it.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        match msg {
            Msg::Wide if self.engine == EngineState::Asleep => self.load(),
            Msg::Wide => Vec::new(),
            Msg::Heard(message) => self.heard(message),
            Msg::TimedOut(id) if self.is_under_way(id) => {
                self.replace_engine("There was no answer for 15 seconds, so the interpreter is started anew.")
            }
            Msg::TimedOut(_) => Vec::new(),
            Msg::Retry => self.load(),
            Msg::Step(to) => self.step(to),
            Msg::Next => self.walk(self.at + 1),
            Msg::Previous => self.walk(self.at.saturating_sub(1)),
            Msg::Open(at) if self.is_open && self.at == at => self.close(),
            Msg::Open(at) => {
                self.go(at);
                self.open_here()
            }
            Msg::OpenHere => self.open_here(),
            Msg::Close => self.close(),
            Msg::Choose(option) => self.choose(option),
            Msg::Remove(point) => self.remove(&point),
            Msg::RemoveHere => match self.point_here() {
                Some(point) if !self.shows_found => self.remove(&point),
                _ => Vec::new(),
            },
            Msg::Shortest => self.show_shortest(),
            Msg::Own => {
                self.shows_found = false;
                self.turn_to_run(None);
                Vec::new()
            }
            Msg::Hint => {
                self.has_hint = !self.has_hint;
                Vec::new()
            }
        }
    }

    fn is_under_way(&self, id: u32) -> bool {
        self.running == Some(id) || self.searching == Some(id)
    }

    fn load(&mut self) -> Vec<Effect> {
        self.engine = EngineState::Loading(0, 0);
        (self.running, self.searching) = (None, None);
        vec![Effect::StartEngine]
    }

    fn begin(&mut self) -> Vec<Effect> {
        if self.engine == EngineState::Ready && self.own.is_none() { vec![self.run()] } else { Vec::new() }
    }

    fn run(&mut self) -> Effect {
        self.last_id += 1;
        self.running = Some(self.last_id);
        Effect::Attack(self.last_id)
    }

    fn search(&mut self) -> Vec<Effect> {
        if self.engine != EngineState::Ready || self.searching.is_some() {
            return Vec::new();
        }
        self.last_id += 1;
        self.searching = Some(self.last_id);
        vec![Effect::Shortest(self.last_id)]
    }

    fn heard(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Progress(received, total) => self.engine = EngineState::Loading(received, total),
            Message::Starting => self.engine = EngineState::Starting,
            Message::Ready => {
                self.engine = EngineState::Ready;
                let mut effects = self.begin();
                if self.asked && self.found.is_none() {
                    effects.extend(self.search());
                }
                return effects;
            }
            Message::Failed(_) if self.own.is_some() && (self.running.is_some() || self.searching.is_some()) => {
                return self.replace_engine("That ended the interpreter, so it is started anew.");
            }
            Message::Failed(message) => {
                self.engine = EngineState::Failed(message);
                (self.running, self.searching) = (None, None);
            }
            Message::Answer(id, attack) if self.running == Some(id) => return self.ran(*attack),
            Message::Answer(id, attack) if self.searching == Some(id) => return self.searched(*attack),
            // Of a run that something else was placed in since.
            Message::Answer(..) => {}
        }
        Vec::new()
    }

    /// What was placed since the last answer may be what ended it, and goes. So does a search.
    fn replace_engine(&mut self, why: &str) -> Vec<Effect> {
        let Some(own) = self.own.clone() else {
            // Not even the undisturbed run came to an end: to start over by ourselves might never end.
            self.engine = EngineState::Failed(why.to_owned());
            (self.running, self.searching) = (None, None);
            return Vec::new();
        };
        let before = self.moves.len();
        self.moves.retain(|m| own.placed.iter().any(|p| p.point == m.order.point && p.option == m.order.option));
        let taken = if self.moves.len() < before { " What you placed last was taken back." } else { "" };
        self.notice = Some([why, taken].concat());
        self.asked = false;
        self.load()
    }

    fn ran(&mut self, attack: Attack) -> Vec<Effect> {
        self.running = None;
        if let Some(error) = attack.error {
            self.notice = Some(error);
            return Vec::new();
        }
        let latest = self.moves.last().map(|m| m.order.point.clone());
        self.own = Some(Rc::new(attack));
        self.shows_found = false;
        self.turn_to_run(latest.as_deref());
        if !self.is_broken() {
            self.tries += u32::from(!self.moves.is_empty());
            return Vec::new();
        }
        let count = self.own.as_ref().map_or(0, |run| run.placed.len());
        self.won = Some(self.won.map_or(count, |won| won.min(count)));
        let mut effects = vec![Effect::Keep(Record::won(count))];
        // With one there is nothing to ask: without any, nothing breaks.
        if count > 1 && self.found.is_none() {
            effects.extend(self.search());
        }
        effects
    }

    fn searched(&mut self, attack: Attack) -> Vec<Effect> {
        self.searching = None;
        if let Some(error) = attack.error {
            self.notice = Some(error);
            return Vec::new();
        }
        self.found = Some(Rc::new(attack));
        if self.asked { self.reveal() } else { Vec::new() }
    }

    fn show_shortest(&mut self) -> Vec<Effect> {
        self.asked = true;
        self.is_open = false;
        if self.found.is_some() { self.reveal() } else { self.search() }
    }

    fn reveal(&mut self) -> Vec<Effect> {
        self.shows_found = self.shortest().is_some();
        let last = self.found.as_ref().and_then(|run| run.placed.last()).map(|placed| placed.point.clone());
        self.turn_to_run(last.as_deref());
        vec![Effect::Keep(Record::told())]
    }

    /// After the shown run became another one: where it breaks, or where `latest` is seen, or where the player was.
    fn turn_to_run(&mut self, latest: Option<&str>) {
        let before = self.at;
        let Some(run) = self.shown().cloned() else { return };
        let last = run.trace.events.len().saturating_sub(1);
        let seen = || run.placed.iter().find(|p| Some(p.point.as_str()) == latest).map(|p| p.event);
        let step = run.trace.first_bad.filter(|_| run.broken.is_some()).or_else(seen).unwrap_or(self.step);
        self.step = step.min(last);
        // The place keeps its name, and mostly its number.
        let at = run.points.iter().position(|p| Some(p.point.as_str()) == latest).unwrap_or(before);
        self.at = at.min(run.points.len().saturating_sub(1));
        self.is_open = false;
    }

    fn step(&mut self, to: timeline::Move) -> Vec<Effect> {
        let Some(run) = self.shown().cloned() else { return Vec::new() };
        self.step = to.from(self.step, &run.trace);
        let at = run.points.iter().rposition(|p| p.event <= self.step).unwrap_or(0);
        self.is_open &= at == self.at;
        self.at = at;
        Vec::new()
    }

    fn go(&mut self, at: usize) -> Vec<Effect> {
        let Some(run) = self.shown().cloned() else { return Vec::new() };
        let Some(place) = run.points.get(at) else { return Vec::new() };
        self.is_open &= at == self.at;
        self.at = at;
        self.step = place.event.min(run.trace.events.len().saturating_sub(1));
        Vec::new()
    }

    fn walk(&mut self, at: usize) -> Vec<Effect> {
        let last = self.shown().map_or(0, |run| run.points.len().saturating_sub(1));
        self.go(at.min(last));
        self.is_open = false;
        vec![Effect::Focus(Focus::Place)]
    }

    fn open_here(&mut self) -> Vec<Effect> {
        if self.shows_found || self.point_here().is_none() {
            return Vec::new();
        }
        self.notice = None;
        self.is_open = true;
        vec![Effect::Focus(Focus::Options)]
    }

    fn close(&mut self) -> Vec<Effect> {
        if !std::mem::take(&mut self.is_open) {
            return Vec::new();
        }
        vec![Effect::Focus(Focus::Place)]
    }

    fn point_here(&self) -> Option<String> {
        Some(self.shown()?.points.get(self.at)?.point.clone())
    }

    fn choose(&mut self, option: usize) -> Vec<Effect> {
        let Some(run) = self.own.clone().filter(|_| !self.shows_found) else { return Vec::new() };
        let Some(place) = run.points.get(self.at) else { return Vec::new() };
        let Some(choice) = place.options.get(option) else { return Vec::new() };
        let order = Move { point: place.point.clone(), option: choice.id.clone() };
        let wanted = Wanted { order, kind: choice.kind.clone(), label: choice.label.clone() };
        let here = self.moves.iter().position(|m| m.order.point == place.point);
        match here {
            // The same once more takes it away.
            Some(here) if self.moves[here].order == wanted.order => return self.remove(&place.point),
            Some(here) => {
                self.moves.remove(here);
            }
            // Of one there is no doubt which is meant to move.
            None if self.level.most == 1 => self.moves.clear(),
            None if self.moves.len() >= self.level.most => {
                let most = self.level.most;
                self.notice = Some(format!("All {most} are placed. Take one away first."));
                return Vec::new();
            }
            None => {}
        }
        self.moves.push(wanted);
        self.changed()
    }

    fn remove(&mut self, point: &str) -> Vec<Effect> {
        let before = self.moves.len();
        self.moves.retain(|m| m.order.point != point);
        if self.moves.len() == before { Vec::new() } else { self.changed() }
    }

    /// Runs again with what is placed now.
    fn changed(&mut self) -> Vec<Effect> {
        self.notice = None;
        self.is_open = false;
        let mut effects = vec![Effect::Focus(Focus::Place)];
        if self.engine == EngineState::Ready {
            effects.push(self.run());
        }
        effects
    }
}

/// Whether a run breaks the rule that the level is about, and not only the program.
pub fn breaks(run: &Attack, level: &Level) -> bool {
    run.broken.as_ref().is_some_and(|broken| broken.rule == level.breaks)
}
