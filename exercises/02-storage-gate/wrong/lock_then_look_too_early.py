# killed-by: two_later_writes_do_not_overtake_each_other
# bug: The mark is read before the lock and not again after it: the wait for the lock is where the newer write happens.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        record = {"mark": token, "value": value}
        async with await self._db.begin() as tx:
            seen = await tx.get(resource)
            if seen is None:
                try:
                    await tx.insert(resource, record)
                    return
                except Duplicate:
                    seen = await tx.get_for_update(resource)
            await tx.get_for_update(resource)
            if token < seen["mark"]:
                raise StaleFencingToken(f"{token} < {seen['mark']}")
            await tx.put(resource, record)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
