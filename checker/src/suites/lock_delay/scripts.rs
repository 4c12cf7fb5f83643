//! The named tests. Where a schedule does not begin with another one, the lock-delay is 5 s: 40 eighths.

use crate::explore::replay::Op;
use crate::suites::compare_and_delete::judge::{LEFT_OUT, Verdicts};
use crate::suites::compare_and_delete::rules::verb;
use crate::suites::compare_and_delete::scripts::{
    ELSEWHERE, acquire_nonsense, release_old, renew, renew_nonsense, renew_old,
};
use crate::suites::sequential::script::{
    A, B, C, CACHE, EIGHTH, JOB, REPORT, TICK, Test, acquire, pause, release, wait, wait_almost, wake, write,
};

/// The service is made with a lock-delay of so many eighths.
const fn delay(eighths: u32) -> Op {
    Op::Act { verb: verb::MADE_WITH_DELAY, client: A, what: JOB, amount: eighths * EIGHTH }
}

/// It is made without one.
const DELAY_LEFT_OUT: Op = Op::Act { verb: verb::MADE_WITH_DELAY, client: A, what: JOB, amount: LEFT_OUT };

/// Another service is made with a lock-delay that is none.
const fn made_with_nonsense(which: u32) -> Op {
    Op::Act { verb: verb::MADE_WITH_NONSENSE, client: A, what: JOB, amount: which }
}

/// Another service is made in the same process, with a lock-delay of so many eighths.
const fn another_made(eighths: u32) -> Op {
    Op::Act { verb: verb::ANOTHER_MADE, client: C, what: JOB, amount: eighths * EIGHTH }
}

/// Locks whose names differ from [`JOB`]'s in a capital, and in what follows a colon.
const CAPITAL_JOB: u8 = 4;
const JOB_1: u8 = 5;

/// Everybody asks again and again, and the delay ends when it ended without that.
fn asked_all_the_time() -> Vec<Op> {
    let mut ops = vec![acquire(A, JOB, 80), wait(80)];
    ops.extend((0..40).flat_map(|i: u32| [acquire((i % 3) as u8, JOB, 80), wait_almost(1), acquire(B, JOB, 8), TICK]));
    ops.push(acquire(C, JOB, 80));
    ops
}

/// A hundred leases that run out or are released by turns.
fn many_leases() -> Vec<Op> {
    let one = |i: u32| {
        let client = (i % 3) as u8;
        let next = ((i + 1) % 3) as u8;
        if i.is_multiple_of(2) {
            vec![acquire(client, JOB, 8), wait(8), acquire(next, JOB, 8), wait_almost(40), acquire(next, JOB, 8), TICK]
        } else {
            vec![acquire(client, JOB, 80), wait(4), release(client, JOB)]
        }
    };
    (0..100).flat_map(one).collect()
}

/// The tests, in the order of the report: what was there before, the delay, its lengths, the two stories.
pub const TESTS: &[Test<Verdicts>] = &[
    Test {
        name: "a_free_lock_is_granted",
        rule: "A lock that nobody has held yet, or that was released, is granted.",
        scripts: &[
            &[acquire(A, JOB, 80)],
            &[wait(40), acquire(B, REPORT, 20), acquire(A, JOB, 80), release(A, JOB), acquire(C, JOB, 80)],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_held_lock_is_refused",
        rule: "While a lease runs, acquire returns None to everyone, its holder included, and changes nothing.",
        scripts: &[&[
            acquire(A, JOB, 80),
            wait(16),
            acquire(B, JOB, 80),
            acquire(A, JOB, 4),
            wait_almost(64),
            acquire(C, JOB, 80),
            renew(A, JOB, 80),
            wait_almost(80),
            acquire(B, JOB, 80),
        ]],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_lease_that_ran_out_is_followed_by_a_delay",
        rule: "From the expiry of a lease on, nobody gets the lock for the length of the lock-delay.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(80), acquire(B, JOB, 80), wait(8), acquire(C, JOB, 80)],
            &[acquire(B, JOB, 20), wait(21), acquire(A, JOB, 20), acquire(C, JOB, 800), wait(30), acquire(C, JOB, 4)],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "the_last_holder_is_refused_too",
        rule: "During the delay the last holder is refused like everybody else: a task of its own may still be at work.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(80),
                acquire(A, JOB, 80),
                wait_almost(40),
                acquire(A, JOB, 80),
                TICK,
                acquire(A, JOB, 8),
            ],
            &[acquire(B, JOB, 20), wait(24), acquire(B, JOB, 20), acquire(A, JOB, 20)],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "at_the_end_of_the_delay_the_lock_is_free",
        rule: "At expiry + lock_delay, at this very instant, the lock is free.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(80), wait_almost(40), acquire(B, JOB, 80), TICK, acquire(B, JOB, 80)],
            &[acquire(A, JOB, 80), wait(120), acquire(B, JOB, 80), wait(120), acquire(A, JOB, 80), acquire(B, JOB, 80)],
            &[acquire(A, JOB, 80), wait(8_000), acquire(B, JOB, 80)],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "the_delay_counts_from_the_expiry",
        rule: "The delay begins when the lease runs out, not when somebody notices, and asking does not prolong it.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(110), acquire(B, JOB, 80), wait(10), acquire(B, JOB, 80)],
            &[acquire(A, JOB, 80), wait_almost(120), acquire(B, JOB, 80), TICK, acquire(C, JOB, 80)],
            &[acquire(A, JOB, 80), wait(100), renew(A, JOB, 80), release(A, JOB), wait(20), acquire(B, JOB, 80)],
        ],
        long: &[asked_all_the_time],
        judged: Verdicts::Answers,
    },
    Test {
        name: "the_delay_counts_from_the_last_renewal",
        rule: "A renewal moves the expiry, sooner or later, and the delay with it.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(40),
                renew(A, JOB, 80),
                wait(80),
                acquire(B, JOB, 80),
                wait_almost(40),
                acquire(B, JOB, 80),
                TICK,
                acquire(B, JOB, 80),
            ],
            &[
                acquire(A, JOB, 800),
                wait(8),
                renew(A, JOB, 4),
                wait(4),
                acquire(B, JOB, 80),
                wait_almost(40),
                acquire(B, JOB, 80),
                TICK,
                acquire(B, JOB, 80),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_release_is_followed_by_no_delay",
        rule: "A lease that is released in time is over, and the lock is free at once: for everybody, without a delay.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(8),
                release(A, JOB),
                acquire(B, JOB, 80),
                wait(8),
                release(B, JOB),
                acquire(B, JOB, 8),
            ],
            &[acquire(A, JOB, 80), wait_almost(80), release(A, JOB), acquire(B, JOB, 80)],
            &[
                acquire(A, JOB, 80),
                wait(40),
                renew(A, JOB, 80),
                wait(60),
                release(A, JOB),
                wait(20),
                acquire(C, JOB, 80),
            ],
            &[acquire(A, JOB, 80), release(A, JOB), wait(80), acquire(B, JOB, 80)],
            &[acquire(A, JOB, 80), release(A, JOB), wait(90), acquire(B, JOB, 80)],
        ],
        long: &[many_leases],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_release_that_comes_too_late_ends_no_delay",
        rule: "From the expiry on there is nothing to release: release returns False, and the delay goes on as it was.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(88),
                release(A, JOB),
                acquire(B, JOB, 80),
                wait_almost(32),
                acquire(B, JOB, 80),
                TICK,
                acquire(B, JOB, 80),
            ],
            &[
                acquire(A, JOB, 80),
                wait(80),
                release(A, JOB),
                release(A, JOB),
                acquire(A, JOB, 80),
                wait(40),
                acquire(C, JOB, 8),
            ],
            &[
                acquire(A, JOB, 80),
                wait(120),
                release(A, JOB),
                acquire(B, JOB, 80),
                release(A, JOB),
                acquire(C, JOB, 80),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_renewal_in_the_delay_revives_nothing",
        rule: "A lease that ran out can't be renewed, though nobody else has got the lock yet.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(80), renew(A, JOB, 80), acquire(B, JOB, 80), wait(40), acquire(B, JOB, 80)],
            &[acquire(A, JOB, 80), wait(100), renew(A, JOB, 800), wait(20), renew(A, JOB, 800), acquire(C, JOB, 80)],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "each_lease_has_its_own_end",
        rule: "What follows on a lease depends on how this one ended, not on how an earlier one did.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(120),
                acquire(B, JOB, 80),
                wait(8),
                release(B, JOB),
                acquire(C, JOB, 80),
                release_old(A, JOB),
                renew_old(A, JOB, 80),
                wait(80),
                acquire(B, JOB, 80),
                wait(40),
                acquire(B, JOB, 80),
            ],
            &[
                acquire(A, JOB, 80),
                release(A, JOB),
                acquire(A, JOB, 8),
                wait(8),
                acquire(B, JOB, 80),
                wait_almost(40),
                acquire(B, JOB, 80),
                TICK,
                acquire(B, JOB, 80),
            ],
        ],
        long: &[many_leases],
        judged: Verdicts::Answers,
    },
    Test {
        name: "each_lock_has_its_own_delay",
        rule: "A lease of one lock that ran out says nothing about another lock.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                acquire(A, REPORT, 40),
                wait(48),
                acquire(B, CACHE, 80),
                acquire(B, REPORT, 80),
                release(A, JOB),
                acquire(B, JOB, 80),
                wait(32),
                acquire(B, REPORT, 80),
            ],
            &[acquire(A, JOB, 8), wait(20), acquire(B, REPORT, 8), wait(28), acquire(C, JOB, 8), acquire(C, REPORT, 8)],
            &[
                acquire(A, JOB, 8),
                acquire(B, CAPITAL_JOB, 16),
                acquire(C, JOB_1, 24),
                wait(12),
                release(B, CAPITAL_JOB),
                acquire(A, CAPITAL_JOB, 80),
                release(C, JOB_1),
                acquire(B, JOB_1, 80),
                acquire(C, JOB, 80),
            ],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_delay_of_zero_is_none",
        rule: "With a lock-delay of 0 the lock is free at the expiry: 0 is a length like any other, not a missing one.",
        scripts: &[&[
            delay(0),
            acquire(A, JOB, 80),
            wait_almost(80),
            acquire(B, JOB, 80),
            TICK,
            acquire(B, JOB, 80),
            wait(80),
            acquire(B, JOB, 80),
        ]],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_delay_that_is_left_out_is_15_seconds",
        rule: "LockService(clock) has a lock-delay of 15 s.",
        scripts: &[&[
            DELAY_LEFT_OUT,
            acquire(A, JOB, 80),
            wait(80),
            acquire(B, JOB, 80),
            wait_almost(120),
            acquire(B, JOB, 80),
            TICK,
            acquire(B, JOB, 80),
        ]],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "the_delay_need_not_be_whole_seconds",
        rule: "The lock-delay is a number of seconds, each service's own: half a second, or an hour, longer or shorter than the \
               ttl.",
        scripts: &[
            &[
                delay(4),
                acquire(A, JOB, 80),
                wait(80),
                acquire(B, JOB, 80),
                wait_almost(4),
                acquire(B, JOB, 80),
                TICK,
                acquire(B, JOB, 80),
            ],
            &[
                delay(24),
                another_made(4),
                acquire(A, JOB, 8),
                wait(8),
                wait_almost(24),
                acquire(B, JOB, 8),
                another_made(80),
                TICK,
                acquire(B, JOB, 8),
            ],
            &[delay(28_800), acquire(A, JOB, 8), wait(28_800), acquire(B, JOB, 80), wait(8), acquire(B, JOB, 80)],
            &[delay(19), acquire(A, JOB, 20), wait_almost(39), acquire(B, JOB, 80), TICK, acquire(B, JOB, 80)],
        ],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "a_delay_that_is_no_length_raises",
        rule: "A lock-delay below 0, NaN or infinite raises ValueError when the service is made.",
        scripts: &[&[
            made_with_nonsense(0),
            made_with_nonsense(1),
            made_with_nonsense(2),
            made_with_nonsense(3),
            made_with_nonsense(4),
            acquire(A, JOB, 80),
        ]],
        long: &[],
        judged: Verdicts::Answers,
    },
    Test {
        name: "grants_are_what_they_were",
        rule: "Fencing tokens grow over delays, too; ownership tokens are random and new; expires_at is the lease's end, \
               without the delay.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(120),
                acquire(B, JOB, 80),
                acquire(A, REPORT, 20),
                release(B, JOB),
                acquire(A, JOB, 80),
                renew(A, JOB, 20),
                wait(60),
                acquire(A, JOB, 80),
                acquire(C, REPORT, 80),
            ],
            &[acquire(A, JOB, 80), wait(120), acquire(A, JOB, 80), ELSEWHERE],
            &[
                acquire_nonsense(A, JOB, 2),
                acquire(A, JOB, 80),
                renew_nonsense(A, JOB, 0),
                wait(80),
                acquire_nonsense(B, JOB, 1),
                renew_nonsense(A, JOB, 2),
                acquire(B, JOB, 80),
                wait(40),
                acquire(B, JOB, 80),
            ],
        ],
        long: &[many_leases],
        judged: Verdicts::All,
    },
    Test {
        name: "the_delay_covers_a_pause_that_is_a_little_too_long",
        rule: "A holder that slept past its lease by less than the delay writes late, and does no harm: nobody had been \
               granted the lock.",
        scripts: &[&[
            acquire(A, JOB, 80),
            wait(8),
            write(A, JOB),
            pause(A, 88),
            wait(76),
            acquire(B, JOB, 80),
            wait(12),
            wake(A),
            write(A, JOB),
            release(A, JOB),
            acquire(B, JOB, 80),
            wait(24),
            acquire(B, JOB, 80),
            write(B, JOB),
        ]],
        long: &[],
        judged: Verdicts::All,
    },
    Test {
        name: "a_longer_pause_takes_the_fencing_token",
        rule: "A holder that slept past lease and delay writes after the next one. Only the gate, by its fencing token, \
               stops that.",
        scripts: &[&[
            acquire(A, JOB, 80),
            wait(8),
            write(A, JOB),
            pause(A, 152),
            wait(112),
            acquire(B, JOB, 80),
            wait(8),
            write(B, JOB),
            wait(32),
            wake(A),
            write(A, JOB),
            renew(A, JOB, 80),
            release(A, JOB),
            write(B, JOB),
        ]],
        long: &[],
        judged: Verdicts::All,
    },
];
