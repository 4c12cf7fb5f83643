# Lock first and insert only where there is nothing; a Duplicate starts over with a new transaction.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        while True:
            try:
                async with await self._db.begin() as tx:
                    row = await tx.get_for_update(resource)
                    if row is None:
                        await tx.insert(resource, [token, value])
                    else:
                        mark, _ = row
                        if mark > token:
                            raise StaleFencingToken(resource)
                        await tx.put(resource, [token, value])
                return
            except Duplicate:
                continue

    async def read(self, resource):
        async with await self._db.begin() as tx:
            row = await tx.get(resource)
        return row[1] if row else None
