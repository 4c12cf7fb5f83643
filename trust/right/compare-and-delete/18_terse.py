# As short as it goes: one dict from name to [token, end], and one guard for the three methods.
from secrets import token_hex
from types import SimpleNamespace


class LockService:
    def __init__(self, clock):
        self._now, self._locks, self._n = clock, {}, 0

    def _end(self, ttl):
        if not 0 < ttl < float("inf"):
            raise ValueError(ttl)
        return self._now() + ttl

    def _lock(self, name):
        return lock if (lock := self._locks.get(name)) and self._now() < lock[1] else ["", 0]

    def acquire(self, name, client_id, ttl):
        end = self._end(ttl)
        if self._lock(name)[0]:
            return None
        self._locks[name], self._n = [token_hex(9), end], self._n + 1
        return SimpleNamespace(ownership_token=self._locks[name][0], fencing_token=self._n, expires_at=end)

    def renew(self, name, ownership_token, ttl):
        end = self._end(ttl)
        if done := "" != ownership_token == self._lock(name)[0]:
            self._locks[name][1] = end
        return done

    def release(self, name, ownership_token):
        return "" != ownership_token == self._lock(name)[0] and bool(self._locks.pop(name))
