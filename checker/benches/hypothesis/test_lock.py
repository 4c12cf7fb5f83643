"""Kata 1 as a property test in Hypothesis: the same class, the same rules, operations of the same kinds.

What the checker is measured against (tools/compare). A model of the leases, kept beside the lock under test, says after
every operation what the lock may answer; waits end just before, at and just after the end of a lease that runs.

    LOCK=exercises/01-acquire-with-fencing/solution.py python -m unittest test_lock
"""

import os
import unittest

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

# One is the beginning of another, as in the checker's schedules.
CLIENTS = ["client-1", "client-10", "client-2"]
NAMES = ["job", "report", "cache"]
TTLS = [10.0, 2.5, 0.5, 100.0]
TICK = 1 / 64


def lock_class(path):
    """The class in a learner's file."""
    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec")
    module = {"__name__": "learner"}
    exec(code, module)
    return module["LockManager"]


def machine(lock_manager):
    """A machine that tries `lock_manager`, the class. Its `runs` and `steps` count what it was asked to do."""

    class Leases(RuleBasedStateMachine):
        runs = 0
        steps = 0

        def __init__(self):
            super().__init__()
            Leases.runs += 1
            self.now = 0.0
            self.lock = lock_manager(lambda: self.now)
            self.leases = {}  # name -> (client, end); also those that are over
            self.last = None  # the greatest token so far

        def running(self, name):
            lease = self.leases.get(name)
            return lease if lease is not None and self.now < lease[1] else None

        @rule(name=st.sampled_from(NAMES), client=st.sampled_from(CLIENTS), ttl=st.sampled_from(TTLS))
        def acquire(self, name, client, ttl):
            Leases.steps += 1
            token = self.lock.acquire(name, client, ttl)
            if self.running(name):
                assert token is None, "a lock that is held was granted"
                return
            assert type(token) is int, "a free lock was refused"
            assert self.last is None or token > self.last, "a token did not grow"
            self.last = token
            self.leases[name] = (client, self.now + ttl)

        @rule(name=st.sampled_from(NAMES), client=st.sampled_from(CLIENTS))
        def release(self, name, client):
            Leases.steps += 1
            freed = self.lock.release(name, client)
            lease = self.running(name)
            if lease and lease[0] == client:
                assert freed, "the holder's release was refused"
                del self.leases[name]
            elif (self.leases.get(name) or (None,))[0] != client:
                assert not freed, "a release freed what was not the client's"

        @rule(seconds=st.sampled_from([1.0, 5.0]))
        def wait(self, seconds):
            Leases.steps += 1
            self.now += seconds

        @precondition(lambda self: any(self.running(name) for name in NAMES))
        @rule(which=st.integers(0, len(NAMES) - 1), beside=st.sampled_from([-TICK, 0.0, TICK]))
        def wait_for_an_end(self, which, beside):
            Leases.steps += 1
            ends = [lease[1] for name in NAMES if (lease := self.running(name))]
            self.now = max(self.now, ends[which % len(ends)] + beside)

    return Leases


class TestLock(unittest.TestCase):
    def test_a_lock_keeps_its_rules(self):
        run_state_machine_as_test(machine(lock_class(os.environ["LOCK"])))
