# killed-by: tokens_grow_over_release
# bug: A release that leaves no lock starts the tokens again.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        self._counter += 1
        self._locks[name] = {"client": client_id, "expiry": now + ttl, "token": self._counter}
        return self._counter

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        if not self._locks:
            self._counter = 0
        return True
