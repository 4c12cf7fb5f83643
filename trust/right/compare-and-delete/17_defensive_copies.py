# Leases are looked up by (name, token) in one step; the client gets a copy, and tokens used before are drawn again.
import copy
import math
import random
from dataclasses import dataclass


@dataclass(order=True)
class Grant:
    fencing_token: int
    ownership_token: str
    expires_at: float


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._grants = {}           # (name, token) -> Grant, the running ones
        self._used = set()
        self._fence = 2 ** 64

    def _sweep(self):
        now = self._clock()
        self._grants = {key: grant for key, grant in self._grants.items() if now < grant.expires_at}
        return now

    def _draw(self):
        while (token := "%064x" % random.getrandbits(256)) in self._used:
            pass
        self._used.add(token)
        return token

    @staticmethod
    def _is_ttl(ttl):
        return isinstance(ttl, (int, float)) and math.isfinite(ttl) and ttl > 0

    def acquire(self, name, client_id, ttl):
        now = self._sweep()
        if any(held == name for held, _ in self._grants):
            return None
        if not self._is_ttl(ttl):
            raise ValueError(f"ttl={ttl!r}")
        self._fence += 1
        grant = Grant(self._fence, self._draw(), now + ttl)
        self._grants[name, grant.ownership_token] = copy.copy(grant)
        return grant

    def renew(self, name, ownership_token, ttl):
        now = self._sweep()
        grant = self._grants.get((name, ownership_token))
        if grant is None:
            return False
        if not self._is_ttl(ttl):
            raise ValueError(f"ttl={ttl!r}")
        grant.expires_at = now + ttl
        return True

    def release(self, name, ownership_token):
        self._sweep()
        return self._grants.pop((name, ownership_token), None) is not None
