"""Counts its tries, bounds the exponent, and knows by a flag which try is the last."""

import itertools
import math
from random import random

import leasehold


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self.service, self.clock, self.base, self.cap = service, clock, base_s, cap_s
        self.doublings = max(0, math.ceil(math.log2(cap_s / base_s)))

    async def acquire(self, name, ttl, wait_s=0):
        if not isinstance(wait_s, (int, float)) or not 0 <= wait_s < math.inf:
            raise ValueError(wait_s)
        end = self.clock() + wait_s
        last = wait_s == 0
        for attempt in itertools.count():
            grant = await self.attempt(name, ttl)
            if grant or last or self.clock() >= end:
                return grant
            pause = random() * min(self.cap, self.base * 2 ** min(attempt, self.doublings))
            last = self.clock() + pause >= end
            await self.clock.sleep(end - self.clock() if last else pause)

    async def attempt(self, name, ttl):
        good_until = self.clock() + ttl
        try:
            grant = await self.service.acquire(name, ttl)
        except leasehold.TransportError:
            return None
        return grant if grant and self.clock() < good_until else None
