"""Written as the published description goes, step by step, with the 2 ms that Redis's expiry may be late by."""

import random
import string

from leasehold import TransportError


class Validity:
    pass


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self.servers = nodes
        self.quorum = len(nodes) // 2 + 1
        self.clock = clock
        self.drift_factor = drift_factor

    async def acquire(self, name, ttl):
        value = "".join(random.choice(string.ascii_lowercase) for _ in range(22))
        n = 0
        start = self.clock()
        for server in self.servers:
            if await self.lock_instance(server, name, value, ttl):
                n += 1
        elapsed = self.clock() - start
        drift = self.drift_factor * ttl + 0.002
        usable = ttl - elapsed - drift
        if n >= self.quorum and usable > 0:
            lease = Validity()
            lease.resource, lease.key = name, value
            lease.valid_until = self.clock() + usable
            return lease
        for server in self.servers:
            await self.unlock_instance(server, name, value)
        return None

    async def release(self, lease):
        return [await self.unlock_instance(server, lease.resource, lease.key) for server in self.servers].count(True)

    async def lock_instance(self, server, name, value, ttl):
        try:
            return await server.acquire(name, value, ttl)
        except TransportError:
            return False

    async def unlock_instance(self, server, name, value):
        try:
            return await server.release(name, value)
        except TransportError:
            return False
