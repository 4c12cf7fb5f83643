# Each try ends as a small value, and a match statement looks at it together with the time.
import random
import sys
from typing import NamedTuple

from leasehold import TransportError


class Good(NamedTuple):
    grant: object


class Stale(NamedTuple):
    grant: object


class Taken(NamedTuple):
    pass


class Silence(NamedTuple):
    pass


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._base_s = base_s
        self._cap_s = cap_s

    async def acquire(self, name, ttl, wait_s=0):
        match wait_s:
            case int() | float() if 0 <= wait_s <= sys.float_info.max:
                deadline = self._clock() + wait_s
            case _:
                raise ValueError(f"wait_s={wait_s!r}")
        ceiling = min(self._base_s, self._cap_s)
        while True:
            match await self._ask(name, ttl), self._clock() >= deadline:
                case Good(grant), _:
                    return grant
                case Stale(grant), late:
                    await self._give_back(name, grant)
                    if late or self._clock() >= deadline:
                        return None
                case _, True:
                    return None
            await self._sleep(random.uniform(0, ceiling), deadline)
            ceiling = min(self._cap_s, ceiling * 2)

    async def _ask(self, name, ttl):
        t0 = self._clock()
        try:
            grant = await self._service.acquire(name, ttl)
        except TransportError:
            return Silence()
        if grant is None:
            return Taken()
        return Good(grant) if self._clock() - t0 < ttl else Stale(grant)

    async def _give_back(self, name, grant):
        try:
            await self._service.release(name, grant.ownership_token)
        except TransportError:
            pass  # then it runs out

    async def _sleep(self, seconds, deadline):
        await self._clock.sleep(max(0, min(seconds, deadline - self._clock())))
