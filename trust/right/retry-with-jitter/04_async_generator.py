# The tries are an async generator of outcomes that the method consumes; the delay is a pure function of n.
import math
import random

import leasehold


def full_jitter(n, base, cap):
    try:
        ceiling = math.ldexp(base, n)
    except OverflowError:
        ceiling = cap
    return random.uniform(0, min(cap, ceiling))


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._base_s = base_s
        self._cap_s = cap_s

    async def acquire(self, name, ttl, wait_s=0):
        if not 0 <= wait_s <= 1e300:  # NaN compares with nothing; None raises TypeError
            raise ValueError(wait_s)
        outcomes = self._outcomes(name, ttl, self._clock() + wait_s)
        try:
            async for grant in outcomes:
                if grant is not None:
                    return grant
        finally:
            await outcomes.aclose()
        return None

    async def _outcomes(self, name, ttl, deadline):
        n = 0
        while True:
            yield await self._once(name, ttl)
            now = self._clock()
            if now >= deadline:
                return
            await self._clock.sleep(min(full_jitter(n, self._base_s, self._cap_s), deadline - now))
            n += 1

    async def _once(self, name, ttl):
        limit = self._clock() + ttl
        try:
            grant = await self._service.acquire(name, ttl)
        except leasehold.TransportError:
            return None
        return grant if grant is not None and self._clock() < limit else None
