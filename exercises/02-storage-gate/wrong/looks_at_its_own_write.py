# killed-by: a_smaller_token_is_rejected
# bug: The record is put first and read afterwards: a transaction sees its own write, and nothing is ever stale.
from leasehold import StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            await tx.put(resource, {"mark": token, "value": value})
            seen = await tx.get(resource)
            if token < seen["mark"]:
                raise StaleFencingToken(f"token {token} is too small")

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
