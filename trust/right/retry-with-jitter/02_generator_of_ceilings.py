# A generator doubles the ceiling until the cap and then repeats it; the loop runs over it and never sees a power of two.
from itertools import repeat
from math import isfinite
from random import Random

from leasehold import TransportError


def ceilings(base, cap):
    while base < cap:
        yield base
        base *= 2
    yield from repeat(cap)


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self.service, self.clock, self.base, self.cap = service, clock, base_s, cap_s
        self.random = Random()

    async def acquire(self, name, ttl, wait_s=0):
        if not isinstance(wait_s, (int, float)) or not isfinite(wait_s) or wait_s < 0:
            raise ValueError("wait_s")
        end = self.clock() + wait_s
        for ceiling in ceilings(self.base, self.cap):
            grant = await self.attempt(name, ttl)
            if grant:
                return grant
            left = end - self.clock()
            if left <= 0:
                return None
            await self.clock.sleep(min(left, self.random.random() * ceiling))

    async def attempt(self, name, ttl):
        until = self.clock() + ttl
        try:
            grant = await self.service.acquire(name, ttl)
        except TransportError:
            return None
        if grant is None or self.clock() < until:
            return grant
        # It came too late. Give it back, so that nobody has to wait for it; if that fails, it runs out by itself.
        try:
            await self.service.release(name, grant.ownership_token)
        except TransportError:
            pass
        return None
