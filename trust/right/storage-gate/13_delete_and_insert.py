# Rows are never overwritten: the old one is locked, deleted and inserted anew, and a helper task does the work.
from leasehold import Duplicate, StaleFencingToken, spawn


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def _work(self, resource, token, value):
        async with await self._db.begin() as tx:
            old = await tx.get_for_update(resource)
            if old is not None:
                if token < old["mark"]:
                    raise StaleFencingToken(resource)
                await tx.delete(resource)
            await tx.insert(resource, {"mark": token, "value": value})

    async def write(self, resource, token, value):
        task = spawn(self._work(resource, token, value))
        try:
            await task
        except BaseException:
            # If it was we who were cancelled, the helper is as well, and we stay until it has rolled back.
            task.cancel()
            try:
                await task
            except BaseException:
                pass
            raise

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
