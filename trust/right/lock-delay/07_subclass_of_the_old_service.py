# The service of before is a base class that knows nothing of delays; a subclass asks a hook of its own before it lets an acquire through.
import math
import secrets


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class PlainLockService:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        expiry = self._end(ttl)
        if self._running(name) is not None:
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
            raise ValueError("a ttl is a finite number of seconds above 0")
        return self._clock() + ttl

    def _running(self, name):
        lock = self._locks.get(name)
        if lock is None or lock["expiry"] <= self._clock():
            return None
        return lock

    def _held_by(self, name, ownership_token):
        lock = self._running(name)
        if lock is None or lock["grant"].ownership_token != ownership_token:
            return None
        return lock


class LockService(PlainLockService):
    def __init__(self, clock, lock_delay=15):
        super().__init__(clock)
        if not (lock_delay >= 0 and math.isfinite(lock_delay)):
            raise ValueError("a lock-delay is a finite number of seconds, 0 or more")
        self._lock_delay = lock_delay
        self._reopens = {}

    def acquire(self, name, client_id, ttl):
        if name in self._reopens:
            if self._clock() < self._reopens[name]:
                self._end(ttl)
                return None
            del self._reopens[name]
        grant = super().acquire(name, client_id, ttl)
        if grant is not None:
            self._reopens[name] = grant.expires_at + self._lock_delay
        return grant

    def renew(self, name, ownership_token, ttl):
        done = super().renew(name, ownership_token, ttl)
        if done:
            self._reopens[name] = self._locks[name]["expiry"] + self._lock_delay
        return done

    def release(self, name, ownership_token):
        done = super().release(name, ownership_token)
        if done:
            del self._reopens[name]
        return done
