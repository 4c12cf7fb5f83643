"""One acquire() at a time in this process, nodes from the last to the first, and what could not be released before is
tried again first."""

import uuid

from leasehold import Mutex, TransportError


class Lease:
    __slots__ = ("key", "valid_until", "is_over")


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = dict(enumerate(nodes))
        self._clock = clock
        self._part = 1.0 - drift_factor
        self._mutex = Mutex()
        self._left_behind = set()

    async def acquire(self, name, ttl):
        async with self._mutex:
            for number, key in sorted(self._left_behind):
                await self._free(number, key)
            lease = Lease()
            lease.key = (name, uuid.uuid4().hex)
            lease.valid_until = self._clock() + ttl * self._part
            lease.is_over = False
            missing = len(self._nodes) // 2 + 1
            for number in sorted(self._nodes, reverse=True):
                try:
                    missing -= bool(await self._nodes[number].acquire(*lease.key, ttl))
                except TransportError:
                    continue
            if missing > 0 or lease.valid_until <= self._clock():
                await self.release(lease)
                lease = None
            return lease

    async def release(self, lease):
        if lease.is_over:
            return False
        lease.is_over = True
        for number in self._nodes:
            await self._free(number, lease.key)
        return True

    async def _free(self, number, key):
        try:
            await self._nodes[number].release(*key)
            self._left_behind.discard((number, key))
        except TransportError:
            self._left_behind.add((number, key))
