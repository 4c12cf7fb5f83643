# Times are integer nanoseconds, and tokens are taken from the clock, one more than the last where it stood still.
NANOS = 1_000_000_000


def to_nanos(seconds):
    return round(seconds * NANOS)


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._owner = {}
        self._granted_at = {}
        self._length = {}
        self._newest = -1

    def _age(self, name):
        return to_nanos(self._clock()) - self._granted_at[name]

    def _is_held(self, name):
        return name in self._owner and self._age(name) < self._length[name]

    def acquire(self, name, client_id, ttl):
        if self._is_held(name):
            return None
        now = to_nanos(self._clock())
        self._owner[name] = client_id
        self._granted_at[name] = now
        self._length[name] = to_nanos(ttl)
        self._newest = max(self._newest + 1, now)
        return self._newest

    def release(self, name, client_id):
        if not self._is_held(name) or self._owner[name] != client_id:
            return False
        for table in (self._owner, self._granted_at, self._length):
            table.pop(name)
        return True
