# Inside, refusals are exceptions; the public methods turn them into answers.
import secrets
from math import inf


class Held(Exception):
    pass


class NotYours(Exception):
    pass


class Grant:
    def __init__(self, **attributes):
        vars(self).update(attributes)


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        try:
            return self._acquire(name, ttl)
        except Held:
            return None

    def renew(self, name, ownership_token, ttl):
        try:
            self._owned(name, ownership_token)["expiry"] = self._expiry(ttl)
        except NotYours:
            return False
        return True

    def release(self, name, ownership_token):
        try:
            self._owned(name, ownership_token).clear()
        except NotYours:
            return False
        return True

    def _acquire(self, name, ttl):
        expiry = self._expiry(ttl)
        lock = self._locks.setdefault(name, {})
        if lock and self._clock() < lock["expiry"]:
            raise Held(name)
        self._counter += 1
        lock["token"] = secrets.token_hex(20)
        lock["expiry"] = expiry
        return Grant(ownership_token=lock["token"], fencing_token=self._counter, expires_at=expiry)

    def _owned(self, name, token):
        lock = self._locks.get(name)
        if not lock or lock["token"] != token or not self._clock() < lock["expiry"]:
            raise NotYours(name)
        return lock

    def _expiry(self, ttl):
        if 0 < ttl < inf:
            return self._clock() + ttl
        raise ValueError(f"{ttl} is no ttl")
