# is_held() says no in the whole last second, though a renewal may still come; after failures the pauses halve.
import random
from dataclasses import dataclass, field

from leasehold import Task, TransportError, spawn


@dataclass(eq=False)
class Renewer:
    service: object
    clock: object
    grant: object
    asked_at: float
    on_lost: object
    ended: bool = field(default=False, init=False)
    failures: int = field(default=0, init=False)
    helper: Task | None = field(default=None, init=False)

    def __post_init__(self):
        self.deadline = self.asked_at + self.grant.ttl

    def left(self):
        return self.deadline - self.clock()

    def is_held(self):
        return not self.ended and self.left() >= min(1.0, self.grant.ttl / 4)

    def stop(self):
        self.ended = True

    def lose(self):
        if not self.ended:
            self.ended = True
            self.on_lost()

    async def run(self):
        self.helper = spawn(self.wait_for_the_deadline())
        while not self.ended:
            pause = self.grant.ttl / 3 / 2 ** min(self.failures, 2)
            await self.clock.sleep(pause * random.uniform(0.9, 1.1))
            if not self.ended:
                await self.renew()

    async def renew(self):
        sent = self.clock()
        if sent >= self.deadline:
            return self.lose()
        try:
            answer = await self.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl)
        except TransportError:
            self.failures += 1
            return
        if self.ended:
            return
        if not answer or self.left() <= 0:
            return self.lose()
        self.failures = 0
        self.deadline = sent + self.grant.ttl

    async def wait_for_the_deadline(self):
        while not self.ended:
            left = self.left()
            if left <= 0:
                self.lose()
            else:
                await self.clock.sleep(left)
