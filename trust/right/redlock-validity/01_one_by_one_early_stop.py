# Asks one node after the other and stops as soon as the majority is there or out of reach; releases one after the other.
import secrets

from leasehold import TransportError


class Lease:
    def __init__(self, name, ownership_token, valid_until):
        self.name = name
        self.ownership_token = ownership_token
        self.valid_until = valid_until


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = list(nodes)
        self._clock = clock
        self._drift_factor = drift_factor
        self._quorum = len(self._nodes) // 2 + 1

    async def acquire(self, name, ttl):
        token = secrets.token_hex(16)
        t1 = self._clock()
        yes = 0
        left = len(self._nodes)
        for node in self._nodes:
            if yes >= self._quorum or yes + left < self._quorum:
                break
            left -= 1
            try:
                if await node.acquire(name, token, ttl):
                    yes += 1
            except TransportError:
                pass
        t2 = self._clock()
        usable = ttl - (t2 - t1) - self._drift_factor * ttl
        if yes >= self._quorum and usable > 0:
            return Lease(name, token, t2 + usable)
        await self._release_all(name, token)
        return None

    async def release(self, lease):
        await self._release_all(lease.name, lease.ownership_token)

    async def _release_all(self, name, token):
        for node in self._nodes:
            try:
                await node.release(name, token)
            except TransportError:
                pass
