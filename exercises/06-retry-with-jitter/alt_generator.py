"""The pauses are a generator with a Random of each call's own; what came too late is given back."""

import random

from leasehold import TransportError


def pauses(base, cap):
    draw = random.Random()
    while True:
        yield draw.uniform(0.0, min(base, cap))
        base = min(2 * base, cap)


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service, self._clock = service, clock
        self._pauses = lambda: pauses(base_s, cap_s)

    async def _give_back(self, grant):
        try:
            await self._service.release(grant.name, grant.ownership_token)
        except TransportError:
            pass

    async def acquire(self, name, ttl, wait_s=0):
        try:
            budget = float(wait_s)
        except TypeError:
            raise ValueError("there is no wait without a bound") from None
        if not 0.0 <= budget < float("inf"):
            raise ValueError("there is no wait without a bound")
        clock = self._clock
        deadline = clock() + budget
        for pause in self._pauses():
            sent = clock()
            try:
                grant = await self._service.acquire(name, ttl)
            except TransportError:
                pass
            else:
                if grant is not None:
                    if clock() - sent < ttl:
                        return grant
                    await self._give_back(grant)
            left = deadline - clock()
            if left <= 0:
                return None
            await clock.sleep(min(pause, left))
