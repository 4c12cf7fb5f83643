# killed-by: tokens_grow_over_release
# bug: A grant is True, and no True is greater than another.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        self._locks[name] = {"client": client_id, "expiry": now + ttl}
        return True

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        return True
