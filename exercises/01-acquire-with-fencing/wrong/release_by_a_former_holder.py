# killed-by: release_by_another_changes_nothing
# bug: Release asks whether the client ever held the name, so one whose lease was taken over frees its successor's.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0
        self._holders = {}

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        self._counter += 1
        self._locks[name] = {"client": client_id, "expiry": now + ttl, "token": self._counter}
        self._holders.setdefault(name, set()).add(client_id)
        return self._counter

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or client_id not in self._holders[name]:
            return False
        del self._locks[name]
        return True
