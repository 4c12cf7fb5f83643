# Parallel dicts for token, end of lease and end of delay; grants are frozen dataclasses, fencing tokens start below zero.
import math
import uuid
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grant:
    ownership_token: str
    fencing_token: int
    expires_at: float


class LockService:
    def __init__(self, clock, lock_delay=15):
        if math.isnan(lock_delay) or math.isinf(lock_delay) or lock_delay < 0:
            raise ValueError("lock_delay")
        self.clock = clock
        self.lock_delay = lock_delay
        self.token_of = {}
        self.lease_until = {}
        self.closed_until = {}
        self.last_number = -1000

    def _set_end(self, name, end):
        self.lease_until[name] = end
        self.closed_until[name] = end + self.lock_delay

    def _is_holder(self, name, token):
        return (
            name in self.token_of
            and self.token_of[name] == token
            and self.clock() < self.lease_until[name]
        )

    def acquire(self, name, client_id, ttl):
        # A refusal comes before the look at the ttl.
        now = self.clock()
        if name in self.closed_until and now < self.closed_until[name]:
            return None
        check_ttl(ttl)
        self.last_number += 7
        self.token_of[name] = str(uuid.uuid4())
        self._set_end(name, now + ttl)
        return Grant(self.token_of[name], self.last_number, now + ttl)

    def renew(self, name, ownership_token, ttl):
        if not self._is_holder(name, ownership_token):
            return False
        check_ttl(ttl)
        self._set_end(name, self.clock() + ttl)
        return True

    def release(self, name, ownership_token):
        if not self._is_holder(name, ownership_token):
            return False
        for table in (self.token_of, self.lease_until, self.closed_until):
            del table[name]
        return True


def check_ttl(ttl):
    if math.isnan(ttl) or math.isinf(ttl) or ttl <= 0:
        raise ValueError("ttl")
