"""A task for each node, which cleans up after its own silence; the lease remembers the nodes that granted."""

import secrets
from collections import namedtuple

from leasehold import TransportError, spawn

Lease = namedtuple("Lease", "name token nodes valid_until")


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self.nodes = nodes
        self.clock = clock
        self.drift_factor = drift_factor

    async def acquire(self, name, ttl):
        token = secrets.token_hex(12)
        start = self.clock()
        votes = [spawn(self._vote(node, name, token, ttl)) for node in self.nodes]
        granted = [node for node, vote in zip(self.nodes, votes) if await vote]
        elapsed = self.clock() - start
        usable = ttl - elapsed - self.drift_factor * ttl
        if 2 * len(granted) > len(self.nodes) and usable > 0:
            return Lease(name, token, granted, start + elapsed + usable)
        for node in granted:
            await self._free(node, name, token)

    async def release(self, lease):
        while lease.nodes:
            await self._free(lease.nodes.pop(), lease.name, lease.token)

    async def _vote(self, node, name, token, ttl):
        try:
            return await node.acquire(name, token, ttl)
        except TransportError:
            await self._free(node, name, token)
            return False

    async def _free(self, node, name, token):
        try:
            await node.release(name, token)
        except TransportError:
            pass
