# killed-by: two_later_writes_do_not_overtake_each_other
# bug: The mark is looked at in one transaction and the value written in another, and between the two a new holder writes.
# report: redis/redis-py PR #1031
from leasehold import StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            seen = await tx.get_for_update(resource)
        if seen is not None and token < seen["mark"]:
            raise StaleFencingToken(f"{token} < {seen['mark']}")
        async with await self._db.begin() as tx:
            await tx.put(resource, {"mark": token, "value": value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
