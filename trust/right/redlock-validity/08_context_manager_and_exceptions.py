# An attempt is an async context manager that gives everything back when it is left by an exception; a failed attempt raises inside.
import secrets
from contextlib import asynccontextmanager
from types import SimpleNamespace

from leasehold import TransportError


class Failed(Exception):
    pass


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = nodes
        self._clock = clock
        self._drift_factor = drift_factor

    @asynccontextmanager
    async def _attempt(self, name):
        lease = SimpleNamespace(name=name, ownership_token=secrets.token_hex(16), valid_until=None)
        try:
            yield lease
        except Failed:
            await self.release(lease)
            raise

    async def _majority(self, lease, ttl):
        need = len(self._nodes) // 2 + 1
        for tried, node in enumerate(self._nodes):
            if need > len(self._nodes) - tried:
                raise Failed("out of reach")
            try:
                need -= bool(await node.acquire(lease.name, lease.ownership_token, ttl))
            except TransportError:
                pass
            if need == 0:
                return
        raise Failed("not enough")

    async def acquire(self, name, ttl):
        try:
            async with self._attempt(name) as lease:
                t1 = self._clock()
                await self._majority(lease, ttl)
                t2 = self._clock()
                usable = ttl - (t2 - t1) - self._drift_factor * ttl
                if usable <= 0:
                    raise Failed("void")
                lease.valid_until = t2 + usable
                return lease
        except Failed:
            return None

    async def release(self, lease):
        for node in self._nodes:
            try:
                await node.release(lease.name, lease.ownership_token)
            except TransportError:
                pass
