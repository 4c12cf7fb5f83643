# Asks all at once and cancels whoever has not answered when it is decided, on success and on failure.
import secrets

from leasehold import Signal, TransportError, spawn


class Lease:
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
        token = secrets.token_hex(16)
        n = len(self._nodes)
        need = n // 2 + 1
        votes = {True: 0, False: 0}
        decided = Signal()

        async def ask(node):
            try:
                vote = bool(await node.acquire(name, token, ttl))
            except TransportError:
                vote = False
            votes[vote] += 1
            if votes[True] == need or votes[False] > n - need:
                decided.set()

        t1 = self._clock()
        tasks = [spawn(ask(node)) for node in self._nodes]
        await decided.wait()
        t2 = self._clock()
        for task in tasks:
            task.cancel()
        usable = ttl - (t2 - t1) - self._drift_factor * ttl
        if votes[True] >= need and usable > 0:
            return Lease(name, token, t2 + usable)
        await self._forget(name, token)
        return None

    async def release(self, lease):
        await self._forget(lease.name, lease.ownership_token)

    async def _forget(self, name, token):
        for node in self._nodes:
            try:
                await node.release(name, token)
            except TransportError:
                continue
