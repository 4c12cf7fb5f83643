//! The named tests. Times are ticks of 1/8 s: a ttl of 80 is 10 s.

use super::judge::Verdicts;
use crate::explore::replay::Op;

/// A named test: the rule in one sentence, and the schedules that try it.
pub struct Test {
    /// The rule in snake case.
    pub name: &'static str,
    /// The rule in a sentence.
    pub rule: &'static str,
    /// What is tried. The first is the one that is shown when all pass.
    pub scripts: &'static [&'static [Op]],
    /// Which answers are judged.
    pub judged: Verdicts,
}

const A: u8 = 0;
const B: u8 = 1;
const C: u8 = 2;
const JOB: u8 = 0;
const REPORT: u8 = 1;
const CACHE: u8 = 2;

const fn acquire(client: u8, name: u8, ttl: u32) -> Op {
    Op::Acquire { client, name, ttl }
}

const fn release(client: u8, name: u8) -> Op {
    Op::Release { client, name }
}

const fn wait(ticks: u32) -> Op {
    Op::Wait { ticks }
}

const fn pause(client: u8, ticks: u32) -> Op {
    Op::Pause { client, ticks }
}

const fn wake(client: u8) -> Op {
    Op::Wake { client }
}

const fn write(client: u8, name: u8) -> Op {
    Op::Write { client, name }
}

/// The tests, in the order of the report: what a lock is, its boundary, its tokens, its release, the story.
pub const TESTS: &[Test] = &[
    Test {
        name: "a_free_lock_is_granted_with_an_integer_token",
        rule: "A free lock is granted: acquire returns an int, its fencing token.",
        scripts: &[&[acquire(A, JOB, 80)], &[wait(40), acquire(B, REPORT, 20)]],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "a_held_lock_is_refused_to_others",
        rule: "While a lease runs, acquire returns None to everyone else.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(16), acquire(B, JOB, 80), wait(8), acquire(C, JOB, 80)],
            &[wait(24), acquire(B, REPORT, 40), acquire(A, REPORT, 40)],
        ],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "the_holder_asking_again_is_refused",
        rule: "While its lease runs, acquire returns None to the holder as well.",
        scripts: &[&[acquire(A, JOB, 80), wait(40), acquire(A, JOB, 80)], &[acquire(A, JOB, 80), acquire(A, JOB, 80)]],
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
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "a_lease_is_gone_at_its_very_expiry",
        rule: "A lease is over as soon as the clock reaches its expiry.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(80), acquire(B, JOB, 80)],
            &[wait(24), acquire(A, JOB, 20), wait(20), acquire(A, JOB, 20), wait(20), acquire(B, JOB, 20)],
        ],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "a_lease_holds_until_its_expiry",
        rule: "Until the clock reaches its expiry, a lease holds.",
        scripts: &[
            &[wait(16), acquire(A, JOB, 80), wait(79), acquire(B, JOB, 80), wait(1), acquire(B, JOB, 80)],
            &[
                acquire(A, JOB, 40),
                wait(40),
                acquire(B, JOB, 80),
                wait(79),
                acquire(A, JOB, 40),
                wait(1),
                acquire(A, JOB, 8),
            ],
            &[acquire(A, JOB, 800), wait(20), release(A, JOB), acquire(B, JOB, 20), wait(19), acquire(A, JOB, 80)],
        ],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "a_fractional_ttl_is_kept",
        rule: "A ttl need not be a whole number of seconds.",
        scripts: &[
            &[
                acquire(A, JOB, 4),
                wait(3),
                acquire(B, JOB, 20),
                wait(1),
                acquire(B, JOB, 20),
                wait(19),
                acquire(A, JOB, 4),
                wait(1),
                acquire(A, JOB, 4),
            ],
            &[acquire(A, JOB, 1), acquire(B, JOB, 1), wait(1), acquire(B, JOB, 1)],
        ],
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
        judged: Verdicts::All,
    },
    Test {
        name: "tokens_grow_over_expiry",
        rule: "Every grant has a greater token than all before it, also after a lease ran out.",
        scripts: &[
            &[acquire(A, JOB, 80), wait(80), acquire(B, JOB, 80), wait(90), acquire(A, JOB, 80)],
            &[acquire(A, JOB, 80), wait(100), acquire(A, JOB, 80)],
        ],
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
            &[acquire(A, JOB, 20), acquire(B, REPORT, 80), wait(20), acquire(B, JOB, 20), acquire(A, REPORT, 20)],
            &[acquire(A, JOB, 80), acquire(A, REPORT, 80), release(A, JOB), acquire(B, REPORT, 80), acquire(B, JOB, 8)],
            &[acquire(A, JOB, 80), acquire(B, REPORT, 80), release(A, REPORT), release(B, JOB), acquire(C, JOB, 8)],
        ],
        judged: Verdicts::ButTokenOrder,
    },
    Test {
        name: "release_frees_the_lock",
        rule: "release by the holder returns True, and the lock is free at once.",
        scripts: &[&[
            acquire(A, JOB, 80),
            wait(8),
            release(A, JOB),
            acquire(B, JOB, 80),
            wait(8),
            release(B, JOB),
            wait(8),
            acquire(B, JOB, 80),
        ]],
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
        judged: Verdicts::ButTokenOrder,
    },
];
