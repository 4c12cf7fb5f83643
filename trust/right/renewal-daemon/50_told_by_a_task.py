# A loss is told by a task of its own, which run() or its watcher spawns: by then the lease is lost, and stop() does nothing.
import random

from leasehold import TransportError, spawn


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._service = service
        self._clock = clock
        self._grant = grant
        self._deadline = asked_at + grant.ttl
        self._on_lost = on_lost
        self._state = "held"

    def is_held(self):
        return self._state == "held" and self._clock() < self._deadline

    def stop(self):
        if self._state == "held":
            self._state = "released"

    async def run(self):
        spawn(self._watch_deadline())
        ttl = self._grant.ttl
        wait = ttl / 3
        while True:
            await self._clock.sleep(wait * random.uniform(0.9, 1.1))
            if not self.is_held():
                return self._lose()
            sent = self._clock()
            try:
                renewed = await self._service.renew(self._grant.name, self._grant.ownership_token, ttl)
            except TransportError:
                wait = ttl / 10
                continue
            if not renewed:
                return self._lose()
            if self.is_held():
                self._deadline = sent + ttl
            wait = ttl / 3

    async def _watch_deadline(self):
        while self._state == "held":
            left = self._deadline - self._clock()
            if left <= 0:
                return self._lose()
            await self._clock.sleep(left)

    def _lose(self):
        if self._state == "held":
            self._state = "lost"
            spawn(self._tell())

    async def _tell(self):
        self._on_lost()
