# killed-by: each_resource_has_its_own_mark
# bug: The marks are kept by resource, the value is not.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            row = f"mark {resource}"
            try:
                await tx.insert(row, token)
            except Duplicate:
                mark = await tx.get_for_update(row)
                if token < mark:
                    raise StaleFencingToken(f"{token} < {mark}") from None
                await tx.put(row, token)
            await tx.put("value", {"value": value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get("value")
        return None if record is None else record["value"]
