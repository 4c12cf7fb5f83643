# Leases are found by ownership token, and a second dict says which token holds a name.
from collections import namedtuple
from math import isfinite
from random import choices
from string import ascii_letters, digits

Grant = namedtuple("Grant", "ownership_token fencing_token expires_at")
Lease = namedtuple("Lease", "name expiry")


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._leases = {}
        self._holding = {}
        self._fence = 1000

    def _forget_what_is_over(self):
        now = self._clock()
        for token, lease in list(self._leases.items()):
            if lease.expiry <= now:
                del self._leases[token], self._holding[lease.name]
        return now

    def _holds(self, name, token):
        return name in self._holding and self._holding[name] == token

    def acquire(self, name, client_id, ttl):
        self._check(ttl)
        now = self._forget_what_is_over()
        if name in self._holding:
            return None
        token = "".join(choices(ascii_letters + digits, k=32))
        self._leases[token] = Lease(name, now + ttl)
        self._holding[name] = token
        self._fence += 10
        return Grant(token, self._fence, now + ttl)

    def renew(self, name, ownership_token, ttl):
        self._check(ttl)
        now = self._forget_what_is_over()
        if not self._holds(name, ownership_token):
            return False
        self._leases[ownership_token] = Lease(name, now + ttl)
        return True

    def release(self, name, ownership_token):
        self._forget_what_is_over()
        if not self._holds(name, ownership_token):
            return False
        del self._holding[name], self._leases[ownership_token]
        return True

    @staticmethod
    def _check(ttl):
        if not isfinite(ttl):
            raise ValueError("a lease needs an end")
        if ttl <= 0:
            raise ValueError("a lease needs a length")
