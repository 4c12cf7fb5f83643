//! Settings to begin with, each with its reason.

use super::{Settings, Waiter};
use crate::time::SECOND_US;

const MS: u64 = 1_000;

/// Settings with a name and a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// A few words, for a button.
    pub name: &'static str,
    /// Why these numbers, in a sentence or two.
    pub why: &'static str,
    /// The numbers.
    pub settings: Settings,
}

/// What the explorer offers. Figures of known systems are their defaults; pauses, failures and round trips are ours.
pub const PRESETS: [Preset; 7] = [
    Preset {
        name: "Leader election, 15 s",
        why: "Kubernetes' client-go proposes a lease of 15 s with a try every 2 s. A leader changes rarely and may be \
              missed for some seconds, so the ttl has room for a pause and for several failed tries in a row. (There \
              the leader steps down by itself 10 s after its last success; the client here uses the whole ttl.)",
        settings: Settings {
            interval_us: 2 * SECOND_US,
            jitter_percent: 0,
            pause_us: 6 * SECOND_US,
            timeout_us: 2 * SECOND_US,
            retry_us: 2 * SECOND_US,
            waiter: Waiter::Asks { every_us: 2 * SECOND_US },
            ..Settings::with_ttl(15 * SECOND_US)
        },
    },
    Preset {
        name: "Watchdog, 30 s",
        why: "Redisson's watchdog gives a lock 30 s and renews it every third of that. A third is the classic choice: \
              after one failed renewal there is still a whole interval to make it good, and a waiter is blocked by a \
              dead holder for half a minute at most.",
        settings: Settings {
            pause_us: 10 * SECOND_US,
            waiter: Waiter::Asks { every_us: 2 * SECOND_US },
            ..Settings::with_ttl(30 * SECOND_US)
        },
    },
    Preset {
        name: "Session, renewed at half time",
        why: "Consul's Go client locks with a session of 15 s, renews it at half of the ttl and, after an error, tries \
              again every second. Only two intervals fit into the ttl, so the rule of three is broken; the quick \
              retries make up for it. A pause between renewals has less room than with thirds.",
        settings: Settings {
            interval_us: 7_500 * MS,
            jitter_percent: 0,
            pause_us: 6 * SECOND_US,
            failure_percent: 10,
            timeout_us: SECOND_US,
            retry_us: SECOND_US,
            waiter: Waiter::Woken,
            ..Settings::with_ttl(15 * SECOND_US)
        },
    },
    Preset {
        name: "Short critical section, 2 s",
        why: "Work of milliseconds, and others wait for it: a dead holder must not block them for long. The price is \
              that one and a half renewals a second are needed for each lock, and that a pause of a second and a \
              half, which no operating system rules out, costs the lease.",
        settings: Settings {
            pause_us: 300 * MS,
            round_trip_us: 5 * MS,
            timeout_us: 150 * MS,
            retry_us: 100 * MS,
            waiter: Waiter::Asks { every_us: 200 * MS },
            ..Settings::with_ttl(2 * SECOND_US)
        },
    },
    Preset {
        name: "Batch job with long pauses",
        why: "A large heap under memory pressure can stand still for half a minute. Nobody waits for the job by the \
              second, so the ttl is chosen for the pause: longer than the interval and the pause together.",
        settings: Settings {
            interval_us: 15 * SECOND_US,
            pause_us: 30 * SECOND_US,
            waiter: Waiter::Asks { every_us: 10 * SECOND_US },
            ..Settings::with_ttl(60 * SECOND_US)
        },
    },
    Preset {
        name: "Across regions, 20 s",
        why: "A quarter of a second to the service and back, a link that loses one request in twelve, and clocks that \
              part by 500 millionths, as much as an NTP daemon corrects without a step. Retries wait for the link, so \
              fewer of them fit before the deadline.",
        settings: Settings {
            interval_us: 5 * SECOND_US,
            pause_us: 5 * SECOND_US,
            drift_ppm: -500,
            round_trip_us: 250 * MS,
            failure_percent: 8,
            timeout_us: 1_500 * MS,
            retry_us: SECOND_US,
            waiter: Waiter::Asks { every_us: 2 * SECOND_US },
            ..Settings::with_ttl(20 * SECOND_US)
        },
    },
    Preset {
        name: "Too tight: one and a half intervals",
        why: "A ttl of 3 s that is renewed every 2 s looks safe, for each renewal comes in time. But one renewal that \
              fails, or one pause of a second, and the lease is gone while its holder works on.",
        settings: Settings {
            interval_us: 2 * SECOND_US,
            pause_us: SECOND_US,
            failure_percent: 5,
            timeout_us: 500 * MS,
            retry_us: 500 * MS,
            waiter: Waiter::Asks { every_us: 500 * MS },
            ..Settings::with_ttl(3 * SECOND_US)
        },
    },
];
