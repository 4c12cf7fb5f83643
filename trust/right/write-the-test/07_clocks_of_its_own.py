# Uses no FakeClock in the check: a clock of whole numbers, one that starts below zero and one made of a closure, and the rules are table rows (verb, when, answer).
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
        self._records = []         # [name, token, end], the newest last
        self._count = 0
        self._before = self._after = lambda: None

    def _lost(self):
        raise TransportError("lost")

    def _hook(self, which):
        hook = getattr(self, which)
        setattr(self, which, lambda: None)
        hook()

    def lose_next_request(self):
        self._before = self._lost

    def lose_next_reply(self):
        self._after = self._lost

    def _find(self, name):
        for record in self._records:
            if record[0] == name and record[2] > self._clock():
                return record

    def acquire(self, name, client_id, ttl):
        self._hook("_before")
        grant = None
        if self._find(name) is None:
            self._records = [r for r in self._records if r[2] > self._clock()]
            self._count += 1
            grant = Grant(secrets.token_hex(16), self._count, self._clock() + ttl)
            self._records.append([name, grant.ownership_token, grant.expires_at])
        self._hook("_after")
        return grant

    def renew(self, name, ownership_token, ttl):
        self._hook("_before")
        record = self._find(name)
        done = record is not None and record[1] == ownership_token
        if done:
            record[2] = self._clock() + ttl
        self._hook("_after")
        return done

    def release(self, name, ownership_token):
        self._hook("_before")
        record = self._find(name)
        done = record is not None and record[1] == ownership_token
        if done:
            self._records.remove(record)
        self._hook("_after")
        return done


def closure_clock(start):
    now = [start]

    def clock():
        return now[0]

    def to(moment):
        assert moment >= now[0], "the test turns the clock back"
        now[0] = moment

    clock.to = to
    return clock


class World:
    def __init__(self, make_service, seen, start):
        self.clock = closure_clock(start)
        self.service = make_service(self.clock)
        self.seen = seen
        self.leases = {}           # name -> [token, end]
        self.past = []             # (name, token)
        self.last = None

    def running(self, name):
        lease = self.leases.get(name)
        return lease if lease and self.clock() < lease[1] else None

    def acquire(self, name, client, ttl):
        grant = self.service.acquire(name, client, ttl)
        if self.running(name):
            if grant is not None:
                raise AssertionError(f"granted while it is held: {name!r}")
            return None
        if grant is None:
            raise AssertionError(f"refused while it is free: {name!r}")
        token, number = grant.ownership_token, grant.fencing_token
        if token in self.seen:
            raise AssertionError("an ownership token that was there before")
        if self.last is not None and number <= self.last:
            raise AssertionError("a fencing token that does not grow")
        if abs(grant.expires_at - self.clock() - ttl) > 1e-6:
            raise AssertionError("expires_at")
        self.seen.add(token)
        self.last = number
        self.leases[name] = [token, self.clock() + ttl]
        self.past.append((name, token))
        return token

    def renew(self, name, token, ttl):
        lease = self.running(name)
        mine = bool(lease) and lease[0] == token
        if self.service.renew(name, token, ttl) is not mine:
            raise AssertionError(f"renewal should be {mine}: {name!r}")
        if mine:
            lease[1] = self.clock() + ttl

    def release(self, name, token):
        lease = self.running(name)
        mine = bool(lease) and lease[0] == token
        if self.service.release(name, token) is not mine:
            raise AssertionError(f"release should be {mine}: {name!r}")
        if mine:
            del self.leases[name]

    def next_end(self):
        ends = [lease[1] for lease in self.leases.values() if lease[1] > self.clock()]
        return min(ends) if ends else None


def whole_numbers(make_service, rng, seen, start):
    """Everything in whole seconds, int from end to end."""
    world = World(make_service, seen, start)
    for _ in range(40):
        dice = rng.randrange(10)
        name = "uvw"[rng.randrange(3)]
        if dice < 4:
            world.acquire(name, "cd"[rng.randrange(2)], rng.randrange(1, 6))
        elif dice < 8 and world.past:
            known, token = world.past[-1 - rng.randrange(min(4, len(world.past)))]
            name = name if rng.randrange(5) == 0 else known
            if dice < 6:
                world.renew(name, token, rng.randrange(1, 6))
            else:
                world.release(name, token)
        else:
            end = world.next_end()
            world.clock.to(world.clock() + 1 if end is None or dice == 8 else end)


#        first ttl, then (moment, verb, who's token)...   All moments count from the grant.
TABLE = [
    (0.125, (0.0625, "acquire"), (0.125, "renew own"), (0.125, "release own"), (0.125, "acquire"), (0.1875, "renew old")),
    (0.1, (0.05, "acquire"), (0.09, "acquire"), (0.11, "release own"), (0.11, "acquire"), (0.2, "acquire")),
    (0.7, (0.6, "acquire"), (0.69, "renew own"), (1.3, "acquire"), (1.38, "acquire"), (1.4, "release own"), (1.4, "acquire")),
    (5.5, (5.25, "acquire"), (5.375, "acquire"), (5.5, "renew own"), (5.5, "acquire"), (5.5, "release old")),
    (8.0, (4.0, "renew own"), (8.0, "acquire"), (11.875, "acquire"), (12.0, "release own"), (12.0, "acquire")),
    (8.0, (1.0, "release own"), (1.0, "release own"), (1.0, "renew own"), (1.0, "acquire"), (8.0, "acquire"),
     (8.875, "acquire"), (8.875, "renew old"), (8.875, "release old"), (8.875, "acquire"), (9.0, "acquire")),
    (8.0, (2.0, "renew short"), (2.875, "acquire"), (3.0, "acquire"), (8.0, "acquire"), (10.875, "acquire"), (11.0, "acquire")),
    (8.0, (7.0, "renew own"), (14.0, "renew own"), (21.0, "renew own"), (22.0, "acquire"), (28.875, "acquire"),
     (28.875, "release own"), (28.875, "renew own"), (28.875, "acquire")),
    (40000.0, (39999.875, "acquire"), (39999.875, "renew own"), (79999.75, "acquire"), (79999.875, "acquire")),
    (604800.0, (1.0, "acquire"), (90000.0, "acquire"), (604799.875, "acquire"), (604799.875, "renew own"),
     (1209599.75, "acquire"), (1209599.875, "release own"), (1209599.875, "acquire")),
    (2.0, (1.0, "acquire"), (3.0, "acquire"), (3e4, "acquire"), (3e5, "acquire"), (3e6, "renew old"), (3e6, "release own"),
     (3e6, "acquire"), (3e7, "renew own"), (3e7, "acquire")),
]


def from_table(make_service, seen, start):
    for ttl, *rows in TABLE:
        world = World(make_service, seen, start)
        world.acquire("t", "c", ttl)
        for moment, what in rows:
            world.clock.to(start + moment)
            if what == "acquire":
                world.acquire("t", "d", ttl)
                continue
            verb, whose = what.split()
            token = world.past[0 if whose == "old" else -1][1]
            if verb == "release":
                world.release("t", token)
            else:
                world.renew("t", token, 1.0 if whose == "short" else ttl)


def check(make_service, seed):
    rng = random.Random(seed)
    seen = set()
    for start in (0.0, -4096.0, 65536.0):
        from_table(make_service, seen, start)
    for i in range(36):
        whole_numbers(make_service, rng, seen, (0, -7, 10 ** 6)[i % 3])

    world = World(make_service, seen, 0)
    for i in range(900):
        world.release("n", world.acquire("n", f"{i % 7}", 1))
    for i in range(200):
        world.acquire("n", "c", 1)
        world.clock.to(world.clock() + 1)
    token = world.acquire("n", "c", 1000)
    for i in range(300):
        world.acquire("n", "c", 1)
        world.acquire("n", "d", 1)
        world.release("n", "")
        world.renew("n", "n", 5000)
    for i in range(300):
        world.clock.to(world.clock() + 1)
        world.renew("n", token, 1000)
    world.clock.to(world.clock() + 999)
    world.acquire("n", "d", 1)
    world.clock.to(world.clock() + 1)
    world.acquire("n", "d", 1)

    world = World(make_service, seen, 0.0)
    names = ["", " ", "a", "A", "a ", "a\t", "aa", "\u00c5", "A\u030a", "0", "-0", "~" * 150 + "<", "~" * 150 + ">"]
    names += [f"a{i}" for i in range(240)]
    for name in names:
        world.acquire(name, name, 64.0)
    for name in names:
        world.acquire(name, "d", 64.0)
        world.renew(name, world.leases[name][0], 65.0)
    for left, right in zip(names, names[1:]):
        world.release(left, world.leases[right][0])
        world.renew(left, world.leases[right][0], 500.0)
    world.clock.to(64.875)
    for name in names:
        world.acquire(name, "d", 64.0)
    for name in names[::2]:
        world.release(name, world.leases[name][0])
    world.clock.to(65.0)
    for name in names:
        world.acquire(name, "d", 64.0)
