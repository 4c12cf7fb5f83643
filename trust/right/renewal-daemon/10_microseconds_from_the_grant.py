# Times are whole microseconds, and the plan is kept from sending to sending, beginning with the request of the grant.
from __future__ import annotations

from math import ceil, floor
from random import randint

from leasehold import TransportError, spawn

SECOND = 1_000_000


def a_third_or_so(ttl: int) -> int:
    return randint(ceil(ttl * 3 / 10), floor(ttl * 11 / 30))


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost) -> None:
        self.service = service
        self.clock = clock
        self.grant = grant
        self.ttl: int = floor(grant.ttl * SECOND)
        self.sent: int = round(asked_at * SECOND)
        self.deadline: int = self.sent + self.ttl
        self.on_lost = on_lost
        self.state = "held"

    def now(self) -> int:
        return round(self.clock() * SECOND)

    async def sleep_until(self, moment: int) -> None:
        while self.state == "held" and (left := moment - self.now()) > 0:
            await self.clock.sleep(left / SECOND)

    async def run(self) -> None:
        watch = spawn(self.watch())
        while self.state == "held":
            await self.sleep_until(min(self.sent + a_third_or_so(self.ttl), self.deadline))
            if self.state != "held":
                break
            self.sent = self.now()
            if self.sent >= self.deadline:
                self.lose()
                break
            await self.renew_once(self.sent)
        watch.cancel()

    async def renew_once(self, sent: int) -> None:
        try:
            answer = await self.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl)
        except TransportError:
            return
        if self.state == "held":
            if answer and self.now() < self.deadline:
                self.deadline = sent + self.ttl
            else:
                self.lose()

    async def watch(self) -> None:
        while self.state == "held":
            await self.sleep_until(self.deadline)
            if self.state == "held" and self.now() >= self.deadline:
                self.lose()

    def lose(self) -> None:
        if self.state == "held":
            self.state = "lost"
            self.on_lost()

    def stop(self) -> None:
        if self.state == "held":
            self.state = "released"

    def is_held(self) -> bool:
        return self.state == "held" and self.now() < self.deadline
