# killed-by: a_guess_is_no_ownership_token
# bug: Only the first eight characters count, as the log shows them: most of the token guards nothing.
import math
import secrets


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        check(ttl)
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        self._counter += 1
        grant = Grant(secrets.token_hex(16), self._counter, now + ttl)
        self._locks[name] = {"grant": grant, "expiry": now + ttl}
        return grant

    def renew(self, name, ownership_token, ttl):
        check(ttl)
        now = self._clock()
        lock = self._locks.get(name)
        if lock is None or lock["expiry"] <= now:
            return False
        if lock["grant"].ownership_token[:8] != ownership_token[:8]:
            return False
        lock["expiry"] = now + ttl
        return True

    def release(self, name, ownership_token):
        lock = self._locks.get(name)
        if lock is None or lock["expiry"] <= self._clock():
            return False
        if lock["grant"].ownership_token[:8] != ownership_token[:8]:
            return False
        del self._locks[name]
        return True


def check(ttl):
    if not (ttl > 0 and math.isfinite(ttl)):
        raise ValueError("a ttl is a finite number above 0")
