# Every schedule of four moves is tried with itertools.product, each on a new service, with a model of two variables; a few stretched ones follow.
import itertools
import random
import secrets
from collections import namedtuple

from leasehold import TransportError

Grant = namedtuple("Grant", "ownership_token fencing_token expires_at")
E8 = 0.125


class FakeClock:
    def __init__(self, start=0.0):
        self._now = start

    def __call__(self):
        return self._now

    def advance(self, seconds):
        if seconds < 0:
            raise ValueError("time does not go back")
        self._now += seconds


class PlainService:
    """Keeps the contract, and never fails."""

    def __init__(self, clock):
        self._clock = clock
        self._leases = {}
        self._last = 0

    def acquire(self, name, client_id, ttl):
        if self._token(name) is not None:
            return None
        self._last += 1
        token = secrets.token_urlsafe(16)
        self._leases[name] = token, self._clock() + ttl
        return Grant(token, self._last, self._clock() + ttl)

    def renew(self, name, ownership_token, ttl):
        if self._token(name) is None or self._token(name) != ownership_token:
            return False
        self._leases[name] = ownership_token, self._clock() + ttl
        return True

    def release(self, name, ownership_token):
        if self._token(name) is None or self._token(name) != ownership_token:
            return False
        self._leases.pop(name)
        return True

    def _token(self, name):
        token, end = self._leases.get(name, (None, 0))
        return token if token is not None and self._clock() < end else None


class FakeLockService(PlainService):
    """The same on a bad line."""

    _next_loss = None

    def lose_next_request(self):
        self._next_loss = "request"

    def lose_next_reply(self):
        self._next_loss = "reply"

    def _over_the_line(self, call):
        loss = self._next_loss
        self._next_loss = None
        try:
            if loss != "request":
                return call()
        finally:
            if loss is not None:
                raise TransportError(loss)

    def acquire(self, name, client_id, ttl):
        return self._over_the_line(lambda: PlainService.acquire(self, name, client_id, ttl))

    def renew(self, name, ownership_token, ttl):
        return self._over_the_line(lambda: PlainService.renew(self, name, ownership_token, ttl))

    def release(self, name, ownership_token):
        return self._over_the_line(lambda: PlainService.release(self, name, ownership_token))


MOVES = ("acquire a", "acquire b", "renew", "release", "old", "before", "end")


class Run:
    def __init__(self, make_service, seen, start=0.0, name="job"):
        self.clock = FakeClock(start)
        self.service = make_service(self.clock)
        self.seen = seen
        self.name = name
        self.tokens = []
        self.end = start          # of the last lease; over if it is not ahead
        self.number = None

    def acquire(self, client, ttl):
        grant = self.service.acquire(self.name, client, ttl)
        if self.clock() < self.end:
            assert grant is None, f"{self.name!r} is held until {self.end} and was granted"
            return
        assert grant is not None, f"{self.name!r} is free and was refused"
        token, number, end = grant.ownership_token, grant.fencing_token, grant.expires_at
        assert end == self.clock() + ttl
        assert token not in self.seen
        assert self.number is None or number > self.number
        self.seen.add(token)
        self.tokens.append(token)
        self.number, self.end = number, end

    def renew(self, ttl):
        if self.tokens:
            held = self.clock() < self.end
            assert self.service.renew(self.name, self.tokens[-1], ttl) == held
            if held:
                self.end = self.clock() + ttl

    def release(self):
        if self.tokens:
            held = self.clock() < self.end
            assert self.service.release(self.name, self.tokens[-1]) == held
            if held:
                self.end = self.clock()

    def old(self):
        if len(self.tokens) > 1:
            assert not self.service.renew(self.name, self.tokens[-2], 64.0)
            assert not self.service.release(self.name, self.tokens[-2])

    def goto(self, moment):
        if moment > self.clock():
            self.clock.advance(moment - self.clock())

    def move(self, what, ttl):
        if what == "before":
            self.goto(self.end - E8)
        elif what == "end":
            self.goto(self.end)
        elif what == "renew":
            self.renew(ttl)
        elif what == "release":
            self.release()
        elif what == "old":
            self.old()
        else:
            self.acquire(what[-1], ttl)

    def finish(self):
        self.renew(1.0)
        self.goto(self.end - E8)
        self.acquire("z", 1.0)
        self.goto(self.end)
        self.acquire("z", 1.0)
        self.old()
        self.acquire("y", 1.0)


def check(make_service, seed):
    rng = random.Random(seed)
    seen = set()

    ttls = itertools.cycle((2.0, 1.5, 4.0))
    for schedule in itertools.product(MOVES, repeat=3):
        run = Run(make_service, seen)
        run.acquire("a", 2.0)
        for what in schedule:
            run.move(what, next(ttls))
        run.finish()

    # Two names, with what belongs to the one shown to the other. One service, two models.
    for one, other in itertools.permutations(("job", "Job", "job ", "jo", "", "\u00df", "x" * 99 + "1", "x" * 99 + "2"), 2):
        a, b = Run(make_service, seen, 8.0, one), Run(make_service, seen, 8.0, other)
        b.clock, b.service = a.clock, a.service
        a.acquire("a", 3.0)
        b.number = a.number
        b.acquire("a", 2.0)
        for x, y in ((a, b), (b, a)):
            assert not a.service.renew(x.name, y.tokens[-1], 64.0)
            assert not a.service.release(x.name, y.tokens[-1])
        a.renew(2.5)
        b.goto(b.end - E8)
        b.acquire("b", 1.0)
        b.goto(b.end)
        b.acquire("a", 1.0)
        a.number = b.number
        a.acquire("b", 1.0)
        b.release()
        a.acquire("a", 1.0)       # is not free because the other one is
        a.goto(a.end - E8)
        a.acquire("b", 1.0)
        a.goto(a.end)
        a.acquire("b", 1.0)

    # Longer, drawn.
    for _ in range(25):
        run = Run(make_service, seen, 16.0 * int(rng.random() * 9))
        for _ in range(20):
            run.move(MOVES[int(rng.random() * 7)], (0.25, 1.0, 5.0)[int(rng.random() * 3)])
        run.finish()

    # Stretched.
    run = Run(make_service, seen)
    for _ in range(600):
        run.acquire("a", 1.0)
        run.release()
    run.acquire("a", 128.0)
    for _ in range(250):
        run.acquire("a", 1.0)
        run.acquire("b", 256.0)
        run.old()
    run.renew(64.0)
    run.finish()
    run = Run(make_service, seen)
    run.acquire("a", 1.0)
    for _ in range(250):
        run.goto(run.end - E8)
        run.renew(1.0)
    run.finish()
    for ttl in (0.1, 0.7, 1, 45.5, 100.0, 1800.0, 7200.0, 43200.0, 100000.0, 604800.0):
        run = Run(make_service, seen)
        run.acquire("a", ttl)
        run.goto(run.end - ttl / 32)
        run.acquire("b", ttl)
        run.renew(ttl)
        run.goto(run.end - ttl / 32)
        run.acquire("b", ttl)
        run.goto(run.end)
        run.renew(ttl)
        run.acquire("b", ttl)
        run.release()
        run.goto(run.clock() + ttl * 10)
        run.acquire("a", ttl)
    runs = [Run(make_service, seen, 0.0, f"job-{i}") for i in range(300)]
    for run in runs:
        run.clock, run.service = runs[0].clock, runs[0].service
    for run in runs:
        run.acquire("a", 32.0)
    for run in runs:
        run.acquire("b", 1.0)
        run.renew(30.0)
    runs[0].goto(30.0 - E8)
    for run in runs:
        run.acquire("b", 1.0)
    runs[0].goto(30.0)
    last = max(run.number for run in runs)
    for run in runs:
        run.renew(1.0)
        run.number = last
        run.acquire("b", 1.0)
        last = run.number

    # A long rest with nothing held, then an old token.
    run = Run(make_service, seen)
    for rest in (100.0, 5000.0, 100000.0, 1e6, 1e8):
        run.acquire("a", 1.0)
        run.goto(run.end)
        run.acquire("a", 1.0)
        run.goto(run.clock() + rest)
        run.renew(1.0)
        run.release()
        run.old()
