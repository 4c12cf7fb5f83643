# killed-by: check_catches_locks_that_renew_badly
# bug: A renewal is checked by its answer alone: nobody looks when the lease ends after it.
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
        self._locks = {}    # name -> {"grant": Grant, "end": ...}
        self._counter = 0
        self._lost = None   # what the next call loses

    def acquire(self, name, client_id, ttl):
        return self._call(self._acquire, name, ttl)

    def renew(self, name, ownership_token, ttl):
        return self._call(self._renew, name, ownership_token, ttl)

    def release(self, name, ownership_token):
        return self._call(self._release, name, ownership_token)

    def lose_next_request(self):
        self._lost = "request"

    def lose_next_reply(self):
        self._lost = "reply"

    def end_of(self, name):
        """For tests: when the running lease on `name` ends, or None."""
        lock = self._locks.get(name)
        return lock["end"] if lock and self._clock() < lock["end"] else None

    def _call(self, method, *args):
        lost, self._lost = self._lost, None
        if lost == "request":
            raise TransportError("the request was lost")
        answer = method(*args)
        if lost == "reply":
            raise TransportError("the reply was lost")
        return answer

    def _acquire(self, name, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["end"]:
            return None
        self._counter += 1
        grant = Grant(secrets.token_hex(16), self._counter, now + ttl)
        self._locks[name] = {"grant": grant, "end": now + ttl}
        return grant

    def _held(self, name, token):
        lock = self._locks.get(name)
        if lock is None or self._clock() >= lock["end"] or lock["grant"].ownership_token != token:
            return None
        return lock

    def _renew(self, name, token, ttl):
        lock = self._held(name, token)
        if lock is None:
            return False
        lock["end"] = self._clock() + ttl
        return True

    def _release(self, name, token):
        if self._held(name, token) is None:
            return False
        del self._locks[name]
        return True


NAMES = ("job", "report")


def check(make_service, seed):
    draw = random.Random(seed)
    for _ in range(100):
        clock = FakeClock()
        service, fake = make_service(clock), FakeLockService(clock)
        pairs = []
        for _ in range(12):
            name = draw.choice(NAMES)
            got, want = service.acquire(name, "a", 5.0), fake.acquire(name, "a", 5.0)
            assert (got is None) == (want is None)
            if got is not None:
                pairs.append((name, got, want))
            name, got, want = pairs[-1]
            clock.advance(draw.choice((1.0, 2.0)))
            assert service.renew(name, got.ownership_token, 5.0) == fake.renew(name, want.ownership_token, 5.0)
            if draw.random() < 0.3:
                assert service.release(name, got.ownership_token) == fake.release(name, want.ownership_token)
