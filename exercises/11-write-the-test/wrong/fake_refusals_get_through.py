# killed-by: a_lost_request_changes_nothing
# bug: The request counts as lost only after the call was done: the fake knows one kind of failure.
import random
import secrets

from leasehold import TransportError


class FakeClock:
    def __init__(self, start=0.0):
        self._now = start

    def __call__(self):
        return self._now

    def advance(self, seconds):
        if seconds < 0:
            raise ValueError("time does not go back")
        self._now += seconds


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class FakeLockService:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}    # name -> {"grant": Grant, "end": ...}
        self._counter = 0
        self._lost = None   # what the next call loses

    def acquire(self, name, client_id, ttl):
        return self._call(self._acquire, name, ttl)

    def renew(self, name, ownership_token, ttl):
        return self._call(self._renew, name, ownership_token, ttl)

    def release(self, name, ownership_token):
        return self._call(self._release, name, ownership_token)

    def lose_next_request(self):
        self._lost = "request"

    def lose_next_reply(self):
        self._lost = "reply"

    def end_of(self, name):
        """For tests: when the running lease on `name` ends, or None."""
        lock = self._locks.get(name)
        return lock["end"] if lock and self._clock() < lock["end"] else None

    def _call(self, method, *args):
        lost, self._lost = self._lost, None
        answer = method(*args)
        if lost:
            raise TransportError(f"the {lost} was lost")
        return answer

    def _acquire(self, name, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["end"]:
            return None
        self._counter += 1
        grant = Grant(secrets.token_hex(16), self._counter, now + ttl)
        self._locks[name] = {"grant": grant, "end": now + ttl}
        return grant

    def _held(self, name, token):
        lock = self._locks.get(name)
        if lock is None or self._clock() >= lock["end"] or lock["grant"].ownership_token != token:
            return None
        return lock

    def _renew(self, name, token, ttl):
        lock = self._held(name, token)
        if lock is None:
            return False
        lock["end"] = self._clock() + ttl
        return True

    def _release(self, name, token):
        if self._held(name, token) is None:
            return False
        del self._locks[name]
        return True


class Pair:
    """A service under test and the fake beside it: every call goes to both, and the answers have to agree."""

    def __init__(self, make_service, start=0.0):
        self.clock = FakeClock(start)
        self.service = make_service(self.clock)
        self.fake = FakeLockService(self.clock)
        self.grants = []        # (name, grant of the service, grant of the fake)
        self.tokens = set()
        self.last = None

    def acquire(self, name, client, ttl):
        got = self.service.acquire(name, client, ttl)
        want = self.fake.acquire(name, client, ttl)
        assert (got is None) == (want is None), f"acquire of {name} at {self.clock()}: {got}"
        if got is None:
            return
        assert got.expires_at == self.clock() + ttl, "expires_at"
        assert got.ownership_token not in self.tokens, "an ownership token came again"
        assert self.last is None or got.fencing_token > self.last, "fencing tokens do not grow"
        self.tokens.add(got.ownership_token)
        self.last = got.fencing_token
        self.grants.append((name, got, want))

    def renew(self, name, which, ttl):
        _, got, want = self.grants[which]
        did = self.service.renew(name, got.ownership_token, ttl)
        assert did == self.fake.renew(name, want.ownership_token, ttl), f"renew of {name} at {self.clock()}: {did}"

    def release(self, name, which):
        _, got, want = self.grants[which]
        did = self.service.release(name, got.ownership_token)
        assert did == self.fake.release(name, want.ownership_token), f"release of {name} at {self.clock()}: {did}"


NAMES = ("job", "report")
TTLS = (0.25, 1.5, 4.0, 10.0)


def schedule(make_service, draw, length):
    """Random calls; the clock likes to stop just before, at and just after the end of a lease."""
    pair = Pair(make_service)
    for _ in range(length):
        name = draw.choice(NAMES)
        kind = draw.randrange(8)
        if kind < 3 or not pair.grants:
            pair.acquire(name, "ab"[kind % 2], draw.choice(TTLS))
        elif kind < 6:
            which = -1 - draw.randrange(min(3, len(pair.grants)))
            at = pair.grants[which][0] if draw.random() < 0.8 else name
            if kind == 3:
                pair.release(at, which)
            else:
                pair.renew(at, which, draw.choice(TTLS))
        else:
            end = pair.fake.end_of(name)
            left = 1.0 if end is None else end - pair.clock()
            pair.clock.advance(max(0.0, left + draw.choice((-0.125, 0.0, 0.0, 0.125))))


def long_life(make_service):
    """Many grants of one service, ended both ways."""
    pair = Pair(make_service, 1000.0)
    for round in range(260):
        pair.acquire("job", "a", 2.0)
        if round % 2:
            pair.release("job", -1)
        else:
            pair.clock.advance(2.0)


def many_names(make_service):
    """All held at once."""
    pair = Pair(make_service)
    for client in ("early", "late"):
        for n in range(50):
            pair.acquire(f"lock-{n}", client, 10.0)


def long_leases(make_service):
    for ttl in (60.0, 3600.0, 604800.0):
        pair = Pair(make_service)
        for ends in (ttl, ttl + 1.5):
            pair.acquire("job", "a", ttl)
            pair.renew("job", -1, ends)
            pair.clock.advance(ends - 0.125)
            pair.acquire("job", "b", ttl)
            pair.clock.advance(0.125)
            pair.acquire("job", "b", ttl)
            pair.release("job", -1)


def secrets_differ(make_service):
    """Two services that are asked the same."""
    one, other = (make_service(FakeClock()) for _ in range(2))
    for n in range(10):
        a, b = (service.acquire(f"lock-{n}", "a", 10.0) for service in (one, other))
        assert a.ownership_token != b.ownership_token, "two services hand out the same ownership token"


def check(make_service, seed):
    secrets_differ(make_service)
    long_leases(make_service)
    many_names(make_service)
    long_life(make_service)
    draw = random.Random(seed)
    for _ in range(40):
        schedule(make_service, draw, 25)
