# Ownership tokens are a keyed hash, under a random key that is drawn once per service, of the grant's number.
import hashlib
import math
import secrets
from typing import NamedTuple, Optional


class Grant(NamedTuple):
    ownership_token: str
    fencing_token: int
    expires_at: float


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._locks = {}
        self._number = 0

    def _ownership(self, number: int) -> str:
        return hashlib.sha256(self._key + str(number).encode()).hexdigest()

    def _holder(self, name: str) -> Optional[int]:
        number, end = self._locks.get(name, (None, 0))
        return number if self._clock() < end else None

    def _is_holder(self, name: str, token: str) -> bool:
        number = self._holder(name)
        return number is not None and self._ownership(number) == token

    @staticmethod
    def _good(ttl: float) -> float:
        if ttl > 0 and math.isfinite(ttl):
            return ttl
        raise ValueError(ttl)

    def acquire(self, name: str, client_id: str, ttl: float) -> Optional[Grant]:
        end = self._clock() + self._good(ttl)
        if self._holder(name) is not None:
            return None
        self._number += 1
        self._locks[name] = (self._number, end)
        return Grant(self._ownership(self._number), self._number, end)

    def renew(self, name: str, ownership_token: str, ttl: float) -> bool:
        if not self._is_holder(name, ownership_token):
            return False
        self._locks[name] = (self._locks[name][0], self._clock() + self._good(ttl))
        return True

    def release(self, name: str, ownership_token: str) -> bool:
        return self._is_holder(name, ownership_token) and self._locks.pop(name) is not None
