# A heap of ends with lazy deletion; a renewal pushes a new entry, and the old one is known by its end.
import heapq
import math
import secrets


class Grant:
    def __init__(self, token, fence, end):
        self.ownership_token, self.fencing_token, self.expires_at = token, fence, end

    def __repr__(self):
        return f"Grant(fencing_token={self.fencing_token})"


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._held = {}     # name -> (token, end)
        self._ends = []     # (end, name, token)
        self._fence = 0

    def _tick(self):
        now = self._clock()
        while self._ends and self._ends[0][0] <= now:
            end, name, token = heapq.heappop(self._ends)
            if self._held.get(name) == (token, end):
                del self._held[name]
        return now

    def _hold(self, name, token, end):
        self._held[name] = token, end
        heapq.heappush(self._ends, (end, name, token))

    def acquire(self, name, client_id, ttl):
        _positive_and_finite(ttl)
        now = self._tick()
        if name in self._held:
            return None
        token = secrets.token_hex(16)
        self._fence += 1
        self._hold(name, token, now + ttl)
        return Grant(token, self._fence, now + ttl)

    def renew(self, name, ownership_token, ttl):
        _positive_and_finite(ttl)
        now = self._tick()
        token, _ = self._held.get(name, (None, None))
        if token is None or token != ownership_token:
            return False
        self._hold(name, token, now + ttl)
        return True

    def release(self, name, ownership_token):
        self._tick()
        token, _ = self._held.get(name, (None, None))
        if token is None or token != ownership_token:
            return False
        del self._held[name]
        return True


def _positive_and_finite(ttl):
    if not 0 < ttl <= 1.7976931348623157e308:
        raise ValueError("ttl: %s" % ttl)
