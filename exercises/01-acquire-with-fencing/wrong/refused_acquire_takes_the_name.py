# killed-by: a_refused_acquire_changes_nothing
# bug: The client is written into the record before the record is looked at, so a refused client owns the lease.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = {"expiry": now, "token": None}
        lock["client"] = client_id
        if now < lock["expiry"]:
            return None
        self._counter += 1
        lock["expiry"] = now + ttl
        lock["token"] = self._counter
        return self._counter

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        return True
