# Schedules are plain lists of tuples that are replayed on new services; what a call did is probed at the end, and a schedule that fails is shrunk before it is reported.
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


class Lock:
    """One name."""

    __slots__ = ("clock", "token", "end")

    def __init__(self, clock):
        self.clock, self.token, self.end = clock, None, None

    @property
    def held(self):
        return self.token is not None and self.clock() < self.end

    def take(self, ttl):
        if self.held:
            return False
        self.token, self.end = secrets.token_hex(16), self.clock() + ttl
        return True

    def extend(self, token, ttl):
        if not self.held or token != self.token:
            return False
        self.end = self.clock() + ttl
        return True

    def free(self, token):
        if not self.held or token != self.token:
            return False
        self.token = None
        return True


class FakeLockService:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._fencing = 0
        self._faults = {"request": 0, "reply": 0}

    def _lock(self, name):
        return self._locks.setdefault(name, Lock(self._clock))

    def _fault(self, which):
        if self._faults[which]:
            self._faults[which] = 0
            raise TransportError(f"the {which} was lost")

    def acquire(self, name, client_id, ttl):
        self._fault("request")
        lock, grant = self._lock(name), None
        if lock.take(ttl):
            self._fencing += 1
            grant = Grant(lock.token, self._fencing, lock.end)
        self._fault("reply")
        return grant

    def renew(self, name, ownership_token, ttl):
        self._fault("request")
        done = self._lock(name).extend(ownership_token, ttl)
        self._fault("reply")
        return done

    def release(self, name, ownership_token):
        self._fault("request")
        done = self._lock(name).free(ownership_token)
        self._fault("reply")
        return done

    def lose_next_request(self):
        self._faults["request"] = 1

    def lose_next_reply(self):
        self._faults["reply"] = 1


# ("acquire", name, client, ttl)   ("renew" or "release", name, how many grants ago, ttl)   ("step", seconds)
# ("end", offset): to the end of the lease that ends next

def replay(make_service, schedule, seen, probes):
    """Raises at the first wrong answer. Returns nothing."""
    clock = FakeClock()
    service, fake = make_service(clock), FakeLockService(clock)
    grants = []
    last = None

    def acquire(name, client, ttl):
        nonlocal last
        want, got = fake.acquire(name, client, ttl), service.acquire(name, client, ttl)
        if (want is None) is not (got is None):
            raise AssertionError(f"acquire({name!r}, {client!r}, {ttl}) at {clock()} s returned {got!r}")
        if got is None:
            return
        token, fencing, end = got.ownership_token, got.fencing_token, got.expires_at
        if not isinstance(token, str) or token in seen:
            raise AssertionError(f"ownership token {token!r} is not a new text")
        if last is not None and fencing <= last:
            raise AssertionError(f"fencing token {fencing} after {last}")
        if end != want.expires_at:
            raise AssertionError(f"expires_at {end}, should be {want.expires_at}")
        seen.add(token)
        last = fencing
        grants.append((token, want.ownership_token))

    def compare(verb, name, ago, *ttl):
        if ago < len(grants):
            got_token, want_token = grants[-1 - ago]
            want, got = getattr(fake, verb)(name, want_token, *ttl), getattr(service, verb)(name, got_token, *ttl)
            if got is not want:
                raise AssertionError(f"{verb}({name!r}, ...) at {clock()} s returned {got!r}, should be {want}")

    for move in schedule:
        if move[0] == "acquire":
            acquire(*move[1:])
        elif move[0] == "renew":
            compare(*move)
        elif move[0] == "release":
            compare(*move[:3])
        elif move[0] == "step":
            clock.advance(move[1])
        else:
            ends = [lock.end for lock in fake._locks.values() if lock.held]
            if ends:
                clock.advance(max(0.0, min(ends) + move[1] - clock()))
    # The probe: walk over all ends, and see who may have what.
    for end in sorted({lock.end for lock in fake._locks.values() if lock.held}):
        if not probes:
            break
        for moment in (end - 0.125, end):
            clock.advance(max(0.0, moment - clock()))
            for name in sorted(fake._locks)[:probes]:
                acquire(name, "probe", 0.0625)
    for ago in range(min(3, len(grants))):
        for name in sorted(fake._locks)[:probes]:
            compare("renew", name, ago, 1.0)


def shrink(fails, schedule):
    """Leave out what may be left out, in ever smaller pieces, for a while."""
    size, tries = len(schedule) // 2, 0
    while size and tries < 40:
        at = 0
        while at < len(schedule) and tries < 40:
            shorter = schedule[:at] + schedule[at + size:]
            tries += 1
            if fails(shorter):
                schedule = shorter
            else:
                at += size
        size //= 2
    return schedule


def draw(rng, names, length):
    schedule = []
    for _ in range(length):
        name, ttl = names[int(rng.random() * len(names))], (0.5, 1.0, 2.0, 8.5)[int(rng.random() * 4)]
        ago = int(rng.random() ** 3 * 5)
        match int(rng.random() * 10):
            case 0 | 1 | 2 | 3:
                schedule.append(("acquire", name, "mn"[int(rng.random() * 2)], ttl))
            case 4 | 5:
                schedule.append(("renew", name, ago, ttl))
            case 6 | 7:
                schedule.append(("release", name, ago))
            case 8:
                schedule.append(("end", (-0.125, 0.0, 0.125)[int(rng.random() * 3)]))
            case _:
                schedule.append(("step", 0.125))
    return schedule


def long_ones():
    n = [f"k{i}" for i in range(256)]
    yield 0, [("acquire", "j", "m", 1.0), ("release", "j", 0)] * 800
    yield 1, [("acquire", "j", "m", 300.0)] + [("acquire", "j", "n", 999.0), ("release", "k", 0), ("renew", "k", 0, 999.0)] * 250
    yield 1, [("acquire", "j", "m", 2.0)] + [("end", -0.125), ("renew", "j", 0, 2.0)] * 250
    yield 1, [("acquire", "j", "m", 0.25), ("end", 0.0), ("renew", "j", 0, 1.0)] * 250
    yield 0, [("acquire", name, "m", 90.0) for name in n] + [("acquire", name, "n", 90.0) for name in n] + \
        [("renew", name, 255 - i, 10.0) for i, name in enumerate(n)] + [("end", -0.125)] + \
        [("acquire", name, "n", 90.0) for name in n] + [("end", 0.0)] + [("release", name, 255 - i) for i, name in enumerate(n)] + \
        [("acquire", name, "n", 90.0) for name in n]
    for ttl in (0.1, 0.6, 3, 75.0, 5000.0, 100000.0, 604800.0):
        yield 1, [("acquire", "j", "m", ttl), ("step", ttl * 0.5), ("acquire", "j", "n", ttl), ("step", ttl * 0.4375),
                  ("acquire", "j", "n", ttl), ("renew", "j", 0, ttl), ("step", ttl * 0.9375), ("acquire", "j", "n", ttl),
                  ("end", 0.0), ("renew", "j", 0, ttl), ("acquire", "j", "n", ttl)]
    for rest in (90.0, 5000.0, 100000.0, 1e6, 5e7):
        yield 2, [("acquire", "j", "m", 1.0), ("acquire", "l", "m", 1e8), ("step", rest), ("renew", "j", 1, 1.0), ("release", "j", 1),
                  ("acquire", "l", "n", 1.0), ("acquire", "j", "n", 1.0), ("step", rest), ("acquire", "j", "n", 1.0)]
    odd = ["", " ", "j", "J", "j ", "jj", "j/", "\u00fe", "j" * 128 + "!", "j" * 128 + "?", "0", "00"]
    yield 12, [("acquire", name, name, 20.0 + i) for i, name in enumerate(odd)] + [("release", name, i) for i, name in enumerate(odd)] \
        + [("acquire", name, "n", 4.0) for name in odd]
    yield 12, [("acquire", name, "m", 20.0) for name in odd] + [("step", 1.0), ("release", "j", 9), ("renew", "J", 8, 30.0)]


def check(make_service, seed):
    rng = random.Random(seed)
    seen = set()

    def fails(schedule, probes=3):
        try:
            replay(make_service, schedule, seen, probes)
        except Exception as wrong:
            return wrong
        return None

    for probes, schedule in long_ones():
        replay(make_service, schedule, seen, probes)
    for round in range(55):
        schedule = draw(rng, (["j"], ["j", "J"], ["", "j", "jj"])[round % 3], 24)
        if fails(schedule):
            shortest = shrink(fails, schedule)
            raise AssertionError(f"{fails(shortest) or fails(schedule)}; the schedule: {shortest}")
