# Nothing but a log of what happened; who holds a lock until when is folded from it each time.
import math
import secrets
from functools import reduce

GRANTED, RENEWED, RELEASED = "granted", "renewed", "released"


class Grant:
    def __init__(self, log, event):
        self._log, self._event = log, event

    ownership_token = property(lambda self: self._event["token"])
    fencing_token = property(lambda self: self._event["number"])

    @property
    def expires_at(self):
        """That of the last renewal, if there was one."""
        mine = [e["end"] for e in self._log if e["token"] == self.ownership_token and e["kind"] != RELEASED]
        return mine[-1]


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._log = []

    def _holder(self, name):
        def step(holder, event):
            if event["name"] != name:
                return holder
            if event["kind"] == RELEASED:
                return None
            return event["token"], event["end"]

        holder = reduce(step, self._log, None)
        return holder[0] if holder and self._clock() < holder[1] else None

    def _note(self, kind, name, token, ttl=None):
        event = {"kind": kind, "name": name, "token": token, "number": len(self._log)}
        if ttl is not None:
            event["end"] = self._clock() + ttl
        self._log.append(event)
        return event

    @staticmethod
    def _check(ttl):
        if not math.isfinite(ttl) or ttl <= 0:
            raise ValueError("ttl", ttl)

    def acquire(self, name, client_id, ttl):
        if self._holder(name):
            return None
        self._check(ttl)
        return Grant(self._log, self._note(GRANTED, name, secrets.token_hex(16), ttl))

    def renew(self, name, ownership_token, ttl):
        self._check(ttl)
        if self._holder(name) != ownership_token or not ownership_token:
            return False
        self._note(RENEWED, name, ownership_token, ttl)
        return True

    def release(self, name, ownership_token):
        if not ownership_token or self._holder(name) != ownership_token:
            return False
        self._note(RELEASED, name, ownership_token)
        return True
