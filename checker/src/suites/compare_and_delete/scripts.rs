//! The named tests.

use super::judge::{GUESSES, Verdicts};
use super::rules::verb;
use crate::explore::replay::Op;
use crate::suites::sequential::script::{
    A, B, C, CACHE, EIGHTH, JOB, REPORT, TICK, Test, acquire, pause, release, wait, wait_almost, wake, write,
};

/// Two hundred grants, by release and by expiry, of a few locks.
fn many_grants() -> Vec<Op> {
    let one = |i: u32| {
        let (client, name) = ((i % 3) as u8, (i % 5) as u8);
        [acquire(client, name, 8), if i.is_multiple_of(2) { release(client, name) } else { wait(8) }]
    };
    (0..200).flat_map(one).collect()
}

/// Six hundred grants of one lock: a token that is short comes again.
fn very_many_grants() -> Vec<Op> {
    (0..600).flat_map(|i: u32| [acquire((i % 3) as u8, JOB, 80), release((i % 3) as u8, JOB)]).collect()
}

/// A lease that lives by renewals, forty times as long as its ttl, and then is let go.
fn many_renewals() -> Vec<Op> {
    let mut ops = vec![acquire(A, JOB, 80)];
    ops.extend((0..40).flat_map(|_| [wait_almost(80), renew(A, JOB, 80), acquire(B, JOB, 80)]));
    ops.extend([wait_almost(80), acquire(B, JOB, 80), TICK, acquire(B, JOB, 80), renew(A, JOB, 80), release(A, JOB)]);
    ops
}

/// Every guess, for both calls, by another client and by the holder, while the lease runs and when it is over.
fn all_guesses() -> Vec<Op> {
    let guesses = |client| {
        (0..GUESSES).flat_map(move |which| {
            [
                Op::Act { verb: verb::RELEASE_WITH_GUESS, client, what: JOB, amount: which },
                Op::Act { verb: verb::RENEW_WITH_GUESS, client, what: JOB, amount: which },
            ]
        })
    };
    let mut ops: Vec<Op> = guesses(B).collect();
    ops.extend([acquire(A, JOB, 80), wait(8)]);
    ops.extend(guesses(B));
    ops.extend(guesses(A));
    ops.extend([acquire(B, JOB, 80), wait_almost(72), acquire(B, JOB, 80), TICK]);
    ops.extend(guesses(B));
    ops.extend([acquire(B, JOB, 80), release(B, JOB)]);
    ops.extend(guesses(A));
    ops.push(acquire(A, JOB, 80));
    ops
}

/// Lengths that are none, asked for a free lock, which stays free.
fn nonsense_for_a_free_lock() -> Vec<Op> {
    let mut ops: Vec<Op> =
        (0..7).flat_map(|which| [acquire_nonsense(A, JOB, which), acquire(B, JOB, 8), release(B, JOB)]).collect();
    ops.extend((0..7).flat_map(|which| [acquire(A, JOB, 8), wait(8), acquire_nonsense(B, JOB, which)]));
    ops.push(acquire(B, JOB, 8));
    ops
}

/// The same for a lock that is held, which stays as it is.
fn nonsense_for_a_held_lock() -> Vec<Op> {
    let mut ops = vec![acquire(A, JOB, 80)];
    ops.extend((0..7).flat_map(|which| [acquire_nonsense(B, JOB, which), acquire_nonsense(A, JOB, which)]));
    ops.extend([wait_almost(80), acquire(B, JOB, 80), TICK, acquire(B, JOB, 80)]);
    ops
}

/// A renewal for such a length leaves the lease as it was: neither longer nor over.
fn nonsense_for_a_renewal() -> Vec<Op> {
    let one = |which| {
        [
            acquire(A, JOB, 80),
            wait(8),
            renew_nonsense(A, JOB, which),
            acquire(B, JOB, 80),
            wait_almost(72),
            acquire(B, JOB, 80),
            TICK,
            renew_nonsense(A, JOB, which),
        ]
    };
    let mut ops: Vec<Op> = (0..7).flat_map(one).collect();
    ops.push(acquire(B, JOB, 80));
    ops
}

/// A client releases with the grant before its last.
pub const fn release_old(client: u8, name: u8) -> Op {
    Op::Act { verb: verb::RELEASE_OLD, client, what: name, amount: 0 }
}

/// A client renews with its last grant.
pub const fn renew(client: u8, name: u8, ttl: u32) -> Op {
    Op::Act { verb: verb::RENEW, client, what: name, amount: ttl * EIGHTH }
}

/// A client renews with the grant before that.
pub const fn renew_old(client: u8, name: u8, ttl: u32) -> Op {
    Op::Act { verb: verb::RENEW_OLD, client, what: name, amount: ttl * EIGHTH }
}

/// Releases `name` with the token of the client's grant of `other`.
const fn release_with(client: u8, name: u8, other: u8) -> Op {
    Op::Act { verb: verb::RELEASE_WITH_ANOTHERS, client, what: name, amount: other as u32 }
}

const fn renew_with(client: u8, name: u8, other: u8) -> Op {
    Op::Act { verb: verb::RENEW_WITH_ANOTHERS, client, what: name, amount: other as u32 }
}

/// A client asks for a lock with a ttl that is none.
pub const fn acquire_nonsense(client: u8, name: u8, which: u32) -> Op {
    Op::Act { verb: verb::ACQUIRE_FOR_NONSENSE, client, what: name, amount: which }
}

/// A client renews with such a ttl.
pub const fn renew_nonsense(client: u8, name: u8, which: u32) -> Op {
    Op::Act { verb: verb::RENEW_FOR_NONSENSE, client, what: name, amount: which }
}

/// All of it once more, with other random numbers.
pub const ELSEWHERE: Op = Op::Act { verb: verb::ELSEWHERE, client: A, what: JOB, amount: 0 };

/// The tests, in the order of the report: grants, their two tokens, renewal, release, lengths, the story.
pub const TESTS: &[Test<Verdicts>] = &[
    Test {
        name: "a_free_lock_is_granted",
        rule: "A free lock is granted: acquire returns a Grant with its three attributes.",
        scripts: &[&[acquire(A, JOB, 80)], &[wait(40), acquire(B, REPORT, 20), acquire(A, JOB, 80)]],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_held_lock_is_refused",
        rule: "While a lease runs, acquire returns None to everyone, its holder included, and changes nothing.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(16),
                acquire(B, JOB, 80),
                wait(8),
                acquire(A, JOB, 80),
                wait(56),
                acquire(C, JOB, 80),
            ],
            &[
                acquire(A, JOB, 80),
                wait(8),
                acquire(B, JOB, 800),
                acquire(A, JOB, 4),
                wait(8),
                acquire(C, JOB, 80),
                wait(64),
                acquire(C, JOB, 80),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_lease_is_gone_at_its_very_expiry",
        rule: "A lease holds until the clock reaches its expiry; at this instant it is over.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait_almost(80),
                acquire(B, JOB, 80),
                TICK,
                acquire(B, JOB, 80),
                wait_almost(80),
                acquire(A, JOB, 80),
                TICK,
                acquire(A, JOB, 80),
            ],
            &[
                wait(8_000_000),
                acquire(B, JOB, 20),
                acquire(A, REPORT, 80),
                wait_almost(20),
                acquire(A, JOB, 80),
                TICK,
                acquire(A, JOB, 80),
                acquire(B, REPORT, 8),
                wait(60),
                acquire(B, REPORT, 8),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "expires_at_tells_when_the_lease_is_over",
        rule: "expires_at is the time of the service's clock at which the lease is over.",
        scripts: &[
            &[wait(24), acquire(A, JOB, 80), wait(8), acquire(B, REPORT, 20)],
            &[acquire(A, JOB, 4), wait(4), acquire(B, JOB, 80), wait(80), acquire(A, JOB, 800)],
        ],
        long: &[],
        judged: Verdicts::Expiry,
    },
    Test {
        name: "fencing_tokens_grow_with_every_grant",
        rule: "Every grant has a fencing token greater than all before it: over release, expiry and other names.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(8),
                release(A, JOB),
                acquire(B, JOB, 80),
                wait(80),
                acquire(A, JOB, 80),
                acquire(B, REPORT, 80),
                release(A, JOB),
                acquire(A, CACHE, 80),
            ],
            &[acquire(A, JOB, 80), release(A, JOB), acquire(A, REPORT, 80), release(A, REPORT), acquire(A, JOB, 80)],
        ],
        long: &[many_grants],
        judged: Verdicts::Fencing,
    },
    Test {
        name: "every_grant_has_an_ownership_token_of_its_own",
        rule: "No two grants have the same ownership token: not of one client, not of two locks, not after a release.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(8),
                release(A, JOB),
                wait(8),
                acquire(A, JOB, 80),
                acquire(B, REPORT, 80),
                acquire(A, CACHE, 80),
            ],
            &[acquire(A, JOB, 80), wait(80), acquire(A, JOB, 80), wait(80), acquire(B, JOB, 80)],
            &[acquire(A, JOB, 80), acquire(A, REPORT, 80), acquire(B, CACHE, 80)],
        ],
        long: &[many_grants, very_many_grants],
        judged: Verdicts::Ownership,
    },
    Test {
        name: "ownership_tokens_are_random",
        rule: "Ownership tokens are drawn at random: another service, asked the same, hands out others.",
        scripts: &[&[
            acquire(A, JOB, 80),
            wait(8),
            acquire(B, REPORT, 80),
            release(A, JOB),
            acquire(B, JOB, 80),
            ELSEWHERE,
        ]],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_guess_is_no_ownership_token",
        rule: "Nothing but the ownership token renews or frees: not the fencing token, not the client, not the name.",
        scripts: &[&[
            acquire(A, JOB, 80),
            wait(8),
            Op::Act { verb: verb::RELEASE_WITH_GUESS, client: B, what: JOB, amount: 0 },
            acquire(C, JOB, 80),
        ]],
        long: &[all_guesses],
        judged: Verdicts::Answers,
    },
    Test {
        name: "renew_sets_the_end_to_now_plus_ttl",
        rule: "renew makes the lease end ttl seconds from now; it adds nothing to what is left.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(40),
                renew(A, JOB, 80),
                wait(40),
                acquire(B, JOB, 80),
                wait_almost(40),
                acquire(B, JOB, 80),
                TICK,
                acquire(B, JOB, 80),
            ],
            &[acquire(A, JOB, 80), renew(A, JOB, 80), wait_almost(80), acquire(B, JOB, 80), TICK, acquire(B, JOB, 80)],
            &[
                acquire(B, JOB, 20),
                wait(4),
                renew(B, JOB, 80),
                wait(4),
                renew(B, JOB, 80),
                wait(4),
                renew(B, JOB, 80),
                wait(80),
                acquire(A, JOB, 80),
            ],
            &[
                wait(800),
                acquire(A, JOB, 20),
                wait(10),
                renew(A, JOB, 4),
                renew(A, JOB, 240),
                wait_almost(240),
                acquire(B, JOB, 80),
                TICK,
                acquire(B, JOB, 80),
            ],
        ],
        long: &[many_renewals],
        judged: Verdicts::Answers,
    },
    Test {
        name: "renew_may_shorten_a_lease",
        rule: "renew with a ttl that is less than what is left makes the lease end sooner.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(8),
                renew(A, JOB, 20),
                wait_almost(20),
                acquire(B, JOB, 80),
                TICK,
                acquire(B, JOB, 80),
            ],
            &[acquire(B, JOB, 800), renew(B, JOB, 4), wait(4), renew(B, JOB, 80), acquire(A, JOB, 80)],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_lease_can_be_renewed_until_its_expiry",
        rule: "Up to the last instant before its expiry a lease can be renewed, as often as one likes.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait_almost(80),
                renew(A, JOB, 80),
                wait_almost(80),
                renew(A, JOB, 80),
                acquire(B, JOB, 80),
            ],
            &[
                acquire(A, JOB, 20),
                acquire(B, REPORT, 20),
                wait_almost(20),
                renew(B, REPORT, 80),
                renew(A, JOB, 4),
                TICK,
                acquire(C, REPORT, 80),
                acquire(C, JOB, 80),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "renew_of_a_lease_that_is_over_revives_nothing",
        rule: "From its expiry on a lease can't be renewed: renew returns False and the lock stays free.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(80), renew(A, JOB, 80), acquire(B, JOB, 80)],
            &[
                acquire(A, JOB, 80),
                wait(88),
                renew(A, JOB, 80),
                renew(A, JOB, 80),
                acquire(B, JOB, 80),
                wait(8),
                renew(A, JOB, 800),
                wait(72),
                acquire(C, JOB, 80),
            ],
            &[acquire(A, JOB, 80), wait(40), renew(A, JOB, 20), wait(20), renew(A, JOB, 80), acquire(B, JOB, 80)],
            &[acquire(B, JOB, 4), wait(4), renew(B, JOB, 4), acquire(B, JOB, 80), renew(B, JOB, 80)],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_late_renewal_does_not_take_the_lock_back",
        rule: "A renewal by a client whose lease was taken over fails; the new lease keeps its holder and its end.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                write(A, JOB),
                pause(A, 96),
                wait(88),
                acquire(B, JOB, 80),
                write(B, JOB),
                wait(8),
                wake(A),
                write(A, JOB),
                renew(A, JOB, 800),
                acquire(A, JOB, 80),
                renew(B, JOB, 80),
                wait(80),
                acquire(C, JOB, 80),
            ],
            &[
                acquire(A, JOB, 20),
                wait(20),
                acquire(B, JOB, 80),
                renew(A, JOB, 4),
                wait(8),
                acquire(C, JOB, 80),
                wait(72),
                acquire(C, JOB, 80),
            ],
            &[
                acquire(A, JOB, 20),
                wait(20),
                acquire(B, JOB, 80),
                renew(A, JOB, 80),
                release(B, JOB),
                renew(A, JOB, 80),
                acquire(C, JOB, 8),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "renew_after_release_fails",
        rule: "A grant that was released is over for good: renew returns False, and the lock stays free.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(8), release(A, JOB), renew(A, JOB, 80), acquire(B, JOB, 80)],
            &[
                acquire(A, JOB, 80),
                release(A, JOB),
                acquire(B, JOB, 80),
                renew(A, JOB, 80),
                release(B, JOB),
                renew(A, JOB, 80),
                renew(B, JOB, 80),
                acquire(C, JOB, 80),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_renewal_is_no_new_grant",
        rule: "After a renewal the grant has the tokens that it had, and they go on to work.",
        scripts: &[&[
            acquire(A, JOB, 80),
            wait(8),
            renew(A, JOB, 80),
            wait(8),
            renew(A, JOB, 80),
            release(A, JOB),
            acquire(B, JOB, 80),
        ]],
        long: &[],
        judged: Verdicts::Fencing,
    },
    Test {
        name: "release_frees_the_lock",
        rule: "release by the grant that holds the lock returns True, and the lock is free at once.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(8),
                release(A, JOB),
                acquire(B, JOB, 80),
                wait(8),
                release(B, JOB),
                wait(8),
                acquire(B, JOB, 80),
            ],
            &[acquire(A, JOB, 80), wait_almost(80), release(A, JOB), acquire(B, JOB, 80)],
            &[
                acquire(A, JOB, 20),
                wait(20),
                acquire(B, JOB, 20),
                renew(B, JOB, 80),
                wait(40),
                release(B, JOB),
                acquire(A, JOB, 80),
                release(A, JOB),
                acquire(C, JOB, 8),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "release_of_a_lease_that_is_over_returns_false",
        rule: "From its expiry on there is nothing to free: release returns False. So it does the second time.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(80), release(A, JOB), acquire(B, JOB, 80)],
            &[acquire(A, JOB, 80), wait(88), release(A, JOB), release(A, JOB), acquire(B, JOB, 80)],
            &[
                acquire(A, JOB, 80),
                release(A, JOB),
                release(A, JOB),
                acquire(B, JOB, 80),
                release(A, JOB),
                release(B, JOB),
            ],
            &[acquire(A, JOB, 80), renew(A, JOB, 20), wait(20), release(A, JOB), acquire(B, JOB, 80)],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "an_old_grant_of_the_same_client_changes_nothing",
        rule: "A client that holds a lock anew neither frees nor renews it with an older grant of its own.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(88),
                acquire(A, JOB, 80),
                wait(8),
                release_old(A, JOB),
                acquire(B, JOB, 80),
                renew(A, JOB, 80),
                release(A, JOB),
                acquire(B, JOB, 80),
            ],
            &[acquire(A, JOB, 80), release(A, JOB), acquire(A, JOB, 80), release_old(A, JOB), acquire(B, JOB, 80)],
            &[acquire(A, JOB, 80), wait(80), acquire(A, JOB, 20), renew_old(A, JOB, 80), wait(20), acquire(B, JOB, 80)],
            &[
                acquire(A, JOB, 80),
                release(A, JOB),
                acquire(A, JOB, 80),
                renew_old(A, JOB, 4),
                wait(4),
                acquire(B, JOB, 80),
                release(A, JOB),
            ],
            &[
                acquire(A, JOB, 80),
                release(A, JOB),
                acquire(A, JOB, 80),
                release(A, JOB),
                release_old(A, JOB),
                renew_old(A, JOB, 80),
                acquire(B, JOB, 80),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "the_token_of_another_lock_changes_nothing",
        rule: "An ownership token is good for the lock that it was granted for, and for no other.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                acquire(B, REPORT, 80),
                release_with(A, REPORT, JOB),
                acquire(C, REPORT, 80),
                acquire(C, JOB, 80),
                release(A, JOB),
                release(B, REPORT),
            ],
            &[
                acquire(A, JOB, 20),
                acquire(A, REPORT, 80),
                renew_with(A, JOB, REPORT),
                wait(20),
                acquire(B, JOB, 80),
                release_with(A, JOB, REPORT),
                wait(60),
                acquire(B, REPORT, 8),
            ],
            &[
                acquire(A, JOB, 80),
                release_with(A, CACHE, JOB),
                renew_with(A, CACHE, JOB),
                acquire(B, CACHE, 80),
                acquire(C, JOB, 80),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "names_are_independent",
        rule: "What is done to one lock says nothing about another.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                acquire(B, REPORT, 80),
                wait(8),
                renew(A, JOB, 240),
                release(B, REPORT),
                acquire(C, REPORT, 20),
                wait(20),
                acquire(B, REPORT, 8),
                acquire(B, JOB, 8),
            ],
            &[
                acquire(A, JOB, 80),
                acquire(A, 3, 80),
                acquire(A, 4, 80),
                acquire(A, 5, 80),
                release(A, 3),
                renew(A, 4, 20),
                acquire(B, JOB, 8),
                acquire(B, 3, 8),
                acquire(B, 5, 8),
                wait(20),
                acquire(C, 4, 8),
                acquire(C, 5, 8),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_fractional_ttl_is_kept",
        rule: "A ttl need not be a whole number of seconds, for acquire and for renew.",
        scripts: &[
            &[
                acquire(A, JOB, 4),
                wait_almost(4),
                acquire(B, JOB, 20),
                TICK,
                acquire(B, JOB, 20),
                wait_almost(20),
                acquire(A, JOB, 4),
                TICK,
                acquire(A, JOB, 4),
            ],
            &[
                acquire(A, JOB, 80),
                renew(A, JOB, 4),
                wait_almost(4),
                renew(A, JOB, 12),
                wait_almost(12),
                acquire(B, JOB, 8),
                TICK,
                acquire(B, JOB, 8),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "acquire_for_a_ttl_that_is_none_raises_and_changes_nothing",
        rule: "acquire raises ValueError for a ttl of 0, below 0, NaN or infinity, and changes nothing.",
        scripts: &[
            &[acquire_nonsense(A, JOB, 0), acquire(B, JOB, 80)],
            &[acquire_nonsense(A, JOB, 2), acquire(B, JOB, 80)],
        ],
        long: &[nonsense_for_a_free_lock, nonsense_for_a_held_lock],
        judged: Verdicts::Answers,
    },
    Test {
        name: "renew_for_a_ttl_that_is_none_raises_and_changes_nothing",
        rule: "renew raises ValueError for a ttl of 0, below 0, NaN or infinity, and the lease stays as it was.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(8), renew_nonsense(A, JOB, 0), acquire(B, JOB, 80), renew(A, JOB, 80)],
            &[acquire(A, JOB, 80), renew_nonsense(A, JOB, 2), wait(80), acquire(B, JOB, 80)],
        ],
        long: &[nonsense_for_a_renewal],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_late_release_does_not_free_the_next_holders_lock",
        rule: "A release that comes after a takeover leaves the lock with the one that took over.",
        scripts: &[&[
            acquire(A, JOB, 80),
            wait(8),
            write(A, JOB),
            pause(A, 104),
            wait(88),
            acquire(B, JOB, 80),
            wait(4),
            write(B, JOB),
            wait(12),
            wake(A),
            release(A, JOB),
            wait(8),
            acquire(C, JOB, 80),
            write(B, JOB),
            wait(16),
            release(B, JOB),
            wait(8),
            acquire(C, JOB, 80),
            write(C, JOB),
        ]],
        long: &[],
        judged: Verdicts::Harm,
    },
];
