# Asks every node in turn even when it is decided, notes when the majority had answered, and looks at the clock once more before it returns.
import uuid
from dataclasses import dataclass

from leasehold import TransportError


@dataclass(frozen=True)
class Lease:
    name: str
    ownership_token: str
    valid_until: float


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self.nodes = nodes
        self.clock = clock
        self.drift_factor = drift_factor

    async def acquire(self, name, ttl):
        token = str(uuid.uuid4())
        answers = []
        t1 = self.clock()
        t2 = None
        for node in self.nodes:
            answers.append(await self.quietly(node.acquire(name, token, ttl)))
            if t2 is None and 2 * answers.count(True) > len(self.nodes):
                t2 = self.clock()
        if t2 is not None:
            usable = ttl - (t2 - t1) - self.drift_factor * ttl
            if usable > 0 and self.clock() < t2 + usable:
                return Lease(name, token, t2 + usable)
        # Whoever said no has nothing of ours.
        for node, answer in zip(self.nodes, answers):
            if answer is not False:
                await self.quietly(node.release(name, token))
        return None

    async def release(self, lease):
        for node in self.nodes:
            await self.quietly(node.release(lease.name, lease.ownership_token))

    @staticmethod
    async def quietly(call):
        """What the call returns, or None if no answer came."""
        try:
            return await call
        except TransportError:
            return None
