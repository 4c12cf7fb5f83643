# The Grant that the client gets is the record itself, and a renewal moves its expires_at; the ttl is looked at last.
import uuid


class Grant:
    __slots__ = ("ownership_token", "fencing_token", "expires_at")

    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._grants = {}
        self._counter = -1

    def _end(self, ttl):
        if 0 < ttl < float("inf"):      # false for NaN, too
            return self._clock() + ttl
        raise ValueError(ttl)

    def _running(self, name):
        grant = self._grants.get(name)
        if grant and grant.expires_at <= self._clock():
            del self._grants[name]
            grant = None
        return grant

    def acquire(self, name, client_id, ttl):
        if self._running(name):
            return None
        end = self._end(ttl)
        self._counter += 1
        self._grants[name] = Grant(str(uuid.uuid4()), self._counter, end)
        return self._grants[name]

    def renew(self, name, ownership_token, ttl):
        grant = self._running(name)
        if not grant or grant.ownership_token != ownership_token:
            return False
        grant.expires_at = self._end(ttl)
        return True

    def release(self, name, ownership_token):
        grant = self._running(name)
        if not grant or grant.ownership_token != ownership_token:
            return False
        self._grants.pop(name)
        return True
