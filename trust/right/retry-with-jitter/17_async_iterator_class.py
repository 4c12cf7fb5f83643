# The moments at which to try are an async iterator class; acquire() is one `async for` with an `else`.
import math
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, nullcontext

from leasehold import TransportError


class Moments(AsyncIterator):
    """Each step lets a pause pass and gives what the clock says then. The first comes at once, the last at the deadline."""

    def __init__(self, clock, deadline, base_s, cap_s):
        self.clock = clock
        self.deadline = deadline
        self.ceiling = None
        self.base_s = base_s
        self.cap_s = cap_s

    async def __anext__(self):
        if self.ceiling is None:
            self.ceiling = self.base_s
            return self.clock()
        left = self.deadline - self.clock()
        if left <= 0:
            raise StopAsyncIteration
        pause = random.SystemRandom().uniform(0, min(self.cap_s, self.ceiling))
        self.ceiling = min(self.ceiling * 2, self.cap_s)
        await self.clock.sleep(min(pause, left))
        return self.clock()


class Returning:
    """Gives a grant back when it is left, unless it was kept."""

    def __init__(self, service, grant):
        self.service = service
        self.grant = grant

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exception):
        if self.grant is not None:
            try:
                await self.service.release(self.grant.name, self.grant.ownership_token)
            except TransportError:
                pass

    def keep(self):
        grant, self.grant = self.grant, None
        return grant


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._pauses = {"base_s": base_s, "cap_s": cap_s}

    async def acquire(self, name, ttl, wait_s=0):
        if wait_s is None or not math.isfinite(wait_s) or wait_s < 0:
            raise ValueError(f"{wait_s=}")
        async for asked in Moments(self._clock, self._clock() + wait_s, **self._pauses):
            async with AsyncExitStack() as stack:
                try:
                    grant = await self._service.acquire(name, ttl)
                except TransportError:
                    continue
                with nullcontext(await stack.enter_async_context(Returning(self._service, grant))) as candidate:
                    if grant is not None and self._clock() < asked + ttl:
                        return candidate.keep()
        else:
            return None
