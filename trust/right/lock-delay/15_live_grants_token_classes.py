# Tokens are a str and an int of classes of their own, fencing tokens follow the clock, and a grant's expires_at is a live view on its lease.
import math
import secrets


class OwnershipToken(str):
    """Does not show itself in logs."""

    __slots__ = ()

    def __repr__(self):
        return f"<token {self[:4]}...>"


class FencingToken(int):
    __slots__ = ()


class Lease:
    def __init__(self, token, end):
        self.token, self.end = token, end


class Grant:
    def __init__(self, lease, fencing_token):
        self._lease = lease
        self.fencing_token = fencing_token

    @property
    def ownership_token(self):
        return self._lease.token

    @property
    def expires_at(self):
        return self._lease.end


def seconds(value, *, zero):
    if math.isfinite(value) and (value > 0 or zero and value == 0):
        return value
    raise ValueError(f"{value} is no length of time here")


class LockService:
    def __init__(self, clock, lock_delay=15):
        self._now = clock
        self._lock_delay = seconds(lock_delay, zero=True)
        self._leases = {}
        self._greatest = -1

    def acquire(self, name, client_id, ttl):
        now = self._now()
        old = self._leases.get(name)
        if old is not None and not old.end + self._lock_delay <= now:
            return None
        lease = Lease(OwnershipToken(secrets.token_hex(16)), now + seconds(ttl, zero=False))
        self._leases[name] = lease
        self._greatest = max(self._greatest + 1, int(now * 1000))
        return Grant(lease, FencingToken(self._greatest))

    def renew(self, name, ownership_token, ttl):
        lease = self._current(name, ownership_token)
        if lease is None:
            return False
        lease.end = self._now() + seconds(ttl, zero=False)
        return True

    def release(self, name, ownership_token):
        lease = self._current(name, ownership_token)
        if lease is None:
            return False
        self._leases.pop(name)
        return True

    def _current(self, name, ownership_token):
        lease = self._leases.get(name)
        if lease is None or not secrets.compare_digest(lease.token, ownership_token):
            return None
        return lease if self._now() < lease.end else None
