# A descriptor refuses a bad ttl where it is assigned; leases are objects that are never removed, only ended.
import math
import secrets


class Ttl:
    def __set_name__(self, owner, name):
        self._name = "_" + name

    def __get__(self, lease, owner=None):
        return self if lease is None else getattr(lease, self._name)

    def __set__(self, lease, seconds):
        if not math.isfinite(seconds) or not seconds > 0:
            raise ValueError(f"a lease of {seconds} s is none")
        setattr(lease, self._name, seconds)
        lease.since = lease.clock()


class Lease:
    ttl = Ttl()

    def __init__(self, clock, ttl):
        self.clock = clock
        self.released = False
        self.ttl = ttl
        self.token = secrets.token_urlsafe()

    @property
    def end(self):
        return self.since + self.ttl

    def __bool__(self):
        return not self.released and self.clock() < self.end

    def __eq__(self, token):
        return bool(self) and self.token == token

    __hash__ = None


class Grant:
    def __init__(self, lease, fence):
        self.ownership_token = lease.token
        self.fencing_token = fence
        self.expires_at = lease.end


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._leases = {}
        self._count = 0

    def acquire(self, name, client_id, ttl):
        if self._leases.get(name):
            return None
        self._leases[name] = lease = Lease(self._clock, ttl)
        self._count += 1
        return Grant(lease, self._count)

    def renew(self, name, ownership_token, ttl):
        lease = self._leases.get(name)
        if lease != ownership_token:
            return False
        lease.ttl = ttl
        return True

    def release(self, name, ownership_token):
        lease = self._leases.get(name)
        if lease != ownership_token:
            return False
        lease.released = True
        return True
