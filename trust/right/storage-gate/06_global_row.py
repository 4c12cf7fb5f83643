# One row for everything: a dict from resource to [mark, value], made once in a transaction of its own.
from leasehold import Duplicate, StaleFencingToken

ROW = "all resources"


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def _found(self):
        try:
            async with await self._db.begin() as tx:
                await tx.insert(ROW, {})
        except Duplicate:
            pass

    async def write(self, resource, token, value):
        await self._found()
        async with await self._db.begin() as tx:
            everything = await tx.get_for_update(ROW)
            mark, _ = everything.get(resource, (-1, None))
            if token < mark:
                raise StaleFencingToken(resource, mark)
            await tx.put(ROW, {**everything, resource: [token, value]})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            everything = await tx.get(ROW) or {}
        return everything.get(resource, (None, None))[1]
