# Both methods are closures that __init__ makes over the database and binds to the instance.
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

        self.write, self.read = write, read
