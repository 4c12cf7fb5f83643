//! Where the lanes stand: the clients, then those servers that occur. A lane is as wide as what stands in it; what is left of
//! the width is shared out.

use super::measure::{shortened, width};
use super::servers::{rank, server_of};
use super::{Lane, LaneKind, Thread};
use leasehold_checker::trace::{Event, Happening, STORAGE, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// The picture's width, if its lanes leave room for words: what the page has for it in a window of 1280 pixels.
const WIDTH: i32 = 620;
/// No picture is wider: there is no row that says so much.
const WIDEST: i32 = 900;
/// Room for words beside the lanes: so much is wanted, and so much there is even if the picture grows by it.
const WORDS: (i32, i32) = (262, 200);
/// Most that a lane gets of the room that is left.
const SPARE: i32 = 60;
/// Between the lanes and the words.
const APART: i32 = 10;
/// Size of the lanes' names.
pub const HEAD: i32 = 12;
/// Distance of two tasks of a process.
const THREAD: i32 = 9;
/// Most tasks of a process that have lines of their own.
const THREADS: usize = 3;
/// Width of a belief with its distance from the next.
pub const BELIEF: i32 = 15;
/// Room between a client's lines and the wall that cuts it off, so that one sees what ends there.
const WALL: i32 = 12;
/// From a lane's line to the edge of its lane.
const EDGE: i32 = 9;

/// What stands beside the lanes' lines.
#[derive(Debug, Default)]
pub struct Beside {
    /// For each client, how many beliefs stand side by side.
    pub beliefs: Vec<usize>,
    /// For each server, the width of what stands right of its line.
    pub servers: BTreeMap<String, i32>,
}

/// The lanes, where the words begin, and the picture's width.
pub fn lanes(trace: &Trace, beside: &Beside, times: i32, room: i32) -> (Vec<Lane>, i32, i32) {
    let tasks = tasks(trace);
    let cut_off: BTreeSet<usize> = trace.events.iter().filter_map(cut_off).collect();
    let client = |(i, name): (usize, &String)| {
        let left = EDGE + BELIEF * beside.beliefs.get(i).copied().unwrap_or(0) as i32;
        let wall = if cut_off.contains(&i) { WALL } else { 0 };
        let right = EDGE + wall + THREAD * (tasks[i].len().max(1) as i32 - 1);
        lane(name.clone(), LaneKind::Client, left, right, tasks[i].clone())
    };
    let mut all: Vec<Lane> = trace.clients.iter().enumerate().map(client).collect();
    for server in servers(trace) {
        let kind = if server == STORAGE { LaneKind::Storage } else { LaneKind::Server };
        let right = EDGE + beside.servers.get(server).copied().unwrap_or(0);
        all.push(lane(server.to_owned(), kind, EDGE, right, Vec::new()));
    }
    let needed: i32 = all.iter().map(|lane| lane.right - lane.left).sum();
    let spare = (WIDTH - WORDS.0 - APART - times - needed) / all.len().max(1) as i32;
    let spare = spare.clamp(0, SPARE);
    let mut x = times;
    for lane in &mut all {
        // Set apart to the left and to the right alike.
        let shift = x + spare / 2 - lane.left;
        lane.shift(shift);
        x = lane.right + spare - spare / 2;
    }
    let words = x + APART;
    (all, words, room.clamp(WIDTH, WIDEST).max(words + WORDS.1))
}

// A lane whose line is at 0.
fn lane(name: String, kind: LaneKind, left: i32, right: i32, tasks: Vec<String>) -> Lane {
    let head = head(&name, kind);
    let wide = head.iter().map(|line| width(line, HEAD)).max().unwrap_or(0) + 8;
    let missing = (wide - left - right).max(0);
    let threads = tasks.into_iter().enumerate().map(|(i, name)| Thread { x: THREAD * i as i32, name }).collect();
    let (left, right) = (-left - missing / 2, right + missing - missing / 2);
    Lane { x: 0, left, right, name, head, kind, threads }
}

// A name over a lane: in two lines if it has two words, and never long.
fn head(name: &str, kind: LaneKind) -> Vec<String> {
    let most = if kind == LaneKind::Client { 60 } else { 76 };
    match name.split_once(' ') {
        Some((first, second)) if width(name, HEAD) > 44 => {
            vec![shortened(first, HEAD, most), shortened(second, HEAD, most)]
        }
        _ => vec![shortened(name, HEAD, most)],
    }
}

impl Lane {
    fn shift(&mut self, by: i32) {
        self.x += by;
        self.left += by;
        self.right += by;
        for thread in &mut self.threads {
            thread.x += by;
        }
    }

    /// Where a task's line stands.
    pub fn of_task(&self, event: &Event) -> i32 {
        let Some(task) = &event.task else { return self.x };
        let same = self.threads.iter().find(|thread| thread.name == unnumbered(task));
        same.or(self.threads.last()).map_or(self.x, |thread| thread.x)
    }
}

fn cut_off(event: &Event) -> Option<usize> {
    match event.what {
        Happening::Partitioned { client, .. } => Some(client),
        _ => None,
    }
}

fn servers(trace: &Trace) -> Vec<&str> {
    let occurring: BTreeSet<&str> = trace.events.iter().filter_map(server_of).collect();
    let mut servers: Vec<&str> = occurring.into_iter().collect();
    servers.sort_by_key(|server| rank(server));
    servers
}

// For each client the tasks that have lines: none if there is only one kind of them.
fn tasks(trace: &Trace) -> Vec<Vec<String>> {
    let mut tasks: Vec<Vec<String>> = vec![Vec::new(); trace.clients.len()];
    for event in &trace.events {
        let (Some(client), Some(task)) = (event.what.client(), &event.task) else { continue };
        let task = unnumbered(task);
        if let Some(known) = tasks.get_mut(client)
            && known.len() < THREADS
            && !known.iter().any(|name| name == task)
        {
            known.push(task.to_owned());
        }
    }
    for known in &mut tasks {
        if known.len() < 2 {
            known.clear();
        }
        // The application's own task stands nearest to what it believes.
        known.sort_by_key(|name| name != "main");
    }
    tasks
}

// `renew` for `renew 3`.
fn unnumbered(task: &str) -> &str {
    match task.rsplit_once(' ') {
        Some((name, number)) if number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => task,
    }
}
