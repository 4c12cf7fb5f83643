//! The named tests.

use super::judge::Verdicts;
use crate::explore::replay::Op;
use crate::suites::sequential::MOST_LOCKS;
use crate::suites::sequential::script::{
    A, B, C, CACHE, JOB, REPORT, TICK, Test, acquire, pause, release, wait, wait_almost, wake, write,
};

/// Three hundred grants of one lock, one after the other: more than a short counter, cache or journal holds.
fn many_grants() -> Vec<Op> {
    (0..300).flat_map(|i: u32| [acquire((i % 3) as u8, JOB, 80), release((i % 3) as u8, JOB)]).collect()
}

/// The same by takeovers.
fn many_takeovers() -> Vec<Op> {
    (0..60).flat_map(|i: u32| [acquire((i % 2) as u8, JOB, 20), wait(20)]).collect()
}

/// Every lock that there is, held at once by clients in turn, then each asked for again.
fn many_locks() -> Vec<Op> {
    let mut ops: Vec<Op> = (0..MOST_LOCKS).map(|name| acquire(name % 2, name, 80)).collect();
    ops.push(wait(8));
    ops.extend((0..MOST_LOCKS).map(|name| acquire(2, name, 80)));
    ops.push(release(0, 3));
    ops.extend([acquire(2, 0, 80), wait(72), acquire(2, 0, 80), acquire(2, 200, 80), acquire(1, 7, 80)]);
    ops
}

/// A lock asked for in vain again and again, then at its end.
fn many_refusals() -> Vec<Op> {
    let mut ops = vec![acquire(A, JOB, 80)];
    ops.extend((0..79).flat_map(|i: u32| [wait(1), acquire((i % 3) as u8, JOB, 80)]));
    ops.extend([wait(1), acquire(B, JOB, 80)]);
    ops
}

/// The tests, in the order of the report: what a lock is, its boundary, its tokens, its release, the story.
pub const TESTS: &[Test<Verdicts>] = &[
    Test {
        name: "a_free_lock_is_granted_with_an_integer_token",
        rule: "A free lock is granted: acquire returns an int, its fencing token.",
        scripts: &[&[acquire(A, JOB, 80)], &[wait(40), acquire(B, REPORT, 20)]],
        long: &[],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "a_held_lock_is_refused_to_others",
        rule: "While a lease runs, acquire returns None to everyone else.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(16), acquire(B, JOB, 80), wait(8), acquire(C, JOB, 80)],
            &[wait(24), acquire(B, REPORT, 40), acquire(A, REPORT, 40)],
        ],
        long: &[],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "the_holder_asking_again_is_refused",
        rule: "While its lease runs, acquire returns None to the holder as well.",
        scripts: &[&[acquire(A, JOB, 80), wait(40), acquire(A, JOB, 80)], &[acquire(A, JOB, 80), acquire(A, JOB, 80)]],
        long: &[],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "a_lease_is_gone_at_its_very_expiry",
        rule: "A lease is over as soon as the clock reaches its expiry.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(80), acquire(B, JOB, 80)],
            &[
                acquire(A, JOB, 20),
                acquire(B, REPORT, 40),
                acquire(C, CACHE, 80),
                wait(20),
                acquire(A, JOB, 80),
                wait(20),
                acquire(A, REPORT, 8),
                wait(40),
                acquire(B, CACHE, 8),
            ],
            &[
                acquire(A, JOB, 80),
                acquire(B, REPORT, 80),
                acquire(C, CACHE, 80),
                wait(80),
                acquire(A, CACHE, 80),
                acquire(C, REPORT, 80),
                acquire(B, JOB, 80),
            ],
            &[
                acquire(A, JOB, 80),
                release(A, JOB),
                acquire(A, JOB, 20),
                wait(20),
                acquire(B, JOB, 80),
                wait(80),
                acquire(C, JOB, 800),
                wait(800),
                acquire(A, JOB, 80),
            ],
            &[
                acquire(A, JOB, 80),
                release(A, JOB),
                acquire(B, JOB, 20),
                wait(20),
                acquire(A, JOB, 20),
                wait(20),
                acquire(B, JOB, 80),
            ],
            &[wait(24), acquire(A, JOB, 20), wait(20), acquire(A, JOB, 20), wait(20), acquire(B, JOB, 20)],
        ],
        long: &[],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "a_lease_holds_until_its_expiry",
        rule: "Until the clock reaches its expiry, a lease holds.",
        scripts: &[
            &[wait(16), acquire(A, JOB, 80), wait_almost(80), acquire(B, JOB, 80), TICK, acquire(B, JOB, 80)],
            &[wait(8_000_000), acquire(B, JOB, 80), wait_almost(80), acquire(A, JOB, 80), TICK, acquire(A, JOB, 80)],
            &[
                acquire(A, JOB, 800),
                wait(400),
                acquire(B, JOB, 80),
                wait_almost(400),
                acquire(B, JOB, 80),
                TICK,
                acquire(B, JOB, 28_800),
                wait_almost(28_800),
                acquire(A, JOB, 8),
                TICK,
                acquire(A, JOB, 8),
            ],
            &[
                acquire(A, JOB, 80),
                release(A, JOB),
                wait(8),
                acquire(A, JOB, 80),
                wait(72),
                acquire(B, JOB, 80),
                wait_almost(8),
                acquire(B, JOB, 80),
            ],
            &[
                acquire(A, JOB, 40),
                wait(40),
                acquire(B, JOB, 80),
                wait_almost(80),
                acquire(A, JOB, 40),
                TICK,
                acquire(A, JOB, 8),
            ],
            &[
                acquire(A, JOB, 800),
                wait(20),
                release(A, JOB),
                acquire(B, JOB, 20),
                wait_almost(20),
                acquire(A, JOB, 80),
                TICK,
                acquire(A, JOB, 80),
            ],
        ],
        long: &[],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "a_refused_acquire_changes_nothing",
        rule: "A refused acquire changes nothing: the lease keeps its holder and its expiry.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(40), acquire(B, JOB, 80), wait(40), acquire(C, JOB, 80)],
            &[acquire(A, JOB, 80), wait(40), acquire(A, JOB, 80), wait(40), acquire(B, JOB, 80)],
            &[acquire(A, JOB, 80), wait(8), acquire(B, JOB, 4), wait(8), acquire(C, JOB, 80)],
            &[acquire(A, JOB, 80), wait(8), acquire(A, JOB, 4), wait(8), acquire(B, JOB, 80)],
            &[acquire(A, JOB, 80), acquire(B, JOB, 240), release(B, JOB), release(A, JOB), acquire(C, JOB, 80)],
        ],
        long: &[many_refusals],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "a_fractional_ttl_is_kept",
        rule: "A ttl need not be a whole number of seconds.",
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
            &[acquire(A, JOB, 1), acquire(B, JOB, 1), wait(1), acquire(B, JOB, 1)],
        ],
        long: &[],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "tokens_grow_over_release",
        rule: "Every grant has a greater token than all before it, also after a release.",
        scripts: &[&[
            acquire(A, JOB, 80),
            wait(8),
            release(A, JOB),
            wait(8),
            acquire(B, JOB, 80),
            release(B, JOB),
            acquire(A, JOB, 80),
        ]],
        long: &[many_grants],
        judged: Verdicts::All,
    },
    Test {
        name: "tokens_grow_over_expiry",
        rule: "Every grant has a greater token than all before it, also after a lease ran out.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(80), acquire(B, JOB, 80), wait(90), acquire(A, JOB, 80)],
            &[acquire(A, JOB, 80), wait(100), acquire(A, JOB, 80)],
        ],
        long: &[many_takeovers],
        judged: Verdicts::All,
    },
    Test {
        name: "tokens_grow_over_names",
        rule: "Every grant has a greater token than all before it, whatever the lock's name.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                acquire(B, REPORT, 80),
                acquire(C, CACHE, 80),
                release(B, REPORT),
                acquire(A, REPORT, 80),
            ],
            &[acquire(A, JOB, 80), release(A, JOB), acquire(A, REPORT, 80)],
            &[acquire(A, JOB, 20), wait(20), acquire(B, REPORT, 80), wait(8), acquire(A, JOB, 20)],
        ],
        long: &[many_locks],
        judged: Verdicts::All,
    },
    Test {
        name: "names_are_independent",
        rule: "A lease on one lock says nothing about another.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                acquire(B, REPORT, 20),
                wait(20),
                acquire(A, REPORT, 20),
                acquire(B, JOB, 80),
                wait(60),
                acquire(B, JOB, 80),
            ],
            &[
                acquire(A, JOB, 80),
                acquire(B, 3, 80),
                acquire(A, 4, 80),
                acquire(B, 5, 80),
                release(A, JOB),
                acquire(C, 3, 80),
                acquire(C, 4, 80),
                acquire(C, JOB, 80),
            ],
            &[acquire(A, JOB, 20), acquire(B, REPORT, 80), wait(20), acquire(B, JOB, 20), acquire(A, REPORT, 20)],
            &[acquire(A, JOB, 80), acquire(A, REPORT, 80), release(A, JOB), acquire(B, REPORT, 80), acquire(B, JOB, 8)],
            &[acquire(A, JOB, 80), acquire(B, REPORT, 80), release(A, REPORT), release(B, JOB), acquire(C, JOB, 8)],
        ],
        long: &[many_locks],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "release_frees_the_lock",
        rule: "release by the holder returns True, and the lock is free at once.",
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
            &[
                acquire(A, JOB, 20),
                wait(20),
                acquire(B, JOB, 20),
                release(B, JOB),
                acquire(A, JOB, 80),
                release(A, JOB),
                acquire(C, JOB, 80),
            ],
        ],
        long: &[],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "release_by_another_changes_nothing",
        rule: "release by anyone but the holder returns False and changes nothing.",
        scripts: &[
            &[
                acquire(A, JOB, 80),
                wait(88),
                acquire(B, JOB, 80),
                wait(8),
                release(A, JOB),
                acquire(C, JOB, 80),
                release(B, JOB),
            ],
            &[
                acquire(A, JOB, 20),
                wait(20),
                acquire(B, JOB, 80),
                release(B, JOB),
                release(A, JOB),
                release(B, JOB),
                acquire(C, JOB, 80),
            ],
            &[acquire(A, JOB, 80), release(B, JOB), acquire(B, JOB, 80), release(A, JOB)],
            &[release(A, JOB), acquire(A, JOB, 80), acquire(B, REPORT, 80), release(A, REPORT), release(B, REPORT)],
            &[
                acquire(A, JOB, 80),
                release(A, JOB),
                release(A, JOB),
                acquire(B, JOB, 80),
                release(A, JOB),
                release(B, JOB),
            ],
        ],
        long: &[],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "a_stale_write_after_takeover_is_rejected",
        rule: "After a takeover, a write with the old token must bounce off the storage.",
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
            write(A, JOB),
        ]],
        long: &[],
        judged: Verdicts::ButTokenOrder,
    },
];
