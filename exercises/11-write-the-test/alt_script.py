# One long script in a little language: g(ranted), - (refused), r(enew) and f(ree) with the answer, t(ime). The seed is not used.
import secrets

from leasehold import TransportError


class FakeClock:
    def __init__(self, start=0.0):
        self.seconds = start

    def __call__(self):
        return self.seconds

    def advance(self, seconds):
        if seconds < 0:
            raise ValueError(seconds)
        self.seconds += seconds


class Grant:
    def __init__(self, number, end):
        self.ownership_token, self.fencing_token, self.expires_at = secrets.token_hex(8), number, end


class FakeLockService:
    """Each call is a command that is run between two places where it can get lost."""

    def __init__(self, clock):
        self.clock = clock
        self.grants = {}    # name -> Grant
        self.ends = {}      # ownership token -> end of its lease
        self.count = 0
        self.lost = set()

    def lose_next_request(self):
        self.lost.add("request")

    def lose_next_reply(self):
        self.lost.add("reply")

    def run(self, command):
        lost, self.lost = self.lost, set()
        if "request" in lost:
            raise TransportError
        answer = command()
        if "reply" in lost:
            raise TransportError
        return answer

    def holder(self, name):
        grant = self.grants.get(name)
        return grant.ownership_token if grant and self.clock() < self.ends[grant.ownership_token] else None

    def acquire(self, name, client_id, ttl):
        def command():
            if self.holder(name):
                return None
            self.count += 1
            grant = self.grants[name] = Grant(self.count, self.clock() + ttl)
            self.ends[grant.ownership_token] = grant.expires_at
            return grant

        return self.run(command)

    def renew(self, name, ownership_token, ttl):
        def command():
            fits = self.holder(name) == ownership_token
            if fits:
                self.ends[ownership_token] = self.clock() + ttl
            return fits

        return self.run(command)

    def release(self, name, ownership_token):
        def command():
            fits = self.holder(name) == ownership_token
            if fits:
                del self.grants[name]
            return fits

        return self.run(command)


BOOK = """
t 0
g A x a 10
- x b 10
- x a 10
g B y b 4
t 3.5
+r A x 10
-r B x 10
-f B x
t 3.75
- y a 9
t 4
-f B y
-r B y 9
g C y b 5
-f B y
-r B y 50
- y a 5
+f C y
-f C y
g D y a 1
t 5
g E y b 100
t 13
- x b 1
+r A x 2
t 14.75
- x b 1
t 15
-r A x 5
g F x a 1
-f A x
- x c 1
+f F x
- y q 1
g G x c 5
+f G x
g H x c 50000
t 16
+r E y 0.75
t 16.5
- y a 1
t 16.75
g I y e 0.5
t 17
- y a 1
+r I y 0.5
t 17.25
- y a 1
t 17.5
g J y a 1
t 49999
- x a 1
t 50014
- x a 50000
t 50015
g K x a 2
g L z a 2
+f K x
- z b 2
"""

def check(make_service, seed):
    now = [0.0]
    service = make_service(lambda: now[0])
    by, last, texts = {}, None, set()
    for line in BOOK.split("\n")[1:-1]:
        word, *rest = line.split()
        if word == "t":
            now[0] = float(rest[0])
        elif word == "g":
            g = service.acquire(rest[1], rest[2], float(rest[3]))
            assert g and g.expires_at == now[0] + float(rest[3])
            assert last is None or g.fencing_token > last
            assert g.ownership_token not in texts
            texts.add(g.ownership_token)
            last, by[rest[0]] = g.fencing_token, g.ownership_token
        elif word == "-":
            assert service.acquire(rest[0], rest[1], float(rest[2])) is None, rest
        elif word[1] == "r":
            assert service.renew(rest[1], by[rest[0]], float(rest[2])) is (word[0] == "+"), rest
        else:
            assert service.release(rest[1], by[rest[0]]) is (word[0] == "+"), rest
    for n in range(500):
        g = service.acquire("w", "a", 1)
        assert g.fencing_token > last
        last = g.fencing_token
        service.release("w", g.ownership_token)
    now[0] += 500
    last = service.acquire("x", "a", 1).fencing_token
    now[0] += 500
    assert service.acquire("x", "a", 1).fencing_token > last
    assert all(service.acquire(f"n{n}", "a", 1) for n in range(20))
    assert not any(service.acquire(f"n{n}", "b", 1) for n in range(20))
    other = make_service(lambda: now[0])
    now[0] = 1e6
    tokens = {other.acquire(name, c, 1).ownership_token for name, c in (("x", "a"), ("y", "b"), ("y2", "b"))}
    other = make_service(lambda: now[0])
    tokens |= {other.acquire(name, c, 1).ownership_token for name, c in (("x", "a"), ("y", "b"), ("y2", "b"))}
    assert len(tokens) == 6
    service = make_service(lambda: now[0])
    a = service.acquire("m", "a", 10)
    now[0] += 10
    assert not service.renew("m", a.ownership_token, 10)
    assert service.acquire("m", "b", 10)
    service = make_service(lambda: now[0])
    a, b = service.acquire("m", "a", 10), service.acquire("n", "a", 10)
    service.release("m", a.ownership_token)
    assert not service.acquire("n", "c", 10)
