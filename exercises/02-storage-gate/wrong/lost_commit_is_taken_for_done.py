# killed-by: a_write_that_did_not_finish_can_be_tried_again
# bug: A commit whose reply is lost is taken for done; it may never have arrived.
from leasehold import Duplicate, StaleFencingToken, TransportError


class FencedStore:
    def __init__(self, db):
        self._db = db

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
        try:
            await tx.commit()
        except TransportError:
            pass

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
