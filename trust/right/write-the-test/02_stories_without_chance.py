# No drawing at all: a registry of small named stories like unit tests, written by hand, each on services of its own; the seed is not used.
import secrets
from collections import deque

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
    __slots__ = ("ownership_token", "fencing_token", "expires_at")

    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


def can_get_lost(method):
    """Ask the switches before and after the call."""
    def call(self, *args, **kwargs):
        trouble = self._trouble.popleft() if self._trouble else None
        if trouble == "before":
            raise TransportError("no answer")
        result = method(self, *args, **kwargs)
        if trouble == "after":
            raise TransportError("no answer")
        return result
    return call


class FakeLockService:
    def __init__(self, clock):
        self._clock = clock
        self._owner = {}
        self._end = {}
        self._fencing = 41
        self._trouble = deque(maxlen=1)

    def _holds(self, name, token):
        return name in self._owner and self._clock() < self._end[name] and token in (None, self._owner[name])

    @can_get_lost
    def acquire(self, name, client_id, ttl):
        if self._holds(name, None):
            return None
        self._fencing += 1
        self._owner[name] = secrets.token_hex(16)
        self._end[name] = self._clock() + ttl
        return Grant(self._owner[name], self._fencing, self._end[name])

    @can_get_lost
    def renew(self, name, ownership_token, ttl):
        if not (isinstance(ownership_token, str) and self._holds(name, ownership_token)):
            return False
        self._end[name] = self._clock() + ttl
        return True

    @can_get_lost
    def release(self, name, ownership_token):
        if not (isinstance(ownership_token, str) and self._holds(name, ownership_token)):
            return False
        del self._owner[name], self._end[name]
        return True

    def lose_next_request(self):
        self._trouble.append("before")

    def lose_next_reply(self):
        self._trouble.append("after")


STORIES = []


def story(function):
    STORIES.append(function)
    return function


class Bench:
    def __init__(self, make_service, seen):
        self.make_service = make_service
        self.seen = seen
        self.fresh()

    def fresh(self, start=0.0):
        self.clock = FakeClock(start)
        self.service = self.make_service(self.clock)
        self.fencing = None

    def wait(self, seconds):
        self.clock.advance(seconds)

    def get(self, name="job", client="a", ttl=10.0):
        """A free lock has to be granted. Returns the token."""
        grant = self.service.acquire(name, client, ttl)
        assert grant is not None, f"{name!r} is free and was not granted to {client!r}"
        token, fencing = grant.ownership_token, grant.fencing_token
        assert isinstance(token, str) and token not in self.seen, "this ownership token is not new"
        self.seen.add(token)
        assert isinstance(fencing, int) and (self.fencing is None or fencing > self.fencing), "fencing tokens must grow"
        self.fencing = fencing
        assert abs(grant.expires_at - (self.clock() + ttl)) < 1e-6, "expires_at is not now + ttl"
        return token

    def held(self, name="job", clients=("a", "b"), ttl=10.0):
        for client in clients:
            assert self.service.acquire(name, client, ttl) is None, f"{name!r} is held and was granted to {client!r}"

    def renews(self, token, name="job", ttl=10.0):
        assert self.service.renew(name, copy(token), ttl) is True, "the holder may not renew"

    def no_renewal(self, token, name="job", ttl=1000.0):
        assert self.service.renew(name, token, ttl) is False, "renewed with a token that does not hold the lock"

    def releases(self, token, name="job"):
        assert self.service.release(name, copy(token)) is True, "the holder may not release"

    def no_release(self, token, name="job"):
        assert self.service.release(name, token) is False, "released with a token that does not hold the lock"


def copy(text):
    """An equal str that is another object."""
    return "".join(list(text))


TTLS = (0.1, 0.125, 0.5, 1, 1.5, 10.0, 10.75, 59.875, 60.0, 61.0, 3600.0, 5000.5, 86400.0, 100000.0, 604800.0)


@story
def a_lease_ends_at_its_end(t):
    for ttl in TTLS:
        t.fresh()
        t.get(ttl=ttl)
        t.held()
        t.wait(ttl - 0.0625)
        t.held()
        t.wait(t_to(t, ttl))
        t.get(client="b", ttl=ttl)


def t_to(t, moment):
    return moment - t.clock()


@story
def renew_and_release_at_the_end(t):
    for ttl in TTLS:
        for late in (0.0, 0.125, 1000.0):
            t.fresh()
            token = t.get(ttl=ttl)
            t.wait(ttl + late)
            t.no_renewal(token)
            t.no_release(token)
            t.no_renewal(token)
            new = t.get(client="b")
            t.no_renewal(token)
            t.no_release(token)
            t.held()
            t.wait(9.875)
            t.held()
            t.no_renewal(token, ttl=0.125)
            t.wait(0.125)
            t.no_release(new)
            t.get()


@story
def the_holder_renews(t):
    for first in TTLS:
        for then in (0.5, 4.0, 10.0, 604800.0):
            t.fresh(8.0)
            token = t.get(ttl=first)
            t.wait(first - 0.0625)
            t.renews(token, ttl=then)
            t.held()
            t.wait(then - 0.0625)
            t.held()
            t.renews(token, ttl=then)
            t.renews(token, ttl=then / 2)
            t.wait(then / 2 - 0.0625)
            t.held()
            t.wait(0.125)
            t.no_renewal(token)
            t.no_release(token)
            t.get(client="b")


@story
def a_renewal_may_shorten(t):
    token = t.get(ttl=100.0)
    t.wait(5.0)
    t.renews(token, ttl=1.0)
    t.wait(0.875)
    t.held()
    t.wait(0.125)
    t.no_renewal(token)
    t.get(client="b", ttl=5.0)
    t.wait(4.875)
    t.held()
    t.no_release(token)
    t.held()


@story
def after_renewals_it_can_be_released(t):
    for n in (1, 2, 5):
        token = t.get()
        for _ in range(n):
            t.wait(8.0)
            t.renews(token)
        t.wait(8.0)
        t.releases(token)
        t.no_release(token)
        t.no_renewal(token)
        new = t.get(client="b")
        t.no_release(token)
        t.no_renewal(token)
        t.held()
        t.releases(new)


@story
def foreign_tokens_do_nothing(t):
    one, two = t.get("one"), t.get("two", "b")
    first = t.get("job", "a", 1.0)
    t.wait(1.0)
    mine = t.get("job", "a")
    for wrong in (one, two, first, "", mine[:-1], mine + "x", mine.upper() + "!", "a", "job", str(t.fencing)):
        t.no_renewal(wrong)
        t.no_release(wrong)
        t.held()
    t.no_release(mine, "one")
    t.no_renewal(mine, "one")
    t.no_release(mine, "nothing")
    t.no_renewal(mine, "nothing")
    t.get("nothing")
    t.wait(9.0)
    t.wait(1.0)
    t.get("job", "b")
    t.get("one", "b")
    t.get("two", "a")


@story
def a_release_frees_this_lock_only(t):
    tokens = {name: t.get(name) for name in ("x", "y", "z", "xy")}
    t.releases(tokens["y"], "y")
    for name in ("x", "z", "xy"):
        t.held(name)
        t.renews(tokens[name], name)
    t.get("y", "b")
    t.no_release(tokens["y"], "y")
    t.held("y")


@story
def a_renewal_prolongs_this_lock_only(t):
    tokens = {name: t.get(name, "a", 10.0) for name in ("x", "y", "z")}
    t.wait(5.0)
    t.renews(tokens["x"], "x", 20.0)
    t.wait(5.0)
    t.held("x")
    t.get("y", "a")
    t.get("z", "b")
    t.wait(14.875)
    t.held("x")
    t.wait(0.125)
    t.get("x", "b")


@story
def every_client_is_alike(t):
    for client in ("a", "b", "", "root", "admin", "client-1", "A", "\u00fc", "c" * 300):
        token = t.get(client=client)
        t.held(clients=("a", "b", "", "root", "admin", "client-1", "A", client))
        t.wait(10.0)
        t.no_release(token)
        token = t.get(client=client)
        t.no_renewal("", ttl=5.0)
        t.releases(token)


@story
def names_are_not_mixed_up(t):
    names = ["job", "Job", "JOB", "job ", " job", "job1", "job10", "jo", "", "0", "00", "a/b", "a", "b", "a:b", "a.b",
             "a-b", "a_b", "bob", "jbo", "\u00e9", "e\u0301", "k" * 64 + "1", "k" * 64 + "2", "k" * 300, "k" * 301, "None",
             "*", "lock", "test"]
    tokens = {}
    for name in names:
        tokens[name] = t.get(name, ttl=20.0)
    for name in names:
        t.held(name)
    for i, name in enumerate(names):
        t.no_renewal(tokens[names[i - 1]], name)
        t.no_release(tokens[names[i - 1]], name)
    t.wait(5.0)
    for name in names[::2]:
        t.releases(tokens[name], name)
    for name in names[1::2]:
        t.held(name)
    for name in names[::2]:
        t.get(name, "b")
    t.wait(15.0)
    for name in names:
        t.get(name, "c")


@story
def the_clock_may_start_anywhere(t):
    for start in (0.0, 0.875, 1000.0, 2.0 ** 31, 1.7e9):
        t.fresh(start)
        t.get(ttl=10.0)
        t.wait(9.875)
        t.held()
        t.wait(0.125)
        t.releases(t.get(client="b"))
        t.get()


@story
def many_grants_of_one(t):
    old = t.get()
    t.releases(old)
    for i in range(1200):
        new = t.get(client=str(i % 3))
        if i % 16 == 0:
            t.no_release(old)
            t.no_renewal(old)
            t.held()
        t.releases(new)
        old = new


@story
def many_that_run_out(t):
    for i in range(300):
        t.get(ttl=0.5)
        t.wait(0.375)
        t.held(clients=("b",))
        t.wait(0.125)


@story
def many_names_at_once(t):
    tokens = [t.get(f"n{i}", ttl=50.0) for i in range(400)]
    for i, token in enumerate(tokens):
        t.held(f"n{i}", clients=("b",))
        t.renews(token, f"n{i}", 60.0)
    t.wait(59.875)
    for i, token in enumerate(tokens):
        t.held(f"n{i}", clients=("b",))
        if i % 2:
            t.releases(token, f"n{i}")
    t.wait(0.125)
    for i, token in enumerate(tokens):
        t.no_release(token, f"n{i}")
        t.get(f"n{i}", "b")


@story
def it_stands_being_asked(t):
    token = t.get(ttl=100.0)
    for i in range(400):
        t.held()
        t.wait(0.125)
    for i in range(400):
        t.no_renewal("nonsense")
        t.no_release("nonsense")
    t.held()
    t.renews(token, ttl=8.0)
    for i in range(63):
        t.held()
        t.wait(0.125)
    t.held()
    t.wait(0.125)
    t.get(client="b")


@story
def many_renewals(t):
    token = t.get(ttl=2.0)
    for i in range(500):
        t.wait(1.5)
        t.renews(token, ttl=2.0)
        if i % 20 == 0:
            t.held()
    t.wait(1.875)
    t.held()
    t.wait(0.125)
    t.no_renewal(token)
    t.get()


@story
def a_long_rest(t):
    old = []
    for rest in (60.0, 3600.0, 86400.0, 604800.0, 40 * 86400.0, 400 * 86400.0):
        token = t.get("job", "a", 10.0)
        other = t.get(f"rest {rest}", "a", 5.0)
        old += [token, other]
        t.wait(rest)
        for dead in old:
            t.no_renewal(dead)
            t.no_release(dead)
        token = t.get("job", "b", 10.0)
        t.held()
        t.releases(token)
        t.wait(rest)


@story
def two_services_are_strangers(t):
    for _ in range(2):
        clock = FakeClock()
        one, two = t.make_service(clock), t.make_service(clock)
        first, second = one.acquire("job", "a", 10.0), two.acquire("job", "a", 10.0)
        assert first is not None and second is not None, "two services share a lock"
        assert len({first.ownership_token, second.ownership_token} - t.seen) == 2, "two services, one token"
        t.seen |= {first.ownership_token, second.ownership_token}
        assert two.release("job", first.ownership_token) is False
        assert one.renew("job", second.ownership_token, 10.0) is False


@story
def refused_after_refused(t):
    """What is refused changes nothing, whatever it asked for."""
    token = t.get(ttl=10.0)
    t.wait(5.0)
    for ttl in (0.5, 10.0, 1000.0):
        t.held(ttl=ttl)
    t.renews(token, ttl=5.0)
    t.held(ttl=1000.0)
    t.wait(5.0)
    t.no_renewal(token)
    second = t.get("job", "a", 5.0)
    t.held(ttl=0.5)
    t.wait(0.5)
    t.held()
    t.releases(second)


@story
def an_early_release_takes_nothing_along(t):
    token = t.get(ttl=10.0)
    t.wait(1.0)
    t.releases(token)
    new = t.get(client="b", ttl=20.0)
    t.wait(9.0)       # the end of the first lease
    t.held()
    t.wait(0.125)
    t.held()
    t.no_release(token)
    t.renews(new, ttl=1.0)
    t.wait(0.875)
    t.held()
    t.wait(0.125)
    t.get(client="b")


def check(make_service, seed):
    seen = set()
    for each in STORIES:
        each(Bench(make_service, seen))
