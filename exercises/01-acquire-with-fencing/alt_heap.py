# A heap of expiries. Leases that ended are purged at the next call; a heap entry whose token is no longer the
# live one is left over from a release and is skipped.
import heapq


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._live = {}     # name -> (client_id, token)
        self._expiries = []  # (expiry, token, name)
        self._counter = 0

    def _purge(self, now):
        while self._expiries and self._expiries[0][0] <= now:
            _, token, name = heapq.heappop(self._expiries)
            if name in self._live and self._live[name][1] == token:
                del self._live[name]

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        self._purge(now)
        if name in self._live:
            return None
        self._counter += 1
        self._live[name] = (client_id, self._counter)
        heapq.heappush(self._expiries, (now + ttl, self._counter, name))
        return self._counter

    def release(self, name, client_id):
        self._purge(self._clock())
        if name not in self._live or self._live[name][0] != client_id:
            return False
        del self._live[name]
        return True
