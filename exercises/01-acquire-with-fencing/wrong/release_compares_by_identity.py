# killed-by: release_frees_the_lock
# bug: The owner is compared by `is`, and two equal strings need not be one object.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def _owner(self, name, client_id):
        return f"{name}:{client_id}"

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        self._counter += 1
        self._locks[name] = {"client": self._owner(name, client_id), "expiry": now + ttl, "token": self._counter}
        return self._counter

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] is not self._owner(name, client_id):
            return False
        del self._locks[name]
        return True
