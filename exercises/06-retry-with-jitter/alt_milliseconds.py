"""Counts the pauses in whole milliseconds, and takes the monotonic clock from time."""

import math
import time
from random import randint

from leasehold import TransportError


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self.service, self.clock = service, clock
        self.base = max(1, int(base_s * 1000))
        self.cap = max(1, int(cap_s * 1000))

    async def acquire(self, name, ttl, wait_s=0):
        if wait_s is None or math.isnan(wait_s) or math.isinf(wait_s) or wait_s < 0:
            raise ValueError(f"{wait_s} is no number of seconds")
        deadline = time.monotonic() + wait_s
        most = self.base
        while (asked := time.monotonic()) <= deadline:
            try:
                grant = await self.service.acquire(name, ttl)
            except TransportError:
                grant = None
            if grant and time.monotonic() < asked + ttl:
                return grant
            left = deadline - time.monotonic()
            if left <= 0:
                break
            await self.clock.sleep(min(randint(0, min(most, self.cap)) / 1000, left))
            most = min(2 * most, self.cap)
        return None
