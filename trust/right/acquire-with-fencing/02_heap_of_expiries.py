# A heap of (expiry, token, name) is swept at the beginning of each call, so that whatever is in the dict is running.
import heapq
from collections import namedtuple

Held = namedtuple("Held", "client token")


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._held = {}
        self._ends = []
        self._next = 0  # so the first token is zero

    def _sweep(self):
        now = self._clock()
        while self._ends and self._ends[0][0] <= now:
            _, token, name = heapq.heappop(self._ends)
            held = self._held.get(name)
            # A lease that was released leaves its entry in the heap: it must not end a later one.
            if held is not None and held.token == token:
                del self._held[name]
        return now

    def acquire(self, name, client_id, ttl):
        now = self._sweep()
        if name in self._held:
            return None
        token, self._next = self._next, self._next + 1
        self._held[name] = Held(client_id, token)
        heapq.heappush(self._ends, (now + ttl, token, name))
        return token

    def release(self, name, client_id):
        self._sweep()
        held = self._held.get(name)
        if held is None or held.client != client_id:
            return False
        del self._held[name]
        return True
