# Free and Held are classes with the same three methods, each of which gives the answer and the next state.
import math
import secrets
from dataclasses import dataclass


@dataclass
class Grant:
    ownership_token: str
    fencing_token: int
    expires_at: float


class Free:
    def acquire(self, service, ttl):
        end = service.end(ttl)
        held = Held(secrets.token_bytes(16).hex(), end)
        return Grant(held.token, service.mint(), end), held

    def renew(self, service, token, ttl):
        return False, self

    def release(self, service, token):
        return False, self


class Held:
    def __init__(self, token, end):
        self.token, self.end = token, end

    def acquire(self, service, ttl):
        return None, self

    def renew(self, service, token, ttl):
        match token:
            case self.token:
                return True, Held(token, service.end(ttl))
            case _:
                return False, self

    def release(self, service, token):
        match token:
            case self.token:
                return True, Free()
            case _:
                return False, self


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._states = {}
        self._fence = 0

    def mint(self):
        self._fence += 1
        return self._fence

    def end(self, ttl):
        match ttl:
            case float() | int() if math.isfinite(ttl) and ttl > 0:
                return self._clock() + ttl
            case _:
                raise ValueError(f"no ttl: {ttl!r}")

    def _state(self, name):
        match self._states.get(name):
            case Held(end=end) as held if self._clock() < end:
                return held
            case _:
                return Free()

    def _ask(self, name, verb, *args):
        answer, self._states[name] = getattr(self._state(name), verb)(self, *args)
        return answer

    def acquire(self, name, client_id, ttl):
        return self._ask(name, "acquire", ttl)

    def renew(self, name, ownership_token, ttl):
        return self._ask(name, "renew", ownership_token, ttl)

    def release(self, name, ownership_token):
        return self._ask(name, "release", ownership_token)
