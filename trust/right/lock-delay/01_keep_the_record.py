# The record of a lease stays after its end and only a release deletes it; free-again is computed when somebody asks.
import math
import secrets


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class LockService:
    def __init__(self, clock, lock_delay=15):
        if not (lock_delay >= 0 and math.isfinite(lock_delay)):
            raise ValueError(f"a lock-delay is a finite number of seconds from 0 on, not {lock_delay}")
        self._clock = clock
        self._delay = lock_delay
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        expiry = self._end(ttl)
        lock = self._locks.get(name)
        if lock is not None and self._clock() < lock["expiry"] + self._delay:
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
        if not (ttl > 0 and math.isfinite(ttl)):
            raise ValueError(f"a ttl is a finite number of seconds above 0, not {ttl}")
        return self._clock() + ttl

    def _held_by(self, name, ownership_token):
        lock = self._locks.get(name)
        if lock is None or lock["expiry"] <= self._clock() or lock["grant"].ownership_token != ownership_token:
            return None
        return lock
