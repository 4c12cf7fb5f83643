# killed-by: a_write_that_did_not_finish_can_be_tried_again
# bug: The commit is left to a background task, and write() returns before anybody knows how it ended.
from leasehold import Duplicate, StaleFencingToken, spawn


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def _commit(self, tx):
        try:
            await tx.commit()
        except Exception:
            pass

    async def write(self, resource, token, value):
        tx = await self._db.begin()
        try:
            try:
                await tx.insert(resource, {"mark": token, "value": value})
            except Duplicate:
                seen = await tx.get_for_update(resource)
                if token < seen["mark"]:
                    raise StaleFencingToken(f"token {token} is too small")
                await tx.put(resource, {"mark": token, "value": value})
        except BaseException:
            await tx.rollback()
            raise
        spawn(self._commit(tx))

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
