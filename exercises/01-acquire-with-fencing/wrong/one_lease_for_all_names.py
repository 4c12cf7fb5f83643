# killed-by: names_are_independent
# bug: There is one lease, whatever the name.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._lock = None
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        if self._lock is not None and now < self._lock["expiry"]:
            return None
        self._counter += 1
        self._lock = {"client": client_id, "expiry": now + ttl, "token": self._counter}
        return self._counter

    def release(self, name, client_id):
        if self._lock is None or self._lock["client"] != client_id:
            return False
        self._lock = None
        return True
