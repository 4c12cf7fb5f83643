# The state is an immutable value, and each method computes the next one; ended leases fall out on the way.
import math
import uuid
from dataclasses import dataclass, replace
from typing import Tuple


@dataclass(frozen=True)
class Grant:
    ownership_token: str
    fencing_token: int
    expires_at: float


@dataclass(frozen=True)
class Lease:
    name: str
    token: str
    end: float


@dataclass(frozen=True)
class State:
    leases: Tuple[Lease, ...] = ()
    fence: int = 0

    def at(self, now):
        return replace(self, leases=tuple(lease for lease in self.leases if now < lease.end))

    def lease(self, name):
        return next((lease for lease in self.leases if lease.name == name), None)

    def without(self, lease):
        return replace(self, leases=tuple(other for other in self.leases if other is not lease))

    def plus(self, lease):
        return replace(self, leases=self.leases + (lease,))


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._state = State()

    def _look(self, ttl=1):
        if not (math.isfinite(ttl) and ttl > 0):
            raise ValueError("ttl must be positive and finite")
        now = self._clock()
        return self._state.at(now), now + ttl

    def acquire(self, name, client_id, ttl):
        state, end = self._look(ttl)
        if state.lease(name):
            return None
        grant = Grant(f"urn:uuid:{uuid.uuid4()}", state.fence + 1, end)
        self._state = replace(state.plus(Lease(name, grant.ownership_token, end)), fence=grant.fencing_token)
        return grant

    def renew(self, name, ownership_token, ttl):
        state, end = self._look(ttl)
        lease = state.lease(name)
        if lease is None or lease.token != ownership_token:
            return False
        self._state = state.without(lease).plus(replace(lease, end=end))
        return True

    def release(self, name, ownership_token):
        state, _ = self._look()
        lease = state.lease(name)
        if lease is None or lease.token != ownership_token:
            return False
        self._state = state.without(lease)
        return True
