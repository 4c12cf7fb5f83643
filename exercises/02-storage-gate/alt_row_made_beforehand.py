from contextlib import suppress

from leasehold import Duplicate, StaleFencingToken

EMPTY = {"mark": None, "value": None}


class FencedStore:
    """A first transaction sees to it that there is a row, a second one locks it."""

    def __init__(self, db):
        self._db = db
        self._known = set()

    async def _make_row(self, resource):
        if resource in self._known:
            return
        with suppress(Duplicate):
            async with await self._db.begin() as tx:
                await tx.insert(resource, EMPTY)
        self._known.add(resource)

    async def write(self, resource, token, value):
        await self._make_row(resource)
        async with await self._db.begin() as tx:
            mark = (await tx.get_for_update(resource))["mark"]
            if mark is not None and mark > token:
                raise StaleFencingToken(f"{mark} > {token}")
            await tx.put(resource, {"mark": token, "value": value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            return (await tx.get(resource) or EMPTY)["value"]
