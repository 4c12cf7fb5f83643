# The fake makes use of all that is left open (tokens below zero with gaps, refusals that use one up, grants that follow their lease, a ValueError for a ttl of 0); the check is short, with one function that knows the answers.
from itertools import permutations
from math import isfinite
from random import Random
from secrets import randbelow, token_urlsafe

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


class Token(str):
    __slots__ = ()


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at

    def __len__(self):
        return 0    # `if grant:` is not the way to ask

    def __eq__(self, other):
        return NotImplemented if not isinstance(other, Grant) else self.fencing_token == other.fencing_token

    __hash__ = None


class FakeLockService:
    def __init__(self, clock):
        self._clock, self._grants, self._number, self._lose = clock, {}, -10 ** 20, None

    def __getattr__(self, attribute):
        # acquire, renew and release are _acquire, _renew and _release over a line that may fail
        if attribute not in ("acquire", "renew", "release"):
            raise AttributeError(attribute)
        method = getattr(self, "_" + attribute)

        def call(*args, **kwargs):
            lose, self._lose = self._lose, None
            answer = method(*args, **kwargs) if lose != "request" else None
            if lose:
                raise TransportError(f"the {lose} was lost")
            return answer

        return call

    def lose_next_request(self):
        self._lose = "request"

    def lose_next_reply(self):
        self._lose = "reply"

    def _end(self, ttl):
        if not (isfinite(ttl) and ttl > 0):
            raise ValueError(ttl)
        return self._clock() + ttl

    def _now(self, name, token=None):
        grant = self._grants.get(name)
        live = grant is not None and self._clock() < grant.expires_at
        return grant if live and token in (None, grant.ownership_token) else None

    def _acquire(self, name, client_id, ttl):
        end = self._end(ttl)
        self._number += 1 + randbelow(1000)
        if self._now(name) is not None:
            return None
        self._grants[name] = Grant(Token(token_urlsafe(30)), self._number, end)
        return self._grants[name]

    def _renew(self, name, ownership_token, ttl):
        end = self._end(ttl)
        grant = self._now(name, ownership_token) if ownership_token is not None else None
        if grant is not None:
            grant.expires_at = end
        return grant is not None

    def _release(self, name, ownership_token):
        if ownership_token is None or self._now(name, ownership_token) is None:
            return False
        del self._grants[name]
        return True


class T:
    def __init__(self, make, seen, start=0.0):
        self.c = FakeClock(start)
        self.s, self.seen, self.m, self.f, self.all = make(self.c), seen, {}, None, [("?", "?")]

    def on(self, n):
        return n in self.m and self.c() < self.m[n][1]

    def a(self, n="j", who="a", ttl=1.0):
        g = self.s.acquire(n, who, ttl)
        if self.on(n):
            assert g is None, (n, who)
            return self
        assert g is not None, (n, who)
        t, f, e = g.ownership_token, g.fencing_token, g.expires_at
        assert isinstance(t, str) and t not in self.seen and (self.f is None or f > self.f) and e == self.c() + ttl, (t, f, e)
        self.seen.add(t)
        self.all.append((n, t))
        self.m[n], self.f = (t, self.c() + ttl), f
        return self

    def own(self, n):
        return self.m[n][0] if n in self.m else "?"

    def r(self, n="j", ttl=1.0, t=None):
        t = t or self.own(n)
        ok = self.on(n) and self.own(n) == t
        assert self.s.renew(n, t, ttl) is ok, (n, t, ok)
        if ok:
            self.m[n] = t, self.c() + ttl
        return self

    def x(self, n="j", t=None):
        t = t or self.own(n)
        ok = self.on(n) and self.own(n) == t
        assert self.s.release(n, t) is ok, (n, t, ok)
        if ok:
            self.m[n] = t, self.c()
        return self

    def p(self, seconds):
        self.c.advance(seconds)
        return self

    def to(self, n="j", d=0.0):
        return self.p(max(0.0, self.m.get(n, (0, 0.0))[1] + d - self.c()))


def check(make_service, seed):
    rng, seen = Random(seed), set()
    new = lambda start=0.0: T(make_service, seen, start)
    die = lambda n: int(rng.random() * n)
    e = 0.125

    for ttl in (0.25, 1, 3.5, 10.0, 61.0, 4000.0, 90000.0, 604800.0):
        for do in (T.a, T.r, T.x):
            do(new().a(ttl=ttl).to(d=-e).a(who="b").a()).to(d=-e).a(ttl=ttl).a(who="b").to().a(who="c")
            do(new(9.0).a(ttl=ttl).to()).a(who="b").x(t="?").a()
            do(new().a(ttl=ttl).to(d=e)).a(who="b").to(d=-e).a().to().r().x().a()
            do(new().a(ttl=ttl).p(e).r(ttl=ttl).to(d=-e).a(who="b")).r(ttl=ttl / 2).to(d=-e).a(who="b").to().x().r().a()
    for ttl in (0.1, 0.3, 0.7, 1.9, 60.2):
        new().a(ttl=ttl).p(ttl * 0.75).a(who="b").r(ttl=ttl).p(ttl * 0.9375).a(who="b").p(ttl * 0.125).r().x().a(who="b")

    for m, n in permutations(("j", "J", "j ", "", " ", "jj", "j" * 130 + "1", "j" * 130 + "2", "\u00d8", "j/j", "0"), 2):
        t = new().a(m, ttl=5.0).a(n, ttl=4.0)
        t.r(m, 50.0, t.own(n)).x(m, t.own(n)).r(n, 4.5).x(m).a(n).a(n, "b").a(m, "b", 2.0).to(m).to(n, -e).a(n).a(m).to(n).a(n)

    t = new()
    for _ in range(800):
        t.a().x()
    for _, old in t.all[::16]:
        t.r(t=old).x(t=old)
    t = new().a(ttl=900.0)
    for i in range(300):
        t.a(who="b").a(ttl=9999.0).r(t="?", ttl=9999.0).x(t="?")
    for i in range(300):
        t.p(1.0).r(ttl=900.0)
    t.to(d=-e).a(who="b").to().a(who="b")
    t = new()
    for name in (names := [f"n{i}" for i in range(260)]):
        t.a(name, ttl=90.0)
    for name in names:
        t.a(name, "b").r(name, 80.0)
    t.to("n0", -e)
    for name in names:
        t.a(name, "b")
    t.p(e)
    for name in names:
        t.x(name).a(name, "b")
    t = new().a("k", ttl=1e9)
    for rest in (70.0, 4000.0, 1e5, 1e6, 9e7):
        t.a().p(rest).r().x().a("k")
        for _, old in t.all[1:]:
            t.r(t=old).x(t=old)

    for _ in range(50):
        t = new(512.0 * die(3))
        for _ in range(30):
            n, ttl = "jkJ"[die(3)], (0.5, 1.0, 4.0)[die(3)]
            match die(10):
                case 0 | 1 | 2:
                    t.a(n, "ab"[die(2)], ttl)
                case 3 | 4:
                    t.r(n, ttl)
                case 5:
                    t.x(n)
                case 6:
                    own, old = t.all[-1 - die(min(4, len(t.all)))]
                    n = own if die(4) else n
                    t.r(n, ttl, old) if die(2) else t.x(n, old)
                case 7:
                    t.p(e)
                case _:
                    t.to(n, -e * die(2))
        for n in "jkJ":
            t.to(n, -e).a(n, "z").to(n).a(n, "z")
