# killed-by: a_refused_acquire_changes_nothing
# bug: A refused acquire sets the lease to its own ttl, so a lock that somebody waits for never runs out.
# report: dv/redis-semaphore#23
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            lock["expiry"] = now + ttl
            return None
        self._counter += 1
        self._locks[name] = {"client": client_id, "expiry": now + ttl, "token": self._counter}
        return self._counter

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        return True
