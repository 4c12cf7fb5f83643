# killed-by: value_and_mark_are_stored_in_one_step
# bug: The value is committed by a transaction of its own while the mark's is still open; if that one dies, the value stands there unguarded.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            try:
                await tx.insert("m" + resource, token)
            except Duplicate:
                mark = await tx.get_for_update("m" + resource)
                if token < mark:
                    raise StaleFencingToken(f"token {token} is too small")
                await tx.put("m" + resource, token)
            async with await self._db.begin() as tx2:
                await tx2.put(resource, {"value": value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
