# run() only waits for a Signal; its tasks renew and watch, and whoever ends the lease cancels both of them on the spot.
import random

from leasehold import Signal, TransportError, spawn


class Renewer:
    __slots__ = ("_service", "_clock", "_grant", "_on_lost", "_deadline", "_done", "_tasks")

    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._service = service
        self._clock = clock
        self._grant = grant
        self._on_lost = on_lost
        self._deadline = asked_at + grant.ttl
        self._done = Signal()
        self._tasks = []

    async def run(self):
        if self._done.is_set():
            return
        self._tasks.append(spawn(self._keep_renewing()))
        self._tasks.append(spawn(self._count_down()))
        try:
            await self._done.wait()
        finally:
            self._end()

    def _end(self):
        first = not self._done.is_set()
        self._done.set()
        while self._tasks:
            self._tasks.pop().cancel()
        return first

    async def _keep_renewing(self):
        grant, clock = self._grant, self._clock
        while True:
            await clock.sleep(grant.ttl / 3 + random.uniform(-1, 1) * grant.ttl / 30)
            sent = clock()
            if sent >= self._deadline:
                break
            try:
                answer = await self._service.renew(grant.name, grant.ownership_token, grant.ttl)
            except TransportError:
                continue
            if not answer or clock() >= self._deadline:
                break
            self._deadline = sent + grant.ttl
        self._lose()

    async def _count_down(self):
        while (left := self._deadline - self._clock()) > 0:
            await self._clock.sleep(left)
        self._lose()

    def _lose(self):
        if self._end():
            self._on_lost()

    def stop(self):
        self._end()

    def is_held(self):
        return not self._done.is_set() and self._clock() < self._deadline
