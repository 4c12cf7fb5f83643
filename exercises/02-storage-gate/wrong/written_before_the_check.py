# killed-by: a_rejected_write_changes_nothing
# bug: The value is written before the check, and the transaction is committed also where the write is rejected.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            try:
                await tx.insert(resource, {"mark": token, "value": value})
                return
            except Duplicate:
                mark = (await tx.get_for_update(resource))["mark"]
                await tx.put(resource, {"mark": max(mark, token), "value": value})
        if token < mark:
            raise StaleFencingToken(f"{token} < {mark}")

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
