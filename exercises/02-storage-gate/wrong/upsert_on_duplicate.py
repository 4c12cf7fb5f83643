# killed-by: two_first_writes_do_not_overtake_each_other
# bug: When the insert meets a row that came meanwhile it is overwritten without a look at its mark: an upsert.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        record = {"mark": token, "value": value}
        async with await self._db.begin() as tx:
            seen = await tx.get_for_update(resource)
            if seen is None:
                try:
                    await tx.insert(resource, record)
                except Duplicate:
                    await tx.put(resource, record)
                return
            if token < seen["mark"]:
                raise StaleFencingToken(f"{token} < {seen['mark']}")
            await tx.put(resource, record)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
