# Every grant that was ever made is an object with a state; the name points at its latest one.
import secrets
from enum import Enum
from itertools import count


class State(Enum):
    HELD = "held"
    EXPIRED = "expired"
    RELEASED = "released"


class BadTtl(ValueError):
    pass


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at
        self._state = State.HELD

    def state(self, now):
        if self._state is State.HELD and now >= self.expires_at:
            self._state = State.EXPIRED
        return self._state


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._latest: dict[str, Grant] = {}
        self._numbers = count(1000)

    def acquire(self, name: str, client_id: str, ttl: float) -> Grant | None:
        match self._current(name):
            case Grant():
                return None
            case None:
                grant = Grant(secrets.token_urlsafe(), next(self._numbers), self._deadline(ttl))
                self._latest[name] = grant
                return grant

    def renew(self, name: str, ownership_token: str, ttl: float) -> bool:
        deadline = self._deadline(ttl)
        grant = self._current(name)
        if grant is not None and secrets.compare_digest(grant.ownership_token, ownership_token):
            grant.expires_at = deadline
            return True
        return False

    def release(self, name: str, ownership_token: str) -> bool:
        grant = self._current(name)
        if grant is not None and secrets.compare_digest(grant.ownership_token, ownership_token):
            grant._state = State.RELEASED
            return True
        return False

    def _current(self, name):
        grant = self._latest.get(name)
        if grant is None or grant.state(self._clock()) is not State.HELD:
            return None
        return grant

    def _deadline(self, ttl):
        if ttl != ttl or ttl in (float("inf"), float("-inf")) or ttl <= 0:
            raise BadTtl("a ttl must be a finite, positive number of seconds")
        return self._clock() + ttl
