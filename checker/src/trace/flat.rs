//! How events are read. An enum with a tag, and one that is flattened into a struct, is read twice, by a second copy of
//! all the code: ten kilobytes of the page. So each is read as one flat struct, and then sorted out by its tag. What a
//! kind does not have stays at its default.

use super::Happening;
use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    at_us: u64,
    line: Option<u32>,
    message: Option<u32>,
    decided_us: Option<u64>,
    kind: String,
    client: usize,
    call: Option<super::Call>,
    name: String,
    reply: Option<super::Reply>,
    until_us: u64,
    token: Option<String>,
    resource: String,
    accepted: bool,
    mark_before: Option<String>,
    mark_after: Option<String>,
    by_us: i64,
    server: Option<String>,
    task: Option<String>,
    holds: bool,
    handle: String,
    from: String,
    to: String,
    by: String,
    allowed: bool,
    text: String,
}

impl TryFrom<Event> for super::Event {
    type Error = String;

    fn try_from(flat: Event) -> Result<Self, String> {
        let Event { at_us, line, message, decided_us, kind, client, call, name, reply, .. } = flat;
        let Event { until_us, token, resource, accepted, mark_before, mark_after, by_us, holds, text, .. } = flat;
        let Event { task, handle, from, to, by, allowed, mut server, .. } = flat;
        let what = match (kind.as_str(), call, reply) {
            ("called", Some(call), _) => Happening::Called { client, call },
            ("answered", _, Some(reply)) => Happening::Answered { client, name, reply },
            ("served", _, Some(reply)) => Happening::Served { client, name, reply },
            ("paused", ..) => Happening::Paused { client, until_us },
            ("woke", ..) => Happening::Woke { client },
            ("expired", ..) => Happening::Expired { client, name, token: token.unwrap_or_default() },
            ("wrote", ..) => Happening::Wrote {
                client,
                resource,
                token: token.unwrap_or_default(),
                accepted,
                mark_before,
                mark_after,
            },
            ("request_lost", ..) => Happening::RequestLost { client },
            ("reply_lost", ..) => Happening::ReplyLost { client },
            ("duplicated", ..) => Happening::Duplicated { client },
            ("delayed", ..) => Happening::Delayed { client, by_us: by_us.unsigned_abs() },
            ("crashed", ..) => Happening::Crashed { client },
            ("restarted", ..) => Happening::Restarted { client },
            ("partitioned", ..) => Happening::Partitioned { client, until_us },
            ("reconnected", ..) => Happening::Reconnected { client },
            ("clock_stepped", ..) => Happening::ClockStepped { client, by_us },
            ("server_restarted", ..) => Happening::ServerRestarted { server: server.take().unwrap_or_default() },
            ("ran_first", ..) => Happening::RanFirst { client },
            ("believes", ..) => Happening::Believes { client, name, token, holds },
            ("state", ..) => Happening::State { client, handle, from, to, by, allowed },
            ("noted", ..) => Happening::Noted { client, text },
            _ => return Err(unknown(&kind)),
        };
        Ok(super::Event { at_us, what, line, message, decided_us, server, task })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Call {
    op: String,
    name: String,
    ttl_us: u64,
    resource: String,
    token: String,
    to: String,
    text: String,
}

impl TryFrom<Call> for super::Call {
    type Error = String;

    fn try_from(flat: Call) -> Result<Self, String> {
        let Call { op, name, ttl_us, resource, token, to, text } = flat;
        Ok(match op.as_str() {
            "acquire" => super::Call::Acquire { name, ttl_us },
            "release" => super::Call::Release { name },
            "renew" => super::Call::Renew { name, ttl_us },
            "write" => super::Call::Write { resource, token },
            "other" => super::Call::Other { to, text },
            _ => return Err(unknown(&op)),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Reply {
    result: String,
    token: String,
    expires_us: u64,
    text: String,
    message: String,
}

impl TryFrom<Reply> for super::Reply {
    type Error = String;

    fn try_from(flat: Reply) -> Result<Self, String> {
        let Reply { result, token, expires_us, text, message } = flat;
        Ok(match result.as_str() {
            "granted" => super::Reply::Granted { token, expires_us },
            "refused" => super::Reply::Refused,
            "released" => super::Reply::Released,
            "not_released" => super::Reply::NotReleased,
            "renewed" => super::Reply::Renewed { expires_us },
            "not_renewed" => super::Reply::NotRenewed,
            "written" => super::Reply::Written,
            "stale" => super::Reply::Stale,
            "other" => super::Reply::Other { text },
            "timed_out" => super::Reply::TimedOut,
            "broke" => super::Reply::Broke { message },
            _ => return Err(unknown(&result)),
        })
    }
}

fn unknown(kind: &str) -> String {
    format!("{kind} is nothing that a trace holds")
}

#[cfg(test)]
mod tests {
    use crate::trace::{Call, Event, Happening, Reply};

    #[test]
    fn every_event_is_read_as_it_was_written() {
        let (client, name, text) = (1, "job".to_owned(), "text".to_owned());
        let token = || "7".to_owned();
        let calls = [
            Call::Acquire { name: name.clone(), ttl_us: 5 },
            Call::Release { name: name.clone() },
            Call::Renew { name: name.clone(), ttl_us: 5 },
            Call::Write { resource: name.clone(), token: token() },
            Call::Other { to: name.clone(), text: text.clone() },
        ];
        let replies = [
            Reply::Granted { token: token(), expires_us: 5 },
            Reply::Refused,
            Reply::Released,
            Reply::NotReleased,
            Reply::Renewed { expires_us: 5 },
            Reply::NotRenewed,
            Reply::Written,
            Reply::Stale,
            Reply::Other { text: text.clone() },
            Reply::TimedOut,
            Reply::Broke { message: text.clone() },
        ];
        let mut all: Vec<Happening> = calls.map(|call| Happening::Called { client, call }).into();
        for reply in replies {
            all.push(Happening::Answered { client, name: name.clone(), reply: reply.clone() });
            all.push(Happening::Served { client, name: name.clone(), reply });
        }
        all.extend([
            Happening::Paused { client, until_us: 5 },
            Happening::Woke { client },
            Happening::Expired { client, name: name.clone(), token: token() },
            Happening::Wrote {
                client,
                resource: name.clone(),
                token: token(),
                accepted: true,
                mark_before: None,
                mark_after: Some(token()),
            },
            Happening::RequestLost { client },
            Happening::ReplyLost { client },
            Happening::Duplicated { client },
            Happening::Delayed { client, by_us: 5 },
            Happening::Crashed { client },
            Happening::Restarted { client },
            Happening::Partitioned { client, until_us: 5 },
            Happening::Reconnected { client },
            Happening::ClockStepped { client, by_us: -5 },
            Happening::ServerRestarted { server: name.clone() },
            Happening::RanFirst { client },
            Happening::Believes { client, name, token: Some(token()), holds: true },
            Happening::State {
                client,
                handle: "job".to_owned(),
                from: "lost".to_owned(),
                to: "held".to_owned(),
                by: text.clone(),
                allowed: false,
            },
            Happening::Noted { client, text },
        ]);
        for what in all {
            let is_restart = matches!(what, Happening::ServerRestarted { .. });
            let server = (!is_restart).then(|| "node 2".to_owned());
            let task = Some("renewer".to_owned());
            let event =
                Event { line: Some(3), message: Some(4), decided_us: Some(2), server, task, ..Event::at(9, what) };
            let json = serde_json::to_string(&event).unwrap();
            assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event, "{json}");
        }
    }

    #[test]
    fn what_nobody_knows_is_left_out_and_old_traces_are_read() {
        let event = Event::at(9, Happening::Woke { client: 1 });
        let json = r#"{"at_us":9,"kind":"woke","client":1}"#;
        assert_eq!(serde_json::to_string(&event).unwrap(), json);
        assert_eq!(serde_json::from_str::<Event>(json).unwrap(), event);
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        for json in [r#"{"kind":"danced"}"#, r#"{"kind":"called"}"#, r#"{"kind":"called","call":{"op":"steal"}}"#] {
            assert!(serde_json::from_str::<Event>(json).is_err(), "{json}");
        }
    }
}
