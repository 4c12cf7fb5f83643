"""Each try is a task of its own, so that a waiter that is cancelled while it asks can give back what still comes."""

import math
import secrets

from leasehold import Cancelled, TransportError, spawn


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._base_s = base_s
        self._cap_s = cap_s

    async def acquire(self, name, ttl, wait_s=0):
        if wait_s is None or math.isnan(wait_s) or math.isinf(wait_s) or wait_s < 0:
            raise ValueError("wait_s is no budget")
        deadline = self._clock() + wait_s
        failed = 0
        while True:
            asked = self._clock()
            attempt = spawn(self._service.acquire(name, ttl))
            try:
                grant = await attempt
            except TransportError:
                grant = None
            except Cancelled:
                spawn(self._clean_up(attempt, name))
                raise
            if grant is not None and self._clock() < asked + ttl:
                return grant
            if self._clock() >= deadline:
                return None
            pause = self._pause(failed)
            failed += 1
            await self._clock.sleep(min(pause, deadline - self._clock()))

    async def _clean_up(self, attempt, name):
        try:
            grant = await attempt
            if grant is not None:
                await self._service.release(name, grant.ownership_token)
        except TransportError:
            pass

    def _pause(self, failed):
        try:
            longest = min(self._cap_s, math.ldexp(self._base_s, failed))
        except OverflowError:
            longest = self._cap_s
        # Whole microseconds, from 0 to the longest.
        return secrets.randbelow(int(longest * 1_000_000) + 1) / 1_000_000
