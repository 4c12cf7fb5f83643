//! One run of a world under one schedule.

use super::digest::Digest;
use super::disturbance::{Choose, Disturbance, Faults, Point};
use super::property::{Note, Property, breach};
use super::server::{Answer, Outbox, Request, Server};
use super::telling::{self, About, Handles, Interest, Teller};
use crate::breach::Breach;
use crate::explore::replay::Taken;
use crate::model::data::Data;
use crate::python::{
    Arg, Ask, Command, Coroutine, Driver, Failure, Module, Object, Problem, ProblemKind, Program, Python, Resume,
    Stepped,
};
use crate::report::finding;
use crate::time::{SECOND_US, seconds};
use crate::trace::{Call, Event, Happening, Reply, Trace};
use std::collections::{BTreeMap, VecDeque};
use std::hash::Hash;

/// What a world is like, besides what goes wrong in it.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many client processes there are.
    pub clients: usize,
    /// How long a request travels, virtual microseconds.
    pub request_us: u64,
    /// How long a reply travels.
    pub reply_us: u64,
    /// After how long a call without an answer raises TransportError.
    pub timeout_us: u64,
    /// When the run ends, whatever still goes on.
    pub horizon_us: u64,
    /// The usual length of leases: disturbances are measured by it.
    pub ttl_us: u64,
    /// By how many parts in a million each client's clocks run fast (or slow, below zero).
    pub drift_ppm: [i64; 4],
    /// What may go wrong.
    pub faults: Faults,
    /// Whether a background task that ends with an exception breaks a rule by itself.
    pub tasks_may_fail: bool,
    /// In all, tasks may go on so often in one run: more is endless.
    pub most_steps: u32,
}

/// The smallest step in worlds, 1/64 s: exact in floats of seconds.
pub const TICK_US: u64 = 15_625;

impl Settings {
    /// Two clients, leases of 10 s, a round trip of 1/32 s, nothing that goes wrong.
    pub const DEFAULT: Settings = Settings {
        clients: 2,
        request_us: TICK_US,
        reply_us: TICK_US,
        timeout_us: SECOND_US,
        horizon_us: 60 * SECOND_US,
        ttl_us: 10 * SECOND_US,
        drift_ppm: [0; 4],
        faults: Faults::NONE,
        tasks_may_fail: false,
        most_steps: 20_000,
    };
}

/// The names of clients, as timelines show them.
pub const CLIENTS: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];

/// A driver task that takes more steps than this at one instant spins.
const MOST_STEPS_AT_ONCE: u32 = 500;

/// What a run is made of: the learner's program, our driver that uses it, servers and properties.
pub struct Cast<'a> {
    /// The learner's file.
    pub program: &'a Program,
    /// Our code that plays the application.
    pub driver: &'a Driver,
    /// The driver's `async def`, called with the client's number and the globals of the learner's file.
    pub start: &'a str,
}

/// What a run is played in.
pub struct Stage {
    /// The servers on the network.
    pub servers: Vec<Box<dyn Server>>,
    /// What must hold.
    pub properties: Vec<Box<dyn Property>>,
}

/// Modules to run in, kept from run to run as long as nothing is left behind in them.
#[derive(Default)]
pub struct Namespaces(Vec<Module>);

impl Namespaces {
    /// Forgets them: every process of the next run starts from the file.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn take(&mut self, py: &Python<'_>, program: &Program) -> Result<Module, Problem> {
        py.collect_what_piled_up();
        while let Some(module) = self.0.pop() {
            if module.is_untouched(py) {
                return Ok(module);
            }
        }
        program.run(py)
    }
}

/// How a run ended.
pub struct Ended {
    /// The rule that was broken, if one was.
    pub breach: Option<Breach>,
    /// What was chosen: the schedule of this run.
    pub taken: Vec<Taken>,
    /// How many choice points there were.
    pub points: u32,
    /// Whether the run was cut short because its state had been seen.
    pub was_seen: bool,
    /// How many events happened.
    pub events: usize,
    /// By client: how often its code read its wall clock.
    pub wall_reads: Vec<u32>,
    /// How much it has to tell to somebody who watches it: the more the better, 0 if nobody took over from anybody.
    pub telling: u8,
}

/// Runs one world.
pub fn run(
    py: &Python<'_>,
    settings: &Settings,
    cast: &Cast<'_>,
    stage: Stage,
    namespaces: &mut Namespaces,
    choose: &mut dyn Choose,
    trace: Option<&mut Trace>,
) -> Ended {
    let Stage { servers, properties } = stage;
    py.begin_tasks();
    py.take_unawaited();
    py.take_wall_reads();
    let mut world = World {
        py,
        settings,
        cast,
        namespaces,
        choose: Some(choose),
        servers,
        properties,
        trace,
        now: 0,
        queue: BTreeMap::new(),
        sequence: 0,
        processes: Vec::new(),
        tasks: BTreeMap::new(),
        ready: VecDeque::new(),
        calls: BTreeMap::new(),
        next_call: 0,
        watches: BTreeMap::new(),
        signals: BTreeMap::new(),
        points: 0,
        counts: BTreeMap::new(),
        taken: Vec::new(),
        events: 0,
        steps: 0,
        steps_at_once: 0,
        graveyard: Vec::new(),
        was_seen: false,
        teller: Teller::default(),
        handles: Handles::default(),
        interest: Interest::default(),
    };
    let result = world.play();
    if let Some(trace) = world.trace.as_mut() {
        world.teller.finish(&mut trace.events);
    }
    let ended = Ended {
        breach: result.err(),
        taken: std::mem::take(&mut world.taken),
        points: world.points,
        was_seen: world.was_seen,
        events: world.events,
        wall_reads: world.processes.iter().map(|p| p.wall_reads).collect(),
        telling: world.interest.value(),
    };
    let processes = std::mem::take(&mut world.processes);
    drop(world);
    py.take_commands();
    namespaces.0.extend(processes.into_iter().rev().filter_map(|p| p.module));
    ended
}

/// Something that will happen.
#[derive(Clone, Debug, Hash)]
enum Due {
    /// A request arrives at its server.
    Arrives { call: u32 },
    /// A process goes on.
    Wakes { client: usize, life: u32 },
    /// A process starts again.
    Restarts { client: usize },
    /// A process is connected again.
    Reconnects { client: usize },
    /// An answer reaches the process that asked.
    Answers { call: u32, answer: AnswerData },
    /// A call's time is over.
    TimesOut { call: u32 },
    /// The time of something else that a task waits for is over.
    Timer { task: u32, wait: u32 },
    /// A watch reaches the process.
    Fires { server: usize, watch: u64 },
}

type AnswerData = Result<Data, (String, String)>;

impl Due {
    /// Its place among all that is due at one instant, see the module's description.
    fn rank(&self) -> u8 {
        match self {
            Due::Arrives { .. } => 1,
            Due::Wakes { .. } | Due::Restarts { .. } | Due::Reconnects { .. } => 2,
            Due::Answers { .. } | Due::Timer { .. } | Due::Fires { .. } => 3,
            Due::TimesOut { .. } => 4,
        }
    }
}

struct Process {
    module: Option<Module>,
    /// Changes when it crashes: what belongs to an earlier life is void.
    life: u32,
    paused: bool,
    crashed: bool,
    cut_off_until: u64,
    wall_offset_us: i64,
    wall_reads: u32,
    seed: u64,
    /// A digest of everything that its code has been told so far. Code is deterministic, so this stands for its state.
    history: Digest,
    tasks: u32,
    calls: u32,
}

struct Task {
    client: usize,
    /// Which of its process's tasks, in the order in which they were spawned.
    ordinal: u32,
    coroutine: Coroutine,
    waits: Waits,
    /// Counts up with each wait, so that a timer of an earlier one is void.
    wait: u32,
    is_main: bool,
    end: Option<Result<Object, Option<Failure>>>,
    joined: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Waits {
    Ready,
    Sleep,
    Call(u32),
    Join(u32),
    Signal(u32),
    Watch(usize, u64),
    Done,
}

/// What a task that is ready does next.
enum Next {
    Resume(Resume),
    Send { server: String, verb: String, args: Vec<Data>, decided_us: u64 },
}

struct Ready {
    task: u32,
    next: Next,
    /// It wakes from waiting: a place where the process may have been paused meanwhile.
    wakes: bool,
    /// The process was paused right here already.
    was_disturbed: bool,
}

struct Pending {
    client: usize,
    life: u32,
    ordinal: u32,
    server: usize,
    verb: String,
    args: Vec<Data>,
    /// The task that waits; none once it has its answer or gave up.
    task: Option<u32>,
    /// The task that asked.
    asker: u32,
    lose_reply: bool,
    delay_us: u64,
    answered: bool,
}

struct Watching {
    client: usize,
    life: u32,
    fired: bool,
    task: Option<u32>,
}

struct World<'a, 'p> {
    py: &'a Python<'p>,
    settings: &'a Settings,
    cast: &'a Cast<'a>,
    namespaces: &'a mut Namespaces,
    /// Taken out while it looks at the world.
    choose: Option<&'a mut dyn Choose>,
    servers: Vec<Box<dyn Server>>,
    properties: Vec<Box<dyn Property>>,
    trace: Option<&'a mut Trace>,
    now: u64,
    queue: BTreeMap<(u64, u8, u64), Due>,
    sequence: u64,
    processes: Vec<Process>,
    tasks: BTreeMap<u32, Task>,
    ready: VecDeque<Ready>,
    calls: BTreeMap<u32, Pending>,
    next_call: u32,
    watches: BTreeMap<(usize, u64), Watching>,
    /// Tasks that wait for a signal, in order.
    signals: BTreeMap<u32, Vec<u32>>,
    points: u32,
    counts: BTreeMap<(usize, String), u32>,
    taken: Vec<Taken>,
    events: usize,
    steps: u32,
    steps_at_once: u32,
    /// Coroutines of crashed processes. Dropped when the run is over: their `finally` blocks must not run in it.
    graveyard: Vec<Coroutine>,
    was_seen: bool,
    /// What the trace says beyond the events.
    teller: Teller,
    handles: Handles,
    interest: Interest,
}

impl World<'_, '_> {
    fn play(&mut self) -> Result<(), Breach> {
        for client in 0..self.settings.clients {
            self.processes.push(Process {
                module: None,
                life: 0,
                paused: false,
                crashed: false,
                cut_off_until: 0,
                wall_offset_us: 0,
                wall_reads: 0,
                seed: 1 + client as u64,
                history: Digest::default(),
                tasks: 0,
                calls: 0,
            });
            self.start(client)?;
        }
        loop {
            self.happen()?;
            if self.was_seen {
                return Ok(());
            }
            if self.run_one()? {
                continue;
            }
            if self.tasks.values().all(|t| !t.is_main || t.end.is_some()) && self.nobody_restarts() {
                break;
            }
            let due = self.queue.first_key_value().map(|(key, _)| key.0);
            let next = self.servers.iter().filter_map(|s| s.next_due()).chain(due).min();
            match next {
                Some(at) if at <= self.settings.horizon_us => {
                    self.now = self.now.max(at);
                    self.steps_at_once = 0;
                }
                _ => {
                    self.now = self.settings.horizon_us;
                    break;
                }
            }
        }
        // What nobody awaited was done by nobody: told before anything that follows from it.
        self.unawaited()?;
        let now = self.now;
        for property in &mut self.properties {
            if let Err(violation) = property.end(now) {
                let broken = breach(property.as_ref(), violation);
                // What is so of a run as a whole, such as how its pauses were drawn, has no event that shows it and no moment.
                return Err(match broken.witnesses.first() {
                    Some(first) => self.comes_to_light(self.client_of_event(*first), broken),
                    None => broken,
                });
            }
        }
        Ok(())
    }

    fn nobody_restarts(&self) -> bool {
        !self.queue.values().any(|due| matches!(due, Due::Restarts { .. }))
    }

    /// A process starts: its file runs, and the driver's task begins.
    fn start(&mut self, client: usize) -> Result<(), Breach> {
        let py = self.py;
        self.enter(client);
        let module = self.namespaces.take(py, self.cast.program)?;
        let number = i64::try_from(client).unwrap_or_default();
        let main =
            self.cast.driver.get(py, self.cast.start).call(py, &[Arg::Int(number), Arg::Object(&module.globals())]);
        self.processes[client].module = Some(module);
        let coroutine = Coroutine::new(py, &main?, self.cast.start)?;
        let id = py.new_task_id();
        self.leave(client);
        self.spawn(client, id, coroutine, true);
        Ok(())
    }

    fn spawn(&mut self, client: usize, id: u32, coroutine: Coroutine, is_main: bool) {
        let process = &mut self.processes[client];
        process.tasks += 1;
        let ordinal = process.tasks;
        if self.trace.is_some() {
            self.teller.begins(client, id, ordinal, coroutine.name(), is_main);
        }
        let task = Task { client, ordinal, coroutine, waits: Waits::Ready, wait: 0, is_main, end: None, joined: false };
        self.tasks.insert(id, task);
        self.ready.push_back(Ready { task: id, next: Next::Resume(Resume::Go), wakes: false, was_disturbed: false });
    }

    /// The host's clocks and random numbers become this process's.
    fn enter(&self, client: usize) {
        let process = &self.processes[client];
        self.py.set_time_us(self.local(client, self.now));
        self.py.set_wall_offset_us(process.wall_offset_us);
        self.py.set_seed(process.seed);
    }

    fn leave(&mut self, client: usize) {
        self.processes[client].wall_reads += self.py.take_wall_reads();
        self.processes[client].seed = self.py.seed();
    }

    /// A process's monotonic clock.
    fn local(&self, client: usize, at: u64) -> u64 {
        let ppm = self.settings.drift_ppm.get(client).copied().unwrap_or(0);
        let drift = i128::from(at) * i128::from(ppm) / 1_000_000;
        u64::try_from(i128::from(at) + drift).unwrap_or(0)
    }

    /// How long it takes until a process's monotonic clock has gone on by so many seconds; never less, up to what floats
    /// round. Whoever sleeps for `deadline - clock()` wakes at the deadline and not a microsecond after it.
    fn wait_for(&self, client: usize, seconds: f64) -> u64 {
        // Beyond the horizon nothing happens: that is as good as for ever.
        let most = 4 * self.settings.horizon_us;
        let least = if seconds > 0.0 { 1.0 } else { 0.0 };
        let local = (seconds * SECOND_US as f64 - 1e-3).ceil().max(least);
        if local >= most as f64 {
            return most;
        }
        let ppm = self.settings.drift_ppm.get(client).copied().unwrap_or(0);
        let (local, rate) = (local as u128, (1_000_000 + ppm).max(1) as u128);
        u64::try_from((local * 1_000_000).div_ceil(rate)).unwrap_or(most)
    }

    fn queue_in(&mut self, delay_us: u64, due: Due) {
        self.sequence += 1;
        self.queue.insert((self.now.saturating_add(delay_us), due.rank(), self.sequence), due);
    }

    /// All that is due at this instant, besides tasks.
    fn happen(&mut self) -> Result<(), Breach> {
        loop {
            for server in 0..self.servers.len() {
                if self.servers[server].next_due().is_some_and(|at| at <= self.now) {
                    let mut out = Outbox::default();
                    self.servers[server].due(self.now, &mut out);
                    self.deliver(server, out, None)?;
                }
            }
            let Some(entry) = self.queue.first_entry().filter(|e| e.key().0 <= self.now) else { return Ok(()) };
            let due = entry.remove();
            self.one(due)?;
        }
    }

    fn one(&mut self, due: Due) -> Result<(), Breach> {
        match due {
            Due::Arrives { call } => self.arrive(call),
            Due::Wakes { client, life } => {
                let process = &mut self.processes[client];
                if process.life == life && process.paused {
                    process.paused = false;
                    return self.note(Happening::Woke { client }, None, None).map(drop);
                }
                Ok(())
            }
            Due::Restarts { client } => {
                self.processes[client].crashed = false;
                self.note(Happening::Restarted { client }, None, None)?;
                self.start(client)
            }
            Due::Reconnects { client } => {
                if self.processes[client].cut_off_until <= self.now {
                    self.note(Happening::Reconnected { client }, None, None)?;
                }
                Ok(())
            }
            Due::Answers { call, answer } => self.answer(call, answer),
            Due::TimesOut { call } => {
                let Some(pending) = self.calls.get_mut(&call) else { return Ok(()) };
                let server = self.servers[pending.server].name();
                let (client, name) = (pending.client, subject(server, &pending.verb, &pending.args));
                let Some(task) = pending.task.take() else { return Ok(()) };
                let text = "no answer came in time; whether it was done is unknown".to_owned();
                self.make_ready(task, Resume::Raise("TransportError", text), false);
                let line = self.line(task);
                self.note(Happening::Answered { client, name, reply: Reply::TimedOut }, line, Some(call)).map(drop)
            }
            Due::Timer { task, wait } => {
                let Some(waiting) = self.tasks.get(&task).filter(|t| t.wait == wait) else { return Ok(()) };
                match waiting.waits.clone() {
                    Waits::Sleep => self.make_ready(task, Resume::Go, true),
                    Waits::Signal(signal) => {
                        self.signals.entry(signal).or_default().retain(|t| *t != task);
                        self.make_ready(task, Resume::Value(Data::Bool(false)), true);
                    }
                    Waits::Watch(server, watch) => {
                        if let Some(watching) = self.watches.get_mut(&(server, watch)) {
                            watching.task = None;
                        }
                        self.make_ready(task, Resume::Value(Data::Bool(false)), true);
                    }
                    _ => {}
                }
                Ok(())
            }
            Due::Fires { server, watch } => {
                let Some(watching) = self.watches.get_mut(&(server, watch)) else { return Ok(()) };
                let (client, life) = (watching.client, watching.life);
                if self.processes[client].life != life || self.processes[client].cut_off_until > self.now {
                    return Ok(());
                }
                watching.fired = true;
                let task = watching.task.take();
                if let Some(task) = task {
                    self.make_ready(task, Resume::Value(Data::Bool(true)), true);
                }
                let what = Happening::Noted { client, text: "its watch fires".to_owned() };
                let about = About { server: Some(self.servers[server].name()), task, ..About::default() };
                self.tell(Event::at(self.now, what), about).map(drop)
            }
        }
    }

    /// A request is before its server.
    fn arrive(&mut self, call: u32) -> Result<(), Breach> {
        let Some(pending) = self.calls.get(&call) else { return Ok(()) };
        let server = pending.server;
        let mut out = Outbox::default();
        let request =
            Request { call, client: pending.client, verb: &pending.verb, args: &pending.args, now_us: self.now };
        self.servers[server].serve(&request, &mut out);
        if pending.verb == "watch"
            && let Some(watch) = out.answers.first().and_then(|(_, answer)| number_of_watch(answer))
        {
            let watching = Watching { client: pending.client, life: pending.life, fired: false, task: None };
            self.watches.insert((server, watch), watching);
        }
        self.deliver(server, out, Some(call))
    }

    /// What a server sent and did.
    fn deliver(&mut self, server: usize, out: Outbox, call: Option<u32>) -> Result<(), Breach> {
        let name = self.servers[server].name();
        for what in out.happened {
            let about = About { server: Some(name), ..About::default() };
            self.tell(Event { message: call, ..Event::at(self.now, what) }, about)?;
        }
        for (call, answer) in out.answers {
            self.reply(call, answer)?;
        }
        for watch in out.fired {
            self.queue_in(self.settings.reply_us, Due::Fires { server, watch });
        }
        Ok(())
    }

    /// A server's answer sets out.
    fn reply(&mut self, call: u32, answer: Answer) -> Result<(), Breach> {
        let Some(pending) = self.calls.get_mut(&call) else { return Ok(()) };
        if pending.answered {
            return Ok(());
        }
        pending.answered = true;
        let (client, lose, delay) = (pending.client, pending.lose_reply, pending.delay_us);
        if lose || self.processes[client].cut_off_until > self.now {
            self.note(Happening::ReplyLost { client }, None, Some(call))?;
            self.queue_in(self.settings.timeout_us, Due::TimesOut { call });
            return Ok(());
        }
        if delay > 0 {
            self.note(Happening::Delayed { client, by_us: delay }, None, Some(call))?;
            self.queue_in(self.settings.timeout_us, Due::TimesOut { call });
        }
        let answer = answer.map_err(|(class, text)| (class.to_owned(), text));
        self.queue_in(self.settings.reply_us + delay, Due::Answers { call, answer });
        Ok(())
    }

    /// An answer reaches the process that asked.
    fn answer(&mut self, call: u32, answer: AnswerData) -> Result<(), Breach> {
        let Some(pending) = self.calls.get_mut(&call) else { return Ok(()) };
        let (client, life) = (pending.client, pending.life);
        if self.processes[client].life != life {
            return Ok(());
        }
        if self.processes[client].cut_off_until > self.now {
            self.note(Happening::ReplyLost { client }, None, Some(call))?;
            self.queue_in(self.settings.timeout_us, Due::TimesOut { call });
            return Ok(());
        }
        let Some(task) = pending.task.take() else { return Ok(()) };
        let name = subject(self.servers[pending.server].name(), &pending.verb, &pending.args);
        let travelled = self.settings.reply_us + pending.delay_us;
        let reply = told(&pending.verb, &pending.args, &answer, self.now, travelled);
        let words = self.trace.as_ref().and_then(|_| {
            let data = answer.as_ref().ok()?;
            telling::words(self.servers[pending.server].name(), &pending.verb, &pending.args, data)
        });
        let line = self.line(task);
        let event =
            Event { line, message: Some(call), ..Event::at(self.now, Happening::Answered { client, name, reply }) };
        self.tell(event, About { words, ..About::default() })?;
        let resume = match answer {
            Ok(data) => Resume::Value(data),
            Err((class, text)) => Resume::Raise(known_error(&class), text),
        };
        self.make_ready(task, resume, false);
        Ok(())
    }

    fn make_ready(&mut self, task: u32, resume: Resume, wakes: bool) {
        let Some(waiting) = self.tasks.get_mut(&task).filter(|t| t.end.is_none()) else { return };
        waiting.waits = Waits::Ready;
        waiting.wait += 1;
        self.ready.push_back(Ready { task, next: Next::Resume(resume), wakes, was_disturbed: false });
    }

    /// Lets one task go on to its next visible operation; false if none can.
    fn run_one(&mut self) -> Result<bool, Breach> {
        let runnable: Vec<usize> = (0..self.ready.len()).filter(|i| self.can_run(&self.ready[*i])).collect();
        let Some(first) = runnable.first().copied() else { return Ok(false) };
        let chosen = self.point(first, &runnable)?;
        if self.was_seen {
            return Ok(true);
        }
        let mut at = first;
        match chosen {
            Some(Disturbance::RunNext(n)) => {
                at = runnable.get(usize::from(n)).copied().unwrap_or(first);
                let client = self.client_of(at);
                let about = About { task: Some(self.ready[at].task), ..About::default() };
                self.tell(Event::at(self.now, Happening::RanFirst { client }), about)?;
            }
            Some(Disturbance::Pause(us)) => {
                let client = self.client_of(first);
                self.ready[first].was_disturbed = true;
                self.processes[client].paused = true;
                let (life, line) = (self.processes[client].life, self.line(self.ready[first].task));
                self.queue_in(us, Due::Wakes { client, life });
                self.note(Happening::Paused { client, until_us: self.now + us }, line, None)?;
                return Ok(true);
            }
            Some(Disturbance::Crash) => {
                let client = self.client_of(first);
                self.crash(client)?;
                return Ok(true);
            }
            Some(Disturbance::Partition(us)) => {
                let client = self.client_of(first);
                self.ready[first].was_disturbed = true;
                self.processes[client].cut_off_until = self.now + us;
                self.queue_in(us, Due::Reconnects { client });
                self.note(Happening::Partitioned { client, until_us: self.now + us }, None, None)?;
            }
            Some(Disturbance::StepWall(us)) => {
                let client = self.client_of(first);
                self.ready[first].was_disturbed = true;
                self.processes[client].wall_offset_us += us;
                self.note(Happening::ClockStepped { client, by_us: us }, None, None)?;
            }
            _ => {}
        }
        let Some(ready) = self.ready.remove(at) else { return Ok(false) };
        match ready.next {
            Next::Resume(resume) => self.step(ready.task, resume)?,
            Next::Send { server, verb, args, decided_us } => {
                self.send(ready.task, server, verb, args, decided_us, chosen)?;
            }
        }
        Ok(true)
    }

    fn client_of(&self, ready: usize) -> usize {
        self.tasks.get(&self.ready[ready].task).map_or(0, |t| t.client)
    }

    fn can_run(&self, ready: &Ready) -> bool {
        self.tasks.get(&ready.task).is_some_and(|t| {
            let process = &self.processes[t.client];
            !process.paused && !process.crashed
        })
    }

    /// A choice point, if anything can be chosen.
    fn point(&mut self, first: usize, runnable: &[usize]) -> Result<Option<Disturbance>, Breach> {
        let client = self.client_of(first);
        let ready = &self.ready[first];
        let about = match &ready.next {
            Next::Send { server, verb, .. } => format!("{server}.{verb}"),
            Next::Resume(_) if ready.wakes => "wake".to_owned(),
            Next::Resume(_) => String::new(),
        };
        let left_us = self.servers.iter().filter_map(|s| s.lease_left(client, self.now)).max();
        let menu = self.menu(client, first, runnable, left_us);
        if menu.is_empty() && about.is_empty() {
            return Ok(None);
        }
        let count = self.counts.entry((client, about.clone())).or_insert(0);
        let nth = *count;
        if !self.ready[first].was_disturbed {
            *count += 1;
        }
        let ready = runnable.iter().map(|i| self.client_of(*i)).collect();
        let wall_reads = self.processes[client].wall_reads;
        let (index, at_us, events) = (self.points, self.now, self.events);
        let point = Point { index, client, about, nth, at_us, menu, ready, wall_reads, left_us, events };
        self.points += 1;
        let chosen = self.choose.as_mut().and_then(|c| c.choose(&point));
        if let Some(chosen) = chosen {
            self.taken.push(Taken { at: point.index, what: chosen, place: point.fingerprint() });
        } else {
            self.look();
        }
        Ok(chosen)
    }

    /// Asks whether this state was seen.
    fn look(&mut self) {
        if let Some(choose) = self.choose.take() {
            self.was_seen = choose.was_seen(&mut || self.digest());
            self.choose = Some(choose);
        }
    }

    /// What may go wrong before the first of the tasks that can run goes on.
    fn menu(&self, client: usize, first: usize, runnable: &[usize], left: Option<u64>) -> Vec<Disturbance> {
        let faults = &self.settings.faults;
        let ready = &self.ready[first];
        let mut menu = Vec::new();
        if faults.orders {
            let others = u8::try_from(runnable.len().min(4)).unwrap_or(4);
            menu.extend((1..others).map(Disturbance::RunNext));
        }
        let is_send = matches!(ready.next, Next::Send { .. });
        let visible = is_send || ready.wakes;
        let ttl = self.settings.ttl_us;
        if visible && !ready.was_disturbed {
            match left {
                Some(left) if faults.pauses => {
                    // Just under (what is sent on waking still arrives in time), at, just over what is left, far over.
                    let under = left.saturating_sub(2 * self.settings.request_us.max(TICK_US));
                    let lengths = [under, left, left + TICK_US, left + 2 * ttl];
                    menu.extend(lengths.into_iter().filter(|us| *us > 0).map(Disturbance::Pause));
                }
                None if faults.pauses_of_waiters => menu.push(Disturbance::Pause(2 * ttl)),
                _ => {}
            }
            if faults.crashes {
                menu.push(Disturbance::Crash);
            }
            if faults.partitions && is_send && self.processes[client].cut_off_until <= self.now {
                menu.push(Disturbance::Partition(left.unwrap_or(ttl) + TICK_US));
            }
            if faults.wall_steps {
                menu.extend([Disturbance::StepWall(-3600 * SECOND_US as i64), Disturbance::StepWall(ttl as i64)]);
            }
        }
        if is_send && self.processes[client].cut_off_until <= self.now {
            if faults.lost_requests {
                menu.push(Disturbance::LoseRequest);
            }
            if faults.lost_replies {
                menu.push(Disturbance::LoseReply);
            }
            if faults.duplicates {
                menu.push(Disturbance::Duplicate);
            }
            if faults.delays {
                // Slow but in time, and so late that the caller has given up.
                menu.push(Disturbance::DelayReply(self.settings.timeout_us / 2));
                menu.push(Disturbance::DelayReply(ttl.max(self.settings.timeout_us) + TICK_US));
            }
            if faults.restarts {
                menu.push(Disturbance::RestartServer);
            }
        }
        menu
    }

    fn crash(&mut self, client: usize) -> Result<(), Breach> {
        let process = &mut self.processes[client];
        process.life += 1;
        process.paused = false;
        process.crashed = true;
        process.module = None;
        // What a process was told before it died is not known to its next life; that it died is.
        process.history = Digest::default();
        process.life.hash(&mut process.history);
        let mine: Vec<u32> = self.tasks.iter().filter(|(_, t)| t.client == client).map(|(id, _)| *id).collect();
        for id in mine {
            if let Some(task) = self.tasks.remove(&id) {
                self.graveyard.push(task.coroutine);
            }
        }
        let tasks = &self.tasks;
        self.ready.retain(|r| tasks.contains_key(&r.task));
        for pending in self.calls.values_mut().filter(|c| c.client == client) {
            pending.task = None;
        }
        self.watches.retain(|_, w| w.client != client);
        for server in 0..self.servers.len() {
            let mut out = Outbox::default();
            self.servers[server].hang_up(client, self.now, &mut out);
            self.deliver(server, out, None)?;
        }
        let restart = self.settings.ttl_us / 4;
        self.queue_in(restart, Due::Restarts { client });
        self.note(Happening::Crashed { client }, None, None).map(drop)
    }

    /// A request leaves its process.
    fn send(
        &mut self,
        task: u32,
        server: String,
        verb: String,
        args: Vec<Data>,
        decided_us: u64,
        chosen: Option<Disturbance>,
    ) -> Result<(), Breach> {
        let Some(client) = self.tasks.get(&task).map(|t| t.client) else { return Ok(()) };
        let Some(at) = self.servers.iter().position(|s| s.name() == server) else {
            let text = format!("there is no server called {server:?} here");
            self.make_ready(task, Resume::Raise("TransportError", text), false);
            return Ok(());
        };
        let line = self.line(task);
        self.next_call += 1;
        let call = self.next_call;
        let process = &mut self.processes[client];
        process.calls += 1;
        let (life, ordinal, cut_off) = (process.life, process.calls, process.cut_off_until > self.now);
        let what = asked(&server, &verb, &args);
        let mut pending = Pending {
            client,
            life,
            ordinal,
            server: at,
            verb,
            args,
            task: Some(task),
            asker: task,
            lose_reply: false,
            delay_us: 0,
            answered: false,
        };
        let mut arrives = !cut_off && !self.servers[at].is_down();
        let mut twice = false;
        let mut restarts = false;
        match chosen {
            Some(Disturbance::LoseRequest) => arrives = false,
            Some(Disturbance::LoseReply) => pending.lose_reply = true,
            Some(Disturbance::Duplicate) => twice = true,
            Some(Disturbance::DelayReply(us)) => pending.delay_us = us,
            Some(Disturbance::RestartServer) => restarts = true,
            _ => {}
        }
        self.calls.insert(call, pending);
        if let Some(waiting) = self.tasks.get_mut(&task) {
            waiting.waits = Waits::Call(call);
        }
        let decided_us = (decided_us < self.now).then_some(decided_us);
        let what = Happening::Called { client, call: what };
        let event = Event { line, message: Some(call), decided_us, ..Event::at(self.now, what) };
        self.tell(event, About::default())?;
        if restarts {
            let mut out = Outbox::default();
            self.servers[at].restart(self.now, &mut out);
            // Connections are gone: so are the watches that were left with it.
            self.watches.retain(|(s, _), w| *s != at || w.task.is_some());
            self.note(Happening::ServerRestarted { server: telling::server_name(&server) }, None, None)?;
            self.deliver(at, out, None)?;
        }
        if !arrives {
            self.note(Happening::RequestLost { client }, None, Some(call))?;
            self.queue_in(self.settings.timeout_us, Due::TimesOut { call });
            return Ok(());
        }
        self.queue_in(self.settings.request_us, Due::Arrives { call });
        if twice {
            self.note(Happening::Duplicated { client }, None, Some(call))?;
            self.queue_in(self.settings.request_us + self.settings.reply_us, Due::Arrives { call });
        }
        Ok(())
    }

    /// A task runs until it awaits again, or ends.
    fn step(&mut self, id: u32, resume: Resume) -> Result<(), Breach> {
        let py = self.py;
        self.steps += 1;
        self.steps_at_once += 1;
        let Some(task) = self.tasks.get(&id) else { return Ok(()) };
        let (client, coroutine, ordinal) = (task.client, task.coroutine.clone(), task.ordinal);
        if self.steps_at_once > MOST_STEPS_AT_ONCE || self.steps > self.settings.most_steps {
            return Err(self.spins(&coroutine).into());
        }
        self.remember(client, ordinal, &resume);
        self.enter(client);
        py.set_current_task(id);
        let stepped = coroutine.step(py, &resume);
        py.set_current_task(0);
        self.leave(client);
        let commands = py.take_commands();
        self.unawaited()?;
        let stepped = stepped.map_err(|problem| self.comes_to_light(Some(client), problem.into()))?;
        let mut cancels_itself = false;
        for command in commands {
            match command {
                Command::Cancel(other) if other == id => cancels_itself = true,
                command => self.command(client, id, command)?,
            }
        }
        match stepped {
            Stepped::Asks(ask) => self.asks(id, client, ask)?,
            Stepped::Returned(object) => return self.ended(id, Ok(object)),
            Stepped::Cancelled => return self.ended(id, Err(None)),
            Stepped::Raised(failure) => return self.ended(id, Err(Some(failure))),
        }
        // It hears of that where it awaits next; if it ended instead, there was nothing left to cancel.
        if cancels_itself { self.command(client, id, Command::Cancel(id)) } else { Ok(()) }
    }

    fn spins(&self, coroutine: &Coroutine) -> Problem {
        let line = coroutine.line(self.py);
        let place = line.map(|l| format!(" at line {l}")).unwrap_or_default();
        let message = if self.steps_at_once > MOST_STEPS_AT_ONCE {
            format!(
                "The code spins{place}: its tasks went on {MOST_STEPS_AT_ONCE} times at one instant, {}, and no time \
                 passed. Is there a loop that sleeps for 0 seconds, or that tries again without sleeping?",
                seconds(self.now)
            )
        } else {
            format!(
                "The code was stopped{place}: its tasks went on {} times in one run, far more than a lock client needs.",
                self.settings.most_steps
            )
        };
        Problem { line, ..Problem::new(ProblemKind::Stopped, message) }
    }

    /// Adds to the digest of what the process has been told.
    fn remember(&mut self, client: usize, ordinal: u32, resume: &Resume) {
        let now = self.local(client, self.now);
        let process = &mut self.processes[client];
        let history = &mut process.history;
        (ordinal, now, process.wall_offset_us).hash(history);
        match resume {
            Resume::Go => 0u8.hash(history),
            Resume::Value(data) => (1u8, data).hash(history),
            // Another task's result follows from this process's own history.
            Resume::Object(_) | Resume::Again(_) => 2u8.hash(history),
            Resume::Raise(class, text) => (3u8, class, text).hash(history),
        }
    }

    fn unawaited(&self) -> Result<(), Breach> {
        self.py.take_unawaited().map_or(Ok(()), |problem| Err(problem.into()))
    }

    /// What a task did besides awaiting.
    fn command(&mut self, client: usize, by: u32, command: Command) -> Result<(), Breach> {
        match command {
            Command::Spawn(id, coroutine) => self.spawn(client, id, coroutine, false),
            Command::Cancel(id) => {
                let Some(task) = self.tasks.get_mut(&id).filter(|t| t.end.is_none() && t.client == client) else {
                    return Ok(());
                };
                // Whatever it waited for is no longer waited for.
                let waits = std::mem::replace(&mut task.waits, Waits::Ready);
                task.wait += 1;
                match waits {
                    Waits::Call(call) => {
                        if let Some(pending) = self.calls.get_mut(&call) {
                            pending.task = None;
                        }
                    }
                    Waits::Signal(signal) => self.signals.entry(signal).or_default().retain(|t| *t != id),
                    Waits::Watch(server, watch) => {
                        if let Some(watching) = self.watches.get_mut(&(server, watch)) {
                            watching.task = None;
                        }
                    }
                    _ => {}
                }
                self.ready.retain(|r| r.task != id);
                let resume = Resume::Raise("Cancelled", "this task was cancelled".to_owned());
                self.ready.push_back(Ready {
                    task: id,
                    next: Next::Resume(resume),
                    wakes: false,
                    was_disturbed: false,
                });
            }
            Command::Set(signal) => {
                for task in self.signals.remove(&signal).unwrap_or_default() {
                    self.make_ready(task, Resume::Value(Data::Bool(true)), true);
                }
            }
            Command::Note(kind, value) => self.noted(client, by, &kind, &value)?,
        }
        Ok(())
    }

    /// What a driver tells: known kinds become events, and the properties hear of all.
    fn noted(&mut self, client: usize, by: u32, kind: &str, value: &Data) -> Result<(), Breach> {
        let field = |name: &str| match value {
            Data::Map(map) => map.get(name).cloned().unwrap_or_default(),
            _ => Data::None,
        };
        let happening = match kind {
            "believes" => Some(Happening::Believes {
                client,
                name: plain(&field("name")),
                token: Some(field("token")).filter(|t| *t != Data::None).map(|t| plain(&t)),
                holds: field("holds") == Data::Bool(true),
            }),
            // A rule of the kata's own, which its driver looks after.
            "broke" => {
                let broken = Breach::new(plain(&field("rule")), plain(&field("message")), Vec::new());
                return Err(self.comes_to_light(Some(client), broken));
            }
            "says" => Some(Happening::Noted { client, text: plain(value) }),
            "state" => {
                let [handle, from, to, by] = ["handle", "from", "to", "by"].map(|name| plain(&field(name)));
                let key = if let Data::Int(key) = field("key") { key } else { 0 };
                let handle = self.handles.label(client, &handle, key, from == "acquiring");
                let allowed = telling::may_go(&from, &to);
                Some(Happening::State { client, handle, from, to, by, allowed })
            }
            _ => None,
        };
        if let Some(what) = happening {
            let line = self.line_of_state(&what);
            let about = About { task: Some(by), ..About::default() };
            self.tell(Event { line, ..Event::at(self.now, what) }, about)?;
        }
        let note = Note { index: self.events.saturating_sub(1), at_us: self.now, client, kind, value };
        for property in &mut self.properties {
            if let Err(violation) = property.noted(&note) {
                let broken = breach(property.as_ref(), violation);
                return Err(self.comes_to_light(Some(client), broken));
            }
        }
        Ok(())
    }

    /// A rule is broken, and not by an event: a driver has looked, or nothing has happened for too long. In the trace that is
    /// an event of its own, or the last one before it, at an earlier time or of another client, would pass for what broke it.
    fn comes_to_light(&mut self, client: Option<usize>, broken: Breach) -> Breach {
        let (Some(trace), Some(client)) = (self.trace.as_mut(), client) else { return broken };
        let is_told = |last: &Event| last.at_us == self.now && last.what.client() == Some(client);
        if !trace.events.last().is_some_and(is_told) {
            let line =
                trace.events.iter().rfind(|event| event.what.client() == Some(client)).and_then(|event| event.line);
            let found = finding(&broken.message);
            // Whose it is stands beside it.
            let own = CLIENTS.get(client).and_then(|who| found.strip_prefix(who)).unwrap_or_default();
            let own = own.strip_prefix("'s ").or_else(|| own.strip_prefix(' ')).unwrap_or(found);
            let what = Happening::Noted { client, text: own.replace('`', "") };
            trace.events.push(Event { line, ..Event::at(self.now, what) });
        }
        broken
    }

    fn client_of_event(&self, index: usize) -> Option<usize> {
        self.trace.as_ref()?.events.get(index)?.what.client()
    }

    /// A task awaits something.
    fn asks(&mut self, id: u32, client: usize, ask: Ask) -> Result<(), Breach> {
        let waits = match ask {
            Ask::Call { server, verb, args } => {
                // It goes on at once, unless the schedule says otherwise: so it stands before all others.
                let next = Next::Send { server, verb, args, decided_us: self.now };
                self.ready.push_front(Ready { task: id, next, wakes: false, was_disturbed: false });
                return Ok(());
            }
            Ask::Sleep(seconds) => {
                let delay = self.wait_for(client, seconds);
                self.timer(id, delay);
                Waits::Sleep
            }
            Ask::Join(other) => {
                match self.tasks.get_mut(&other) {
                    Some(task) if task.end.is_some() => {
                        task.joined = true;
                        let resume = result_of(task);
                        self.make_ready(id, resume, false);
                        return Ok(());
                    }
                    Some(task) => task.joined = true,
                    None => {}
                }
                Waits::Join(other)
            }
            Ask::Wait { signal, timeout } => {
                self.signals.entry(signal).or_default().push(id);
                if let Some(timeout) = timeout {
                    let delay = self.wait_for(client, timeout);
                    self.timer(id, delay);
                }
                Waits::Signal(signal)
            }
            Ask::Watched { server, watch, timeout } => {
                let server = self.servers.iter().position(|s| s.name() == server).unwrap_or(usize::MAX);
                let watch = watch.unsigned_abs();
                if let Some(watching) = self.watches.get_mut(&(server, watch)) {
                    if watching.fired {
                        self.make_ready(id, Resume::Value(Data::Bool(true)), false);
                        return Ok(());
                    }
                    watching.task = Some(id);
                }
                let delay = self.wait_for(client, timeout);
                self.timer(id, delay);
                Waits::Watch(server, watch)
            }
        };
        if let Some(task) = self.tasks.get_mut(&id) {
            task.waits = waits;
        }
        Ok(())
    }

    fn timer(&mut self, task: u32, delay: u64) {
        let wait = self.tasks.get(&task).map_or(0, |t| t.wait);
        self.queue_in(delay, Due::Timer { task, wait });
    }

    fn ended(&mut self, id: u32, end: Result<Object, Option<Failure>>) -> Result<(), Breach> {
        self.py.note_done(id);
        let Some(task) = self.tasks.get_mut(&id) else { return Ok(()) };
        task.waits = Waits::Done;
        let (is_main, joined, client) = (task.is_main, task.joined, task.client);
        let failure = end.as_ref().err().cloned().flatten();
        task.end = Some(end);
        let waiting: Vec<u32> =
            self.tasks.iter().filter(|(_, t)| t.waits == Waits::Join(id)).map(|(id, _)| *id).collect();
        if let Some(failure) = failure {
            if is_main {
                return Err(self.comes_to_light(Some(client), failure.problem.into()));
            }
            if !joined && !self.settings.tasks_may_fail {
                let message = format!(
                    "A background task ended with an exception that nobody saw: {} From then on its work is not done.",
                    end_with_stop(&failure.problem.message)
                );
                let problem = Problem { message, ..failure.problem };
                return Err(self.comes_to_light(Some(client), problem.into()));
            }
        }
        for waiter in waiting {
            let resume = self.tasks.get(&id).map_or(Resume::Go, result_of);
            self.make_ready(waiter, resume, false);
        }
        Ok(())
    }

    /// The learner's line at which a task stands; known only in runs that are shown.
    fn line(&self, task: u32) -> Option<u32> {
        self.trace.as_ref()?;
        self.tasks.get(&task).and_then(|t| t.coroutine.line(self.py))
    }

    /// A handle changes where its client last acted.
    fn line_of_state(&self, what: &Happening) -> Option<u32> {
        let Happening::State { client, .. } = what else { return None };
        let events = &self.trace.as_ref()?.events;
        events.iter().rfind(|event| event.what.client() == Some(*client))?.line
    }

    fn note(&mut self, what: Happening, line: Option<u32>, message: Option<u32>) -> Result<usize, Breach> {
        self.tell(Event { line, message, ..Event::at(self.now, what) }, About::default())
    }

    /// The properties look at an event, and the trace keeps it.
    fn tell(&mut self, event: Event, about: About) -> Result<usize, Breach> {
        self.interest.see(&event.what);
        let index = self.events;
        self.events += 1;
        let mut broken = None;
        for property in &mut self.properties {
            if let Err(violation) = property.see(index, &event) {
                broken = Some(breach(property.as_ref(), violation));
                break;
            }
        }
        if let Some(trace) = self.trace.as_mut() {
            let call = event.message.and_then(|call| self.calls.get(&call));
            let about = About {
                server: about.server.or_else(|| call.map(|c| self.servers[c.server].name())),
                task: about.task.or_else(|| call.map(|c| c.asker)),
                ..about
            };
            trace.events.push(self.teller.shown(event, about, call.map(|c| c.client)));
        }
        broken.map_or(Ok(index), Err)
    }

    /// The state of everything, as far as it decides what can happen from here on.
    fn digest(&self) -> u128 {
        let mut d = Digest::default();
        self.now.hash(&mut d);
        for process in &self.processes {
            (process.life, process.paused, process.crashed, process.wall_offset_us, process.seed).hash(&mut d);
            process.cut_off_until.max(self.now).hash(&mut d);
            process.history.value().hash(&mut d);
        }
        let task = |id: &u32| self.tasks.get(id).map(|t| (t.client, t.ordinal));
        for ready in &self.ready {
            (task(&ready.task), ready.wakes, ready.was_disturbed).hash(&mut d);
            match &ready.next {
                Next::Resume(Resume::Value(data)) => (1u8, data).hash(&mut d),
                Next::Resume(Resume::Raise(class, text)) => (2u8, class, text).hash(&mut d),
                Next::Resume(_) => 3u8.hash(&mut d),
                Next::Send { server, verb, args, decided_us } => (4u8, server, verb, args, decided_us).hash(&mut d),
            }
        }
        let call = |id: &u32, d: &mut Digest| {
            if let Some(c) = self.calls.get(id) {
                (c.client, c.ordinal, c.life, c.server, &c.verb, &c.args).hash(d);
                (c.task.is_some(), c.lose_reply, c.delay_us, c.answered).hash(d);
            }
        };
        for ((at, rank, _), due) in &self.queue {
            (at, rank).hash(&mut d);
            match due {
                Due::Arrives { call: id } | Due::TimesOut { call: id } => call(id, &mut d),
                Due::Answers { call: id, answer, .. } => {
                    call(id, &mut d);
                    answer.hash(&mut d);
                }
                Due::Timer { task: id, wait } => {
                    let is_live = self.tasks.get(id).is_some_and(|t| t.wait == *wait);
                    (task(id), is_live).hash(&mut d);
                }
                other => other.hash(&mut d),
            }
        }
        for (key, watching) in &self.watches {
            (key, watching.client, watching.fired, watching.task.as_ref().map(task)).hash(&mut d);
        }
        for server in &self.servers {
            server.digest(&mut d);
        }
        for property in &self.properties {
            property.digest(&mut d);
        }
        d.value()
    }
}

fn result_of(task: &Task) -> Resume {
    match &task.end {
        Some(Ok(object)) => Resume::Object(object.clone()),
        Some(Err(Some(failure))) => Resume::Again(failure.clone()),
        Some(Err(None)) => Resume::Raise("Cancelled", "the task that was awaited was cancelled".to_owned()),
        None => Resume::Go,
    }
}

fn end_with_stop(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// Text without quotes.
fn plain(data: &Data) -> String {
    match data {
        Data::Str(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The exceptions that servers answer with.
fn known_error(class: &str) -> &'static str {
    ["BadRequest", "StaleFencingToken", "Deadlock", "Duplicate", "TransactionOver", "SessionLost"]
        .into_iter()
        .find(|known| *known == class)
        .unwrap_or("TransportError")
}

/// A lock's name as traces show it: with the server that keeps it, unless that is the one lock service.
pub(crate) fn lock_at(server: &str, name: &str) -> String {
    if server == "locks" { name.to_owned() } else { format!("{name} on {server}") }
}

/// An ownership token as traces show it: enough of it to tell it from others.
pub(crate) fn short(token: &str) -> String {
    token.chars().take(6).collect()
}

/// The name that a call is about.
fn subject(server: &str, verb: &str, args: &[Data]) -> String {
    match (verb, args.first()) {
        ("acquire" | "renew" | "release", Some(Data::Str(name))) => lock_at(server, name),
        (_, Some(Data::Str(name))) => name.clone(),
        (verb, Some(Data::Map(map))) => map.keys().next().map_or_else(|| verb.to_owned(), String::clone),
        (_, Some(other)) => plain(other),
        (verb, None) => verb.to_owned(),
    }
}

/// The number in the answer to `watch`: alone, or before what else it tells.
fn number_of_watch(answer: &Answer) -> Option<u64> {
    let first = match answer {
        Ok(Data::List(items)) => items.first(),
        Ok(data) => Some(data),
        Err(_) => None,
    };
    match first {
        Some(Data::Int(watch)) => Some(watch.unsigned_abs()),
        _ => None,
    }
}

/// A number of seconds as microseconds; none below zero.
pub(crate) fn duration_us(data: &Data) -> Option<u64> {
    let seconds = match data {
        Data::Int(n) => *n as f64,
        Data::Float(x) => x.get(),
        _ => return None,
    };
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * SECOND_US as f64).round() as u64)
}

/// A call as the trace shows it.
fn asked(server: &str, verb: &str, args: &[Data]) -> Call {
    match (verb, args) {
        ("acquire", [Data::Str(name), ttl] | [Data::Str(name), _, ttl]) => {
            Call::Acquire { name: lock_at(server, name), ttl_us: duration_us(ttl).unwrap_or(0) }
        }
        ("renew", [Data::Str(name), _, ttl]) => {
            Call::Renew { name: lock_at(server, name), ttl_us: duration_us(ttl).unwrap_or(0) }
        }
        ("release", [Data::Str(name), _]) => Call::Release { name: lock_at(server, name) },
        ("write", [Data::Str(resource), token, _]) => Call::Write { resource: resource.clone(), token: plain(token) },
        _ => {
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            Call::Other { to: server.to_owned(), text: format!("{verb}({})", args.join(", ")) }
        }
    }
}

/// An answer as the trace shows it to the one who asked.
fn told(verb: &str, args: &[Data], answer: &AnswerData, now: u64, travelled: u64) -> Reply {
    let ends = |ttl: &Data| now.saturating_sub(travelled) + duration_us(ttl).unwrap_or(0);
    match (verb, answer) {
        ("acquire", Ok(Data::List(grant))) => Reply::Granted {
            token: grant.get(2).map(plain).unwrap_or_default(),
            expires_us: ends(args.get(1).unwrap_or(&Data::None)),
        },
        ("acquire", Ok(Data::Bool(true))) => Reply::Granted {
            token: args.get(1).map(|token| short(&plain(token))).unwrap_or_default(),
            expires_us: ends(args.get(2).unwrap_or(&Data::None)),
        },
        ("acquire", Ok(_)) => Reply::Refused,
        ("renew", Ok(Data::Bool(true))) => Reply::Renewed { expires_us: ends(args.get(2).unwrap_or(&Data::None)) },
        ("renew", Ok(_)) => Reply::NotRenewed,
        ("release", Ok(Data::Bool(true))) => Reply::Released,
        ("release", Ok(_)) => Reply::NotReleased,
        ("write", Ok(_)) => Reply::Written,
        ("write", Err((class, _))) if class == "StaleFencingToken" => Reply::Stale,
        (_, Ok(data)) => Reply::Other { text: data.to_string() },
        (_, Err((class, text))) => Reply::Other { text: format!("{class}: {text}") },
    }
}
