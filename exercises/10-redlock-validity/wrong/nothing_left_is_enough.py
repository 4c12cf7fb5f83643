# killed-by: without_usable_time_the_grant_is_void
# bug: A lease whose time is over at this very instant is still given.
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

    async def acquire(self, name, ttl):
        ownership_token = secrets.token_hex(8)
        granted = 0
        t1 = self._clock()
        for node in self._nodes:
            try:
                granted += await node.acquire(name, ownership_token, ttl)
            except TransportError:
                # Perhaps it has granted. It does not count, and it is released like the others.
                pass
        lease = Lease(name, ownership_token, t1 + ttl - self._drift_factor * ttl)
        if granted > len(self._nodes) // 2 and self._clock() <= lease.valid_until:
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
