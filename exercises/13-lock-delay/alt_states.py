# A small machine for each lock: free, held, delayed. Time moves it on whenever it is looked at.
import math
from enum import Enum, auto
from secrets import token_urlsafe
from types import SimpleNamespace


class State(Enum):
    FREE = auto()
    HELD = auto()
    DELAYED = auto()


class Lock:
    def __init__(self, delay):
        self.delay = delay
        self.state = State.FREE
        self.grant = None
        self.until = None

    def at(self, now):
        if self.state is State.HELD and now >= self.until:
            self.state, self.until = State.DELAYED, self.until + self.delay
        if self.state is State.DELAYED and now >= self.until:
            self.state, self.until = State.FREE, None
        return self

    def is_held_with(self, token):
        return self.state is State.HELD and self.grant.ownership_token == token


class LockService:
    def __init__(self, clock, lock_delay=15.0):
        if not 0 <= lock_delay < float("inf"):
            raise ValueError("lock_delay")
        self._clock, self._delay = clock, lock_delay
        self._locks = {}
        self._last = 0

    def _lock(self, name):
        return self._locks.setdefault(name, Lock(self._delay)).at(self._clock())

    @staticmethod
    def _check(ttl):
        if not 0 < ttl < float("inf"):
            raise ValueError("ttl")

    def acquire(self, name, client_id, ttl):
        self._check(ttl)
        lock = self._lock(name)
        if lock.state is not State.FREE:
            return None
        self._last += 1
        lock.state, lock.until = State.HELD, self._clock() + ttl
        lock.grant = SimpleNamespace(ownership_token=token_urlsafe(), fencing_token=self._last, expires_at=lock.until)
        return lock.grant

    def renew(self, name, ownership_token, ttl):
        self._check(ttl)
        lock = self._lock(name)
        if lock.is_held_with(ownership_token):
            lock.until = self._clock() + ttl
            return True
        return False

    def release(self, name, ownership_token):
        lock = self._lock(name)
        if lock.is_held_with(ownership_token):
            lock.state, lock.until = State.FREE, None
            return True
        return False
