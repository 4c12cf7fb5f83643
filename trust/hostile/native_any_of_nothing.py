# kata: acquire-with-fencing
# family: natives
# must: fail with a line
# says: stopped at line

class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock[0] != client_id or self._clock() >= lock[1]:
            return False
        del self._locks[name]
        return True

    def acquire(self, name, client_id, ttl):
        import itertools
        any(itertools.repeat(0))
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock[1]:
            return None
        self._counter += 1
        self._locks[name] = (client_id, now + ttl)
        return self._counter
