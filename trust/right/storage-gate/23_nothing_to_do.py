# A write that finds its own value stored already writes nothing and rolls back; read takes the row lock, too.
from leasehold import Duplicate, StaleFencingToken, TransactionOver, TransportError


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        new = {"mark": token, "value": value}
        tx = await self._db.begin()
        finish = tx.rollback
        try:
            old = await tx.get_for_update(resource)
            if old is None:
                await tx.insert(resource, new)
                finish = tx.commit
            elif old["mark"] > token:
                raise StaleFencingToken(resource)
            elif repr(old) != repr(new):
                await tx.put(resource, new)
                finish = tx.commit
        except BaseException:
            finish = tx.rollback
            raise
        finally:
            try:
                await finish()
            except (TransportError, TransactionOver):
                if finish == tx.commit:
                    raise

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get_for_update(resource)
        return None if record is None else record["value"]
