# Each lock is a generator that is sent its calls and yields the answers; where it stands in its code is the state.
import math
import secrets
from dataclasses import dataclass


@dataclass
class Grant:
    ownership_token: str
    fencing_token: int
    expires_at: float


def lock(delay, number):
    answer = None
    while True:
        # free
        verb, now, *rest = yield answer
        if verb != "acquire":
            answer = False
            continue
        (ttl,) = rest
        grant = Grant(secrets.token_hex(16), number(), now + ttl)
        end = grant.expires_at
        answer = grant
        # held, or in the delay; left by a release in time, or by an acquire after the delay
        while True:
            verb, now, *rest = yield answer
            if verb == "acquire":
                if now < end + delay:
                    answer = None
                    continue
                (ttl,) = rest
                grant = Grant(secrets.token_hex(16), number(), now + ttl)
                end = grant.expires_at
                answer = grant
                continue
            token, *rest = rest
            answer = now < end and token == grant.ownership_token
            if answer and verb == "renew":
                end = now + rest[0]
            elif answer:
                break


class LockService:
    def __init__(self, clock, lock_delay=15):
        if not (lock_delay >= 0 and math.isfinite(lock_delay)):
            raise ValueError("lock_delay")
        self._clock = clock
        self._delay = lock_delay
        self._generators = {}
        self._number = 0

    def _next_number(self):
        self._number += 1
        return self._number

    def _send(self, name, verb, *args):
        generator = self._generators.get(name)
        if generator is None:
            generator = self._generators[name] = lock(self._delay, self._next_number)
            next(generator)
        return generator.send((verb, self._clock(), *args))

    def acquire(self, name, client_id, ttl):
        good(ttl)
        return self._send(name, "acquire", ttl)

    def renew(self, name, ownership_token, ttl):
        good(ttl)
        return self._send(name, "renew", ownership_token, ttl)

    def release(self, name, ownership_token):
        return self._send(name, "release", ownership_token)


def good(ttl):
    if not (ttl > 0 and math.isfinite(ttl)):
        raise ValueError("ttl")
