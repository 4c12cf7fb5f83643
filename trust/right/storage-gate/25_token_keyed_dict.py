# A row is a dict from token (as text) to the last value written with it; the greatest key, as a number, is the mark.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            try:
                await tx.insert(resource, {str(token): value})
            except Duplicate:
                values = await tx.get_for_update(resource)
                if token < max(map(int, values)):
                    raise StaleFencingToken(resource)
                await tx.put(resource, {**values, str(token): value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            values = await tx.get(resource)
        return values[max(values, key=int)] if values else None
