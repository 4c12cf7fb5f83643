# A row that is only there to be locked: a put on it waits for another's lock, whether it exists or not.
from leasehold import StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            await tx.put("lock of " + resource, True)
            mark = await tx.get("mark of " + resource)
            if mark is not None and token < mark:
                raise StaleFencingToken()
            await tx.put("mark of " + resource, token)
            await tx.put("value of " + resource, value)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            return await tx.get("value of " + resource)
