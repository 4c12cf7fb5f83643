# killed-by: a_lost_reply_is_done_all_the_same
# bug: A lost reply sets the counter of fencing tokens back to 0.
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
    def __init__(self, o, f, e):
        self.ownership_token = o
        self.fencing_token = f
        self.expires_at = e


class FakeLockService:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0
        self._fail = None

    def _arrive(self):
        f, self._fail = self._fail, None
        if f == "request":
            raise TransportError
        return f == "reply"

    def _answer(self, lost, v):
        if lost:
            self._counter = 0
            raise TransportError
        return v

    def acquire(self, name, client_id, ttl):
        lost = self._arrive()
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock[1]:
            return self._answer(lost, None)
        self._counter += 1
        g = Grant(secrets.token_hex(16), self._counter, now + ttl)
        self._locks[name] = [g, now + ttl]
        return self._answer(lost, g)

    def renew(self, name, tok, ttl):
        lost = self._arrive()
        now = self._clock()
        lock = self._locks.get(name)
        ok = lock is not None and now < lock[1] and lock[0].ownership_token == tok
        if ok:
            lock[1] = now + ttl
        return self._answer(lost, ok)

    def release(self, name, tok):
        lost = self._arrive()
        now = self._clock()
        lock = self._locks.get(name)
        ok = lock is not None and now < lock[1] and lock[0].ownership_token == tok
        if ok:
            del self._locks[name]
        return self._answer(lost, ok)

    def lose_next_request(self):
        self._fail = "request"

    def lose_next_reply(self):
        self._fail = "reply"


def check(make_service, seed):
    rng = random.Random(seed)
    seen = set()

    class Pair:
        def __init__(self):
            self.clock = FakeClock()
            self.s = make_service(self.clock)
            self.m = FakeLockService(self.clock)
            self.last = None

        def acquire(self, n, c, ttl):
            a = self.s.acquire(n, c, ttl)
            b = self.m.acquire(n, c, ttl)
            assert (a is None) == (b is None), "acquire"
            if a is None:
                return None
            assert isinstance(a.ownership_token, str)
            assert a.ownership_token not in seen
            seen.add(a.ownership_token)
            assert type(a.fencing_token) is int
            assert self.last is None or a.fencing_token > self.last
            self.last = a.fencing_token
            assert a.expires_at == b.expires_at
            return (a.ownership_token, b.ownership_token)

        def renew(self, n, t, ttl):
            a = self.s.renew(n, t[0], ttl)
            assert a is self.m.renew(n, t[1], ttl), "renew"
            return a

        def release(self, n, t):
            a = self.s.release(n, t[0])
            assert a is self.m.release(n, t[1]), "release"
            return a

    for _ in range(70):
        p = Pair()
        grants = [("x", ("no", "no"))]
        ends = []
        for _ in range(25):
            r = rng.randrange(10)
            n = rng.choice("ab")
            ttl = rng.choice([1, 2, 4, 0.125, 8])
            if r < 4:
                g = p.acquire(n, rng.choice("AB"), ttl)
                if g:
                    grants.append((n, g))
                    ends.append(p.clock() + ttl)
            elif r < 6:
                gn, g = rng.choice(grants[-4:])
                if rng.randrange(4) == 0:
                    gn = n
                if p.renew(gn, g, ttl):
                    ends.append(p.clock() + ttl)
            elif r < 7:
                gn, g = rng.choice(grants[-4:])
                if rng.randrange(4) == 0:
                    gn = n
                p.release(gn, g)
            else:
                now = p.clock()
                fut = [e for e in ends if e > now]
                if fut and rng.randrange(2):
                    p.clock.advance(max(0, rng.choice(fut) - now + rng.choice([-0.125, 0, 0, 0.125])))
                else:
                    p.clock.advance(rng.choice([0.125, 1, 2]))
    # many grants
    p = Pair()
    for i in range(600):
        g = p.acquire("n", "c", 1)
        p.release("n", g)
    # many names held
    p = Pair()
    gs = [(f"n{i}", p.acquire(f"n{i}", f"c{i}", 100)) for i in range(300)]
    for n, g in gs:
        p.acquire(n, "z", 1)
    for n, g in gs:
        p.renew(n, g, 200)
    p.clock.advance(150)
    for n, g in gs:
        p.acquire(n, "z", 1)
        p.release(n, g)
    # long leases
    for ttl in [0.125, 60, 3600, 86400, 7 * 86400]:
        p = Pair()
        g = p.acquire("a", "c", ttl)
        p.clock.advance(ttl - 0.0625)
        p.acquire("a", "d", 1)
        p.renew("a", g, ttl)
        p.clock.advance(ttl - 0.0625)
        p.acquire("a", "d", 1)
        p.clock.advance(0.0625)
        p.renew("a", g, ttl)
        p.release("a", g)
        p.acquire("a", "d", 1)
    # many renewals
    p = Pair()
    g = p.acquire("a", "c", 1)
    for i in range(300):
        p.clock.advance(0.5)
        p.renew("a", g, 1)
        p.acquire("a", "c", 1)
