# It waits on a Signal that nobody sets, in slices of a quarter second, until a moment computed beforehand.
import itertools
import math
import random

from leasehold import Signal, TransportError

SLICE = 0.25


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._ceilings = [min(cap_s, base_s)]
        while self._ceilings[-1] < cap_s:
            self._ceilings.append(min(cap_s, self._ceilings[-1] * 2))

    async def acquire(self, name, ttl, wait_s=0):
        if not (wait_s >= 0 and math.isfinite(wait_s)):
            raise ValueError("wait_s")
        deadline = self._clock() + wait_s
        ceilings = itertools.chain(self._ceilings, itertools.repeat(self._ceilings[-1]))
        while True:
            asked = self._clock()
            grant = None
            try:
                grant = await self._service.acquire(name, ttl)
            except TransportError:
                pass
            now = self._clock()
            if grant is not None and now - asked < ttl:
                return grant
            if now >= deadline:
                return None
            await self._until(min(deadline, now + random.uniform(0, next(ceilings))))

    async def _until(self, moment):
        never = Signal()
        while (left := moment - self._clock()) > 0:
            await never.wait(min(left, SLICE))
