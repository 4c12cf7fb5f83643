# Each client is a generator that yields what it wants to do next; a scheduler draws whose turn it is, does the call, checks it on a dict and sends the answer back.
import random
import uuid
from enum import Enum

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


class Line(Enum):
    UP = 0
    LOSES_REQUEST = 1
    LOSES_REPLY = 2


class Connection:
    """A context manager around one call."""

    def __init__(self, service):
        self.service = service

    def __enter__(self):
        self.state, self.service.line = self.service.line, Line.UP
        if self.state is Line.LOSES_REQUEST:
            raise TransportError

    def __exit__(self, kind, exception, traceback):
        if self.state is Line.LOSES_REPLY:
            raise TransportError
        return False


class FakeLockService:
    def __init__(self, clock):
        self.clock = clock
        self.line = Line.UP
        self.held = {}
        self.number = 0

    def acquire(self, name, client_id, ttl):
        with Connection(self):
            now = self.clock()
            if name in self.held and self.held[name][1] > now:
                return None
            self.number += 1
            grant = Grant(uuid.uuid4().hex, self.number, now + ttl)
            self.held[name] = [grant.ownership_token, now + ttl]
            return grant

    def renew(self, name, ownership_token, ttl):
        with Connection(self):
            if not self._mine(name, ownership_token):
                return False
            self.held[name][1] = self.clock() + ttl
            return True

    def release(self, name, ownership_token):
        with Connection(self):
            if not self._mine(name, ownership_token):
                return False
            del self.held[name]
            return True

    def _mine(self, name, token):
        return name in self.held and self.held[name][0] == token and self.clock() < self.held[name][1]

    def lose_next_request(self):
        self.line = Line.LOSES_REQUEST

    def lose_next_reply(self):
        self.line = Line.LOSES_REPLY


# ---- what clients do ----

def worker(name, me, ttl, renewals, polite):
    """Take it, keep it for a while, give it back or not, and try again with the old token."""
    while True:
        token = yield "acquire", name, me, ttl
        if token is None:
            yield "pause", 0.25
            continue
        for _ in range(renewals):
            yield "until", name, -0.125
            yield "renew", name, token, ttl
        if polite:
            yield "release", name, token
        else:
            yield "until", name, 0.0
        yield "renew", name, token, ttl
        yield "pause", 0.125
        yield "release", name, token


def stubborn(name, me):
    """Ask, and ask again."""
    while True:
        token = yield "acquire", name, me, 0.5
        yield "until", name, -0.125
        yield "acquire", name, me, 4.0
        yield "until", name, 0.0
        if token is not None:
            yield "renew", name, token, 8.0


def thief(names, me, ttl):
    """Use a token of one name for another one."""
    while True:
        tokens = []
        for name in names:
            token = yield "acquire", name, me, ttl
            if token is not None:
                tokens.append((name, token))
        for i, (name, token) in enumerate(tokens):
            other = tokens[i - 1][0]
            if other != name:
                yield "release", other, token
                yield "renew", other, token, 100.0
        yield "pause", 0.125
        for name, token in tokens:
            yield "renew", name, token, ttl / 2
        for name, token in tokens[:1]:
            yield "release", name, token
        yield "until", names[-1], 0.125


def shrinking(name, me):
    """Renew for less and less."""
    ttl = 8.0
    while True:
        token = yield "acquire", name, me, 8.0
        if token is None:
            yield "until", name, 0.0
            continue
        while ttl > 0.25:
            ttl /= 2
            yield "renew", name, token, ttl
        ttl = 8.0
        yield "until", name, -0.125
        yield "acquire", name, "somebody", 1.0
        yield "until", name, 0.0
        yield "acquire", name, "somebody", 1.0


class Table:
    """Does the calls, and knows what their answers have to be."""

    def __init__(self, make_service, seen, start=0.0):
        self.clock = FakeClock(start)
        self.service = make_service(self.clock)
        self.model = {}
        self.fencing = []
        self.seen = seen

    def now(self):
        return self.clock()

    def running(self, name):
        token, end = self.model.get(name, (None, 0.0))
        return token if token is not None and self.clock() < end else None

    def do(self, wish):
        match wish:
            case ("pause", seconds):
                self.clock.advance(seconds)
            case ("until", name, offset):
                end = self.model.get(name, (None, 0.0))[1]
                if end + offset > self.clock():
                    self.clock.advance(end + offset - self.clock())
            case ("acquire", name, client, ttl):
                grant = self.service.acquire(name, client, ttl)
                assert (grant is None) == (self.running(name) is not None), wish
                if grant is None:
                    return None
                token, fencing, end = grant.ownership_token, grant.fencing_token, grant.expires_at
                assert end == self.clock() + ttl, ("expires_at", wish)
                assert isinstance(token, str) and token not in self.seen, ("ownership token", wish)
                assert not self.fencing or fencing > self.fencing[-1], ("fencing token", wish)
                self.seen.add(token)
                self.fencing.append(fencing)
                self.model[name] = token, end
                return token
            case ("renew", name, token, ttl):
                mine = token is not None and self.running(name) == token
                assert self.service.renew(name, token, ttl) is mine, wish
                if mine:
                    self.model[name] = token, self.clock() + ttl
            case ("release", name, token):
                mine = token is not None and self.running(name) == token
                assert self.service.release(name, token) is mine, wish
                if mine:
                    self.model[name] = None, 0.0
        return None


def run(table, clients, rng, rounds):
    clients = list(clients)
    wishes = [next(client) for client in clients]
    for _ in range(rounds):
        i = int(rng.random() * len(clients))
        wishes[i] = clients[i].send(table.do(wishes[i]))


def straight(table, *wishes):
    answer = None
    for wish in wishes:
        answer = table.do(wish)
    return answer


def check(make_service, seed):
    rng = random.Random(seed)
    seen = set()
    for round in range(30):
        table = Table(make_service, seen, float(round))
        run(table, [
            worker("a", "1", 2.0, round % 3, polite=round % 2 == 0),
            worker("a", "2", 1.5, 1, polite=True),
            stubborn("b", "1"),
            thief(["b", "c", "a"], "3", 3.0),
            shrinking("c", "2"),
        ], rng, 60)

    # One client alone, over and over.
    table = Table(make_service, seen)
    run(table, [worker("solo", "1", 1.0, 0, polite=True)], rng, 4500)
    table = Table(make_service, seen)
    run(table, [worker("solo", "1", 1.0, 300, polite=False), stubborn("solo", "2")], rng, 1800)

    # Far away: names, lengths, asking, rest.
    table = Table(make_service, seen)
    names = ["", " ", "n", "N", "n ", "n\u0308", "very/" * 40 + "a", "very/" * 40 + "b"] + [f"n{i}" for i in range(250)]
    tokens = {name: table.do(("acquire", name, "1", 1000.0)) for name in names}
    for name in names:
        table.do(("acquire", name, "2", 1.0))
    for name in names[::3]:
        table.do(("release", name, tokens[name]))
    for name in names:
        table.do(("renew", name, tokens[name], 1000.0))
    table.do(("pause", 999.875))
    for name in names:
        table.do(("acquire", name, "2", 0.0625))
    table.do(("pause", 0.125))
    for name in names:
        table.do(("release", name, tokens[name]))

    for ttl in (0.1, 0.2, 0.7, 1, 100.25, 3599.0, 3601.0, 86401.0, 604800.0):
        table = Table(make_service, seen)
        token = table.do(("acquire", "l", "1", ttl))
        straight(table, ("until", "l", -0.03125), ("acquire", "l", "2", ttl), ("renew", "l", token, ttl),
                 ("until", "l", -0.03125), ("acquire", "l", "2", ttl), ("until", "l", 0.0), ("release", "l", token),
                 ("acquire", "l", "2", ttl))
    table = Table(make_service, seen)
    first = table.do(("acquire", "r", "1", 10.0))
    for rest in (600.0, 10000.0, 100000.0, 3e6, 4e7):
        table.do(("pause", rest))
        straight(table, ("renew", "r", first, 10.0), ("release", "r", first), ("acquire", "r", "2", 10.0))
    table = Table(make_service, seen)
    token = table.do(("acquire", "q", "1", 10.0))
    for _ in range(200):
        straight(table, ("acquire", "q", "1", 99.0), ("acquire", "q", "2", 99.0), ("release", "q", "?"),
                 ("renew", "q", "?", 99.0))
    straight(table, ("until", "q", -0.125), ("acquire", "q", "2", 1.0), ("until", "q", 0.0), ("acquire", "q", "2", 1.0))
