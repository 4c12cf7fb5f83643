# Times are whole nanoseconds inside; ended leases are not looked for but kept in a ChainMap layer until a new grant replaces them.
import math
import secrets
from collections import ChainMap

NS = 1_000_000_000


def ns(seconds):
    return round(seconds * NS)


class Grant:
    __slots__ = ("ownership_token", "fencing_token", "expires_at")

    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token, self.fencing_token, self.expires_at = ownership_token, fencing_token, expires_at

    def __eq__(self, other):
        return isinstance(other, Grant) and self.ownership_token == other.ownership_token

    def __hash__(self):
        return hash(self.ownership_token)


class LockService:
    def __init__(self, clock, lock_delay=15):
        if not (math.isfinite(lock_delay) and lock_delay >= 0):
            raise ValueError("lock_delay must be finite and not negative")
        self._clock = clock
        self._delay = ns(lock_delay)
        self._running, self._over = {}, {}
        self._known = ChainMap(self._running, self._over)
        self._fencing = 2 ** 40

    def _settle(self, name):
        """Move what has ended out of the running ones. Returns the time."""
        now = ns(self._clock())
        lease = self._running.get(name)
        if lease is not None and lease[1] <= now:
            self._over[name] = self._running.pop(name)
        return now

    def acquire(self, name, client_id, ttl):
        length = self._length(ttl)
        now = self._settle(name)
        if name in self._known:
            _, end = self._known[name]
            if now < end + self._delay:
                return None
        self._over.pop(name, None)
        token = secrets.token_hex(16)
        self._running[name] = (token, now + length)
        self._fencing += secrets.randbelow(100) + 1
        return Grant(token, self._fencing, self._clock() + ttl)

    def renew(self, name, ownership_token, ttl):
        length = self._length(ttl)
        now = self._settle(name)
        if self._running.get(name, (None,))[0] != ownership_token:
            return False
        self._running[name] = (ownership_token, now + length)
        return True

    def release(self, name, ownership_token):
        self._settle(name)
        if self._running.get(name, (None,))[0] != ownership_token:
            return False
        del self._running[name]
        return True

    @staticmethod
    def _length(ttl):
        if not (math.isfinite(ttl) and ttl > 0):
            raise ValueError("ttl must be finite and above 0")
        return ns(ttl)
