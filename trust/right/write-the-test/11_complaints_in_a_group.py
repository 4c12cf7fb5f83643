# Goes on after a complaint, collects all of them and raises one ExceptionGroup at the end; the cases are products of ttls, verbs and instants.
import itertools
import random
import secrets
from contextlib import contextmanager

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


class Missing(Exception):
    """This token holds nothing now."""


class FakeLockService:
    """Raises inside for what is not there, and answers outside."""

    def __init__(self, clock):
        self._clock = clock
        self._ends = {}        # (name, token) -> end
        self._fencing = 0
        self._weather = []

    @contextmanager
    def _line(self):
        weather, self._weather = self._weather, []
        if "request" in weather:
            raise TransportError("request")
        yield
        if "reply" in weather:
            raise TransportError("reply")

    def _must_hold(self, name, token):
        if not self._ends.get((name, token), self._clock()) > self._clock():
            raise Missing

    def acquire(self, name, client_id, ttl):
        with self._line():
            grant = None
            if not any(name == held and end > self._clock() for (held, _), end in self._ends.items()):
                self._ends = {key: end for key, end in self._ends.items() if end > self._clock()}
                self._fencing += 1
                grant = Grant(secrets.token_hex(16), self._fencing, self._clock() + ttl)
                self._ends[name, grant.ownership_token] = grant.expires_at
        return grant

    def renew(self, name, ownership_token, ttl):
        with self._line():
            try:
                self._must_hold(name, ownership_token)
                self._ends[name, ownership_token] = self._clock() + ttl
                done = True
            except Missing:
                done = False
        return done

    def release(self, name, ownership_token):
        with self._line():
            try:
                self._must_hold(name, ownership_token)
                del self._ends[name, ownership_token]
                done = True
            except Missing:
                done = False
        return done

    def lose_next_request(self):
        self._weather = ["request"]

    def lose_next_reply(self):
        self._weather = ["reply"]


class Complaints:
    def __init__(self):
        self.list = []
        self.tokens = set()

    def expect(self, condition, *what):
        if not condition:
            self.list.append(AssertionError(" ".join(map(str, what))))
        return condition

    def full(self):
        return len(self.list) >= 5


class Desk:
    """A service with its clock, and what it has to know."""

    def __init__(self, make_service, complaints, start=0.0):
        self.clock = FakeClock(start)
        self.service = make_service(self.clock)
        self.complaints = complaints
        self.current = {}
        self.old = []
        self.last = None

    def held(self, name):
        return name in self.current and self.clock() < self.current[name][1]

    def acquire(self, name="job", client="a", ttl=1.0):
        grant = self.service.acquire(name, client, ttl)
        expect = self.complaints.expect
        if not expect(self.held(name) == (grant is None), "acquire", name, client, ttl, "at", self.clock(), grant) or not grant:
            return
        token, fencing = grant.ownership_token, grant.fencing_token
        expect(grant.expires_at == self.clock() + ttl, "expires_at", grant.expires_at)
        expect(self.last is None or fencing > self.last, "fencing token", fencing, "after", self.last)
        expect(type(token) is str or isinstance(token, str), "a token of", type(token))
        expect(token not in self.complaints.tokens, "the same ownership token again")
        self.complaints.tokens.add(token)
        self.last = fencing
        if name in self.current:
            self.old.append((name, self.current[name][0]))
        self.current[name] = token, self.clock() + ttl

    def _tell(self, verb, name, token, *ttl):
        mine = self.held(name) and self.current[name][0] == token
        answer = getattr(self.service, verb)(name, token, *ttl)
        self.complaints.expect(answer is mine, verb, name, "at", self.clock(), "said", answer)
        return mine

    def renew(self, name="job", ttl=1.0, token=None):
        token = token or self.current.get(name, ("nobody's", 0))[0]
        if self._tell("renew", name, token, ttl):
            self.current[name] = token, self.clock() + ttl

    def release(self, name="job", token=None):
        token = token or self.current.get(name, ("nobody's", 0))[0]
        if self._tell("release", name, token):
            self.current[name] = token, self.clock()

    def to(self, moment):
        self.clock.advance(max(0.0, moment - self.clock()))

    def end(self, name="job"):
        return self.current[name][1] if name in self.current else self.clock()

    def aftermath(self, name="job"):
        for offset in (-0.0625, 0.0):
            self.to(self.end(name) + offset)
            self.acquire(name, "after", 0.5)
        for old in self.old[-2:]:
            self.renew(*old[:1], 5.0, old[1])
            self.release(*old)
        self.acquire(name, "last", 0.5)


def instants(make_service, complaints):
    verbs = ("acquire", "renew", "release")
    for ttl, first, second, offset in itertools.product(
            (0.1, 1, 2.75, 10.0, 7000.0, 604800.0), verbs, verbs, (-0.0625, 0.0, 0.0625)):
        desk = Desk(make_service, complaints)
        desk.acquire(ttl=ttl)
        for verb in (first, second):
            desk.to(desk.end() + offset)
            if verb == "acquire":
                desk.acquire(client="b", ttl=ttl)
            elif verb == "renew":
                desk.renew(ttl=ttl)
            else:
                desk.release()
        desk.aftermath()


def neighbours(make_service, complaints):
    names = ("job", "Job", "job ", "job1", "jo", "", " ", "\u00f8", "J" * 90 + "1", "J" * 90 + "2", "0", "None")
    for one, two in itertools.combinations(names, 2):
        desk = Desk(make_service, complaints)
        desk.acquire(one, "a", 4.0)
        desk.acquire(two, "a", 3.0)
        for name, other in ((one, two), (two, one)):
            desk.renew(name, 50.0, desk.current[other][0])
            desk.release(name, desk.current[other][0])
        desk.renew(two, 3.5)
        desk.release(one)
        desk.acquire(two, "b")
        desk.acquire(one, "b", 1.0)
        desk.aftermath(two)
        desk.aftermath(one)


def stretches(make_service, complaints):
    desk = Desk(make_service, complaints)
    for _ in range(600):
        desk.acquire()
        desk.release()
    desk = Desk(make_service, complaints)
    desk.acquire(ttl=500.0)
    for _ in range(220):
        desk.acquire(client="b", ttl=1000.0)
        desk.renew(ttl=1000.0, token="wrong")
        desk.release(token="wrong")
    desk.renew(ttl=400.0)
    desk.aftermath()
    for _ in range(250):
        desk.acquire()
        desk.to(desk.end() - 0.125)
        desk.renew()
    desk.aftermath()
    desk = Desk(make_service, complaints)
    for i in range(240):
        desk.acquire(f"s{i}", "a", 70.0)
    for i in range(240):
        desk.acquire(f"s{i}", "b", 1.0)
        desk.renew(f"s{i}", 60.0)
    desk.to(59.875)
    for i in range(240):
        desk.acquire(f"s{i}", "b", 1.0)
    desk.to(60.0)
    for i in range(240):
        desk.release(f"s{i}")
        desk.acquire(f"s{i}", "b", 1.0)
    desk = Desk(make_service, complaints)
    for rest in (50.0, 4000.0, 90000.0, 1e6, 1e8):
        desk.acquire()
        desk.clock.advance(rest)
        desk.renew()
        desk.release()
        for old in desk.old:
            desk.renew(old[0], 1.0, old[1])
            desk.release(*old)


def chance(make_service, complaints, rng):
    for _ in range(30):
        desk = Desk(make_service, complaints, 128.0 * int(rng.random() * 3))
        for _ in range(25):
            name, ttl = "gh"[int(rng.random() * 2)], (0.25, 1.5, 5.0)[int(rng.random() * 3)]
            dice = int(rng.random() * 9)
            if dice < 3:
                desk.acquire(name, "ab"[int(rng.random() * 2)], ttl)
            elif dice < 5:
                desk.renew(name, ttl)
            elif dice < 6:
                desk.release(name)
            elif dice < 7 and desk.old:
                whose, token = desk.old[-1]
                desk.renew(whose, ttl, token)
                desk.release(whose, token)
            else:
                desk.to(desk.end(name) - 0.125 * int(rng.random() * 2))
        desk.aftermath("g")
        desk.aftermath("h")


def check(make_service, seed):
    complaints = Complaints()
    for part in (instants, neighbours, stretches):
        part(make_service, complaints)
        if complaints.full():
            break
    chance(make_service, complaints, random.Random(seed))
    if complaints.list:
        raise ExceptionGroup("this is no lock service", complaints.list[:5])
