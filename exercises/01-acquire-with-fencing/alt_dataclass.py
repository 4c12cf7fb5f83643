# One dataclass per lease; an entry stays in the map when its lease is over.
from dataclasses import dataclass


@dataclass
class Lease:
    holder: str
    expires_at: float
    fencing_token: int

    def is_over(self, now):
        return self.expires_at <= now


class LockManager:
    def __init__(self, clock):
        self.clock = clock
        self.leases = {}
        self.last_token = 0

    def acquire(self, name, client_id, ttl):
        now = self.clock()
        lease = self.leases.get(name)
        if lease and not lease.is_over(now):
            return None
        self.last_token += 1
        self.leases[name] = Lease(client_id, now + ttl, self.last_token)
        return self.last_token

    def release(self, name, client_id):
        lease = self.leases.get(name)
        if lease is None or lease.holder != client_id:
            return False
        del self.leases[name]
        return True
