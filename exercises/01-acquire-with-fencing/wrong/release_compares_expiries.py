# killed-by: no_short_schedule_breaks_it
# bug: Release takes a client's remembered expiry, still in the future, for proof that the lease is its own.
# report: redis/redis-py#415
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0
        self._expiry_of = {}

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        self._counter += 1
        self._locks[name] = {"client": client_id, "expiry": now + ttl, "token": self._counter}
        self._expiry_of[name, client_id] = now + ttl
        return self._counter

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or self._expiry_of.get((name, client_id), 0) <= self._clock():
            return False
        del self._locks[name]
        return True
