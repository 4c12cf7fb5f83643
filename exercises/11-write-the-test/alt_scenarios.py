# No drawing at all: a list of small scenarios, each about one sentence of the contract. The seed is not used.
import uuid
from collections import namedtuple
from dataclasses import dataclass

from leasehold import TransportError

Grant = namedtuple("Grant", "ownership_token fencing_token expires_at")


@dataclass
class FakeClock:
    start: float = 0.0

    def __call__(self):
        return self.start

    def advance(self, seconds):
        if not seconds >= 0:
            raise ValueError(f"cannot go {seconds} s")
        self.start = self.start + seconds


@dataclass
class Lease:
    grant: Grant
    until: float


class FakeLockService:
    def __init__(self, clock):
        self.clock = clock
        self.leases = {}
        self.granted = 0
        self.drop_request = self.drop_reply = False

    def lose_next_request(self):
        self.drop_request = True

    def lose_next_reply(self):
        self.drop_reply = True

    def _arrive(self):
        if self.drop_request:
            self.drop_request = False
            raise TransportError()
        for name in [n for n, lease in self.leases.items() if lease.until <= self.clock()]:
            del self.leases[name]

    def _answer(self, value):
        if self.drop_reply:
            self.drop_reply = False
            raise TransportError()
        return value

    def acquire(self, name, client_id, ttl):
        self._arrive()
        if name in self.leases:
            return self._answer(None)
        self.granted += 1
        until = self.clock() + ttl
        grant = Grant(str(uuid.uuid4()), self.granted, until)
        self.leases[name] = Lease(grant, until)
        return self._answer(grant)

    def _mine(self, name, token):
        lease = self.leases.get(name)
        return lease if lease and lease.grant.ownership_token == token else None

    def renew(self, name, ownership_token, ttl):
        self._arrive()
        lease = self._mine(name, ownership_token)
        if lease:
            lease.until = self.clock() + ttl
        return self._answer(lease is not None)

    def release(self, name, ownership_token):
        self._arrive()
        lease = self._mine(name, ownership_token)
        if lease:
            del self.leases[name]
        return self._answer(lease is not None)


class Stage:
    """A service on its clock, with assertions for verbs."""

    def __init__(self, make_service):
        self.clock = FakeClock(50.0)
        self.service = make_service(self.clock)
        self.seen = []

    def granted(self, name, client, ttl):
        grant = self.service.acquire(name, client, ttl)
        assert grant is not None, f"{name} is free"
        assert grant.expires_at == self.clock() + ttl
        assert all(grant.fencing_token > other.fencing_token for other in self.seen[-1:])
        assert all(grant.ownership_token != other.ownership_token for other in self.seen)
        self.seen.append(grant)
        return grant.ownership_token

    def refused(self, name, *clients, ttl=30.0):
        for client in clients:
            assert self.service.acquire(name, client, ttl) is None, f"{name} is held"

    def renewed(self, name, token, ttl):
        assert self.service.renew(name, token, ttl) is True

    def not_renewed(self, name, token, ttl=500.0):
        assert self.service.renew(name, token, ttl) is False

    def released(self, name, token):
        assert self.service.release(name, token) is True

    def not_released(self, name, token):
        assert self.service.release(name, token) is False

    def wait(self, seconds):
        self.clock.advance(seconds)


def excludes(s):
    s.granted("x", "a", 10.0)
    s.refused("x", "a", "b")
    s.granted("y", "b", 10.0)
    s.wait(9.875)
    s.refused("x", "a", "b")


def ends(s):
    for ttl in (0.25, 0.5, 1.5, 10.0, 7200.0):
        s.granted("x", "a", ttl)
        s.wait(ttl - 0.125)
        s.refused("x", "a", "b", ttl=2 * ttl)
        s.wait(0.125)
        token = s.granted("x", "b", ttl)
        s.wait(ttl)
        s.not_renewed("x", token)
        s.not_released("x", token)
        s.wait(1.0)
        s.not_renewed("x", token)


def renews(s):
    token = s.granted("x", "a", 10.0)
    s.wait(4.0)
    s.renewed("x", token, 10.0)
    s.wait(9.875)
    s.refused("x", "a", "b")
    s.renewed("x", token, 2.0)
    s.wait(1.0)
    s.renewed("x", token, 0.5)
    s.wait(0.5)
    s.not_renewed("x", token)
    other = s.granted("x", "b", 10.0)
    s.not_renewed("x", token)
    s.renewed("x", other, 3.0)
    s.wait(3.0)
    s.granted("x", "a", 1.0)


def renews_for_the_holder_only(s):
    x = s.granted("x", "a", 10.0)
    y = s.granted("y", "a", 90.0)
    s.not_renewed("x", y)
    s.not_renewed("x", "nonsense")
    s.not_renewed("z", x)
    s.wait(10.0)
    s.granted("x", "b", 1.0)


def releases(s):
    first = s.granted("x", "a", 10.0)
    y = s.granted("y", "a", 10.0)
    s.not_released("x", y)
    s.not_released("x", "nonsense")
    s.refused("x", "b")
    s.released("x", first)
    s.refused("y", "b")
    s.not_released("x", first)
    second = s.granted("x", "a", 10.0)
    s.not_released("x", first)
    s.refused("x", "b")
    s.released("x", second)
    s.released("y", y)
    s.granted("x", "b", 1.0)


def takes_over(s):
    late = s.granted("x", "a", 1.0)
    s.wait(1.0)
    now = s.granted("x", "a", 5.0)
    s.not_released("x", late)
    s.not_renewed("x", late)
    s.refused("x", "b")
    s.released("x", now)


def lasts(s):
    for n in range(250):
        token = s.granted("x" if n % 3 else "y", "a", 1.0)
        if n % 2:
            s.released("x" if n % 3 else "y", token)
        else:
            s.wait(1.0)


def holds_many(s):
    tokens = [s.granted(f"n{n}", "a", 10.0) for n in range(64)]
    for n in range(64):
        s.refused(f"n{n}", "b")
    for n, token in enumerate(tokens):
        s.released(f"n{n}", token)


def twins(make_service):
    one, two = Stage(make_service), Stage(make_service)
    tokens = {one.granted("x", "a", 1.0), one.granted("y", "a", 1.0), two.granted("x", "a", 1.0), two.granted("y", "a", 1.0)}
    assert len(tokens) == 4, "tokens can be guessed"


def check(make_service, seed):
    for scenario in (excludes, ends, renews, renews_for_the_holder_only, releases, takes_over, lasts, holds_many):
        scenario(Stage(make_service))
    twins(make_service)
