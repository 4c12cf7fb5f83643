# Every schedule of four steps from a small alphabet, walked as a tree of prefixes; then a few that are long by repetition.
import itertools
import random

from leasehold import TransportError


class FakeClock:
    def __init__(self, start=0.0):
        self.eighths = round(start * 8)

    def __call__(self):
        return self.eighths / 8

    def advance(self, seconds):
        if seconds < 0:
            raise ValueError(seconds)
        self.eighths += round(seconds * 8)


class Grant:
    __slots__ = ("ownership_token", "fencing_token", "expires_at")

    def __init__(self, *fields):
        self.ownership_token, self.fencing_token, self.expires_at = fields


class FakeLockService:
    """A journal of what was granted and when each grant ends; nothing is ever removed."""

    def __init__(self, clock):
        self._clock = clock
        self._journal = []      # [name, grant, end]
        self._plans = []

    def lose_next_request(self):
        self._plans = ["before"]

    def lose_next_reply(self):
        self._plans = ["after"]

    def __getattribute__(self, name):
        method = object.__getattribute__(self, name)
        if name not in ("acquire", "renew", "release"):
            return method

        def call(*args, **kwargs):
            plan = self._plans.pop() if self._plans else None
            if plan == "before":
                raise TransportError
            answer = method(*args, **kwargs)
            if plan == "after":
                raise TransportError
            return answer

        return call

    def _running(self, name):
        now = self._clock()
        return next((entry for entry in reversed(self._journal) if entry[0] == name and now < entry[2]), None)

    def acquire(self, name, client_id, ttl):
        if self._running(name):
            return None
        end = self._clock() + ttl
        grant = Grant(f"{random.getrandbits(128):032x}", 10 * len(self._journal), end)
        self._journal.append([name, grant, end])
        return grant

    def renew(self, name, ownership_token, ttl):
        entry = self._running(name)
        if not entry or entry[1].ownership_token != ownership_token:
            return False
        entry[2] = self._clock() + ttl
        return True

    def release(self, name, ownership_token):
        entry = self._running(name)
        if not entry or entry[1].ownership_token != ownership_token:
            return False
        entry[2] = float("-inf")
        return True


ALPHABET = (
    ("acquire", "x", "a", 1.0),
    ("acquire", "x", "b", 1.5),
    ("acquire", "y", "a", 1.0),
    ("renew", "x", 0, 0.5),
    ("renew", "x", -1, 2.0),
    ("release", "x", 0),
    ("release", "x", -1),
    ("wait", 0.5),
    ("wait", 1.0),
)


class Run:
    def __init__(self, make_service):
        self.clock = FakeClock()
        self.service = make_service(self.clock)
        self.ends = {}
        self.holder = {}
        self.grants = []
        self.highest = None

    def holds(self, name):
        return name in self.holder and self.clock() < self.ends[name]

    def step(self, step):
        verb, *args = step
        getattr(self, verb)(*args)

    def wait(self, seconds):
        self.clock.advance(seconds)

    def acquire(self, name, client, ttl):
        grant = self.service.acquire(name, client, ttl)
        if self.holds(name):
            assert grant is None
            return
        assert grant is not None
        assert self.highest is None or grant.fencing_token > self.highest
        assert grant.expires_at == self.clock() + ttl
        assert grant.ownership_token not in self.grants
        self.highest = grant.fencing_token
        self.grants.append(grant.ownership_token)
        self.holder[name], self.ends[name] = grant.ownership_token, grant.expires_at

    def renew(self, name, which, ttl):
        if not self.grants:
            return
        token = self.grants[which]
        expected = self.holds(name) and self.holder[name] == token
        assert self.service.renew(name, token, ttl) == expected
        if expected:
            self.ends[name] = self.clock() + ttl

    def release(self, name, which):
        if not self.grants:
            return
        token = self.grants[which]
        expected = self.holds(name) and self.holder[name] == token
        assert self.service.release(name, token) == expected
        if expected:
            del self.holder[name]

    def look(self):
        """What the past calls left: try each name, now and after all that may be left."""
        for seconds in (0.0, 0.5, 1.0):
            self.wait(seconds)
            for name in "xy":
                self.acquire(name, "z", 3.0)


def check(make_service, seed):
    for rest in itertools.product(ALPHABET, repeat=3):
        run = Run(make_service)
        for step in (ALPHABET[0], *rest):
            run.step(step)
        run.look()
    for steps in (
        # renewed twice, over the old end
        [("acquire", "x", "a", 2.0), ("wait", 1.0), ("renew", "x", -1, 2.0), ("wait", 1.5), ("acquire", "x", "b", 1.0)],
        # a late token of the same client
        [("acquire", "x", "a", 1.0), ("wait", 1.0), ("acquire", "x", "a", 9.0), ("release", "x", 0), ("acquire", "x", "b", 1.0)],
        # a token of another name
        [("acquire", "y", "a", 8.0), ("acquire", "x", "b", 8.0), ("release", "x", 0), ("acquire", "x", "c", 1.0)],
        [("acquire", "y", "a", 8.0), ("acquire", "x", "b", 1.0), ("renew", "x", 0, 9.0), ("wait", 1.0), ("acquire", "x", "c", 1.0)],
        # others are left alone by a release
        [("acquire", "y", "a", 8.0), ("acquire", "x", "a", 8.0), ("release", "x", -1), ("acquire", "y", "c", 1.0)],
        [("acquire", "x", "a", 86400.0), ("wait", 86399.5), ("acquire", "x", "b", 1.0), ("wait", 0.5), ("acquire", "x", "b", 1.0)],
        [("acquire", "x", "a", 1.0), ("release", "x", -1), ("acquire", "x", "a", 1.0), ("wait", 1.0)] * 90,
        [("acquire", f"name {n}", "a", 5.0) for n in range(40)] + [("acquire", f"name {n}", "b", 5.0) for n in range(40)],
    ):
        run = Run(make_service)
        for step in steps:
            run.step(step)
        run.look()
    firsts = [make_service(FakeClock()).acquire("x", "a", 1.0).ownership_token for _ in range(3)]
    assert len(set(firsts)) == 3
