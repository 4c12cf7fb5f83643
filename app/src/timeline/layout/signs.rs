//! Small signs in the lanes: what happens to a process or a server, told by its form and not by words alone.

use super::servers::server_of;
use super::words::acting_server;
use super::{Arrow, Bar, BarKind, Lane, Rivals, Row, Sign, Tip};
use leasehold_checker::trace::{Call, Event, Happening, Reply, Trace};
use std::collections::BTreeSet;
use std::ops::Range;

/// The signs of one event and where they stand.
pub fn signs(event: &Event, lanes: &[Lane], clients: usize) -> Vec<(Sign, i32)> {
    let client = event.what.client().and_then(|client| lanes.get(client)).map(|lane| lane.of_task(event));
    let server = server_of(event).and_then(|name| lanes[clients..].iter().find(|lane| lane.name == name));
    let at_client = |sign| client.map(|x| (sign, x));
    let at_server = |sign| server.map(|lane| (sign, lane.x));
    let one = match &event.what {
        Happening::Called { .. } => at_client(Sign::Dot),
        Happening::Served { .. } => at_server(Sign::Dot),
        Happening::Answered { reply: Reply::TimedOut, .. } => at_client(Sign::Unknown),
        Happening::Answered { .. } | Happening::Expired { .. } => None,
        Happening::Wrote { accepted, .. } => at_server(if *accepted { Sign::Accepted } else { Sign::Rejected }),
        Happening::RequestLost { .. } | Happening::ReplyLost { .. } => None,
        Happening::Duplicated { .. } => at_client(Sign::Twice),
        // Where it waits.
        Happening::Delayed { .. } => at_server(Sign::Late).or_else(|| at_client(Sign::Late)),
        Happening::Paused { .. } => at_client(Sign::Pauses),
        Happening::Woke { .. } => at_client(Sign::Wakes),
        Happening::Crashed { .. } => at_client(Sign::Crashes),
        Happening::Restarted { .. } => at_client(Sign::Restarts),
        Happening::Partitioned { .. } => at_client(Sign::IsCut),
        Happening::Reconnected { .. } => at_client(Sign::IsJoined),
        Happening::ClockStepped { by_us, .. } => {
            at_client(if *by_us < 0 { Sign::ClockBack } else { Sign::ClockForward })
        }
        Happening::ServerRestarted { .. } => at_server(Sign::Restarts),
        Happening::RanFirst { .. } => at_client(Sign::First),
        Happening::Believes { .. } | Happening::Noted { .. } => at_client(Sign::Dot),
        Happening::State { allowed, .. } => at_client(if *allowed { Sign::Dot } else { Sign::Forbidden }),
    };
    one.into_iter().collect()
}

/// The token of a write, where it fits into a coin.
pub fn coin(event: &Event, lanes: &[Lane]) -> Option<(i32, String)> {
    let (client, token) = match &event.what {
        Happening::Called { client, call: Call::Write { token, .. } } => (client, token),
        Happening::Wrote { client, token, .. } if event.message.is_none() => (client, token),
        _ => return None,
    };
    let x = lanes.get(*client)?.of_task(event);
    (token.len() <= 2).then(|| (x, token.clone()))
}

/// The signs of a row that stands for many events: in every lane that takes part.
pub fn repeats(trace: &Trace, events: Range<usize>, lanes: &[Lane]) -> Vec<(Sign, i32)> {
    let (mut clients, mut servers) = (BTreeSet::new(), BTreeSet::new());
    for event in &trace.events[events] {
        clients.extend(event.what.client());
        servers.extend(server_of(event).or_else(|| acting_server(event)));
    }
    let of_clients = clients.into_iter().filter_map(|client| lanes.get(client));
    let of_servers = lanes.iter().skip(trace.clients.len()).filter(|lane| servers.contains(lane.name.as_str()));
    of_clients.chain(of_servers).map(|lane| (Sign::Repeats, lane.x)).collect()
}

/// What of all this must be explained: each once, in a fixed order.
pub fn legend(bars: &[Bar], arrows: &[Arrow], rivals: &[Rivals], rows: &[Row]) -> Vec<Sign> {
    let mut signs: BTreeSet<Sign> = BTreeSet::new();
    signs.extend(bars.iter().map(|bar| match bar.kind {
        BarKind::Lease => Sign::Lease,
        BarKind::Belief => Sign::Belief,
        BarKind::FalseBelief => Sign::FalseBelief,
        BarKind::Validity => Sign::Validity,
        BarKind::Pause => Sign::Pause,
        BarKind::Cut => Sign::Cut,
        BarKind::Down => Sign::Down,
        BarKind::Mark => Sign::Mark,
    }));
    signs.extend(arrows.iter().any(|arrow| arrow.tip == Tip::Lost).then_some(Sign::Lost));
    signs.extend((!rivals.is_empty()).then_some(Sign::Rivals));
    let of_rows = rows.iter().flat_map(|row| &row.signs).map(|(sign, _)| *sign);
    signs
        .extend(of_rows.filter(|sign| matches!(sign, Sign::Accepted | Sign::Rejected | Sign::Repeats | Sign::Unknown)));
    signs.into_iter().collect()
}
