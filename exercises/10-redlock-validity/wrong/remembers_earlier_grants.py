# killed-by: own_leftovers_count_for_nothing
# bug: What an earlier attempt got on a minority is kept in memory, not asked for again and counted in the next one.
import secrets

from leasehold import TransportError


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
        self._kept = {}

    async def acquire(self, name, ttl):
        kept = self._kept.setdefault(name, set())
        ownership_token = secrets.token_hex(8)
        granted = 0
        t1 = self._clock()
        for number, node in enumerate(self._nodes):
            try:
                if number in kept or await node.acquire(name, ownership_token, ttl):
                    kept.add(number)
            except TransportError:
                # Done or not: the token is random, so if it lies there it is ours.
                kept.add(number)
        granted = len(kept)
        lease = Lease(name, ownership_token, t1 + ttl - self._drift_factor * ttl)
        if granted > len(self._nodes) // 2 and self._clock() < lease.valid_until:
            self._kept.pop(name)
            return lease
        await self.release(lease)
        return None

    async def release(self, lease):
        for node in self._nodes:
            try:
                await node.release(lease.name, lease.ownership_token)
            except TransportError:
                # What stays there ends by itself.
                pass
