# killed-by: no_few_disturbances_break_it
# bug: A first write is safe, but after Duplicate the row is read with a plain get and not locked.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        record = {"mark": token, "value": value}
        async with await self._db.begin() as tx:
            try:
                await tx.insert(resource, record)
            except Duplicate:
                seen = await tx.get(resource)
                if token < seen["mark"]:
                    raise StaleFencingToken(f"{token} < {seen['mark']}") from None
                await tx.put(resource, record)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
