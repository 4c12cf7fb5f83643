# killed-by: two_later_writes_do_not_overtake_each_other
# bug: Value and mark are written in two transactions, the mark last: until then an older holder still passes the check.
from leasehold import StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            mark = await tx.get(f"mark {resource}")
            if mark is not None and token < mark:
                raise StaleFencingToken(f"{token} < {mark}")
            await tx.put(resource, {"value": value})
        async with await self._db.begin() as tx:
            await tx.put(f"mark {resource}", token)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
