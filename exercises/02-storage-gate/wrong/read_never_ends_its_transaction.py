# killed-by: every_transaction_is_ended
# bug: read() begins a transaction and returns without ending it.
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
                    return
                except Duplicate:
                    seen = await tx.get_for_update(resource)
            if token < seen["mark"]:
                raise StaleFencingToken(f"{token} < {seen['mark']}")
            await tx.put(resource, record)

    async def read(self, resource):
        tx = await self._db.begin()
        record = await tx.get(resource)
        return None if record is None else record["value"]
