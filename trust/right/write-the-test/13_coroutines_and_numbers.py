# Integers inside the fake (microseconds), coroutines driven by hand in the check: two clients are written with await, a trampoline draws who goes on, and one place compares all answers.
import bisect
import itertools
import random
import secrets
from types import SimpleNamespace, coroutine

from leasehold import TransportError


class FakeClock:
    def __init__(self, start=0.0):
        self._now = start

    def __call__(self):
        return self._now

    def advance(self, seconds):
        if not seconds >= 0:
            raise ValueError("time does not go back")
        self._now += seconds


class FakeLockService:
    __slots__ = ("_clock", "_state", "_numbers", "_plan")

    def __init__(self, clock):
        self._clock = clock
        self._state = {}                   # name -> (token, end in microseconds)
        self._numbers = itertools.count()  # the first one is 0
        self._plan = itertools.repeat((False, False))

    def _us(self, ttl=0):
        return round((self._clock() + ttl) * 1_000_000)

    def _next(self):
        plan, self._plan = next(self._plan), itertools.repeat((False, False))
        if plan[0]:
            raise TransportError("request lost")
        return plan[1]

    @staticmethod
    def _out(lost, answer):
        if lost:
            raise TransportError("reply lost")
        return answer

    def acquire(self, name, client_id, ttl):
        lost = self._next()
        if name in self._state and self._us() < self._state[name][1]:
            return self._out(lost, None)
        token = secrets.token_hex(16)
        self._state[name] = token, self._us(ttl)
        return self._out(lost, SimpleNamespace(
            ownership_token=token, fencing_token=next(self._numbers), expires_at=self._clock() + ttl))

    def renew(self, name, ownership_token, ttl):
        lost = self._next()
        token, end = self._state.get(name, (None, 0))
        mine = token == ownership_token and self._us() < end
        if mine:
            self._state[name] = token, self._us(ttl)
        return self._out(lost, mine)

    def release(self, name, ownership_token):
        lost = self._next()
        token, end = self._state.get(name, (None, 0))
        mine = token == ownership_token and self._us() < end
        if mine:
            del self._state[name]
        return self._out(lost, mine)

    def lose_next_request(self):
        self._plan = iter([(True, False)])

    def lose_next_reply(self):
        self._plan = iter([(False, True)])


@coroutine
def ask(*what):
    return (yield what)


async def careful(name, me, rng):
    while True:
        token = await ask("acquire", name, me, 2.0)
        while token is None:
            await ask("end")
            token = await ask("acquire", name, me, 2.0)
        if rng.random() < 0.5:
            await ask("before")
            await ask("renew", name, token, 1.5)
        if rng.random() < 0.3:
            await ask("end")
        await ask("release", name, token)
        await ask("renew", name, token, 9.0)


async def careless(names, me, rng):
    kept = []
    while True:
        name = names[int(rng.random() * len(names))]
        kept.append(await ask("acquire", name, me, (0.5, 3.0, 6.0)[int(rng.random() * 3)]))
        for token in kept[-3:]:
            if token is not None:
                await ask(("renew", "release")[rng.random() < 0.4], name, token, 4.0)
        await ask(("before", "end", "tick")[int(rng.random() * 3)])


class Referee:
    def __init__(self, make_service, seen, start=0.0):
        self.clock = FakeClock(start)
        self.service = make_service(self.clock)
        self.rules = FakeLockService(self.clock)
        self.other = {}          # token of the service -> token of the rules
        self.seen = seen
        self.ends = []
        self.last = None

    def do(self, verb, *args):
        match verb:
            case "tick":
                self.clock.advance(0.125)
            case "pause":
                self.clock.advance(*args)
            case "before" | "end":
                at = bisect.bisect_right(self.ends, self.clock())
                if at < len(self.ends):
                    early = 0.125 if verb == "before" else 0.0
                    self.clock.advance(max(0.0, self.ends[at] - early - self.clock()))
            case "acquire":
                return self.acquire(*args)
            case "renew":
                name, token, ttl = args
                right = self.rules.renew(name, self.other.get(token, "?"), ttl)
                assert self.service.renew(name, token, ttl) is right, ("renew", name, self.clock(), right)
                if right:
                    bisect.insort(self.ends, self.clock() + ttl)
            case "release":
                right = self.rules.release(args[0], self.other.get(args[1], "?"))
                assert self.service.release(*args[:2]) is right, ("release", args[0], self.clock(), right)
        return None

    def acquire(self, name, client, ttl):
        right, got = self.rules.acquire(name, client, ttl), self.service.acquire(name, client, ttl)
        assert (right is None) is (got is None), ("acquire", name, self.clock(), got)
        if got is None:
            return None
        token, number, end = got.ownership_token, got.fencing_token, got.expires_at
        assert end == right.expires_at, ("expires_at", end)
        assert isinstance(token, str) and token not in self.seen, "ownership token"
        assert self.last is None or number > self.last, ("fencing token", number, self.last)
        self.seen.add(token)
        self.last = number
        self.other[token] = right.ownership_token
        bisect.insort(self.ends, end)
        return token


def trampoline(referee, clients, rng, rounds):
    waiting = [[client, client.send(None)] for client in clients]
    for _ in range(rounds):
        one = waiting[int(rng.random() * len(waiting))]
        one[1] = one[0].send(referee.do(*one[1]))
    for client in clients:
        client.close()


def check(make_service, seed):
    rng = random.Random(seed)
    seen = set()
    for i in range(36):
        trampoline(Referee(make_service, seen, 256.0 * (i % 3)), [
            careful("m", "1", rng), careful("m", "2", rng), careful("M", "1", rng), careless(["m", "M", "mm"], "2", rng),
        ], rng, 70)

    r = Referee(make_service, seen)
    for i in range(700):
        r.do("release", "m", r.do("acquire", "m", "1", 1.0))
    for i in range(150):
        token = r.do("acquire", "m", "1", 0.5)
        r.do("end")
        r.do("release", "m", token)

    r = Referee(make_service, seen)
    token = r.do("acquire", "m", "1", 300.0)
    for i in range(300):
        r.do("acquire", "m", "12"[i % 2], 600.0)
        r.do("release", "m", "wrong")
        r.do("renew", "m", "wrong", 600.0)
    r.do("before")
    r.do("acquire", "m", "2", 1.0)
    for i in range(300):
        r.do("renew", "m", token, 1.0)
        r.do("pause", 0.875)
    r.do("acquire", "m", "2", 1.0)
    r.do("pause", 0.125)
    r.do("acquire", "m", "2", 1.0)

    for ttl in (0.1, 0.35, 2, 61.5, 3601.0, 86401.0, 604800.0):
        for last in ("renew", "release", "acquire"):
            r = Referee(make_service, seen)
            token = r.do("acquire", "m", "1", ttl)
            for _ in range(2):
                r.do("pause", ttl - 0.03125)
                r.do("acquire", "m", "2", ttl)
                r.do("renew", "m", token, ttl)
            r.do("pause", ttl - 0.03125)
            r.do("acquire", "m", "2", ttl)
            # With tenths the sums are not exact, so these go past the end.
            r.do("pause", 0.03125 if ttl % 0.125 == 0 else 0.0625)
            r.do(last, "m", "2" if last == "acquire" else token, ttl)
            r.do("acquire", "m", "2", ttl)
            r.do("release", "m", token)

    r = Referee(make_service, seen)
    old = []
    for rest in (80.0, 5000.0, 90000.0, 1e6, 6e7):
        old.append(r.do("acquire", "m", "1", 1.0))
        r.do("pause", rest)
        for token in old:
            r.do("renew", "m", token, 1.0)
            r.do("release", "m", token)

    names = ["", " ", "m", "M", "m ", "m/m", "mm", "\u00fc", "u\u0308", "m" * 99 + "1", "m" * 99 + "2", "7", "07"]
    names += [f"m{i}" for i in range(230)]
    r = Referee(make_service, seen)
    tokens = {name: r.do("acquire", name, "1", 100.0) for name in names}
    for name, other in zip(names, names[1:] + names[:1]):
        r.do("release", name, tokens[other])
        r.do("renew", name, tokens[other], 200.0)
        r.do("acquire", name, "2", 1.0)
    for name in names[::2]:
        r.do("release", name, tokens[name])
    for name in names:
        r.do("renew", name, tokens[name], 50.0)
    r.do("before")
    for name in names[1::2]:
        r.do("acquire", name, "2", 1.0)
    r.do("end")
    for name in names:
        r.do("release", name, tokens[name])
        r.do("acquire", name, "2", 1.0)
