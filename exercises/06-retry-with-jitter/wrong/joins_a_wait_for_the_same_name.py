# killed-by: calls_beside_each_other_do_not_mix
# bug: Who waits for a name already waits for all: two tasks get the same grant, and the first that releases it frees it under the other.
import math
import random

from leasehold import TransportError, spawn


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._base_s = base_s
        self._cap_s = cap_s
        self._waits = {}

    async def acquire(self, name, ttl, wait_s=0):
        if wait_s is None or not math.isfinite(wait_s) or wait_s < 0:
            raise ValueError(f"wait_s is a finite number of seconds from 0 on, not {wait_s!r}")
        if name not in self._waits or self._waits[name].done():
            self._waits[name] = spawn(self._wait(name, ttl, wait_s))
        task = self._waits[name]
        try:
            return await task
        except BaseException:
            task.cancel()
            raise

    async def _wait(self, name, ttl, wait_s):
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
            # Doubling what is capped already can't overflow, however long the wait.
            longest = min(longest, self._cap_s)
            await self._clock.sleep(min(random.uniform(0, longest), deadline - now))
            longest *= 2
