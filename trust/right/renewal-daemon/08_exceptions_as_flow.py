# The end of the lease is an exception: whatever finds the lease over raises, and one place at the bottom of run() hears it.
import random

from leasehold import Signal, TransportError, spawn


class LeaseLost(Exception):
    pass


class LeaseReleased(Exception):
    pass


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._service = service
        self._clock = clock
        self._grant = grant
        self._deadline = asked_at + grant.ttl
        self._on_lost = on_lost
        self._end = None  # an exception class, once it is over
        self._stop = Signal()

    def _check(self):
        if self._end is None and self._clock() >= self._deadline:
            raise LeaseLost("the deadline has passed")
        if self._end is not None:
            raise self._end

    async def _ask(self, reply, signal):
        try:
            self._check()
            reply.append(await self._service.renew(self._grant.name, self._grant.ownership_token, self._grant.ttl))
        except (TransportError, LeaseLost, LeaseReleased):
            pass
        signal.set()

    async def _pause(self, seconds):
        await self._stop.wait(min(seconds, self._deadline - self._clock()))
        self._check()

    async def _renew(self):
        sent = self._clock()
        reply = []
        answered = Signal()
        task = spawn(self._ask(reply, answered))
        try:
            while not answered.is_set():
                self._check()
                await answered.wait(self._deadline - self._clock())
            self._check()
        finally:
            task.cancel()
        if reply == [False]:
            raise LeaseLost("rejected")
        if reply == [True]:
            self._deadline = sent + self._grant.ttl

    async def run(self):
        try:
            self._check()
            while True:
                await self._pause(self._grant.ttl / 3 * random.uniform(0.9, 1.1))
                await self._renew()
        except LeaseReleased:
            pass
        except LeaseLost:
            if self._end is None:
                self._end = LeaseLost
                self._on_lost()

    def stop(self):
        if self._end is None:
            self._end = LeaseReleased
            self._stop.set()

    def is_held(self):
        try:
            self._check()
        except (LeaseLost, LeaseReleased):
            return False
        return True
