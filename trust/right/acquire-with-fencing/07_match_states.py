# A sum type Free | Held per lock, taken apart with match; the dead lease of its own client is released with True.
from dataclasses import dataclass


@dataclass
class Free:
    pass


@dataclass
class Held:
    by: object
    since: float
    ttl: float


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._states = {}
        self._token = 100

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        match self._states.get(name, Free()):
            case Held(since=since, ttl=length) if now - since < length:
                return None
            case Held() | Free():
                self._states[name] = Held(client_id, now, ttl)
                self._token += 1
                return self._token

    def release(self, name, client_id):
        match self._states.get(name, Free()):
            case Held(by=owner) if owner == client_id:
                self._states[name] = Free()
                return True
            case _:
                return False
