# The clock is read once into a wrapper that never goes back; tokens go up by random steps; a lease knows if it is over.
import random
from weakref import WeakSet


class Lease:
    def __init__(self, client, deadline):
        self.client, self.deadline, self.freed = client, deadline, False

    def holds(self, now):
        return not self.freed and self.deadline - now > 0


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._seen = clock()
        self._current = {}
        self._all = WeakSet()
        self._token = random.randrange(1_000_000)

    def _now(self):
        self._seen = max(self._seen, self._clock())
        return self._seen

    def acquire(self, name, client_id, ttl):
        now = self._now()
        if name in self._current and self._current[name].holds(now):
            return None
        self._current[name] = Lease(client_id, now + ttl)
        self._all.add(self._current[name])
        self._token += random.randint(1, 99)
        return self._token

    def release(self, name, client_id):
        lease = self._current.get(name)
        if lease is None or lease.client != client_id or lease.freed:
            return False
        lease.freed = True
        return True
