# killed-by: a_rejected_write_changes_nothing
# bug: A rejected write still records its token as the mark, so the next stale write passes.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        record = {"mark": token, "value": value}
        async with await self._db.begin() as tx:
            try:
                await tx.insert(resource, record)
                return
            except Duplicate:
                seen = await tx.get_for_update(resource)
                await tx.put(resource, record if token >= seen["mark"] else {**seen, "mark": token})
        if token < seen["mark"]:
            raise StaleFencingToken(f"{token} < {seen['mark']}")

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
