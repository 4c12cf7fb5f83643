# The loop renews, and a watchdog task beside it sleeps from deadline to deadline.
import random

from leasehold import TransportError, spawn


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._service = service
        self._clock = clock
        self._grant = grant
        self._on_lost = on_lost
        self._deadline = asked_at + grant.ttl
        self._state = "held"

    async def run(self):
        if self._state != "held":
            return
        watchdog = spawn(self._watch())
        try:
            while True:
                await self._clock.sleep(self._grant.ttl / 3 * random.uniform(0.9, 1.1))
                if not self._look():
                    return
                sent = self._clock()
                try:
                    renewed = await self._service.renew(
                        self._grant.name, self._grant.ownership_token, self._grant.ttl
                    )
                except TransportError:
                    continue
                if not self._look():
                    return
                if not renewed:
                    self._lose()
                    return
                self._deadline = sent + self._grant.ttl
        finally:
            watchdog.cancel()

    async def _watch(self):
        while self._look():
            await self._clock.sleep(self._deadline - self._clock())

    def _look(self):
        """Whether to go on. Notices the deadline."""
        if self._state == "held" and self._clock() >= self._deadline:
            self._lose()
        return self._state == "held"

    def _lose(self):
        if self._state == "held":
            self._state = "lost"
            self._on_lost()

    def stop(self):
        if self._state == "held":
            self._state = "released"

    def is_held(self):
        return self._state == "held" and self._clock() < self._deadline
