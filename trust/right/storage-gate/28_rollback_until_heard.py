# A transaction wrapper with __slots__ that sends the rollback until the database has heard it.
from leasehold import StaleFencingToken, TransactionOver, TransportError


class Tx:
    __slots__ = ("_db", "_tx")

    def __init__(self, db):
        self._db = db
        self._tx = None

    async def __aenter__(self):
        self._tx = await self._db.begin()
        return self._tx

    async def __aexit__(self, kind, error, trace):
        if kind is None:
            try:
                await self._tx.commit()
                return
            except BaseException:
                await self._undo()
                raise
        await self._undo()

    async def _undo(self):
        for _ in range(5):
            try:
                return await self._tx.rollback()
            except TransportError:
                continue
            except TransactionOver:
                return


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with Tx(self._db) as tx:
            record = await tx.get_for_update(resource)
            if record is None:
                await tx.insert(resource, {"mark": token, "value": value})
            elif token >= record["mark"]:
                record.update(mark=token, value=value)
                await tx.put(resource, record)
            else:
                raise StaleFencingToken(f"{resource}: {token} < {record['mark']}")

    async def read(self, resource):
        async with Tx(self._db) as tx:
            record = await tx.get(resource)
        return record.get("value") if record else None
