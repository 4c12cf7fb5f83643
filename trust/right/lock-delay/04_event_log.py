# Nothing is stored but a log of what happened; each answer is found by reading the log of that name backwards.
import math
import secrets
from collections import defaultdict, namedtuple

Grant = namedtuple("Grant", "ownership_token fencing_token expires_at")


class LockService:
    def __init__(self, clock, lock_delay=15):
        if lock_delay != lock_delay or lock_delay in (math.inf, -math.inf) or lock_delay < 0:
            raise ValueError(lock_delay)
        self._clock = clock
        self._lock_delay = lock_delay
        self._log = defaultdict(list)
        self._grants = 0

    def _last(self, name):
        """(kind, token, end) of what happened last, or None."""
        events = self._log.get(name)
        return events[-1] if events else None

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        self._look_at(ttl)
        last = self._last(name)
        if last is not None:
            kind, _, end = last
            if kind != "released" and now < end + self._lock_delay:
                return None
        self._grants += 1
        grant = Grant(secrets.token_urlsafe(12), self._grants, now + ttl)
        self._log[name].append(("granted", grant.ownership_token, grant.expires_at))
        return grant

    def renew(self, name, ownership_token, ttl):
        now = self._clock()
        self._look_at(ttl)
        if not self._runs(name, ownership_token, now):
            return False
        self._log[name].append(("renewed", ownership_token, now + ttl))
        return True

    def release(self, name, ownership_token):
        now = self._clock()
        if not self._runs(name, ownership_token, now):
            return False
        self._log[name].append(("released", ownership_token, now))
        return True

    def _runs(self, name, ownership_token, now):
        last = self._last(name)
        if last is None:
            return False
        kind, token, end = last
        return kind != "released" and token == ownership_token and now < end

    @staticmethod
    def _look_at(ttl):
        if not math.isfinite(ttl) or ttl <= 0:
            raise ValueError(ttl)
