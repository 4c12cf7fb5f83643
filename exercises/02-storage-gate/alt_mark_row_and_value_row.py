from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    """Two rows for each resource: its mark, which is also its lock, and its value."""

    def __init__(self, db):
        self.db = db

    async def write(self, resource, token, value):
        tx = await self.db.begin()
        try:
            mark = await self._locked_mark(tx, f"mark of {resource}")
            if token < mark:
                raise StaleFencingToken(resource)
            if token > mark:
                await tx.put(f"mark of {resource}", token)
            await tx.put(f"value of {resource}", value)
        except BaseException:
            await tx.rollback()
            raise
        await tx.commit()

    async def _locked_mark(self, tx, row):
        try:
            await tx.insert(row, -1)
            return -1
        except Duplicate:
            return await tx.get_for_update(row)

    async def read(self, resource):
        tx = await self.db.begin()
        try:
            return await tx.get(f"value of {resource}")
        finally:
            await tx.rollback()
