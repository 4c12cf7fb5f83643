# No fields: the state lives in closures, and what is over is swept out before each call.
import random
from collections import namedtuple

Grant = namedtuple("Grant", "ownership_token fencing_token expires_at")


class LockService:
    def __init__(self, clock):
        owners, ends, last = {}, {}, -1

        def sweep():
            now = clock()
            for name in [name for name, end in ends.items() if now >= end]:
                del owners[name], ends[name]
            return now

        def acquire(name, client_id, ttl):
            nonlocal last
            now = sweep()
            if name in owners:
                return None
            end = now + positive(ttl)
            last += 10
            owners[name] = f"{client_id}/{random.getrandbits(128):x}"
            ends[name] = end
            return Grant(owners[name], last, end)

        def renew(name, ownership_token, ttl):
            now = sweep()
            if owners.get(name) != ownership_token:
                return False
            ends[name] = now + positive(ttl)
            return True

        def release(name, ownership_token):
            sweep()
            if owners.get(name) != ownership_token:
                return False
            del owners[name], ends[name]
            return True

        self.acquire, self.renew, self.release = acquire, renew, release


def positive(ttl):
    if 0 < ttl < float("inf"):
        return ttl
    raise ValueError("ttl")
