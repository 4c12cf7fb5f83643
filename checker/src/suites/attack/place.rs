//! Disturbs a run where moves say, and notes every place at which something could have been placed.

use super::words::{Choice, about, choice, letter};
use super::{Misfit, Move, Place, Placed};
use crate::explore::replay::{Course, Taken};
use crate::sim::disturbance::{Choose, Disturbance, Point};
use crate::trace::{Event, Happening};
use std::collections::BTreeMap;

/// What shall go wrong.
pub enum Wanted<'a> {
    /// What a person placed, by names of points.
    Moves(&'a [Move]),
    /// What a search or a replay string says, by numbers of points.
    Course(&'a Course),
}

/// Goes through a run.
pub struct Placing<'a> {
    wanted: Wanted<'a>,
    /// By client and what it was about to do: how often.
    counts: BTreeMap<(usize, String), u32>,
    /// By client: the point at which it was just paused. It comes there again when it wakes.
    again: BTreeMap<usize, String>,
    /// The points of the run.
    pub points: Vec<Place>,
    /// What was placed.
    pub placed: Vec<Placed>,
    misfits: Vec<Misfit>,
}

impl<'a> Placing<'a> {
    /// From a run's beginning.
    pub fn new(wanted: Wanted<'a>) -> Self {
        let (counts, again) = Default::default();
        Placing { wanted, counts, again, points: Vec::new(), placed: Vec::new(), misfits: Vec::new() }
    }

    /// A name that a place keeps when other moves shift the run: who is about to do what, which time. A place to which a
    /// process comes back after a pause has a `+` behind it.
    fn name(&mut self, point: &Point) -> String {
        if let Some(name) = self.again.remove(&point.client) {
            return format!("{name}+");
        }
        let count = self.counts.entry((point.client, point.about.clone())).or_insert(0);
        *count += 1;
        format!("{}/{}/{count}", letter(point.client), point.about)
    }

    /// What the moves want here.
    fn asked(&mut self, name: &str, what: &str, choices: &[Choice], point: &Point) -> Option<usize> {
        let found = match &self.wanted {
            Wanted::Course(course) => {
                let fits = |taken: &&Taken| taken.at == point.index && taken.place == point.fingerprint();
                let taken = course.taken.iter().find(fits)?;
                return point.menu.iter().position(|offered| *offered == taken.what);
            }
            Wanted::Moves(moves) => moves.iter().find(|m| m.point == name)?,
        };
        let at = choices.iter().position(|choice| choice.id == found.option);
        if at.is_none() {
            let message =
                format!("{what}, but this can't go wrong there any more: what else was placed changed the run.");
            self.misfits.push(Misfit::new(found, message));
        }
        at
    }

    /// The moves that did not happen, once the run is over; `broken` if it ended with a broken rule.
    pub fn misfits(&self, broken: bool) -> Vec<Misfit> {
        let Wanted::Moves(moves) = &self.wanted else { return Vec::new() };
        let mut misfits = self.misfits.clone();
        for missed in moves.iter() {
            let is = |point: &str, option: &str| point == missed.point && option == missed.option;
            let happened = self.placed.iter().any(|placed| is(&placed.point, &placed.option));
            if happened || misfits.iter().any(|m| is(&m.point, &m.option)) {
                continue;
            }
            let message = if self.placed.iter().any(|placed| placed.point == missed.point) {
                "Something else is placed here already.".to_owned()
            } else if broken {
                format!("{} comes no more: the rule is broken before it.", shown(&missed.point))
            } else {
                format!("{} does not come about any more: what else was placed changed the run.", shown(&missed.point))
            };
            misfits.push(Misfit::new(missed, message));
        }
        misfits
    }

    /// Points each placed move to the event that shows it.
    pub fn settle(&mut self, events: &[Event]) {
        for placed in &mut self.placed {
            let mut after = events.iter().enumerate().skip(placed.event);
            if let Some((event, _)) = after.find(|(_, event)| shows(&event.what, placed)) {
                placed.event = event;
            }
        }
    }
}

impl Choose for Placing<'_> {
    fn choose(&mut self, point: &Point) -> Option<Disturbance> {
        let name = self.name(point);
        let options: Vec<Choice> = point.menu.iter().map(|what| choice(*what, point)).collect();
        let (client, at_us, event) = (point.client, point.at_us, point.events);
        let what = about(client, &point.about);
        let asked = self.asked(&name, &what, &options, point);
        if let Some(Choice { id, kind, label }) = asked.and_then(|at| options.get(at)).cloned() {
            let place = name.clone();
            self.placed.push(Placed { point: place, option: id, kind, client, at_us, event, label });
        }
        let chosen = asked.and_then(|at| point.menu.get(at)).copied();
        if matches!(chosen, Some(Disturbance::Pause(_))) {
            self.again.insert(client, name.clone());
        }
        if !options.is_empty() {
            self.points.push(Place { point: name, event, at_us, client, what, options });
        }
        chosen
    }
}

/// Whether an event is what the move looks like on the timeline.
fn shows(what: &Happening, placed: &Placed) -> bool {
    let (kind, client) = match what {
        Happening::Paused { client, .. } => ("pause", client),
        Happening::Crashed { client } => ("crash", client),
        Happening::Partitioned { client, .. } => ("partition", client),
        Happening::ClockStepped { client, .. } => ("wall_step", client),
        Happening::RequestLost { client } => ("lost_request", client),
        Happening::ReplyLost { client } => ("lost_reply", client),
        Happening::Duplicated { client } => ("duplicate", client),
        Happening::Delayed { client, .. } => ("late_reply", client),
        _ => return false,
    };
    kind == placed.kind && *client == placed.client
}

/// A point's name in words.
fn shown(point: &str) -> String {
    let mut parts = point.trim_end_matches('+').split('/');
    let (Some(who), Some(does), Some(nth)) = (parts.next(), parts.next(), parts.next()) else {
        return format!("The place {point}");
    };
    let client = (0..super::CLIENTS).find(|client| letter(*client) == who);
    client.map_or_else(|| format!("The place {point}"), |client| format!("“{}” (no. {nth})", about(client, does)))
}
