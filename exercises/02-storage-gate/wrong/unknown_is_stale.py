# killed-by: a_write_that_did_not_finish_can_be_tried_again
# bug: Whatever goes wrong is told as StaleFencingToken: the holder gives up a lock that it still has.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def _write(self, resource, token, value):
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

    async def write(self, resource, token, value):
        try:
            await self._write(resource, token, value)
        except Exception as error:
            raise StaleFencingToken(resource) from error

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
