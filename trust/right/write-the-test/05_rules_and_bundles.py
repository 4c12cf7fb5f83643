# A little rule-based machine in the manner of a property-testing library: @rule methods are found in the class, drawn by weight, and invariants run after each.
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
    def __init__(self, **fields):
        self.__dict__.update(fields)


class FakeLockService:
    """The calls go through a table of functions whose entries are wrapped while something is to get lost."""

    def __init__(self, clock):
        self._clock = clock
        self._by_token = {}       # token -> [name, end]
        self._holder = {}         # name -> token
        self._numbers = iter(range(1, 10 ** 12))
        self._normal = {"acquire": self._do_acquire, "renew": self._do_renew, "release": self._do_release}
        self._table = self._normal

    def acquire(self, name, client_id, ttl):
        return self._table["acquire"](name, ttl)

    def renew(self, name, ownership_token, ttl):
        return self._table["renew"](name, ownership_token, ttl)

    def release(self, name, ownership_token):
        return self._table["release"](name, ownership_token)

    def lose_next_request(self):
        def lost(*args):
            self._table = self._normal
            raise TransportError("lost")
        self._table = dict.fromkeys(self._normal, lost)

    def lose_next_reply(self):
        def wrap(function):
            def lost(*args):
                self._table = self._normal
                function(*args)
                raise TransportError("lost")
            return lost
        self._table = {verb: wrap(function) for verb, function in self._normal.items()}

    def _current(self, name):
        token = self._holder.get(name)
        if token is not None and self._by_token[token][1] <= self._clock():
            del self._by_token[token], self._holder[name]
            token = None
        return token

    def _do_acquire(self, name, ttl):
        if self._current(name) is not None:
            return None
        token, end = secrets.token_hex(16), self._clock() + ttl
        self._by_token[token] = [name, end]
        self._holder[name] = token
        return Grant(ownership_token=token, fencing_token=next(self._numbers), expires_at=end)

    def _do_renew(self, name, token, ttl):
        if token is None or self._current(name) != token:
            return False
        self._by_token[token][1] = self._clock() + ttl
        return True

    def _do_release(self, name, token):
        if token is None or self._current(name) != token:
            return False
        del self._by_token[token], self._holder[name]
        return True


def rule(weight):
    def mark(method):
        method.weight = weight
        return method
    return mark


class Machine:
    names = ("alpha", "Alpha", "beta")
    clients = ("x", "y")
    ttls = (0.5, 1.0, 3.0, 7.5)

    def __init__(self, make_service, rng, seen):
        self.rng = rng
        self.seen = seen
        self.clock = FakeClock(64.0 * int(rng.random() * 4))
        self.service = make_service(self.clock)
        self.model = FakeLockService(self.clock)
        self.twin = {}            # the service's token -> the model's
        self.issued = []          # (name, the service's token)
        self.ends = set()
        self.fencing = float("-inf")
        self.rules = []
        for key in sorted(dir(type(self))):
            method = getattr(self, key)
            if hasattr(method, "weight"):
                self.rules += [method] * method.weight

    def pick(self, things):
        return things[int(self.rng.random() * len(things))]

    def run(self, steps):
        for _ in range(steps):
            self.pick(self.rules)()

    # -- rules --

    @rule(5)
    def acquire(self):
        self.take(self.pick(self.names), self.pick(self.clients), self.pick(self.ttls))

    @rule(3)
    def renew_recent(self):
        if self.issued:
            self.prolong(*self.issued[-1], self.pick(self.ttls))

    @rule(1)
    def renew_any(self):
        if self.issued:
            self.prolong(*self.pick(self.issued), self.pick(self.ttls))

    @rule(2)
    def release_recent(self):
        if self.issued:
            self.give(*self.issued[-1])

    @rule(1)
    def release_any(self):
        if self.issued:
            self.give(*self.pick(self.issued))

    @rule(1)
    def wrong_name(self):
        if self.issued:
            _, token = self.pick(self.issued)
            self.give(self.pick(self.names), token)
            self.prolong(self.pick(self.names), token, self.pick(self.ttls))

    @rule(2)
    def step_to_an_end(self):
        ahead = sorted(end for end in self.ends if end >= self.clock())
        if ahead:
            self.clock.advance(ahead[0] - self.clock())

    @rule(2)
    def step_just_before_an_end(self):
        ahead = sorted(end for end in self.ends if end - 0.125 >= self.clock())
        if ahead:
            self.clock.advance(ahead[0] - 0.125 - self.clock())

    @rule(2)
    def tick(self):
        self.clock.advance(0.125)

    # -- the calls, each with its comparison --

    def take(self, name, client, ttl):
        mine = self.model.acquire(name, client, ttl)
        theirs = self.service.acquire(name, client, ttl)
        if (mine is None) != (theirs is None):
            raise AssertionError(f"acquire of {name} at {self.clock()}: {theirs}")
        if theirs is None:
            return None
        token, fencing, end = theirs.ownership_token, theirs.fencing_token, theirs.expires_at
        if token in self.seen or not isinstance(token, str):
            raise AssertionError("ownership token")
        if not fencing > self.fencing:
            raise AssertionError("fencing token")
        if end != mine.expires_at:
            raise AssertionError("expires_at")
        self.seen.add(token)
        self.fencing = fencing
        self.twin[token] = mine.ownership_token
        self.issued.append((name, token))
        self.ends.add(end)
        return token

    def prolong(self, name, token, ttl):
        expected = self.model.renew(name, self.twin.get(token), ttl)
        if self.service.renew(name, token, ttl) is not expected:
            raise AssertionError(f"renew of {name} at {self.clock()}: should be {expected}")
        if expected:
            self.ends.add(self.clock() + ttl)

    def give(self, name, token):
        expected = self.model.release(name, self.twin.get(token))
        if self.service.release(name, token) is not expected:
            raise AssertionError(f"release of {name} at {self.clock()}: should be {expected}")


class OneName(Machine):
    names = ("one",)


class ManyNames(Machine):
    names = tuple(f"name-{i}" for i in range(40))
    ttls = (20.0, 40.0)


class Stretch(Machine):
    """Long in one direction."""

    def grants(self, n):
        for i in range(n):
            self.give("s", self.take("s", self.pick(self.clients), 1.0))

    def names_held(self, n):
        tokens = [self.take(f"h{i}", "x", 32.0) for i in range(n)]
        for i in range(n):
            self.take(f"h{i}", "y", 1.0)
        for i, token in enumerate(tokens):
            self.prolong(f"h{i}", token, 16.0)
        self.clock.advance(15.875)
        for i in range(n):
            self.take(f"h{i}", "y", 1.0)
        self.clock.advance(0.125)
        for i, token in enumerate(tokens):
            self.give(f"h{i}", token)
            self.take(f"h{i}", "y", 1.0)

    def refusals(self, n):
        token = self.take("r", "x", 512.0)
        for i in range(n):
            self.take("r", self.clients[i % 2], 1024.0)
            self.give("r", "not it")
        for i in range(n):
            self.clock.advance(1.0)
            self.prolong("r", token, 512.0)
        self.clock.advance(511.875)
        self.take("r", "y", 1.0)
        self.clock.advance(0.125)
        self.take("r", "y", 1.0)

    def lengths(self):
        for ttl in (0.1, 0.9, 12.25, 61.0, 2000.0, 4000.5, 90000.0, 604800.0):
            token = self.take("l", "x", ttl)
            self.clock.advance(ttl * 0.96875)
            self.take("l", "y", ttl)
            self.prolong("l", token, ttl)
            self.clock.advance(ttl * 0.96875)
            self.take("l", "y", ttl)
            self.clock.advance(ttl)
            self.prolong("l", token, ttl)

    def rests(self):
        old = self.take("q", "x", 1.0)
        for rest in (64.0, 4096.0, 131072.0, 4194304.0, 33554432.0):
            self.clock.advance(rest)
            self.prolong("q", old, 1.0)
            self.give("q", old)
            old = self.take("q", "x", 1.0)

    def strange(self):
        for name in ("", " ", "q ", " q", "q", "Q", "q/q", "qq", "q" * 200, "q" * 201, "\u00b5", "\u03bc", "0", "0.0"):
            for client in ("", "0", "q"):
                self.take(name, client, 2.0)


def check(make_service, seed):
    rng = random.Random(seed)
    seen = set()
    for kind, count, steps in ((Machine, 45, 35), (OneName, 40, 20), (ManyNames, 3, 120)):
        for _ in range(count):
            kind(make_service, rng, seen).run(steps)
    stretch = Stretch(make_service, rng, seen)
    stretch.strange()
    stretch.grants(600)
    stretch.refusals(200)
    stretch.lengths()
    stretch.rests()
    Stretch(make_service, rng, seen).names_held(250)
