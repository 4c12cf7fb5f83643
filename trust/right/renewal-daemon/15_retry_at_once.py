# A failed attempt is repeated at once, a second failure in a row is the end; the lease is a small object of its own.
import random

from leasehold import Signal, TransportError, spawn


class Lease:
    def __init__(self, clock, until):
        self.clock = clock
        self.until = until
        self.gone = Signal()

    def runs(self):
        return not self.gone.is_set() and self.clock() < self.until

    async def outlived(self, seconds):
        """Let the time pass. Whether the lease still runs."""
        await self.gone.wait(seconds)
        return self.runs()


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._lease = Lease(clock, asked_at + grant.ttl)
        self._clock = clock
        self._ttl = grant.ttl
        self._on_lost = on_lost
        self._call = lambda: service.renew(grant.name, grant.ownership_token, grant.ttl)

    def is_held(self):
        return self._lease.runs()

    def stop(self):
        self._lease.gone.set()

    def _lost(self):
        if not self._lease.gone.is_set():
            self._lease.gone.set()
            self._on_lost()

    async def run(self):
        spawn(self._renewals())
        while not self._lease.gone.is_set():
            if not await self._lease.outlived(max(self._lease.until - self._clock(), 0.00001)):
                self._lost()

    async def _renewals(self):
        while await self._lease.outlived(random.uniform(0.9, 1.1) * self._ttl / 3):
            if not await self._renew_once() and self._lease.runs() and not await self._renew_once():
                return self._lost()
        self._lost()

    async def _renew_once(self):
        """False if there was no answer."""
        sent = self._clock()
        try:
            answer = await self._call()
        except TransportError:
            return False
        if self._lease.runs():
            if answer:
                self._lease.until = sent + self._ttl
            else:
                self._lost()
        return True
