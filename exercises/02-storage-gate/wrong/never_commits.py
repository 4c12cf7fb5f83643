# killed-by: what_is_written_can_be_read
# bug: Nobody commits: the database undoes the write.
from leasehold import StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        record = {"mark": token, "value": value}
        tx = await self._db.begin()
        try:
            seen = await tx.get_for_update(resource)
            if seen is not None and token < seen["mark"]:
                raise StaleFencingToken(f"{token} < {seen['mark']}")
            await tx.put(resource, record)
        finally:
            await tx.rollback()

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
