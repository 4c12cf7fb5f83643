# A context manager gives each call the live leases of one instant; refusals are exceptions inside only.
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count


class Refused(Exception):
    pass


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._mint = partial(next, count(1))

    @contextmanager
    def _instant(self):
        now = self._clock()
        for name in [n for n, lock in self._locks.items() if lock["until"] <= now]:
            del self._locks[name]
        yield now

    def _grant(self, name, client_id, ttl):
        with self._instant() as now:
            if name in self._locks:
                raise Refused(name)
            self._locks[name] = {"who": client_id, "until": now + ttl, "token": self._mint()}
            return self._locks[name]["token"]

    def acquire(self, name, client_id, ttl):
        with suppress(Refused):
            return self._grant(name, client_id, ttl)
        return None

    def release(self, name, client_id):
        with self._instant():
            if self._locks.get(name, {}).get("who") == client_id:
                return self._locks.pop(name) is not None
        return False
