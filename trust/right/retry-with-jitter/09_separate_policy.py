# A policy object makes the pauses, a base class makes the tries, and the Acquirer only puts them together.
import abc
import math
import random
from contextlib import suppress

from leasehold import TransportError


class Backoff(abc.ABC):
    @abc.abstractmethod
    def __iter__(self):
        """The pauses of one wait."""


class FullJitter(Backoff):
    def __init__(self, base, cap):
        self.base = base
        self.cap = cap

    def __iter__(self):
        exponent = 0
        while True:
            limit = min(self.cap, self.base * 2.0**exponent)
            yield random.random() * limit
            if limit < self.cap:
                exponent += 1


class Asker:
    """Tries once."""

    service = clock = None

    async def try_once(self, name, ttl):
        before = self.clock()
        with suppress(TransportError):
            grant = await self.service.acquire(name, ttl)
            if grant is not None:
                if self.clock() < before + ttl:
                    return grant
                await self.service.release(grant.name, grant.ownership_token)
        return None


class Acquirer(Asker):
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self.service = service
        self.clock = clock
        self.backoff = FullJitter(base_s, cap_s)

    async def acquire(self, name, ttl, wait_s=0):
        deadline = self.deadline(wait_s)
        for pause in self.backoff:
            if (grant := await self.try_once(name, ttl)) is not None:
                return grant
            if not await self.sleep(pause, deadline):
                return None

    def deadline(self, wait_s):
        if not (math.isfinite(wait_s) and wait_s >= 0):
            raise ValueError(f"cannot wait for {wait_s} seconds")
        return self.clock() + wait_s

    async def sleep(self, pause, deadline):
        """False, and no sleep, if the time is over."""
        left = deadline - self.clock()
        if left > 0:
            await self.clock.sleep(min(pause, left))
        return left > 0
