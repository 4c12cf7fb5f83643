# As short as it goes: one dict of (expiry, client), walrus and conditional expressions.
class LockManager:
    def __init__(self, clock):
        self._clock, self._l, self._n = clock, {}, 0

    def acquire(self, name, client_id, ttl):
        if self._l.get(name, (now := self._clock(),))[0] <= now:
            self._l[name], self._n = (now + ttl, client_id), self._n + 1
            return self._n

    def release(self, name, client_id):
        return self._l.get(name, ())[1:] == (client_id,) and bool(self._l.pop(name))
