# One number for each lock: from when on it is free. A grant sets it to the end of the delay, a release to now.
import math
import random
from collections import namedtuple
from itertools import count

Grant = namedtuple("Grant", "ownership_token fencing_token expires_at")


def seconds(number, least):
    if not math.isfinite(number) or number < 0 or (number == 0 and not least):
        raise ValueError(f"no length: {number}")
    return number


class LockService:
    def __init__(self, clock, lock_delay=15):
        self._now = clock
        self._delay = seconds(lock_delay, least=True)
        self._free_from = {}
        self._holder = {}
        self._tokens = count(1)

    def acquire(self, name, client_id, ttl):
        now = self._now()
        end = now + seconds(ttl, least=False)
        if now < self._free_from.get(name, now):
            return None
        self._free_from[name] = end + self._delay
        secret = f"{random.getrandbits(128):032x}"
        self._holder[name] = secret, end
        return Grant(secret, next(self._tokens), end)

    def _holds(self, name, token):
        secret, end = self._holder.get(name, (None, 0))
        return secret == token and self._now() < end

    def renew(self, name, ownership_token, ttl):
        end = self._now() + seconds(ttl, least=False)
        if not self._holds(name, ownership_token):
            return False
        self._holder[name] = ownership_token, end
        self._free_from[name] = end + self._delay
        return True

    def release(self, name, ownership_token):
        if not self._holds(name, ownership_token):
            return False
        del self._holder[name]
        self._free_from[name] = self._now()
        return True
