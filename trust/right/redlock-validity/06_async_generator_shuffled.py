# An async generator yields the votes of the nodes in random order; the loop over it is left when it is decided.
import random

from leasehold import TransportError

DICE = random.SystemRandom()


class Lease(tuple):
    """(name, ownership token, end)"""

    name = property(lambda self: self[0])
    ownership_token = property(lambda self: self[1])
    valid_until = property(lambda self: self[2])


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = list(nodes)
        self._clock = clock
        self._drift_factor = drift_factor

    async def _votes(self, name, token, ttl):
        order = list(self._nodes)
        DICE.shuffle(order)
        for node in order:
            try:
                yield bool(await node.acquire(name, token, ttl))
            except TransportError:
                yield False

    async def acquire(self, name, ttl):
        token = f"{DICE.getrandbits(160):040x}"
        t1 = self._clock()
        balance = {True: 0, False: 0}
        half = len(self._nodes) / 2
        async for vote in self._votes(name, token, ttl):
            balance[vote] += 1
            if balance[True] > half:
                t2 = self._clock()
                usable = ttl - (t2 - t1) - ttl * self._drift_factor
                if usable > 0:
                    return Lease((name, token, t2 + usable))
                break
            if balance[False] >= half:
                break
        await self.release(Lease((name, token, t1)))
        return None

    async def release(self, lease):
        for node in reversed(self._nodes):
            try:
                await node.release(lease.name, lease.ownership_token)
            except TransportError:
                pass
