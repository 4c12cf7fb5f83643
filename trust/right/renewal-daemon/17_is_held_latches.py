# Whoever first sees the deadline passed, is_held() included, sets the state to lost; run() hears of it and tells.
import random

from leasehold import Signal, TransportError, spawn


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._service = service
        self._clock = clock
        self._grant = grant
        self._deadline = asked_at + grant.ttl
        self._on_lost = on_lost
        self._state = "held"
        self._over = Signal()

    def _set(self, state):
        if self._state == "held":
            self._state = state
            self._over.set()

    def is_held(self):
        if self._clock() >= self._deadline:
            self._set("lost")
        return self._state == "held"

    def stop(self):
        self._set("released")

    async def run(self):
        worker = spawn(self._work())
        while self.is_held():
            await self._over.wait(self._deadline - self._clock())
        worker.cancel()
        if self._state == "lost":
            self._on_lost()

    async def _work(self):
        while not await self._over.wait(random.uniform(0.9, 1.1) * self._grant.ttl / 3):
            if not self.is_held():
                return
            before = self._clock()
            try:
                ok = await self._service.renew(self._grant.name, self._grant.ownership_token, self._grant.ttl)
            except TransportError:
                continue
            if self.is_held():
                if ok:
                    self._deadline = before + self._grant.ttl
                else:
                    self._set("lost")
