# asyncio habits: two tasks, and whichever ends the lease cancels the other.
import random

from leasehold import Cancelled, TransportError, spawn


class LeaseLost(Exception):
    pass


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self.service = service
        self.clock = clock
        self.grant = grant
        self.expires_at = asked_at + grant.ttl
        self.on_lost = on_lost
        self.closed = False
        self.tasks = []

    def is_held(self):
        return not self.closed and self.clock() < self.expires_at

    def stop(self):
        self.closed = True
        for task in self.tasks:
            task.cancel()

    async def run(self):
        if self.closed:
            return
        heart = spawn(self._beat())
        alarm = spawn(self._alarm(heart))
        self.tasks = [heart, alarm]
        try:
            await heart
        except (LeaseLost, Cancelled):
            pass
        if self.closed:
            return
        self.closed = True
        alarm.cancel()
        self.on_lost()

    async def _beat(self):
        failed = False
        while True:
            period = self.grant.ttl / (6 if failed else 3)
            await self.clock.sleep(random.triangular(0.9 * period, 1.1 * period))
            started = self.clock()
            if started >= self.expires_at:
                raise LeaseLost
            try:
                ok = await self.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl)
            except TransportError:
                failed = True
                continue
            if not ok:
                raise LeaseLost
            failed = False
            self.expires_at = started + self.grant.ttl

    async def _alarm(self, heart):
        while self.clock() < self.expires_at:
            await self.clock.sleep(self.expires_at - self.clock())
        heart.cancel()
