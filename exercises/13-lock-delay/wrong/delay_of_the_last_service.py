# killed-by: the_delay_need_not_be_whole_seconds
# bug: The lock-delay is kept on the class: the service that was made last sets it for all.
import math
import secrets


class Grant:
    """What a client gets when it is granted a lock."""

    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class LockService:
    def __init__(self, clock, lock_delay=15):
        if not (lock_delay >= 0 and math.isfinite(lock_delay)):
            raise ValueError(f"a lock-delay is a finite number of seconds from 0 on, not {lock_delay}")
        self._clock = clock
        LockService._lock_delay = lock_delay
        self._locks = {}    # name -> {"grant": Grant, "expiry": ...}; a release takes the record away
        self._counter = 0   # the last fencing token that was handed out

    def acquire(self, name, client_id, ttl):
        expiry = self._end(ttl)
        lock = self._locks.get(name)
        if lock is not None and self._clock() < lock["expiry"] + self._lock_delay:
            return None
        self._counter += 1
        grant = Grant(secrets.token_hex(16), self._counter, expiry)
        self._locks[name] = {"grant": grant, "expiry": expiry}
        return grant

    def renew(self, name, ownership_token, ttl):
        expiry = self._end(ttl)
        lock = self._held_by(name, ownership_token)
        if lock is None:
            return False
        lock["expiry"] = expiry
        return True

    def release(self, name, ownership_token):
        if self._held_by(name, ownership_token) is None:
            return False
        del self._locks[name]
        return True

    def _end(self, ttl):
        """When a lease that begins now is over."""
        if not (ttl > 0 and math.isfinite(ttl)):
            raise ValueError(f"a ttl is a finite number of seconds above 0, not {ttl}")
        return self._clock() + ttl

    def _held_by(self, name, ownership_token):
        """The record of the lease that holds `name` now, if the token is that of its grant."""
        lock = self._locks.get(name)
        if lock is None or lock["expiry"] <= self._clock():
            return None
        return lock if lock["grant"].ownership_token == ownership_token else None
