# killed-by: a_write_that_did_not_finish_can_be_tried_again
# bug: After a lost commit TransactionOver is taken for proof that it was done; the database may have rolled it back by itself.
from leasehold import StaleFencingToken, TransactionOver, TransportError


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        tx = await self._db.begin()
        try:
            seen = await tx.get_for_update(resource)
            if seen is None:
                await tx.insert(resource, {"mark": token, "value": value})
            elif token < seen["mark"]:
                raise StaleFencingToken(f"token {token} is too small")
            else:
                await tx.put(resource, {"mark": token, "value": value})
        except BaseException:
            try:
                await tx.rollback()
            except (TransactionOver, TransportError):
                pass
            raise
        try:
            await tx.commit()
        except TransportError:
            try:
                await tx.rollback()
            except TransactionOver:
                return
            raise

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
