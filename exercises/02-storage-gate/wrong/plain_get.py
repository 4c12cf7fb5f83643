# killed-by: two_later_writes_do_not_overtake_each_other
# bug: The mark is read with a plain get, which locks nothing: a newer write can be committed before the put.
from leasehold import StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            seen = await tx.get(resource)
            if seen is None:
                await tx.insert(resource, {"mark": token, "value": value})
                return
            if token < seen["mark"]:
                raise StaleFencingToken(f"{token} < {seen['mark']}")
            await tx.put(resource, {"mark": token, "value": value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
