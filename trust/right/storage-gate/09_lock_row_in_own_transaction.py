# An asynccontextmanager sees to the lock row in a first transaction and locks it in a second, in which the body works.
from contextlib import asynccontextmanager, suppress

from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db
        self._there = set()     # lock rows that this process knows to exist

    @asynccontextmanager
    async def _locked(self, resource):
        lock = "L" + resource
        if lock not in self._there:
            with suppress(Duplicate):
                async with await self._db.begin() as tx:
                    await tx.insert(lock, 0)
            self._there.add(lock)
        async with await self._db.begin() as tx:
            await tx.get_for_update(lock)
            yield tx

    async def write(self, resource, token, value):
        async with self._locked(resource) as tx:
            mark = await tx.get("M" + resource)
            if mark is not None and token < mark:
                raise StaleFencingToken(f"{resource} has seen {mark}")
            await tx.put("V" + resource, value)
            await tx.put("M" + resource, token)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            return await tx.get("V" + resource)
