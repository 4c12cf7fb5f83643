# A context manager finds the record or raises; the methods turn what it raises into answers.
import math
import secrets
from contextlib import contextmanager


class NotTheHolder(Exception):
    pass


class Grant:
    __slots__ = ("ownership_token", "fencing_token", "expires_at")

    def __init__(self, **values):
        for key, value in values.items():
            setattr(self, key, value)


class LockService:
    def __init__(self, clock):
        self._clock, self._records, self._fence = clock, [], 0

    def acquire(self, name, client_id, ttl):
        end = self._end_of(ttl)
        self._records = [r for r in self._records if r["end"] > self._clock()]
        if any(r["name"] == name for r in self._records):
            return None
        self._fence += 1
        token = f"{name}#{self._fence}#{secrets.token_hex(8)}"
        self._records.append({"name": name, "token": token, "end": end})
        return Grant(ownership_token=token, fencing_token=self._fence, expires_at=end)

    def renew(self, name, ownership_token, ttl):
        end = self._end_of(ttl)
        try:
            with self._mine(name, ownership_token) as record:
                record["end"] = end
        except NotTheHolder:
            return False
        return True

    def release(self, name, ownership_token):
        try:
            with self._mine(name, ownership_token) as record:
                self._records.remove(record)
        except NotTheHolder:
            return False
        return True

    @contextmanager
    def _mine(self, name, token):
        for record in self._records:
            if (record["name"], record["token"]) == (name, token) and record["end"] > self._clock():
                yield record
                return
        raise NotTheHolder(name)

    def _end_of(self, ttl):
        if math.isfinite(ttl) and ttl > 0:
            return self._clock() + ttl
        raise ValueError("no such ttl")
