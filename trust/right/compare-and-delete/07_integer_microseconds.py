# Times are integer microseconds; the token is random bits with the name before them; parallel dicts.
import random


class Grant:
    def __init__(self, ownership_token, fencing_token, micros):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self._micros = micros

    @property
    def expires_at(self):
        return self._micros / 1_000_000


class LockService:
    def __init__(self, clock):
        self._micros = lambda: round(clock() * 1_000_000)
        self._random = random.SystemRandom()
        self._token = {}
        self._start = {}
        self._length = {}
        self._fence = -(2 ** 40)

    def _ttl(self, seconds):
        if seconds != seconds or seconds in (float("inf"), float("-inf")) or seconds <= 0:
            raise ValueError("not a ttl: %r" % (seconds,))
        return max(1, round(seconds * 1_000_000))

    def _runs(self, name):
        return name in self._token and self._micros() - self._start[name] < self._length[name]

    def acquire(self, name, client_id, ttl):
        if self._runs(name):
            return None
        self._length[name] = self._ttl(ttl)
        self._start[name] = self._micros()
        self._token[name] = f"{name}-{self._random.getrandbits(128):032x}"
        self._fence += 1
        return Grant(self._token[name], self._fence, self._start[name] + self._length[name])

    def renew(self, name, ownership_token, ttl):
        length = self._ttl(ttl)
        if not self._runs(name) or self._token[name] != ownership_token:
            return False
        self._start[name], self._length[name] = self._micros(), length
        return True

    def release(self, name, ownership_token):
        if self._runs(name) and self._token[name] == ownership_token:
            self._token.pop(name)
            return True
        return False
