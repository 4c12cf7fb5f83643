//! What is true: which grant runs from where to where, as its server decides it.

use super::points::{Point, Span};
use super::servers::server_of;
use leasehold_checker::trace::{Event, Happening, Reply, Trace};
use std::collections::BTreeSet;

/// One grant.
#[derive(Debug)]
pub struct Lease<'a> {
    /// Whose it is.
    pub client: usize,
    /// The lock, as the server knows it.
    pub name: &'a str,
    /// Who granted it.
    pub server: &'a str,
    /// Its fencing token, or whatever stands for one there.
    pub token: &'a str,
    /// How long it runs.
    pub span: Span,
    /// Whether its time ended it.
    pub ran_out: bool,
    expires_us: u64,
}

// A server's decision: where a call is answered at once, the answer is all there is of it.
fn decided(event: &Event) -> Option<(usize, &str, &Reply)> {
    match &event.what {
        Happening::Served { client, name, reply } => Some((*client, name, reply)),
        Happening::Answered { client, name, reply } if event.message.is_none() => Some((*client, name, reply)),
        _ => None,
    }
}

/// All grants, in the order in which they were made.
pub fn leases(trace: &Trace) -> Vec<Lease<'_>> {
    let events = &trace.events;
    // Where a server tells of the end it is known; elsewhere it follows from the clock.
    let told: BTreeSet<(usize, &str, &str)> = events.iter().filter_map(over).collect();
    let mut leases: Vec<Lease<'_>> = Vec::new();
    let mut running: Vec<usize> = Vec::new();
    for (i, event) in events.iter().enumerate() {
        let here = Point::of(events, i);
        let mut end = |leases: &mut Vec<Lease<'_>>, ends: &dyn Fn(&Lease<'_>) -> Option<Point>, ran_out: bool| {
            running.retain(|lease| {
                let lease = &mut leases[*lease];
                lease.span.to = ends(lease);
                lease.ran_out = ran_out && lease.span.to.is_some();
                lease.span.to.is_none()
            });
        };
        let by_time = |lease: &Lease<'_>| {
            let is_over = lease.expires_us <= event.at_us && !told.contains(&(lease.client, lease.name, lease.token));
            is_over.then(|| Point::before(events, lease.expires_us))
        };
        end(&mut leases, &by_time, true);
        if let Some(key) = over(event) {
            end(&mut leases, &|lease| ((lease.client, lease.name, lease.token) == key).then_some(here), true);
        }
        let Some((client, name, reply)) = decided(event) else { continue };
        let server = server_of(event).unwrap_or_default();
        let is_it = |lease: &Lease<'_>| (lease.client, lease.name, lease.server) == (client, name, server);
        match reply {
            Reply::Released => end(&mut leases, &|lease| is_it(lease).then_some(here), false),
            Reply::Renewed { expires_us } => {
                for lease in &running {
                    let lease = &mut leases[*lease];
                    if is_it(lease) {
                        lease.expires_us = *expires_us;
                    }
                }
            }
            Reply::Granted { token, expires_us } => {
                running.push(leases.len());
                let (span, expires_us) = (Span { from: here, to: None }, *expires_us);
                leases.push(Lease { client, name, server, token, span, ran_out: false, expires_us });
            }
            _ => {}
        }
    }
    leases
}

fn over(event: &Event) -> Option<(usize, &str, &str)> {
    match &event.what {
        Happening::Expired { client, name, token } => Some((*client, name, token)),
        _ => None,
    }
}

/// The lock that several servers grant together: `job` for `job on node-1`.
pub fn lock(name: &str) -> &str {
    name.split_once(" on ").map_or(name, |(lock, _)| lock)
}
