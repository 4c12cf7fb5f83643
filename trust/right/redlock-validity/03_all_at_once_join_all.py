# Spawns one task for each node and waits for all of them, in both directions; each task returns its answer and when it came.
import secrets

from leasehold import TransportError, spawn


class Lease:
    __slots__ = ("name", "ownership_token", "valid_until")

    def __init__(self, name, ownership_token, valid_until):
        self.name = name
        self.ownership_token = ownership_token
        self.valid_until = valid_until


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = nodes
        self._clock = clock
        self._drift_factor = drift_factor

    async def acquire(self, name, ttl):
        token = secrets.token_urlsafe(16)

        async def ask(node):
            try:
                answer = await node.acquire(name, token, ttl)
            except TransportError:
                answer = None
            return answer, self._clock()

        t1 = self._clock()
        votes = await gather(ask(node) for node in self._nodes)
        times = sorted(when for answer, when in votes if answer is True)
        quorum = len(self._nodes) // 2 + 1
        if len(times) >= quorum:
            t2 = times[quorum - 1]
            usable = ttl - (t2 - t1) - self._drift_factor * ttl
            # The answers that came later took time as well.
            if usable > 0 and t2 + usable > self._clock():
                return Lease(name, token, t2 + usable)
        await self._give_back(name, token)
        return None

    async def release(self, lease):
        await self._give_back(lease.name, lease.ownership_token)

    async def _give_back(self, name, token):
        async def tell(node):
            try:
                await node.release(name, token)
            except TransportError:
                pass

        await gather(tell(node) for node in self._nodes)


async def gather(coroutines):
    tasks = [spawn(coroutine) for coroutine in coroutines]
    return [await task for task in tasks]
