# Frozen dataclasses for grants and leases: a renewal replaces the record. Tokens are UUIDs as text.
from dataclasses import dataclass, replace
from math import isfinite
from uuid import uuid4


@dataclass(frozen=True)
class Grant:
    ownership_token: str
    fencing_token: int
    expires_at: float


@dataclass(frozen=True)
class Lease:
    owner: str
    ends: float

    def is_over(self, now):
        return self.ends <= now

    def belongs_to(self, token, now):
        return self.owner == token and not self.is_over(now)


class LockService:
    def __init__(self, clock):
        self.clock = clock
        self.leases = {}
        self.last_fencing = 0

    def acquire(self, name, client_id, ttl):
        validate(ttl)
        now = self.clock()
        lease = self.leases.get(name)
        if lease and not lease.is_over(now):
            return None
        self.last_fencing += 1
        grant = Grant(str(uuid4()), self.last_fencing, now + ttl)
        self.leases[name] = Lease(grant.ownership_token, grant.expires_at)
        return grant

    def renew(self, name, ownership_token, ttl):
        validate(ttl)
        now = self.clock()
        lease = self.leases.get(name)
        if lease is None or not lease.belongs_to(ownership_token, now):
            return False
        self.leases[name] = replace(lease, ends=now + ttl)
        return True

    def release(self, name, ownership_token):
        lease = self.leases.get(name)
        if lease is None or not lease.belongs_to(ownership_token, self.clock()):
            return False
        self.leases.pop(name)
        return True


def validate(ttl):
    if not isfinite(ttl) or ttl <= 0:
        raise ValueError(f"bad ttl: {ttl!r}")
