# killed-by: a_grant_that_came_too_late_is_not_returned
# bug: A grant that came too late is given back by a task of its own: acquire() has ended, and its caller does not know that a call is still under way.
import math
import random

from leasehold import TransportError, spawn


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
            if grant is not None:
                spawn(self._give_back(grant))
            if now >= deadline:
                return None
            # Doubling what is capped already can't overflow, however long the wait.
            longest = min(longest, self._cap_s)
            await self._clock.sleep(min(random.uniform(0, longest), deadline - now))
            longest *= 2

    async def _give_back(self, grant):
        try:
            await self._service.release(grant.name, grant.ownership_token)
        except TransportError:
            pass
