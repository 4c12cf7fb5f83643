# killed-by: no_few_disturbances_break_it
# bug: The mark is raised in a first transaction, the value follows in a second one, which nothing checks any more.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            try:
                await tx.insert(f"mark {resource}", token)
            except Duplicate:
                mark = await tx.get_for_update(f"mark {resource}")
                if token < mark:
                    raise StaleFencingToken(f"{token} < {mark}") from None
                await tx.put(f"mark {resource}", token)
        async with await self._db.begin() as tx:
            await tx.put(resource, {"value": value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
