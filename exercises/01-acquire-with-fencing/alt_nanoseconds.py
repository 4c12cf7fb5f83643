# Integer nanoseconds inside, so that no later sum can round; only the edges speak float seconds.
NS = 1_000_000_000


class LockManager:
    def __init__(self, clock):
        self._now_ns = lambda: round(clock() * NS)
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        now = self._now_ns()
        lock = self._locks.get(name)
        if lock and lock["start"] + lock["length"] - now > 0:
            return None
        self._counter += 1
        self._locks[name] = {"client": client_id, "start": now, "length": round(ttl * NS)}
        return self._counter

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        return True
