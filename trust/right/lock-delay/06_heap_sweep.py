# Before each call a sweep pops from a heap what has come due: leases that end put their names on the closed list, delays that end take them off.
import heapq
import itertools
import math
import secrets


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class LockService:
    def __init__(self, clock, lock_delay=15):
        if not math.isfinite(lock_delay) or lock_delay < 0:
            raise ValueError("lock_delay: a finite number, 0 or more")
        self._clock = clock
        self._lock_delay = lock_delay
        self._held = {}        # name -> [token, end]
        self._closed = {}      # name -> end of the delay
        self._due = []         # (when, number, what, name, token)
        self._numbers = itertools.count()
        self._fencing = itertools.count(1)

    def _plan(self, when, what, name, token):
        heapq.heappush(self._due, (when, next(self._numbers), what, name, token))

    def _sweep(self):
        now = self._clock()
        while self._due and self._due[0][0] <= now:
            when, _, what, name, token = heapq.heappop(self._due)
            if what == "lease":
                held = self._held.get(name)
                # The plan of a lease that was renewed or released since counts for nothing.
                if held is None or held[0] != token or held[1] != when:
                    continue
                del self._held[name]
                if self._lock_delay > 0:
                    self._closed[name] = when + self._lock_delay
                    self._plan(self._closed[name], "delay", name, token)
            else:
                self._closed.pop(name, None)
        return now

    def acquire(self, name, client_id, ttl):
        check(ttl)
        now = self._sweep()
        if name in self._held or name in self._closed:
            return None
        token = secrets.token_hex(20)
        self._held[name] = [token, now + ttl]
        self._plan(now + ttl, "lease", name, token)
        return Grant(token, next(self._fencing), now + ttl)

    def renew(self, name, ownership_token, ttl):
        check(ttl)
        now = self._sweep()
        held = self._held.get(name)
        if held is None or held[0] != ownership_token:
            return False
        held[1] = now + ttl
        self._plan(now + ttl, "lease", name, ownership_token)
        return True

    def release(self, name, ownership_token):
        self._sweep()
        held = self._held.get(name)
        if held is None or held[0] != ownership_token:
            return False
        del self._held[name]
        return True


def check(ttl):
    if not math.isfinite(ttl) or ttl <= 0:
        raise ValueError("ttl: a finite number above 0")
