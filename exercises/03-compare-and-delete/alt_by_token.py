# Two maps: name -> token and token -> deadline in milliseconds. A decorator guards the ttl.
import functools
import math
import uuid
from types import SimpleNamespace


def needs_a_ttl(method):
    @functools.wraps(method)
    def guarded(self, name, who, ttl):
        if math.isnan(ttl) or math.isinf(ttl) or ttl <= 0:
            raise ValueError(f"{method.__name__}: ttl must be a finite number above 0, got {ttl}")
        return method(self, name, who, round(ttl * 1000))

    return guarded


class LockService:
    def __init__(self, clock):
        self._ms = lambda: round(clock() * 1000)
        self._token_of = {}
        self._deadline_of = {}
        self._minted = 0

    @needs_a_ttl
    def acquire(self, name, client_id, ttl_ms):
        if self._alive(self._token_of.get(name)):
            return None
        self._deadline_of.pop(self._token_of.pop(name, None), None)
        token = uuid.uuid4().hex
        self._minted += 1
        self._token_of[name] = token
        self._deadline_of[token] = self._ms() + ttl_ms
        return SimpleNamespace(
            ownership_token=token, fencing_token=self._minted, expires_at=self._deadline_of[token] / 1000
        )

    @needs_a_ttl
    def renew(self, name, ownership_token, ttl_ms):
        mine = self._token_of.get(name) == ownership_token and self._alive(ownership_token)
        if mine:
            self._deadline_of[ownership_token] = self._ms() + ttl_ms
        return mine

    def release(self, name, ownership_token):
        mine = self._token_of.get(name) == ownership_token and self._alive(ownership_token)
        if mine:
            del self._token_of[name], self._deadline_of[ownership_token]
        return mine

    def _alive(self, token):
        return self._ms() < self._deadline_of.get(token, -math.inf)
