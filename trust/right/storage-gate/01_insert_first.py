# Insert first; whoever gets Duplicate locks the row in the same transaction and compares.
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
                seen = await tx.get_for_update(resource)
                if token < seen["mark"]:
                    raise StaleFencingToken(f"{token} < {seen['mark']}")
                await tx.put(resource, record)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
