# Lengths are checked by a descriptor; leases are found by their ownership token, and a second index says which token was last on a name.
import math
import secrets


class Seconds:
    def __init__(self, least, inclusive):
        self.least, self.inclusive = least, inclusive

    def __set_name__(self, owner, name):
        self.name = "_seconds_" + name

    def __get__(self, instance, owner):
        return getattr(instance, self.name)

    def __set__(self, instance, value):
        if not math.isfinite(value) or value < self.least or (value == self.least and not self.inclusive):
            raise ValueError(f"{self.name[9:]} can't be {value}")
        setattr(instance, self.name, value)


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class Lease:
    ttl = Seconds(0, inclusive=False)

    def __init__(self, name, since, ttl):
        self.name = name
        self.since = since
        self.ttl = ttl

    @property
    def end(self):
        return self.since + self.ttl

    def prolong(self, now, ttl):
        self.ttl = ttl          # raises before anything has changed
        self.since = now


class LockService:
    lock_delay = Seconds(0, inclusive=True)

    def __init__(self, clock, lock_delay=15):
        self.lock_delay = lock_delay
        self._clock = clock
        self._leases = {}
        self._last_on = {}
        self._fencing = 0

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lease = Lease(name, now, ttl)
        before = self._leases.get(self._last_on.get(name))
        if before is not None:
            if before.end + self.lock_delay > now:
                return None
            del self._leases[self._last_on[name]]
        token = secrets.token_urlsafe(24)
        self._leases[token] = lease
        self._last_on[name] = token
        self._fencing += 1
        return Grant(token, self._fencing, lease.end)

    def _find(self, name, token, now):
        lease = self._leases.get(token)
        return lease if lease is not None and lease.name == name and now < lease.end else None

    def renew(self, name, ownership_token, ttl):
        now = self._clock()
        lease = self._find(name, ownership_token, now)
        if lease is None:
            return False
        lease.prolong(now, ttl)
        return True

    def release(self, name, ownership_token):
        if self._find(name, ownership_token, self._clock()) is None:
            return False
        del self._leases[ownership_token]
        del self._last_on[name]
        return True
