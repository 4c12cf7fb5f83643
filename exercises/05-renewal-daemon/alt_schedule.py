# A plan of instants instead of pauses: renewals on a grid from asked_at, each up to a tenth off; two failures in a row and it gives up.
import random

from leasehold import TransportError, spawn


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._renew = lambda: service.renew(grant.name, grant.ownership_token, grant.ttl)
        self._clock = clock
        self._ttl = grant.ttl
        self._proofs = [asked_at]   # when requests that succeeded were sent
        self._tell = on_lost
        self._ended = False

    def _left(self):
        return self._proofs[-1] + self._ttl - self._clock()

    def is_held(self):
        return not self._ended and self._left() > 0

    def stop(self):
        self._ended = True

    def _lost(self):
        if not self._ended:
            self._ended = True
            self._tell()

    async def run(self):
        spawn(self._sentinel())
        step = self._ttl / 3
        slot = self._proofs[0]
        failures = 0
        while not self._ended:
            slot = max(slot + step, self._clock())
            due = slot + random.uniform(-0.1, 0.1) * step
            await self._clock.sleep(min(due - self._clock(), self._left()))
            if self._ended:
                return
            if self._left() <= 0:
                return self._lost()
            sent = self._clock()
            try:
                alive = await self._renew()
            except TransportError:
                failures += 1
                if failures >= 2:
                    return self._lost()
                continue
            if self._ended:
                return
            if not alive or self._left() <= 0:
                return self._lost()
            failures = 0
            self._proofs.append(sent)

    async def _sentinel(self):
        while not self._ended and (left := self._left()) > 0:
            await self._clock.sleep(left)
        self._lost()
