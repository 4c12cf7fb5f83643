# All state is one immutable record that pure functions replace; it stops believing half a second before the deadline.
import random
from typing import NamedTuple

from leasehold import Signal, TransportError, spawn

MARGIN = 0.5


class Lease(NamedTuple):
    state: str
    deadline: float
    ttl: float


def over(lease, now):
    return now >= lease.deadline - MARGIN


def believed(lease, now):
    return lease.state == "held" and not over(lease, now)


def renewed(lease, sent, now):
    return lease._replace(deadline=sent + lease.ttl) if believed(lease, now) else lease


def ended(lease, how):
    return lease._replace(state=how) if lease.state == "held" else lease


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self.service, self.clock, self.grant, self.on_lost = service, clock, grant, on_lost
        self.lease = Lease("held", asked_at + grant.ttl, grant.ttl)
        self.end = Signal()

    def is_held(self):
        return believed(self.lease, self.clock())

    def stop(self):
        self.become(ended(self.lease, "released"))

    def become(self, new):
        self.lease = new
        if new.state != "held":
            self.end.set()

    def lose(self):
        if self.lease.state == "held":
            self.become(ended(self.lease, "lost"))
            self.on_lost()

    async def run(self):
        work = spawn(self.renew_again_and_again())
        while not self.end.is_set():
            now = self.clock()
            if over(self.lease, now):
                self.lose()
            else:
                await self.end.wait(self.lease.deadline - MARGIN - now)
        work.cancel()

    async def renew_again_and_again(self):
        while not await self.end.wait(self.lease.ttl / 3 * (1 + random.uniform(-0.1, 0.1))):
            if not self.is_held():
                return  # run() tells it
            sent = self.clock()
            try:
                answer = await self.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl)
            except TransportError:
                continue
            if answer:
                self.become(renewed(self.lease, sent, self.clock()))
            else:
                self.lose()
