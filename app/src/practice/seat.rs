//! The kata's page during a session: it stores the code there and not with the learner's own, and asks before each run.

use super::ON;
use super::session::{self, Session, wall_ms};
use crate::protocol::Report;
use crate::state::{Msg, Notice, State};
use crate::storage::SaveError;
use leasehold_exercises::Link;

/// What comes after the coding part, in the place of the next page: that one would leave the session with its clock going.
pub const NEXT: Link = Link { address: ON, title: "the questions. That ends the coding part" };

/// The place of one session at the kata's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// [`Session::started`].
    pub started: u64,
}

impl Seat {
    /// Stores what was typed.
    ///
    /// # Errors
    /// What to tell the page: nothing was stored.
    pub fn save(self, code: &str) -> Result<(), Msg> {
        // Another window may have ended it.
        let mut session = self.session().ok_or(Msg::Told(Notice::SessionOver))?;
        session.edit(code, wall_ms());
        session::store(Some(&session)).map_err(Msg::NotSaved)
    }

    /// The message that takes the place of this one: a run too soon after the last is told of, not made.
    pub fn hear(self, msg: Msg) -> Msg {
        let seconds = if matches!(msg, Msg::Run) { self.session().map_or(0, |s| s.wait_s(wall_ms())) } else { 0 };
        if seconds > 0 { Msg::Told(Notice::TooSoon { seconds }) } else { msg }
    }

    /// A run of this file begins.
    pub fn run(self, code: &str) {
        let _ = self.change(&mut |session| session.run(code, wall_ms()));
    }

    /// This is the report now.
    pub fn report(self, report: &Report) {
        let _ = self.change(&mut |session| session.report(report));
    }

    /// The page's state, with the code of the session in it and its best run.
    pub fn taken(self, mut state: State) -> State {
        let Some(session) = self.session() else { return state };
        for run in &session.runs {
            state.progress.ran(run.passed, run.all);
        }
        if let Some(code) = session.code {
            state.code = code;
        }
        state
    }

    fn session(self) -> Option<Session> {
        session::now().filter(|session| session.started == self.started)
    }

    // What is not stored is missing in the report. That typing is not stored is told already.
    fn change(self, change: &mut dyn FnMut(&mut Session)) -> Result<(), SaveError> {
        let Some(mut session) = self.session() else { return Ok(()) };
        change(&mut session);
        session::store(Some(&session))
    }
}
