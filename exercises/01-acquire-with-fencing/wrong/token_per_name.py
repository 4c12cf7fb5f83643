# killed-by: tokens_grow_over_names
# bug: Each name has its own counter.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counters = {}

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        token = self._counters[name] = self._counters.get(name, 0) + 1
        self._locks[name] = {"client": client_id, "expiry": now + ttl, "token": token}
        return token

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        return True
