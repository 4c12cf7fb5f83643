# Closures over one dict of lists; the methods are made in the constructor, and a refused acquire uses a fencing token up.
import math
import secrets
from types import SimpleNamespace


class LockService:
    def __init__(self, clock, lock_delay=15):
        if not (math.isfinite(lock_delay) and lock_delay >= 0):
            raise ValueError("lock_delay")
        leases = {}
        fencing = 0

        def end_of(ttl):
            if not (math.isfinite(ttl) and ttl > 0):
                raise ValueError("ttl")
            return clock() + ttl

        def mine(name, token):
            lease = leases.get(name)
            return lease is not None and lease[0] == token and clock() < lease[1]

        def acquire(name, client_id, ttl):
            nonlocal fencing
            fencing += 1
            end = end_of(ttl)
            if name in leases and clock() < leases[name][1] + lock_delay:
                return None
            leases[name] = [secrets.token_hex(8), end]
            return SimpleNamespace(ownership_token=leases[name][0], fencing_token=fencing, expires_at=end)

        def renew(name, ownership_token, ttl):
            end = end_of(ttl)
            if mine(name, ownership_token):
                leases[name][1] = end
                return True
            return False

        def release(name, ownership_token):
            if mine(name, ownership_token):
                leases.pop(name)
                return True
            return False

        self.acquire, self.renew, self.release = acquire, renew, release
