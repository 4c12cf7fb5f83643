# A frozen dataclass; a grant that came too late is given back by a task beside the sleep, which acquire() waits for or cancels.
import math
import random
from dataclasses import dataclass

from leasehold import LockService, TransportError, spawn


@dataclass(frozen=True)
class Acquirer:
    service: LockService
    clock: object
    base_s: float = 0.25
    cap_s: float = 2.0

    async def acquire(self, name, ttl, wait_s=0):
        if not isinstance(wait_s, (int, float)) or not math.isfinite(wait_s) or wait_s < 0:
            raise ValueError(f"{wait_s!r} is no budget")
        returning = []
        try:
            return await self._wait(name, ttl, self.clock() + wait_s, returning)
        finally:
            for task in returning:
                task.cancel()

    async def _wait(self, name, ttl, deadline, returning):
        n = 0
        while True:
            asked = self.clock()
            grant = await self._ask(name, ttl)
            now = self.clock()
            if grant is not None:
                if now < asked + ttl:
                    return grant
                returning.append(spawn(self._give_back(grant)))
            if now >= deadline:
                for task in returning:
                    await task
                return None
            await self.clock.sleep(min(deadline - now, random.uniform(0, self._longest(n))))
            n += 1

    async def _ask(self, name, ttl):
        try:
            return await self.service.acquire(name, ttl)
        except TransportError:
            return None

    async def _give_back(self, grant):
        try:
            await self.service.release(grant.name, grant.ownership_token)
        except TransportError:
            pass

    def _longest(self, n):
        if n > math.log2(self.cap_s / self.base_s):
            return self.cap_s
        return min(self.cap_s, self.base_s * 2**n)
