"""All nodes at once; the first moment at which it is decided ends the wait."""

import uuid
from dataclasses import dataclass

from leasehold import Signal, TransportError, spawn


@dataclass(frozen=True)
class Held:
    resource: str
    secret: str
    valid_until: float


class Round:
    def __init__(self, voters):
        self.voters = voters
        self.majority = voters // 2 + 1
        self.yes = 0
        self.no = 0
        self.decided = Signal()

    def count(self, vote):
        if vote:
            self.yes += 1
        else:
            self.no += 1
        if self.yes >= self.majority or self.no > self.voters - self.majority:
            self.decided.set()


async def quietly(call):
    try:
        return await call
    except TransportError:
        return None


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self.nodes = tuple(nodes)
        self.clock = clock
        self.usable_part = 1 - drift_factor

    async def acquire(self, name, ttl):
        secret = str(uuid.uuid4())
        round_ = Round(len(self.nodes))

        async def ask(node):
            round_.count(await quietly(node.acquire(name, secret, ttl)))

        valid_until = self.clock() + ttl * self.usable_part
        for node in self.nodes:
            spawn(ask(node))
        await round_.decided.wait()
        if round_.yes >= round_.majority and valid_until > self.clock():
            return Held(name, secret, valid_until)
        await self._release_all(name, secret)

    async def release(self, lease):
        await self._release_all(lease.resource, lease.secret)

    async def _release_all(self, name, secret):
        tasks = [spawn(quietly(node.release(name, secret))) for node in self.nodes]
        for task in tasks:
            await task
