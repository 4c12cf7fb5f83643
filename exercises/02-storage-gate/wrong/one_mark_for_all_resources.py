# killed-by: each_resource_has_its_own_mark
# bug: One mark for all resources: a token that is the newest for its own resource is called stale because of another's.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            try:
                await tx.insert("mark", token)
            except Duplicate:
                mark = await tx.get_for_update("mark")
                if token < mark:
                    raise StaleFencingToken(f"{token} < {mark}") from None
                await tx.put("mark", token)
            await tx.put(resource, {"value": value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
