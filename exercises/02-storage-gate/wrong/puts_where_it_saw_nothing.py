# killed-by: two_first_writes_do_not_overtake_each_other
# bug: Where a plain get sees no row the record is put unchecked, though a row may have come meanwhile.
from leasehold import StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            if await tx.get(resource) is None:
                await tx.put(resource, {"mark": token, "value": value})
                return
            seen = await tx.get_for_update(resource)
            if token < seen["mark"]:
                raise StaleFencingToken(f"token {token} is too small")
            await tx.put(resource, {"mark": token, "value": value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
