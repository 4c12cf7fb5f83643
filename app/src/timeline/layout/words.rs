//! What a row says: who, and in a few words what. The whole sentence is the row's title.

use super::beliefs::Rivalry;
use super::servers::{is_node, server_of};
use super::times::moment;
use leasehold_checker::trace::{Call, Event, Happening, LOCK_SERVICE, Reply, Trace};

/// That neither came.
pub const NO_ANSWER: &str = "gets no answer";

/// What came instead of an answer, in two words: `returned 'x'`, `raised KeyError`, or [`NO_ANSWER`].
pub fn broken(message: &str) -> String {
    if let Some((_, what)) = message.split_once(" returned ") {
        let what: String = what.chars().take(18).collect();
        return ["returned ", &what].concat();
    }
    match message.split(':').next().filter(|class| !class.contains(' ')) {
        Some(class) => ["raised ", class].concat(),
        None => NO_ANSWER.to_owned(),
    }
}

/// Makes the words of one trace.
pub struct Teller<'a> {
    trace: &'a Trace,
    /// Whether there are several locks, so that each must be named.
    has_locks: bool,
}

impl<'a> Teller<'a> {
    /// For this trace.
    pub fn new(trace: &'a Trace, has_locks: bool) -> Self {
        Teller { trace, has_locks }
    }

    /// A client's name.
    pub fn who(&self, client: usize) -> &'a str {
        self.trace.clients.get(client).map_or("?", String::as_str)
    }

    /// Who acts in an event: a client, with its task where that is not its main one, or a server.
    pub fn actor(&self, event: &Event) -> String {
        if let (Happening::Expired { token, .. }, false) = (&event.what, event.server().is_some_and(is_node)) {
            return ["lease ", token].concat();
        }
        if let Some(server) = acting_server(event) {
            return if server == LOCK_SERVICE { "service" } else { server }.to_owned();
        }
        let who = event.what.client().map_or("?", |client| self.who(client));
        match event.task.as_deref().filter(|task| *task != "main") {
            Some(task) => [who, "·", task].concat(),
            None => who.to_owned(),
        }
    }

    /// What it does.
    pub fn words(&self, event: &Event) -> String {
        let said = self.said(event);
        match event.decided_us {
            Some(us) => [&said, ", decided at ", &moment(us)].concat(),
            None => said,
        }
    }

    fn said(&self, event: &Event) -> String {
        match &event.what {
            Happening::Called { call, .. } => self.call(call),
            Happening::Served { client, reply: Reply::Granted { expires_us, .. }, .. }
                if event.server().is_some_and(is_node) =>
            {
                ["grants ", self.who(*client), ", until ", &moment(*expires_us)].concat()
            }
            Happening::Served { client, name, reply } => self.decided(self.who(*client), name, reply),
            Happening::Answered { name, reply: Reply::Granted { .. }, .. } if event.server().is_some_and(is_node) => {
                ["is granted ", name].concat()
            }
            Happening::Answered { name, reply, .. } => self.told(name, reply, event.message.is_none()),
            Happening::Paused { until_us, .. } => {
                ["pauses for ", &moment(until_us.saturating_sub(event.at_us))].concat()
            }
            Happening::Woke { .. } => "wakes".to_owned(),
            Happening::Expired { client, name, .. } => {
                let of = if self.has_locks { [" on ", name].concat() } else { String::new() };
                let what = if event.server().is_some_and(is_node) { "the lease of " } else { "of " };
                [what, self.who(*client), &of, " is over"].concat()
            }
            Happening::Wrote { resource, token, accepted, mark_before, mark_after, .. } => {
                let mark = |mark: &Option<String>| mark.clone().unwrap_or_else(|| "none".to_owned());
                let of = if self.has_locks { [" on ", resource].concat() } else { String::new() };
                if event.message.is_none() {
                    let verdict = if *accepted { ": accepted, mark " } else { ": rejected, mark " };
                    return ["writes token ", token, &of, verdict, &mark(mark_after)].concat();
                }
                let gate = match accepted {
                    true if mark_before == mark_after => ["the mark is ", &mark(mark_before)].concat(),
                    true => ["mark ", &mark(mark_before), " → ", &mark(mark_after)].concat(),
                    false => ["the mark is ", &mark(mark_before)].concat(),
                };
                [if *accepted { "accepts token " } else { "rejects token " }, token, &of, ": ", &gate].concat()
            }
            Happening::RequestLost { .. } => "request is lost".to_owned(),
            Happening::ReplyLost { .. } => "reply is lost; it was done".to_owned(),
            Happening::Duplicated { .. } => "request arrives twice".to_owned(),
            Happening::Delayed { by_us, .. } => ["reply is ", &moment(*by_us), " late"].concat(),
            Happening::Crashed { .. } => "crashes".to_owned(),
            Happening::Restarted { .. } => "starts again, with empty memory".to_owned(),
            Happening::Partitioned { until_us, .. } => ["is cut off until ", &moment(*until_us)].concat(),
            Happening::Reconnected { .. } => "is connected again".to_owned(),
            Happening::ClockStepped { by_us, .. } => {
                let sign = if *by_us < 0 { "−" } else { "+" };
                ["wall clock steps ", sign, &moment(by_us.unsigned_abs())].concat()
            }
            Happening::ServerRestarted { .. } => "restarts".to_owned(),
            Happening::RanFirst { .. } => "runs first, out of turn".to_owned(),
            Happening::Believes { name, holds: true, .. } => ["believes that it holds ", name].concat(),
            Happening::Believes { name, .. } => ["no longer believes in ", name].concat(),
            Happening::State { handle, from, to, allowed, .. } => {
                let verdict = if *allowed { "" } else { " (forbidden)" };
                [handle, ": ", from, " → ", to, verdict].concat()
            }
            Happening::Noted { text, .. } => text.replace('`', ""),
        }
    }

    /// What the events add to a row that follow from its first one: how the handle stands, or else what its client believes.
    pub fn additions(&self, row: &[Event]) -> Vec<String> {
        let is_state = |event: &Event| matches!(event.what, Happening::State { .. });
        let has_state = row.iter().any(is_state);
        let told = row[1..].iter().filter(|event| is_state(event) || !has_state);
        let said = self.said(&row[0]);
        let mut added: Vec<String> = told.filter_map(addition).filter(|words| !said.contains(words.as_str())).collect();
        added.dedup();
        added
    }

    /// That several clients believe at once: `A, B and C all believe they hold job`.
    pub fn rivals(&self, rivalry: &Rivalry<'_>) -> String {
        let names: Vec<&str> = rivalry.clients.iter().map(|client| self.who(*client)).collect();
        let (last, others) = names.split_last().unwrap_or((&"?", &[]));
        let all = if others.len() > 1 { " all" } else { " both" };
        [&others.join(", "), " and ", last, all, " believe they hold ", rivalry.name].concat()
    }

    fn call(&self, call: &Call) -> String {
        match call {
            Call::Acquire { name, ttl_us } => ["asks for ", name, ", ", &moment(*ttl_us)].concat(),
            Call::Release { name } => ["releases ", name].concat(),
            Call::Renew { name, ttl_us } => ["renews ", name, ", ", &moment(*ttl_us)].concat(),
            Call::Write { resource, token } => ["writes ", resource, ", token ", token].concat(),
            Call::Other { text, .. } => text.clone(),
        }
    }

    fn decided(&self, who: &str, name: &str, reply: &Reply) -> String {
        let of = if self.has_locks { [" ", name].concat() } else { String::new() };
        match reply {
            Reply::Granted { token, expires_us } => {
                ["grants ", who, &of, " token ", token, ", until ", &moment(*expires_us)].concat()
            }
            Reply::Refused => ["refuses ", who, &of].concat(),
            Reply::Released => ["frees ", if self.has_locks { name } else { "it" }, " for ", who].concat(),
            Reply::NotReleased => ["frees nothing: ", who, " does not hold it"].concat(),
            Reply::Renewed { expires_us } => ["renews", &of, " for ", who, " until ", &moment(*expires_us)].concat(),
            Reply::NotRenewed => ["renews nothing: the grant of ", who, " is over"].concat(),
            Reply::Other { text } => [who, ": ", text].concat(),
            other => self.told("", other, false),
        }
    }

    // `is_all`: no decision of a server stands in a row of its own.
    fn told(&self, name: &str, reply: &Reply, is_all: bool) -> String {
        match reply {
            Reply::Granted { token, expires_us } => {
                let until = if is_all { [", until ", &moment(*expires_us)].concat() } else { String::new() };
                ["is granted ", name, ", token ", token, &until].concat()
            }
            Reply::Refused => ["is refused ", name].concat(),
            Reply::Released => ["hears: ", name, " is free"].concat(),
            Reply::NotReleased => "hears: nothing was released".to_owned(),
            Reply::Renewed { expires_us } if is_all => ["is renewed until ", &moment(*expires_us)].concat(),
            Reply::Renewed { .. } => "hears: renewed".to_owned(),
            Reply::NotRenewed => "hears: its grant is over".to_owned(),
            Reply::Written => "hears: written".to_owned(),
            Reply::Stale => "hears: stale token".to_owned(),
            Reply::Other { text } => ["hears: ", text].concat(),
            Reply::TimedOut => "hears nothing in time".to_owned(),
            Reply::Broke { message } => broken(message),
        }
    }
}

fn addition(event: &Event) -> Option<String> {
    match &event.what {
        Happening::Believes { holds, .. } => Some(if *holds { "holds it" } else { "holds it no more" }.to_owned()),
        Happening::State { to, allowed, .. } => {
            Some([to.as_str(), if *allowed { "" } else { " (forbidden)" }].concat())
        }
        _ => None,
    }
}

/// The server, where it is the one that acts.
pub fn acting_server(event: &Event) -> Option<&str> {
    match &event.what {
        Happening::Served { .. } | Happening::Expired { .. } | Happening::ServerRestarted { .. } => server_of(event),
        Happening::Wrote { .. } if event.message.is_some() => server_of(event),
        _ => None,
    }
}
