# The calls are only recorded while they are made; afterwards a judge reads the history of each service from the start and finds the first answer that is wrong.
import random
import secrets
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True)
class Grant:
    ownership_token: str
    fencing_token: int
    expires_at: float


@dataclass(frozen=True)
class State:
    """Everything that a fake knows; never changed, only replaced."""
    leases: tuple = ()
    fencing: int = 0

    def lease(self, name, now):
        for lease in self.leases:
            if lease[0] == name and now < lease[2]:
                return lease
        return None

    def put(self, name, *rest):
        others = tuple(lease for lease in self.leases if lease[0] != name)
        return State(others + ((name, *rest),) if rest else others, self.fencing)


class FakeLockService:
    def __init__(self, clock):
        self._clock = clock
        self._state = State()
        self._lose_request = False
        self._lose_reply = False

    def _do(self, step):
        lose_request, lose_reply = self._lose_request, self._lose_reply
        self._lose_request = self._lose_reply = False
        if lose_request:
            raise TransportError("lost on the way there")
        self._state, answer = step(self._state, self._clock())
        if lose_reply:
            raise TransportError("lost on the way back")
        return answer

    def acquire(self, name, client_id, ttl):
        def step(state, now):
            if state.lease(name, now):
                return state, None
            grant = Grant(secrets.token_hex(16), state.fencing + 1, now + ttl)
            state = State(state.leases, state.fencing + 1)
            return state.put(name, grant.ownership_token, now + ttl), grant
        return self._do(step)

    def renew(self, name, ownership_token, ttl):
        def step(state, now):
            lease = state.lease(name, now)
            if lease and lease[1] == ownership_token:
                return state.put(name, ownership_token, now + ttl), True
            return state, False
        return self._do(step)

    def release(self, name, ownership_token):
        def step(state, now):
            lease = state.lease(name, now)
            if lease and lease[1] == ownership_token:
                return state.put(name), True
            return state, False
        return self._do(step)

    def lose_next_request(self):
        self._lose_request = True

    def lose_next_reply(self):
        self._lose_reply = True


@dataclass
class Event:
    at: float
    verb: str
    name: str
    argument: Any         # client or token
    ttl: Any
    answer: Any           # for a grant: (ownership token, fencing token, expires_at)


@dataclass
class Recorder:
    clock: Any
    service: Any
    events: list = field(default_factory=list)

    def acquire(self, name, client, ttl):
        grant = self.service.acquire(name, client, ttl)
        if grant is not None:
            grant = (grant.ownership_token, grant.fencing_token, grant.expires_at)
        self.events.append(Event(self.clock(), "acquire", name, client, ttl, grant))
        return grant and grant[0]

    def renew(self, name, token, ttl):
        answer = self.service.renew(name, token, ttl)
        self.events.append(Event(self.clock(), "renew", name, token, ttl, answer))

    def release(self, name, token):
        answer = self.service.release(name, token)
        self.events.append(Event(self.clock(), "release", name, token, None, answer))


class Wrong(AssertionError):
    pass


def judge(events, seen):
    holder = {}     # name -> (token, end)
    greatest = None
    for number, event in enumerate(events):
        token, end = holder.get(event.name, (None, float("-inf")))
        held = event.at < end
        if event.verb == "acquire":
            if held != (event.answer is None):
                raise Wrong(f"{number}: {event}, {'held' if held else 'free'}")
            if event.answer is not None:
                token, fencing, end = event.answer
                if end != event.at + event.ttl or token in seen or not isinstance(token, str):
                    raise Wrong(f"{number}: {event}")
                if greatest is not None and not fencing > greatest:
                    raise Wrong(f"{number}: {event}: {greatest} was there before")
                greatest = fencing
                seen.add(token)
                holder[event.name] = token, end
            continue
        allowed = held and token == event.argument
        if event.answer is not allowed:
            raise Wrong(f"{number}: {event}, should be {allowed}")
        if allowed:
            holder[event.name] = token, event.at + event.ttl if event.verb == "renew" else float("-inf")


def draw(make_service, rng):
    clock = FakeClock(float(rng.randrange(3) * 500))
    recorder = Recorder(clock, make_service(clock))
    names = rng.sample(["p", "q", "P", "pq", "", "p "], 2)
    tokens = [(names[0], "none")]
    ends = [0.0]
    for _ in range(22):
        name = names[rng.random() < 0.3]
        ttl = (0.25, 1.0, 1.5, 6.0)[int(rng.random() * 4)]
        dice = rng.random()
        if dice < 0.35:
            token = recorder.acquire(name, "ab"[rng.random() < 0.5], ttl)
            if token:
                tokens.append((name, token))
                ends.append(clock() + ttl)
        elif dice < 0.7:
            known, token = tokens[-1 - int(rng.random() ** 2 * len(tokens))]
            name = known if rng.random() < 0.85 else name
            if dice < 0.55:
                recorder.renew(name, token, ttl)
                ends.append(clock() + ttl)
            else:
                recorder.release(name, token)
        else:
            ahead = [end for end in ends if end > clock()]
            if ahead:
                to = ahead[int(rng.random() * len(ahead))] + (-0.125, 0.0, 0.125)[int(rng.random() * 3)]
                clock.advance(max(0.0, to - clock()))
    for end in sorted(set(ends)):
        for moment in (end - 0.125, end):
            if moment >= clock():
                clock.advance(moment - clock())
                for name in names:
                    recorder.acquire(name, "z", 0.0625)
    return recorder.events


def far(make_service, what):
    clock = FakeClock(32.0)
    r = Recorder(clock, make_service(clock))
    if what == "grants":
        for i in range(1100):
            r.release("j", r.acquire("j", "c", 1.0) or "")
    elif what == "names":
        tokens = [r.acquire(f"j{i}", "c", 64.0) for i in range(260)]
        for i, token in enumerate(tokens):
            r.acquire(f"j{i}", "d", 64.0)
            r.renew(f"j{i}", token or "", 128.0)
        clock.advance(127.875)
        for i in range(260):
            r.acquire(f"j{i}", "d", 64.0)
        clock.advance(0.125)
        for i, token in enumerate(tokens):
            r.release(f"j{i}", token or "")
            r.acquire(f"j{i}", "d", 64.0)
    elif what == "asking":
        token = r.acquire("j", "c", 256.0) or ""
        for i in range(250):
            r.acquire("j", "cd"[i % 2], 1.0)
            r.renew("j", "x", 1.0)
            r.release("j", "x")
        for i in range(250):
            clock.advance(1.0)
            r.renew("j", token, 256.0)
            r.acquire("j", "d", 1.0)
        clock.advance(256.0)
        r.acquire("j", "d", 1.0)
    elif what == "length":
        for ttl in (0.1, 30.0, 90.5, 1000.0, 4000.0, 50000.0, 90000.0, 700000.0):
            token = r.acquire("j", "c", ttl) or ""
            for part in (0.5, 0.4375):
                clock.advance(ttl * part)
                r.acquire("j", "d", ttl)
            r.renew("j", token, ttl)
            clock.advance(ttl * 0.9375)
            r.acquire("j", "d", ttl)
            clock.advance(ttl)
            r.renew("j", token, ttl)
            r.release("j", token)
    elif what == "rest":
        tokens = [r.acquire("j", "c", 1.0) or "", r.acquire("k", "c", 1e7) or ""]
        for rest in (2.0, 100.0, 4000.0, 90000.0, 1e6):
            clock.advance(rest)
            for token in tokens:
                r.renew("j", token, 1.0)
                r.release("j", token)
            r.acquire("k", "c", 1.0)
            tokens.append(r.acquire("j", "c", 1.0) or "")
        r.release("k", tokens[1])
    return r.events


def check(make_service, seed):
    rng = random.Random(seed)
    seen = set()
    for what in ("grants", "names", "asking", "length", "rest"):
        judge(far(make_service, what), seen)
    for _ in range(70):
        judge(draw(make_service, rng), seen)
