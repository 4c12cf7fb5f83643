# Both methods pass the call on to closures that __init__ makes over the database.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        async def write(resource, token, value):
            record = {"mark": token, "value": value}
            async with await db.begin() as tx:
                try:
                    await tx.insert(resource, record)
                except Duplicate:
                    if token < (await tx.get_for_update(resource))["mark"]:
                        raise StaleFencingToken(resource) from None
                    await tx.put(resource, record)

        async def read(resource):
            async with await db.begin() as tx:
                record = await tx.get(resource)
            return record and record["value"]

        self._write, self._read = write, read

    async def write(self, resource, token, value):
        await self._write(resource, token, value)

    async def read(self, resource):
        return await self._read(resource)
