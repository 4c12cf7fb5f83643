# An explicit state machine: each lock is Free, Held or Delayed, time turns one into the next, match says what a call does.
import math
import random
from dataclasses import dataclass, replace


class Grant:
    __slots__ = ("ownership_token", "fencing_token", "expires_at")

    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


@dataclass(frozen=True)
class Free:
    pass


@dataclass(frozen=True)
class Held:
    token: str
    until: float


@dataclass(frozen=True)
class Delayed:
    until: float


FREE = Free()


class LockService:
    def __init__(self, clock, lock_delay=15):
        if not 0 <= lock_delay < math.inf:
            raise ValueError("lock_delay must be a finite number that is not negative")
        self._clock = clock
        self._lock_delay = lock_delay
        self._states = {}
        self._fencing = 0
        self._random = random.SystemRandom()

    def _state(self, name):
        now = self._clock()
        state = self._states.get(name, FREE)
        # Two steps may be due at once: the lease is over, and so is the delay that followed.
        match state:
            case Held(until=until) if until <= now:
                state = Delayed(until + self._lock_delay)
        match state:
            case Delayed(until=until) if until <= now:
                state = FREE
        self._states[name] = state
        return state, now

    def acquire(self, name, client_id, ttl):
        require_length(ttl)
        match self._state(name):
            case (Free(), now):
                self._fencing += 1
                token = "%032x" % self._random.getrandbits(128)
                self._states[name] = Held(token, now + ttl)
                return Grant(token, self._fencing, now + ttl)
            case _:
                return None

    def renew(self, name, ownership_token, ttl):
        require_length(ttl)
        match self._state(name):
            case (Held(token=token) as held, now) if token == ownership_token:
                self._states[name] = replace(held, until=now + ttl)
                return True
            case _:
                return False

    def release(self, name, ownership_token):
        match self._state(name):
            case (Held(token=token), _) if token == ownership_token:
                self._states[name] = FREE
                return True
            case _:
                return False


def require_length(ttl):
    if not 0 < ttl < math.inf:
        raise ValueError("ttl must be a finite number above 0")
