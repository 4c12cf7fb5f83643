//! Which server an event concerns, also where it does not say so.

use leasehold_checker::trace::{Call, Event, Happening, LOCK_SERVICE, Reply, STORAGE};

/// The server of an event, if one has to do with it.
pub fn server_of(event: &Event) -> Option<&str> {
    if let Some(server) = event.server() {
        return Some(server);
    }
    match &event.what {
        Happening::Called { call: Call::Write { .. }, .. } | Happening::Wrote { .. } => Some(STORAGE),
        Happening::Answered { reply: Reply::Written | Reply::Stale, .. } => Some(STORAGE),
        Happening::Called { call: Call::Other { to, .. }, .. } => Some(to),
        Happening::Called { .. } | Happening::Answered { .. } | Happening::Served { .. } => Some(LOCK_SERVICE),
        Happening::Expired { .. } => Some(LOCK_SERVICE),
        _ => None,
    }
}

/// Where a server's lane stands among the others: what grants first, the storage last, nodes by their numbers.
pub fn rank(server: &str) -> (u8, u32) {
    let place = match server {
        LOCK_SERVICE => 0,
        "coordinator" => 1,
        "cache" => 2,
        "database" => 4,
        STORAGE => 5,
        _ => 3,
    };
    (place, server.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0))
}

/// Whether it is one of several that grant together.
pub fn is_node(server: &str) -> bool {
    server.starts_with("node")
}
