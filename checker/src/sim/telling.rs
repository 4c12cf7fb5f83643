//! How a run is told to people: what its trace says beyond what servers and properties go by. Names of servers and tasks,
//! answers in short words, and whose a long random id is. None of it is worked out in runs that nobody looks at.

use super::world::{CLIENTS, duration_us};
use crate::model::data::Data;
use crate::time::seconds;
use crate::trace::{Call, Event, Happening, LOCK_SERVICE, Reply};
use std::collections::{BTreeMap, BTreeSet};

/// No text of a call or an answer is longer than so many characters.
const LONGEST: usize = 240;
/// An answer that is longer than this, and the same as the one before it, is not told again.
const AGAIN: usize = 50;
/// From so many hexadecimal digits on a text is taken for a random id.
const ID: usize = 12;

/// A server as learners know it, by the name by which code calls it.
pub(crate) fn server_name(name: &str) -> String {
    match name {
        "locks" => LOCK_SERVICE.to_owned(),
        node if node.starts_with("node-") => node.replacen('-', " ", 1),
        other => other.to_owned(),
    }
}

/// What an event of a world concerns, besides its client.
#[derive(Default)]
pub(super) struct About {
    /// The server's name, by which code calls it.
    pub server: Option<&'static str>,
    /// The task that acted.
    pub task: Option<u32>,
    /// The answer in short words.
    pub words: Option<String>,
}

/// What a trace needs to be told, and what was learnt on the way.
#[derive(Default)]
pub(super) struct Teller {
    /// By task: its name.
    tasks: BTreeMap<u32, String>,
    /// How many tasks of a name a client has had.
    named: BTreeMap<(usize, String), u32>,
    /// Clients that have had more than their main task.
    several: BTreeSet<usize>,
    /// By client and call: what it was told last. Who polls hears the same again and again.
    told: BTreeMap<(usize, String), String>,
    ids: Ids,
}

impl Teller {
    /// A task begins. `name` is that of its function; the main task is the driver's, and has a name of ours.
    pub(super) fn begins(&mut self, client: usize, task: u32, ordinal: u32, name: Option<String>, is_main: bool) {
        let name = if is_main { "main".to_owned() } else { name.unwrap_or_else(|| format!("task {ordinal}")) };
        if !is_main {
            self.several.insert(client);
        }
        let count = self.named.entry((client, name.clone())).or_insert(0);
        *count += 1;
        let name = if *count == 1 || is_main { name } else { format!("{name} {count}") };
        self.tasks.insert(task, name);
    }

    /// The event as the trace keeps it. `asked_by` is the client whose call it belongs to.
    pub(super) fn shown(&mut self, mut event: Event, about: About, asked_by: Option<usize>) -> Event {
        let is_restart = matches!(event.what, Happening::ServerRestarted { .. });
        event.server = about.server.filter(|_| !is_restart).map(server_name);
        event.task = about.task.and_then(|task| self.tasks.get(&task).cloned());
        match &event.what {
            // It only came to light with that call.
            Happening::Expired { .. } => event.message = None,
            Happening::Served { client, .. } if Some(*client) != asked_by => event.message = None,
            _ => {}
        }
        if matches!(event.what, Happening::Served { .. } | Happening::Expired { .. }) {
            event.task = None;
        }
        match &mut event.what {
            Happening::Called { client, call: Call::Other { text, .. } } => {
                self.ids.learn(*client, text);
                *text = self.ids.shorten(text);
            }
            Happening::Answered { client, name, reply: Reply::Other { text } } => {
                let words = self.ids.shorten(about.words.as_deref().unwrap_or(text));
                let before = self.told.insert((*client, name.clone()), words.clone());
                let again = before.is_some_and(|before| before == words) && words.len() > AGAIN;
                *text = if again { format!("{name} as before") } else { words };
            }
            _ => {}
        }
        event
    }

    /// The run is over: who had one task only needs no name for it.
    pub(super) fn finish(&self, events: &mut [Event]) {
        for event in events {
            if event.what.client().is_none_or(|client| !self.several.contains(&client)) {
                event.task = None;
            }
        }
    }
}

/// Whose long random ids are, by who sent them first. They are shown as their owner's name.
#[derive(Default)]
struct Ids {
    names: BTreeMap<String, String>,
    count: BTreeMap<usize, u32>,
}

impl Ids {
    fn learn(&mut self, client: usize, text: &str) {
        for id in pieces(text).filter(|piece| is_id(piece)) {
            if self.names.contains_key(id) {
                continue;
            }
            let count = self.count.entry(client).or_insert(0);
            *count += 1;
            let who = CLIENTS.get(client).copied().unwrap_or("?");
            let name = if *count == 1 { who.to_owned() } else { format!("{who}#{count}") };
            self.names.insert(id.to_owned(), name);
        }
    }

    fn shorten(&self, text: &str) -> String {
        let mut out = String::new();
        for piece in pieces(text) {
            match self.names.get(piece) {
                Some(name) => out.push_str(name),
                None => out.push_str(piece),
            }
        }
        if out.chars().count() <= LONGEST {
            return out;
        }
        out.chars().take(LONGEST - 1).chain(['…']).collect()
    }
}

fn is_in_ids(c: char) -> bool {
    c.is_ascii_hexdigit() || c == '-'
}

/// A text cut where runs of characters that ids are made of begin and end.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|c| is_in_ids(c) != is_in_ids(first)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// Long, and neither a number nor a word.
fn is_id(piece: &str) -> bool {
    piece.len() >= ID
        && piece.chars().all(is_in_ids)
        && piece.contains(|c: char| c.is_ascii_digit())
        && piece.contains(|c: char| c.is_ascii_alphabetic())
}

/// An answer in short words, where the server is known to mean something by it.
pub(super) fn words(server: &str, verb: &str, args: &[Data], answer: &Data) -> Option<String> {
    match server {
        "coordinator" => of_coordinator(verb, args, answer),
        "cache" => of_cache(verb, args, answer),
        "database" => of_database(verb, args, answer),
        "locks" => of_locks(verb, args, answer),
        _ => None,
    }
}

fn plain(data: &Data) -> String {
    match data {
        Data::Str(text) => text.clone(),
        other => other.to_string(),
    }
}

fn first(args: &[Data]) -> String {
    args.first().map(plain).unwrap_or_default()
}

fn of_coordinator(verb: &str, args: &[Data], answer: &Data) -> Option<String> {
    let is = *answer == Data::Bool(true);
    Some(match (verb, answer) {
        ("open", Data::List(session)) => {
            let [name, _, ttl] = session.as_slice() else { return None };
            format!("session {} is open for {}", plain(name), seconds(duration_us(ttl)?))
        }
        ("keep_alive", Data::Bool(_)) => {
            format!("session {} {}", first(args), if is { "goes on" } else { "is over" })
        }
        ("close", Data::Bool(_)) => {
            format!("session {} {}", first(args), if is { "is closed" } else { "was over already" })
        }
        ("append", Data::Int(number)) => format!("place {number} in {}", first(args)),
        ("places", Data::List(places)) => in_line(&first(args), places),
        ("remove", Data::Bool(_)) => {
            format!("place {} {}", first(args), if is { "is removed" } else { "was gone already" })
        }
        ("watch", Data::List(watch)) => {
            let [number, gone] = watch.as_slice() else { return None };
            let gone = if *gone == Data::Bool(true) { ", and not all of them are there" } else { "" };
            let on: Vec<String> = args.iter().map(plain).collect();
            let places = if on.len() == 1 { "place" } else { "places" };
            format!("watch {number} on {places} {}{gone}", on.join(", "))
        }
        ("unwatch", Data::None) => format!("watch {} is closed", first(args)),
        _ => return None,
    })
}

/// Who queues, by number and owner; of a long queue the first few.
fn in_line(queue: &str, places: &[Data]) -> String {
    const FEW: usize = 5;
    if places.is_empty() {
        return format!("nobody is in line for {queue}");
    }
    let place = |place: &Data| match place {
        Data::List(parts) => match parts.as_slice() {
            [number, _, owner] => format!("{number} ({})", plain(owner)),
            _ => place.to_string(),
        },
        other => other.to_string(),
    };
    let shown: Vec<String> = places.iter().take(FEW).map(place).collect();
    let more = places.len().saturating_sub(FEW);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} in line for {queue}: {}{more}", places.len(), shown.join(", "))
}

fn of_cache(verb: &str, args: &[Data], answer: &Data) -> Option<String> {
    Some(match (verb, answer) {
        ("read", Data::List(entries)) => {
            let entry = |(key, entry): (&Data, &Data)| match entry {
                Data::List(parts) => match parts.as_slice() {
                    [_, Data::Int(0)] => Some(format!("{} is absent", plain(key))),
                    [value, version] => Some(format!("{} in version {version}: {value}", plain(key))),
                    _ => None,
                },
                _ => None,
            };
            args.iter().zip(entries).map(entry).collect::<Option<Vec<String>>>()?.join("; ")
        }
        ("commit", Data::Bool(true)) => "committed".to_owned(),
        ("commit", Data::Bool(false)) => "not committed: something changed".to_owned(),
        ("watch", Data::List(watch)) => {
            let [number, version] = watch.as_slice() else { return None };
            format!("watch {number} on {}, now in version {version}", first(args))
        }
        ("unwatch", Data::None) => format!("watch {} is closed", first(args)),
        _ => return None,
    })
}

fn of_database(verb: &str, args: &[Data], answer: &Data) -> Option<String> {
    let row = || args.get(1).map(plain).unwrap_or_default();
    Some(match (verb, answer) {
        ("begin", Data::Int(number)) => format!("transaction {number}"),
        ("get" | "get_for_update", Data::None) => format!("there is no row {}", row()),
        ("get" | "get_for_update", value) => format!("{}: {value}", row()),
        ("delete", Data::Bool(true)) => format!("{} is deleted", row()),
        ("delete", Data::Bool(false)) => format!("there was no row {}", row()),
        ("put" | "insert", Data::None) => format!("{} is set", row()),
        ("commit", Data::None) => format!("transaction {} is committed", first(args)),
        ("rollback", Data::None) => format!("transaction {} is rolled back", first(args)),
        _ => return None,
    })
}

fn of_locks(verb: &str, args: &[Data], answer: &Data) -> Option<String> {
    Some(match (verb, answer) {
        ("watch", Data::Int(number)) => format!("watch {number} on {}", first(args)),
        ("unwatch", Data::None) => format!("watch {} is closed", first(args)),
        ("watchers", Data::Int(count)) => format!("{count} watches on {}", first(args)),
        _ => return None,
    })
}

/// Which of a client's handles of a lock is meant: drivers have numbers of their own, which may come again.
#[derive(Default)]
pub(super) struct Handles {
    numbers: BTreeMap<(usize, String, i64), u32>,
    last: BTreeMap<(usize, String), u32>,
}

impl Handles {
    /// The lock's name, and a number from the second handle on; `begins` if this is the first that is heard of it.
    pub(super) fn label(&mut self, client: usize, name: &str, key: i64, begins: bool) -> String {
        let known = self.numbers.get(&(client, name.to_owned(), key)).copied().filter(|_| !begins);
        let number = known.unwrap_or_else(|| {
            let last = self.last.entry((client, name.to_owned())).or_insert(0);
            *last += 1;
            self.numbers.insert((client, name.to_owned(), key), *last);
            *last
        });
        if number == 1 { name.to_owned() } else { format!("{name} {number}") }
    }
}

/// Whether a handle may go from one state to another: see DESIGN.md, rule 6. Lost and released are for good.
pub(super) fn may_go(from: &str, to: &str) -> bool {
    matches!((from, to), ("acquiring", "held" | "released") | ("held", "lost" | "released"))
}

/// How much a run has to tell to somebody who watches it though it breaks nothing.
#[derive(Default)]
pub(super) struct Interest {
    has_pause: bool,
    has_takeover: bool,
    has_rejection: bool,
    /// By lock: whose lease ran out last.
    ran_out: BTreeMap<String, usize>,
}

impl Interest {
    pub(super) fn see(&mut self, what: &Happening) {
        match what {
            Happening::Paused { .. } => self.has_pause = true,
            Happening::Expired { client, name, .. } => {
                self.ran_out.insert(name.clone(), *client);
            }
            Happening::Served { client, name, reply: Reply::Granted { .. } } => {
                self.has_takeover |= self.ran_out.get(name).is_some_and(|before| before != client);
            }
            Happening::Wrote { accepted: false, .. } => self.has_rejection = true,
            _ => {}
        }
    }

    /// The more the better; 0 if nobody took over from anybody.
    pub(super) fn value(&self) -> u8 {
        if self.has_takeover { 1 + u8::from(self.has_pause) + 2 * u8::from(self.has_rejection) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: impl IntoIterator<Item = Data>) -> Data {
        Data::List(items.into_iter().collect())
    }

    #[test]
    fn answers_are_told_in_short_words() {
        let place = |n: i64, owner: &str| list([n.into(), "s1".into(), owner.into()]);
        let job = [Data::from("job")];
        for (server, verb, args, answer, told) in [
            ("coordinator", "places", &job[..], list([]), "nobody is in line for job"),
            (
                "coordinator",
                "places",
                &job[..],
                list([place(1, "A"), place(4, "B")]),
                "2 in line for job: 1 (A), 4 (B)",
            ),
            ("coordinator", "append", &job[..], Data::Int(3), "place 3 in job"),
            ("cache", "read", &job[..], list([list([Data::None, Data::Int(0)])]), "job is absent"),
            ("cache", "read", &job[..], list([list([Data::Int(7), Data::Int(2)])]), "job in version 2: 7"),
            ("cache", "commit", &[][..], Data::Bool(false), "not committed: something changed"),
            ("database", "begin", &[][..], Data::Int(3), "transaction 3"),
        ] {
            assert_eq!(words(server, verb, args, &answer).as_deref(), Some(told), "{server}.{verb}");
        }
        assert_eq!(words("storage", "read", &job, &Data::None), None);
    }

    #[test]
    fn a_long_queue_is_told_by_its_head() {
        let places: Vec<Data> = (1..=8).map(|n| list([n.into(), "s1".into(), "A".into()])).collect();
        assert_eq!(in_line("job", &places), "8 in line for job: 1 (A), 2 (A), 3 (A), 4 (A), 5 (A) and 3 more");
    }

    #[test]
    fn a_random_id_is_told_as_its_owner() {
        let mut ids = Ids::default();
        ids.learn(0, "commit('c15c0289ec2d0a91', 1700000000000, 'deadbeef')");
        ids.learn(1, "commit('c15c0289ec2d0a91', '67ec8e65a18debbe')");
        ids.learn(1, "commit('0cf3a7b2-11d0-4e2b-9d1f-55e0a6b7c8d9')");
        let text =
            "[1, 'c15c0289ec2d0a91'], [2, '67ec8e65a18debbe'], '0cf3a7b2-11d0-4e2b-9d1f-55e0a6b7c8d9' of 1700000000000";
        assert_eq!(ids.shorten(text), "[1, 'A'], [2, 'B'], 'B#2' of 1700000000000");
        assert_eq!(ids.shorten(&"x".repeat(300)).chars().count(), LONGEST);
    }

    #[test]
    fn servers_are_called_as_learners_know_them() {
        assert_eq!(["locks", "node-12", "cache"].map(server_name), [LOCK_SERVICE, "node 12", "cache"]);
    }

    #[test]
    fn handles_of_one_lock_are_told_apart() {
        let mut handles = Handles::default();
        assert_eq!(handles.label(0, "job", 1, true), "job");
        assert_eq!(handles.label(0, "job", 2, true), "job 2");
        assert_eq!(handles.label(0, "job", 1, false), "job");
        assert_eq!(handles.label(1, "job", 1, true), "job");
        assert_eq!(handles.label(0, "job", 1, true), "job 3", "a new one under an old number");
    }

    #[test]
    fn lost_and_released_are_for_good() {
        let states = ["acquiring", "held", "lost", "released"];
        let allowed: Vec<(&str, &str)> =
            states.iter().flat_map(|a| states.iter().map(move |b| (*a, *b))).filter(|(a, b)| may_go(a, b)).collect();
        assert_eq!(allowed, [("acquiring", "held"), ("acquiring", "released"), ("held", "lost"), ("held", "released")]);
    }
}
