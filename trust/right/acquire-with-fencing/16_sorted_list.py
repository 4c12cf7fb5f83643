# One list sorted by name (bisect), and a second one of ended leases.
from bisect import bisect_left
from operator import itemgetter


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._names = []
        self._leases = []
        self._ended = []

    def _find(self, name):
        at = bisect_left(self._names, name)
        return at, at < len(self._names) and self._names[at] == name

    def _take_out(self, at):
        self._names.pop(at)
        self._ended.append(self._leases.pop(at))

    def acquire(self, name, client_id, ttl):
        at, there = self._find(name)
        if there:
            if self._clock() < self._leases[at]["end"]:
                return None
            self._take_out(at)
        token = 1 + max(map(itemgetter("token"), self._leases + self._ended), default=0)
        self._names.insert(at, name)
        self._leases.insert(at, {"client": client_id, "end": self._clock() + ttl, "token": token})
        return token

    def release(self, name, client_id):
        at, there = self._find(name)
        if not there or self._leases[at]["client"] != client_id:
            return False
        lease = self._leases[at]
        lease["end"] = min(lease["end"], self._clock())
        self._take_out(at)
        return True
