# Pure functions from one immutable world to the next; the service only keeps the newest world.
import math
import secrets
from types import MappingProxyType
from typing import NamedTuple


class Grant(NamedTuple):
    ownership_token: str
    fencing_token: int
    expires_at: float


class Lease(NamedTuple):
    token: str
    expiry: float


class World(NamedTuple):
    leases: MappingProxyType = MappingProxyType({})
    counter: int = 0


def with_lease(world, name, lease):
    return world._replace(leases=MappingProxyType({**world.leases, name: lease}))


def without(world, name):
    return world._replace(leases=MappingProxyType({k: v for k, v in world.leases.items() if k != name}))


def available(world, name, now, delay):
    lease = world.leases.get(name)
    return lease is None or lease.expiry + delay <= now


def held(world, name, token, now):
    lease = world.leases.get(name)
    return lease is not None and lease.token == token and now < lease.expiry


def acquired(world, name, ttl, now, delay):
    if not available(world, name, now, delay):
        return world, None
    grant = Grant(secrets.token_hex(16), world.counter + 1, now + ttl)
    world = world._replace(counter=world.counter + 1)
    return with_lease(world, name, Lease(grant.ownership_token, grant.expires_at)), grant


def renewed(world, name, token, ttl, now):
    if not held(world, name, token, now):
        return world, False
    return with_lease(world, name, Lease(token, now + ttl)), True


def released(world, name, token, now):
    if not held(world, name, token, now):
        return world, False
    return without(world, name), True


def positive(ttl):
    if not (ttl > 0 and math.isfinite(ttl)):
        raise ValueError("ttl")
    return ttl


class LockService:
    def __init__(self, clock, lock_delay=15):
        if not (lock_delay >= 0 and math.isfinite(lock_delay)):
            raise ValueError("lock_delay")
        self._clock, self._delay, self._world = clock, lock_delay, World()

    def acquire(self, name, client_id, ttl):
        self._world, answer = acquired(self._world, name, positive(ttl), self._clock(), self._delay)
        return answer

    def renew(self, name, ownership_token, ttl):
        self._world, answer = renewed(self._world, name, ownership_token, positive(ttl), self._clock())
        return answer

    def release(self, name, ownership_token):
        self._world, answer = released(self._world, name, ownership_token, self._clock())
        return answer
