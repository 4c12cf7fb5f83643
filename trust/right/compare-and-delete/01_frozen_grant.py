# A frozen Grant dataclass beside one dict of [grant, expiry]; the ttl is looked at before anything else.
import math
import secrets
from dataclasses import dataclass


@dataclass(frozen=True)
class Grant:
    ownership_token: str
    fencing_token: int
    expires_at: float


def checked(ttl):
    if not math.isfinite(ttl) or ttl <= 0:
        raise ValueError(f"a ttl is a positive number of seconds, not {ttl!r}")
    return ttl


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def _entry(self, name):
        entry = self._locks.get(name)
        return entry if entry is not None and self._clock() < entry[1] else None

    def acquire(self, name, client_id, ttl):
        checked(ttl)
        if self._entry(name) is not None:
            return None
        self._counter += 1
        grant = Grant(secrets.token_hex(16), self._counter, self._clock() + ttl)
        self._locks[name] = [grant, grant.expires_at]
        return grant

    def renew(self, name, ownership_token, ttl):
        checked(ttl)
        entry = self._entry(name)
        if entry is None or entry[0].ownership_token != ownership_token:
            return False
        entry[1] = self._clock() + ttl
        return True

    def release(self, name, ownership_token):
        entry = self._entry(name)
        if entry is None or entry[0].ownership_token != ownership_token:
            return False
        del self._locks[name]
        return True
