# Tokens come from one counter that all managers share: none of them sees its own tokens without gaps.
import itertools


class LockManager:
    _tokens = itertools.count(1)

    def __init__(self, clock):
        self._clock = clock
        self._locks = {}

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        client, expiry = self._locks.get(name, (None, float("-inf")))
        if expiry > now:
            return None
        self._locks[name] = (client_id, now + ttl)
        return next(LockManager._tokens)

    def release(self, name, client_id):
        client, expiry = self._locks.get(name, (None, float("-inf")))
        if client != client_id or expiry <= self._clock():
            return False
        self._locks.pop(name)
        return True
