# Two tasks only note in a list why it ended; run() waits for the first note and is the one that tells.
import random

from leasehold import Signal, TransportError, spawn


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._service = service
        self._clock = clock
        self._grant = grant
        self._on_lost = on_lost
        self._deadline = asked_at + grant.ttl
        self._notes = []
        self._noted = Signal()

    def _note(self, why):
        self._notes.append(why)
        self._noted.set()

    async def run(self):
        tasks = [spawn(self._renewing()), spawn(self._ageing())]
        await self._noted.wait()
        for task in tasks:
            task.cancel()
        # A stop that came before we could tell is respected.
        if "stopped" not in self._notes:
            self._on_lost()

    async def _renewing(self):
        g = self._grant
        while not self._notes:
            await self._clock.sleep(g.ttl / 3 * (1.1 - 0.2 * random.random()))
            sent = self._clock()
            if self._notes or sent >= self._deadline:
                break
            try:
                ok = await self._service.renew(g.name, g.ownership_token, g.ttl)
            except TransportError:
                continue
            if self._clock() >= self._deadline:
                break
            if not ok:
                self._note("rejected")
            elif not self._notes:
                self._deadline = sent + g.ttl

    async def _ageing(self):
        while self._clock() < self._deadline:
            await self._clock.sleep(self._deadline - self._clock())
        self._note("expired")

    def stop(self):
        self._note("stopped")

    def is_held(self):
        return not self._notes and self._clock() < self._deadline
