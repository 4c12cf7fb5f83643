//! The lock services that a learner's test is tried on: right ones in every reading of the contract, and wrong ones with
//! one mistake each.
//!
//! All of them are this one state machine, so that nothing but its answers tells one from another. Each wrong one is
//! run in two readings, so that no reading gives it away either.

use std::collections::BTreeMap;

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// A free lock and a held one are the same to it.
    GrantsWhatIsHeld,
    /// The client that holds the lock is granted it once more.
    GrantsItsHolderAgain,
    /// There is one lock, whatever the name.
    OneLockForAllNames,
    /// `release` answers True and leaves the lock.
    ReleaseLeavesTheLock,
    /// What is not released stays held.
    NeverExpires,
    /// At the instant of its expiry a lease keeps others out.
    HeldAtItsExpiry,
    /// Lengths of leases lose what is behind the point.
    WholeSeconds,
    /// Who asks for a held lock moves the end of its lease.
    RefusalMovesTheEnd,
    /// Leases go by another clock.
    AnotherClock,
    /// Each name has a counter of its own.
    TokenPerName,
    /// `release` gives the fencing token back.
    CounterGoesBack,
    /// Who takes over gets the fencing token of the lease that ran out.
    TakeoverKeepsTheToken,
    /// Once nothing is held, the counter starts over.
    StartsOverWhenIdle,
    /// A lease that is over can be renewed until somebody takes over.
    RenewRevives,
    /// The same, but at the instant of its expiry only.
    RenewsAtItsExpiry,
    /// `renew` does not compare tokens.
    RenewTakesAnyToken,
    /// `renew` adds to what is left.
    RenewAdds,
    /// `renew` keeps the later of both ends.
    RenewNeverShortens,
    /// `renew` answers True and does nothing.
    RenewDoesNothing,
    /// `release` does not compare tokens.
    ReleaseTakesAnyToken,
    /// A client gets the same ownership token again and again.
    OneOwnershipTokenPerClient,
    /// `release` compares whose grant it was, and not which.
    ReleaseComparesClients,
    /// `release` with a wrong token answers False, and frees.
    RefusedReleaseFrees,
    /// `release` of a lease that is over answers True.
    ReleaseOfAnEndedLeaseIsTrue,
    /// `release` frees all that the client holds.
    ReleaseFreesAllOfTheClient,
    /// After a hundred grants fencing tokens start over.
    TokensWrap,
    /// No lease is longer than five minutes.
    LongLeasesAreCut,
    /// The oldest lease goes when more than a dozen are held.
    ForgetsTheOldest,
    /// `acquire` looks at the end as it was granted, and not as it was renewed.
    AcquireForgetsRenewals,
    /// Ownership tokens are made of name and number, and not drawn.
    GuessableOwnership,
}

/// What a right lock service may do one way or another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What sets it apart, for people.
    pub name: &'static str,
    /// The first fencing token, and how far apart they are.
    pub first: i64,
    /// See `first`.
    pub step: i64,
    /// A refusal uses a fencing token up.
    pub refusal_spends: bool,
    /// How ownership tokens look.
    pub look: Look,
    /// A renewal changes the grant's `expires_at`.
    pub renewal_updates: bool,
    /// A ttl that is none is a `ValueError`; otherwise the sum is made of it as of any other.
    pub refuses_bad_ttl: bool,
}

/// How ownership tokens look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// 32 hexadecimal digits.
    Hex,
    /// Decimal digits.
    Digits,
    /// Name, client and hexadecimal digits.
    Telling,
    /// Three letters that are not ASCII, and a space.
    Short,
}

const PLAIN: Reading = Reading {
    name: "the plain one (fencing tokens 1, 2, 3)",
    first: 1,
    step: 1,
    refusal_spends: false,
    look: Look::Hex,
    renewal_updates: false,
    refuses_bad_ttl: false,
};

/// The right ones.
pub const RIGHT: [Reading; 6] = [
    PLAIN,
    Reading {
        name: "the one whose fencing tokens leave gaps, and more after refusals",
        first: 1000,
        step: 7,
        refusal_spends: true,
        ..PLAIN
    },
    Reading { name: "the one whose fencing tokens begin below zero", first: -2, look: Look::Digits, ..PLAIN },
    Reading {
        name: "the one whose fencing tokens are huge",
        first: 1 << 60,
        step: 12_345,
        look: Look::Telling,
        ..PLAIN
    },
    Reading {
        name: "the one that updates expires_at with every renewal",
        first: 0,
        renewal_updates: true,
        refuses_bad_ttl: true,
        ..PLAIN
    },
    Reading {
        name: "the one whose ownership tokens are short and odd, and whose refusals use up fencing tokens",
        first: 41,
        refusal_spends: true,
        look: Look::Short,
        renewal_updates: true,
        ..PLAIN
    },
];

/// A wrong lock service.
#[derive(Debug)]
pub struct Wrong {
    /// What can be said of it without giving it away.
    pub name: &'static str,
    /// What is wrong with it.
    pub bug: Bug,
}

/// Wrong ones that belong together.
#[derive(Debug)]
pub struct Level {
    /// The test's name.
    pub test: &'static str,
    /// The rule, for who has passed it.
    pub rule: &'static str,
    /// What to try, for who has not.
    pub advice: &'static str,
    /// The locks.
    pub locks: &'static [Wrong],
}

const fn wrong(name: &'static str, bug: Bug) -> Wrong {
    Wrong { name, bug }
}

/// The wrong ones, from easy to hard.
pub const LEVELS: &[Level] = &[
    Level {
        test: "check_catches_locks_that_exclude_badly",
        rule: "The check complains of locks that let two in, that mix names up, or that stay shut.",
        advice: "Ask for a held lock as its holder and as another client, for a second name beside it, and once more \
                 after a release.",
        locks: &[
            wrong("a lock for more than one", Bug::GrantsWhatIsHeld),
            wrong("a lock with a favourite client", Bug::GrantsItsHolderAgain),
            wrong("a lock that mixes up names", Bug::OneLockForAllNames),
            wrong("a lock that says it is free", Bug::ReleaseLeavesTheLock),
        ],
    },
    Level {
        test: "check_catches_locks_that_end_leases_badly",
        rule: "The check complains of locks whose leases end too late, too early or never.",
        advice: "Move the clock to just before the end of a lease, to the very instant and just past it, with lengths of \
                 all kinds, and see what a refused acquire does to the end.",
        locks: &[
            wrong("a lock without an end", Bug::NeverExpires),
            wrong("a lock that is one instant off", Bug::HeldAtItsExpiry),
            wrong("a lock that is bad with fractions", Bug::WholeSeconds),
            wrong("a lock that does not stand being asked", Bug::RefusalMovesTheEnd),
            wrong("a lock that wears its own watch", Bug::AnotherClock),
        ],
    },
    Level {
        test: "check_catches_locks_with_bad_fencing_tokens",
        rule: "The check complains of locks whose fencing tokens do not grow with every grant.",
        advice: "Compare each grant's fencing token with that of the grant before, whatever its name was and however that \
                 one ended.",
        locks: &[
            wrong("a lock with an eye for names", Bug::TokenPerName),
            wrong("a lock that takes back what it gave", Bug::CounterGoesBack),
            wrong("a lock that passes on an old number", Bug::TakeoverKeepsTheToken),
            wrong("a lock that forgets while it rests", Bug::StartsOverWhenIdle),
        ],
    },
    Level {
        test: "check_catches_locks_that_renew_badly",
        rule: "The check complains of locks that renew what they must not, or to the wrong end.",
        advice: "Renew before, at and after the expiry, with right and wrong tokens, for longer and for shorter; and \
                 don't believe the answer: look at when another client gets the lock.",
        locks: &[
            wrong("a lock with a second life", Bug::RenewRevives),
            wrong("a lock that renews one instant too long", Bug::RenewsAtItsExpiry),
            wrong("a lock that renews for anybody", Bug::RenewTakesAnyToken),
            wrong("a lock that saves up", Bug::RenewAdds),
            wrong("a lock that never gives time back", Bug::RenewNeverShortens),
            wrong("a lock that only promises to renew", Bug::RenewDoesNothing),
        ],
    },
    Level {
        test: "check_catches_locks_that_release_badly",
        rule: "The check complains of locks that free what they must not, or say something else than they do.",
        advice: "Release with tokens of another client, of another name and of earlier grants, also of the same client, \
                 and see afterwards who can get which lock.",
        locks: &[
            wrong("a lock that anybody opens", Bug::ReleaseTakesAnyToken),
            wrong("a lock that knows its clients too well", Bug::OneOwnershipTokenPerClient),
            wrong("a lock that trusts old friends", Bug::ReleaseComparesClients),
            wrong("a lock that says no and does it", Bug::RefusedReleaseFrees),
            wrong("a lock that says yes and has nothing to do", Bug::ReleaseOfAnEndedLeaseIsTrue),
            wrong("a lock that cleans up too much", Bug::ReleaseFreesAllOfTheClient),
        ],
    },
    Level {
        test: "check_catches_locks_that_fail_now_and_then",
        rule: "The check complains of locks that go wrong only after many grants, long leases, many names or two steps.",
        advice: "Short tests with small numbers never see these. Make some schedules much longer, hold many locks at \
                 once, ask for hours, go on after a renewal, and look at two services side by side.",
        locks: &[
            wrong("a lock that tires", Bug::TokensWrap),
            wrong("a lock that is bad at long leases", Bug::LongLeasesAreCut),
            wrong("a lock that can't keep many", Bug::ForgetsTheOldest),
            wrong("a lock that is of two minds after a renewal", Bug::AcquireForgetsRenewals),
            wrong("a lock whose secrets are none", Bug::GuessableOwnership),
        ],
    },
];

/// What is granted.
#[derive(Clone, Debug, PartialEq)]
pub struct Granted {
    /// The random token.
    pub ownership: String,
    /// The growing one.
    pub fencing: i64,
    /// The end of the lease as granted.
    pub expires_at: f64,
}

struct Lease {
    client: String,
    ownership: String,
    number: i64,
    /// Its end as granted, and as renewed.
    granted_end: f64,
    end: f64,
    /// The how-manieth grant it was.
    age: u64,
}

/// A lock service with a reading, and perhaps a mistake. Times are seconds of the clock that it was given.
pub struct Service {
    reading: Reading,
    bug: Option<Bug>,
    leases: BTreeMap<String, Lease>,
    /// The number of the last fencing token, from 1.
    counter: i64,
    counters: BTreeMap<String, i64>,
    grants: u64,
    /// Whose the ownership tokens were.
    owners: BTreeMap<String, String>,
    /// How far the other clock has come.
    own_time: f64,
}

impl Service {
    /// A new one.
    pub fn new(reading: Reading, bug: Option<Bug>) -> Self {
        Service {
            reading,
            bug,
            leases: BTreeMap::new(),
            counter: 0,
            counters: BTreeMap::new(),
            grants: 0,
            owners: BTreeMap::new(),
            own_time: 1_000_000.0,
        }
    }

    /// How it reads what the contract leaves open.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// Tries to take `name`; `drawn` is random.
    pub fn acquire(&mut self, now: f64, name: &str, client: &str, ttl: f64, drawn: u128) -> Option<Granted> {
        let now = self.time(now);
        let name = self.name(name);
        let ttl = match self.bug {
            Some(Bug::WholeSeconds) => ttl.floor(),
            Some(Bug::LongLeasesAreCut) => ttl.min(300.0),
            _ => ttl,
        };
        if self.keeps_out(now, name, client) {
            if self.has(Bug::RefusalMovesTheEnd)
                && let Some(lease) = self.leases.get_mut(name)
            {
                lease.end = lease.end.max(now + ttl);
            }
            self.counter += i64::from(self.reading.refusal_spends);
            return None;
        }
        let before = self.leases.remove(name);
        if self.has(Bug::StartsOverWhenIdle) && self.leases.values().all(|lease| lease.end <= now) {
            self.counter = 0;
        }
        let number = self.number(name, before.as_ref());
        let end = now + ttl;
        let ownership = self.ownership(name, client, number, drawn);
        self.grants += 1;
        self.owners.insert(ownership.clone(), client.to_owned());
        let lease = Lease {
            client: client.to_owned(),
            ownership: ownership.clone(),
            number,
            granted_end: end,
            end,
            age: self.grants,
        };
        self.leases.insert(name.to_owned(), lease);
        if self.has(Bug::ForgetsTheOldest) && self.leases.len() > 12 {
            let oldest = self.leases.iter().min_by_key(|(_, lease)| lease.age).map(|(name, _)| name.clone());
            self.leases.retain(|name, _| Some(name) != oldest.as_ref());
        }
        let fencing = self.reading.first + (number - 1) * self.reading.step;
        Some(Granted { ownership, fencing, expires_at: end })
    }

    /// Makes the lease end `ttl` from now; the new end, if the token is that of the lease that runs.
    pub fn renew(&mut self, now: f64, name: &str, token: &str, ttl: f64) -> Option<f64> {
        let now = self.time(now);
        let name = self.name(name);
        let bug = self.bug;
        let lease = self.leases.get_mut(name)?;
        let runs = match bug {
            Some(Bug::RenewRevives | Bug::NeverExpires) => true,
            Some(Bug::RenewsAtItsExpiry) => now <= lease.end,
            _ => now < lease.end,
        };
        if !runs || (lease.ownership != token && bug != Some(Bug::RenewTakesAnyToken)) {
            return None;
        }
        lease.end = match bug {
            Some(Bug::RenewAdds) => lease.end + ttl,
            Some(Bug::RenewNeverShortens) => lease.end.max(now + ttl),
            Some(Bug::RenewDoesNothing) => lease.end,
            _ => now + ttl,
        };
        Some(now + ttl)
    }

    /// Frees the lock, if the token is that of the lease that runs.
    pub fn release(&mut self, now: f64, name: &str, token: &str) -> bool {
        let now = self.time(now);
        let name = self.name(name);
        let Some(lease) = self.leases.get(name) else { return false };
        let runs = now < lease.end || self.has(Bug::NeverExpires);
        let is_its_own = match self.bug {
            Some(Bug::ReleaseTakesAnyToken) => true,
            Some(Bug::ReleaseComparesClients) => self.owners.get(token) == Some(&lease.client),
            _ => lease.ownership == token,
        };
        if !runs {
            return is_its_own && self.has(Bug::ReleaseOfAnEndedLeaseIsTrue);
        }
        if !is_its_own {
            if self.has(Bug::RefusedReleaseFrees) {
                self.leases.remove(name);
            }
            return false;
        }
        match self.bug {
            Some(Bug::ReleaseLeavesTheLock) => return true,
            Some(Bug::CounterGoesBack) => self.counter -= 1,
            Some(Bug::ReleaseFreesAllOfTheClient) => {
                let client = lease.client.clone();
                self.leases.retain(|_, lease| lease.client != client);
            }
            _ => {}
        }
        self.leases.remove(name);
        true
    }

    /// What the service takes for the time.
    fn time(&mut self, now: f64) -> f64 {
        if !self.has(Bug::AnotherClock) {
            return now;
        }
        self.own_time += 0.001;
        self.own_time
    }

    fn name<'n>(&self, name: &'n str) -> &'n str {
        if self.has(Bug::OneLockForAllNames) { "" } else { name }
    }

    fn keeps_out(&self, now: f64, name: &str, client: &str) -> bool {
        let Some(lease) = self.leases.get(name) else { return false };
        let runs = now < lease.end;
        match self.bug {
            Some(Bug::GrantsWhatIsHeld) => false,
            Some(Bug::GrantsItsHolderAgain) => runs && lease.client != client,
            Some(Bug::NeverExpires) => true,
            Some(Bug::HeldAtItsExpiry) => now <= lease.end,
            Some(Bug::AcquireForgetsRenewals) => now < lease.granted_end,
            _ => runs,
        }
    }

    /// The number of the next fencing token; `before` is the lease that ran out.
    fn number(&mut self, name: &str, before: Option<&Lease>) -> i64 {
        match (self.bug, before) {
            (Some(Bug::TokenPerName), _) => {
                let counter = self.counters.entry(name.to_owned()).or_default();
                *counter += 1;
                return *counter;
            }
            (Some(Bug::TakeoverKeepsTheToken), Some(before)) => return before.number,
            (Some(Bug::TokensWrap), _) => self.counter %= 100,
            _ => {}
        }
        self.counter += 1;
        self.counter
    }

    fn ownership(&self, name: &str, client: &str, number: i64, drawn: u128) -> String {
        if self.has(Bug::GuessableOwnership) {
            return format!("{name}:{client}:{number}");
        }
        if self.has(Bug::OneOwnershipTokenPerClient)
            && let Some((token, _)) = self.owners.iter().find(|(_, owner)| *owner == client)
        {
            return token.clone();
        }
        match self.reading.look {
            Look::Hex => format!("{drawn:032x}"),
            Look::Digits => format!("{drawn}"),
            Look::Telling => format!("{name}/{client}/{drawn:016x}"),
            Look::Short => {
                let letter = |n: u32| char::from_u32(0x4e00 + (drawn >> (14 * n) & 0x3fff) as u32).unwrap_or('ß');
                format!("{} {}{}", letter(0), letter(1), letter(2))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all() -> impl Iterator<Item = &'static Wrong> {
        LEVELS.iter().flat_map(|level| level.locks)
    }

    #[test]
    fn no_two_locks_have_one_name() {
        let names: BTreeSet<&str> = all().map(|w| w.name).chain(RIGHT.iter().map(|r| r.name)).collect();
        assert_eq!(names.len(), all().count() + RIGHT.len());
    }

    #[test]
    fn a_right_one_grants_to_the_instant_and_only_to_who_shows_the_token() {
        for reading in RIGHT {
            let mut service = Service::new(reading, None);
            let first = service.acquire(0.0, "job", "a", 10.0, 1).unwrap();
            assert_eq!(first.expires_at, 10.0);
            assert_eq!(service.acquire(9.5, "job", "a", 10.0, 2), None);
            assert_eq!(service.renew(9.5, "job", "x", 10.0), None);
            assert_eq!(service.renew(9.5, "job", &first.ownership, 1.0), Some(10.5));
            assert_eq!(service.renew(10.5, "job", &first.ownership, 1.0), None);
            let second = service.acquire(10.5, "job", "a", 10.0, 3).unwrap();
            assert!(second.fencing > first.fencing && second.ownership != first.ownership);
            assert!(!service.release(11.0, "job", &first.ownership));
            assert!(service.release(11.0, "job", &second.ownership));
            assert!(!service.release(11.0, "job", &second.ownership));
        }
    }

    #[test]
    fn what_is_granted_is_the_readings_own() {
        let mut service = Service::new(RIGHT[1], None);
        assert_eq!(service.acquire(0.0, "job", "a", 10.0, 1).unwrap().fencing, 1000);
        assert_eq!(service.acquire(0.0, "job", "b", 10.0, 2), None);
        assert_eq!(service.acquire(0.0, "other", "b", 10.0, 2).unwrap().fencing, 1014);
    }
}
