# No async with: begin, try, commit, and a rollback whenever anything went wrong, even after a commit without an answer.
from leasehold import Duplicate, StaleFencingToken, TransactionOver, TransportError


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        tx = await self._db.begin()
        try:
            await self._store(tx, resource, token, value)
            await tx.commit()
        except BaseException:
            await self._give_up(tx)
            raise

    async def _store(self, tx, resource, token, value):
        new = {"token": token, "value": value}
        old = await tx.get_for_update(resource)
        if old is None:
            try:
                await tx.insert(resource, new)
                return
            except Duplicate:
                old = await tx.get_for_update(resource)
        if token < old["token"]:
            raise StaleFencingToken
        await tx.put(resource, new)

    async def _give_up(self, tx):
        try:
            await tx.rollback()
        except (TransactionOver, TransportError):
            pass    # over already, or the database finds out by itself

    async def read(self, resource):
        tx = await self._db.begin()
        try:
            row = await tx.get(resource)
        finally:
            await self._give_up(tx)     # nothing was written
        return row["value"] if row is not None else None
