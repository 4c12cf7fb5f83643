# killed-by: every_transaction_is_ended
# bug: StaleFencingToken leaves the transaction open, and with it the row locked: the next writer waits.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        record = {"mark": token, "value": value}
        tx = await self._db.begin()
        try:
            await tx.insert(resource, record)
        except Duplicate:
            seen = await tx.get_for_update(resource)
            if token < seen["mark"]:
                raise StaleFencingToken(f"{token} < {seen['mark']}") from None
            await tx.put(resource, record)
        await tx.commit()

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
