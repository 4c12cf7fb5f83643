# killed-by: pauses_are_drawn_between_nothing_and_all
# bug: The cap is applied when the pause is doubled: with a cap below the base the first pause is too long.
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
            raise ValueError(f"wait_s is a finite number of seconds from 0 on, not {wait_s!r}")
        deadline = self._clock() + wait_s
        longest = self._base_s
        while True:
            asked = self._clock()
            try:
                grant = await self._service.acquire(name, ttl)
            except TransportError:
                grant = None
            now = self._clock()
            if grant is not None and now < asked + ttl:
                return grant
            if now >= deadline:
                return None
            await self._clock.sleep(min(random.uniform(0, longest), deadline - now))
            longest = min(longest * 2, self._cap_s)
