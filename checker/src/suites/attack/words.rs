//! Places and disturbances, as the page names and words them.

use crate::sim::disturbance::{Disturbance, Faults, Point};
use crate::sim::world::{CLIENTS, TICK_US};
use crate::time::{SECOND_US, seconds};
use serde::Serialize;

/// Something that may be placed at a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// By which a move names it, such as `pause:over`. It says what is meant and not how long that is, so that a move
    /// keeps its sense when another one shifts the run.
    pub id: String,
    /// Its kind, as a level allows it.
    pub kind: &'static str,
    /// In words.
    pub label: String,
}

/// A kind of disturbance, and how it is switched on.
type Kind = (&'static str, fn(&mut Faults));

/// Those that a level may allow.
const KINDS: [Kind; 8] = [
    ("pause", |faults| faults.pauses = true),
    ("crash", |faults| faults.crashes = true),
    ("partition", |faults| faults.partitions = true),
    ("wall_step", |faults| faults.wall_steps = true),
    ("lost_request", |faults| faults.lost_requests = true),
    ("lost_reply", |faults| faults.lost_replies = true),
    ("duplicate", |faults| faults.duplicates = true),
    ("late_reply", |faults| faults.delays = true),
];

/// What a level's kinds switch on.
///
/// # Errors
/// The one that is unknown.
pub fn faults(kinds: &[String]) -> Result<Faults, String> {
    let mut faults = Faults::NONE;
    for kind in kinds {
        let (_, switch) = KINDS.iter().find(|(known, _)| known == kind).ok_or_else(|| kind.clone())?;
        switch(&mut faults);
    }
    Ok(faults)
}

/// A disturbance at a point.
pub fn choice(what: Disturbance, point: &Point) -> Choice {
    let who = letter(point.client);
    let (kind, which, label) = match what {
        Disturbance::Pause(us) => {
            let (which, about) = length(us, point.left_us);
            ("pause", which, format!("{who} pauses for {}: {about}", about_seconds(us)))
        }
        Disturbance::Crash => ("crash", "", format!("{who} crashes and starts again with empty memory")),
        Disturbance::Partition(us) => {
            ("partition", "", format!("{who} is cut off from all servers for {}", about_seconds(us)))
        }
        Disturbance::StepWall(us) => {
            let (which, way) = if us < 0 { ("back", "back") } else { ("on", "forward") };
            ("wall_step", which, format!("{who}'s wall clock steps {way} by {}", about_seconds(us.unsigned_abs())))
        }
        Disturbance::LoseRequest => ("lost_request", "", "The request is lost: the server never sees it".to_owned()),
        Disturbance::LoseReply => ("lost_reply", "", format!("The reply is lost: it is done, and {who} never hears")),
        Disturbance::Duplicate => ("duplicate", "", "The request arrives twice".to_owned()),
        Disturbance::DelayReply(us) if us < SECOND_US => {
            ("late_reply", "slow", format!("The reply comes {} late, and is still waited for", about_seconds(us)))
        }
        Disturbance::DelayReply(us) => {
            ("late_reply", "too_late", format!("The reply comes {} late, when {who} has given up", about_seconds(us)))
        }
        // No level's kinds switch these on.
        Disturbance::RunNext(_) | Disturbance::RestartServer => ("other", "", what.words()),
    };
    let id = if which.is_empty() { kind.to_owned() } else { format!("{kind}:{which}") };
    Choice { id, kind, label }
}

/// To the hundredth: that is enough to tell lengths apart, and they say in words how they lie to the lease.
fn about_seconds(us: u64) -> String {
    const HUNDREDTH: u64 = SECOND_US / 100;
    seconds((us + HUNDREDTH / 2) / HUNDREDTH * HUNDREDTH)
}

/// A pause beside what is left of the lease.
fn length(us: u64, left: Option<u64>) -> (&'static str, &'static str) {
    let Some(left) = left else { return ("far", "far longer than a lease") };
    match us {
        us if us < left => ("under", "just under what is left of its lease"),
        us if us == left => ("at", "exactly what is left of its lease"),
        us if us <= left + TICK_US => ("over", "just over what is left of its lease"),
        _ => ("far", "far over what is left of its lease"),
    }
}

/// What the code at a point is about to do.
pub fn about(client: usize, about: &str) -> String {
    let does = match about.split_once('.') {
        Some(("locks", "acquire")) => "is about to ask for the lock",
        Some(("locks", "renew")) => "is about to renew its lease",
        Some(("locks", "release")) => "is about to release the lock",
        Some(("storage", "write")) => "is about to write to the storage",
        Some(("storage", "read")) => "is about to read from the storage",
        Some(_) => "is about to call a server",
        None => "goes on after waiting",
    };
    format!("{} {does}", letter(client))
}

/// A client's name on timelines.
pub fn letter(client: usize) -> &'static str {
    CLIENTS.get(client).copied().unwrap_or("?")
}
