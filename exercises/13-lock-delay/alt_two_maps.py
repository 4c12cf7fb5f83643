# Running leases in one map, delays in another. Whoever calls first moves what is due from one to the other.
import math
import uuid
from dataclasses import dataclass


@dataclass
class Grant:
    ownership_token: str
    fencing_token: int
    expires_at: float


class LockService:
    def __init__(self, clock, lock_delay=15):
        if math.isnan(lock_delay) or math.isinf(lock_delay) or lock_delay < 0:
            raise ValueError(lock_delay)
        self.clock, self.delay = clock, lock_delay
        self.running, self.delayed, self.granted = {}, {}, 0

    def settle(self):
        now = self.clock()
        for name, grant in list(self.running.items()):
            if grant.expires_at <= now:
                del self.running[name]
                self.delayed[name] = grant.expires_at + self.delay
        self.delayed = {name: until for name, until in self.delayed.items() if now < until}
        return now

    def acquire(self, name, client_id, ttl):
        now = self.settle()
        if name in self.running or name in self.delayed:
            return None
        self.check(ttl)
        self.granted += 1
        self.running[name] = Grant(str(uuid.uuid4()), self.granted, now + ttl)
        return self.running[name]

    @staticmethod
    def check(ttl):
        if not 0 < ttl < math.inf:
            raise ValueError(ttl)

    def mine(self, name, token):
        grant = self.running.get(name)
        return grant if grant and grant.ownership_token == token else None

    def renew(self, name, ownership_token, ttl):
        now = self.settle()
        grant = self.mine(name, ownership_token)
        if grant:
            self.check(ttl)
            grant.expires_at = now + ttl
        return grant is not None

    def release(self, name, ownership_token):
        self.settle()
        if self.mine(name, ownership_token):
            del self.running[name]
            return True
        return False
