# Decorators do the checks (ttl, ownership), so that the bodies do nothing but the work; the error is a ValueError's child.
import math
import uuid
from functools import wraps
from typing import NamedTuple


class TtlError(ValueError):
    """The ttl is none."""


def with_ttl(method):
    @wraps(method)
    def call(self, name, who, ttl):
        if not (math.isfinite(ttl) and ttl > 0):
            raise TtlError(ttl)
        return method(self, name, who, ttl)
    return call


def by_owner(method):
    @wraps(method)
    def call(self, name, ownership_token, *rest):
        lock = self._locks.get(name)
        if lock is None or self._clock() >= lock["expiry"] or lock["token"] != ownership_token:
            return False
        method(self, name, ownership_token, *rest)
        return True
    return call


class Grant(NamedTuple):
    ownership_token: str
    fencing_token: int
    expires_at: float


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    @with_ttl
    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.setdefault(name, {"token": None, "expiry": now})
        if now < lock["expiry"]:
            return None
        lock.update(token=uuid.uuid4().hex, expiry=now + ttl)
        self._counter += 1
        return Grant(lock["token"], self._counter, lock["expiry"])

    @with_ttl
    @by_owner
    def renew(self, name, ownership_token, ttl):
        self._locks[name]["expiry"] = self._clock() + ttl

    @by_owner
    def release(self, name, ownership_token):
        del self._locks[name]
