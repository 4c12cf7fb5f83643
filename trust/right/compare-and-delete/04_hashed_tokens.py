# The service keeps only a digest of the token and compares in constant time.
import hashlib
import math
import secrets
from dataclasses import dataclass, field


def digest(token):
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


@dataclass
class Grant:
    ownership_token: str = field(repr=False)
    fencing_token: int
    expires_at: float


@dataclass
class Lease:
    digest: bytes = field(repr=False)
    end: float

    def belongs_to(self, token):
        return isinstance(token, str) and secrets.compare_digest(self.digest, digest(token))


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._leases = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        self._refuse_a_ttl_that_is_none(ttl)
        now = self._clock()
        if name in self._leases and now < self._leases[name].end:
            return None
        token = secrets.token_urlsafe(24)
        self._leases[name] = Lease(digest(token), now + ttl)
        self._counter += 1
        return Grant(token, self._counter, now + ttl)

    def _mine(self, name, token):
        lease = self._leases.get(name)
        if lease is not None and self._clock() < lease.end and lease.belongs_to(token):
            return lease
        return None

    def renew(self, name, ownership_token, ttl):
        lease = self._mine(name, ownership_token)
        if lease is None:
            return False
        self._refuse_a_ttl_that_is_none(ttl)
        lease.end = self._clock() + ttl
        return True

    def release(self, name, ownership_token):
        lease = self._mine(name, ownership_token)
        if lease is None:
            return False
        lease.end = -math.inf
        return True

    def _refuse_a_ttl_that_is_none(self, ttl):
        if math.isnan(ttl) or math.isinf(ttl) or ttl <= 0:
            raise ValueError("ttl")
