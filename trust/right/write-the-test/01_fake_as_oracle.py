# Drawn schedules run on the service and on the fake side by side, and a few long ones by hand are sent to both through the same pair.
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
        self._locks = {}
        self._counter = 0
        self._fault = None

    def acquire(self, name, client_id, ttl):
        return self._arrive(self._acquire, name, ttl)

    def renew(self, name, ownership_token, ttl):
        return self._arrive(self._renew, name, ownership_token, ttl)

    def release(self, name, ownership_token):
        return self._arrive(self._release, name, ownership_token)

    def lose_next_request(self):
        self._fault = "request"

    def lose_next_reply(self):
        self._fault = "reply"

    def _arrive(self, method, *args):
        fault, self._fault = self._fault, None
        if fault == "request":
            raise TransportError("the request got lost")
        answer = method(*args)
        if fault == "reply":
            raise TransportError("the reply got lost")
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

    def _held(self, name, ownership_token):
        lock = self._locks.get(name)
        if lock is None or lock["end"] <= self._clock() or lock["grant"].ownership_token != ownership_token:
            return None
        return lock

    def _renew(self, name, ownership_token, ttl):
        lock = self._held(name, ownership_token)
        if lock is None:
            return False
        lock["end"] = self._clock() + ttl
        return True

    def _release(self, name, ownership_token):
        if self._held(name, ownership_token) is None:
            return False
        del self._locks[name]
        return True


class Pair:
    """The service under test and the fake, on one clock."""

    def __init__(self, make_service, tokens, start=0.0):
        self.clock = FakeClock(start)
        self.real = make_service(self.clock)
        self.fake = FakeLockService(self.clock)
        self.tokens = tokens      # of all services of this check
        self.last = None
        self.ends = set()

    def acquire(self, name, client, ttl):
        real, fake = self.real.acquire(name, client, ttl), self.fake.acquire(name, client, ttl)
        assert (real is None) == (fake is None), f"acquire({name!r}, {client!r}, {ttl})"
        if real is None:
            return None
        assert isinstance(real.ownership_token, str)
        assert real.ownership_token not in self.tokens, "an ownership token came twice"
        self.tokens.add(real.ownership_token)
        assert isinstance(real.fencing_token, int)
        assert self.last is None or real.fencing_token > self.last, "the fencing tokens do not grow"
        self.last = real.fencing_token
        assert real.expires_at == self.clock() + ttl, "expires_at"
        self.ends.add(self.clock() + ttl)
        return real.ownership_token, fake.ownership_token

    def renew(self, name, pair, ttl):
        real, fake = self.real.renew(name, pair[0], ttl), self.fake.renew(name, pair[1], ttl)
        assert real is fake, f"renew({name!r}) said {real}"
        if fake:
            self.ends.add(self.clock() + ttl)
        return fake

    def release(self, name, pair):
        real, fake = self.real.release(name, pair[0]), self.fake.release(name, pair[1])
        assert real is fake, f"release({name!r}) said {real}"
        return fake


NAMES = ["job", "job2", "Job"]
CLIENTS = ["a", "b"]
TTLS = [0.125, 0.5, 1.0, 2.5, 10.0]


def play(pair, rng, steps):
    grants = []
    for _ in range(steps):
        kind = int(rng.random() * 10)
        name = NAMES[int(rng.random() * 3)]
        ttl = TTLS[int(rng.random() * 5)]
        if kind < 4 or not grants:
            got = pair.acquire(name, CLIENTS[int(rng.random() * 2)], ttl)
            if got:
                grants.append((name, got))
        elif kind < 8:
            at = -1 - int(rng.random() * min(3, len(grants)))
            own, token = grants[at]
            if rng.random() < 0.8:
                name = own
            if kind < 6:
                pair.renew(name, token, ttl)
            else:
                pair.release(name, token)
        else:
            now = pair.clock()
            ahead = [end for end in pair.ends if end > now]
            if ahead and rng.random() < 0.8:
                step = min(ahead) - now + (-0.125, 0.0, 0.0, 0.125)[int(rng.random() * 4)]
            else:
                step = 0.125
            pair.clock.advance(max(step, 0.0))
    # Look at what came of it, from just before the ends on.
    for _ in range(3):
        for name in NAMES:
            pair.acquire(name, "c", 0.25)
        pair.clock.advance(0.125)


def many_grants(pair):
    old = None
    for i in range(700):
        token = pair.acquire("job", "a", 10.0)
        if old:
            pair.release("job", old)
        assert pair.release("job", token)
        old = token


def many_names(pair):
    tokens = {}
    for i in range(300):
        tokens[i] = pair.acquire(f"name {i}", f"client {i}", 100.0)
    for i in range(300):
        pair.acquire(f"name {i}", "x", 100.0)
    pair.clock.advance(99.875)
    for i in range(0, 300, 2):
        pair.renew(f"name {i}", tokens[i], 1.0)
    for i in range(1, 300, 2):
        pair.release(f"name {i}", tokens[i])
    pair.clock.advance(0.25)
    for i in range(300):
        pair.acquire(f"name {i}", "y", 1.0)


def long_leases(pair):
    for days in (0.5, 1, 2, 7):
        ttl = days * 86400.0
        token = pair.acquire("job", "a", ttl)
        pair.clock.advance(ttl - 0.125)
        pair.acquire("job", "b", ttl)
        pair.renew("job", token, ttl)
        pair.clock.advance(ttl - 0.125)
        pair.acquire("job", "b", ttl)
        pair.clock.advance(0.125)
        pair.renew("job", token, ttl)
    pair.acquire("job", "a", 1.0)
    for idle in (3600.0, 86400.0, 30 * 86400.0, 365 * 86400.0):
        pair.clock.advance(idle)
        token = pair.acquire("job", "a", 1.0)
        pair.release("job", token)


def asked_often(pair):
    token = pair.acquire("job", "a", 100.0)
    for i in range(300):
        pair.acquire("job", "b", 100.0)
        pair.acquire("job", "a", 5.0)
        pair.renew("job", ("wrong", "wrong"), 5.0)
        pair.release("job", ("wrong", "wrong"))
    for i in range(300):
        assert pair.renew("job", token, 100.0)
        pair.clock.advance(0.125)
    pair.clock.advance(99.75)
    pair.acquire("job", "b", 1.0)
    pair.clock.advance(0.125)
    pair.acquire("job", "b", 1.0)


def odd_names(pair):
    names = ["", " ", "a", "A", "a ", " a", "a.b", "a/b", "a:b", "ab", "a\x00", "\u00e4", "x" * 100 + "1", "x" * 100 + "2",
             "0", "00", "1", "None"]
    tokens = {}
    for name in names:
        tokens[name] = pair.acquire(name, name, 10.0)
    for name in names:
        pair.acquire(name, "other", 10.0)
        for other in names[:4]:
            if other != name:
                pair.renew(other, tokens[name], 50.0)
    for name in names:
        pair.release(name, tokens[name])
        pair.acquire(name, "other", 10.0)


def tenths(pair):
    for ttl in (0.1, 0.3, 1.1, 2.7, 10, 0.75):
        pair.acquire("t", "a", ttl)
        pair.clock.advance(ttl / 2)
        pair.acquire("t", "b", ttl)
        pair.clock.advance(ttl)


def check(make_service, seed):
    rng = random.Random(seed)
    tokens = set()
    for story in (many_grants, many_names, long_leases, asked_often, odd_names, tenths):
        story(Pair(make_service, tokens))
    for i in range(60):
        play(Pair(make_service, tokens, (0.0, 1000.0)[i % 2]), rng, 30)
