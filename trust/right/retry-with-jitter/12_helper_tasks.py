# The try runs in a task of its own; when the waiter is cancelled, that task only stays to give back what was under way.
import math
import random

from leasehold import Cancelled, Signal, TransportError, spawn


class _Try:
    """One request on its way."""

    def __init__(self, service, name, ttl):
        self.service, self.name, self.ttl = service, name, ttl
        self.answered = Signal()
        self.grant = None
        self.error = None
        self.unwanted = False
        self.task = spawn(self.send())

    async def send(self):
        if self.unwanted:
            return
        try:
            self.grant = await self.service.acquire(self.name, self.ttl)
        except Exception as error:
            self.error = error
        self.answered.set()
        if self.unwanted and self.grant is not None:
            try:
                await self.service.release(self.name, self.grant.ownership_token)
            except TransportError:
                pass

    async def answer(self):
        try:
            await self.answered.wait()
        except Cancelled:
            self.unwanted = True
            raise
        if self.error is not None and not isinstance(self.error, TransportError):
            raise self.error
        return self.grant


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._base_s = base_s
        self._cap_s = cap_s
        self._rng = random.SystemRandom()

    async def acquire(self, name, ttl, wait_s=0):
        if wait_s is None or not math.isfinite(wait_s) or wait_s < 0:
            raise ValueError(wait_s)
        deadline = self._clock() + wait_s
        failures = 0
        while True:
            sent = self._clock()
            grant = await _Try(self._service, name, ttl).answer()
            now = self._clock()
            if grant is not None and now < sent + ttl:
                return grant
            if now >= deadline:
                return None
            high = self._base_s * 2.0 ** min(failures, 1000)
            failures += 1
            await self._clock.sleep(min(self._rng.uniform(0, min(self._cap_s, high)), deadline - now))
