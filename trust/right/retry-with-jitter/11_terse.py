# As short as it gets: nothing is released, the count stops growing at 64, and one walrus holds the remaining time.
from math import isfinite
from random import uniform
from leasehold import TransportError


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self.s, self.c, self.b, self.m = service, clock, base_s, cap_s

    async def acquire(self, name, ttl, wait_s=0):
        if not isfinite(wait_s) or wait_s < 0: raise ValueError(wait_s)
        end, n = self.c() + wait_s, 0
        while True:
            t = self.c()
            try: g = await self.s.acquire(name, ttl)
            except TransportError: g = None
            if g and self.c() < t + ttl: return g
            if (left := end - self.c()) <= 0: return None
            await self.c.sleep(min(left, uniform(0, min(self.m, self.b * 2 ** n))))
            n = min(n + 1, 64)
