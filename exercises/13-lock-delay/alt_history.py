# Keeps every grant that there ever was and asks the last one of a name.
import math
import secrets


class Lease:
    def __init__(self, name, token, number, end):
        self.name, self.ownership_token, self.fencing_token, self.expires_at = name, token, number, end
        self.end = end
        self.released = False

    def runs(self, now):
        return not self.released and now < self.end

    def blocks(self, now, delay):
        return not self.released and now < self.end + delay


class LockService:
    def __init__(self, clock, lock_delay=15):
        if lock_delay != lock_delay or lock_delay in (math.inf, -math.inf) or lock_delay < 0:
            raise ValueError("a lock-delay is 0 or more")
        self.time = clock
        self.lock_delay = lock_delay
        self.history = []

    def last(self, name):
        return next((lease for lease in reversed(self.history) if lease.name == name), None)

    def acquire(self, name, client_id, ttl):
        if not (ttl > 0) or math.isinf(ttl):
            raise ValueError("a ttl is more than 0")
        now, last = self.time(), self.last(name)
        if last and last.blocks(now, self.lock_delay):
            return None
        self.history.append(Lease(name, secrets.token_hex(), len(self.history), now + ttl))
        return self.history[-1]

    def running(self, name, token):
        last = self.last(name)
        return last if last and last.ownership_token == token and last.runs(self.time()) else None

    def renew(self, name, ownership_token, ttl):
        lease = self.running(name, ownership_token)
        if lease is None:
            return False
        if not (ttl > 0) or math.isinf(ttl):
            raise ValueError("a ttl is more than 0")
        lease.end = self.time() + ttl
        return True

    def release(self, name, ownership_token):
        lease = self.running(name, ownership_token)
        if lease is not None:
            lease.released = True
        return lease is not None
