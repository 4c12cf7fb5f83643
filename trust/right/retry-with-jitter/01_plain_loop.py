# One loop with a counter, guard clauses at the top, and the random module.
import math
import random

from leasehold import TransportError


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._base_s = base_s
        self._cap_s = cap_s

    async def acquire(self, name, ttl, wait_s=0):
        if wait_s is None or not math.isfinite(wait_s) or wait_s < 0:
            raise ValueError(f"wait_s must be a finite number from 0 on, not {wait_s!r}")
        deadline = self._clock() + wait_s
        n = 0
        while True:
            asked = self._clock()
            try:
                grant = await self._service.acquire(name, ttl)
            except TransportError:
                grant = None
            if grant is not None and self._clock() < asked + ttl:
                return grant
            now = self._clock()
            if asked >= deadline or now >= deadline:
                return None
            pause = random.uniform(0, min(self._cap_s, self._base_s * 2 ** min(n, 60)))
            n += 1
            await self._clock.sleep(min(pause, deadline - now))
