# A generator per lock: suspended in its held half or in its free half, it is sent what the caller wants.
import itertools
import math
import uuid
from collections import namedtuple

Grant = namedtuple("Grant", ["ownership_token", "fencing_token", "expires_at"])


def lock(clock, fences):
    answer = None
    while True:
        verb, ttl, shown = yield answer
        answer = False
        while verb == "acquire":
            token, end = str(uuid.uuid4()), clock() + ttl
            answer = Grant(token, next(fences), end)
            while True:
                verb, ttl, shown = yield answer
                if clock() >= end:
                    answer = False      # and around again, as free
                    break
                if verb == "acquire":
                    answer = None
                elif shown != token:
                    answer = False
                elif verb == "renew":
                    end = clock() + ttl
                    answer = True
                else:
                    answer = True
                    verb = None
                    break


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._fences = itertools.count(0, 3)
        self._locks = {}

    def _send(self, name, verb, ttl, shown):
        if verb != "release" and (math.isnan(ttl) or math.isinf(ttl) or ttl <= 0):
            raise ValueError("ttl")
        try:
            running = self._locks[name]
        except KeyError:
            running = self._locks[name] = lock(self._clock, self._fences)
            next(running)
        return running.send((verb, ttl, shown))

    def acquire(self, name, client_id, ttl):
        return self._send(name, "acquire", ttl, None)

    def renew(self, name, ownership_token, ttl):
        return self._send(name, "renew", ttl, ownership_token)

    def release(self, name, ownership_token):
        return self._send(name, "release", None, ownership_token)
