# A base class keeps the deadline and tells the end, a subclass renews; two attempts in a row without an answer are a loss.
import random

from leasehold import TransportError, spawn


class Tenancy:
    """Something that is held until a deadline, and ends once."""

    HELD, LOST, RELEASED = range(3)

    def __init__(self, clock, deadline, on_lost):
        self.clock = clock
        self.deadline = deadline
        self.on_lost = on_lost
        self.state = self.HELD

    def is_held(self):
        return self.state == self.HELD and self.clock() < self.deadline

    def stop(self):
        if self.state == self.HELD:
            self.state = self.RELEASED

    def lose(self):
        if self.state == self.HELD:
            self.state = self.LOST
            self.on_lost()

    async def expire(self):
        while self.is_held():
            await self.clock.sleep(self.deadline - self.clock())
        self.lose()


class Renewer(Tenancy):
    STRIKES = 2

    def __init__(self, service, clock, grant, asked_at, on_lost):
        super().__init__(clock, asked_at + grant.ttl, on_lost)
        self.service = service
        self.grant = grant

    async def run(self):
        expiry = spawn(self.expire())
        strikes = 0
        while self.state == self.HELD:
            await self.clock.sleep(self.grant.ttl * random.uniform(0.9, 1.1) / 3)
            if not self.is_held():
                self.lose()
                break
            sent = self.clock()
            try:
                alive = await self.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl)
            except TransportError:
                strikes += 1
                if strikes == self.STRIKES:
                    self.lose()
            else:
                strikes = 0
                if alive and self.is_held():
                    self.deadline = sent + self.grant.ttl
                else:
                    self.lose()
        expiry.cancel()
