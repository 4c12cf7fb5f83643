# killed-by: an_equal_token_is_accepted
# bug: The mark is tested for truth, so token 0 looks like no mark at all and is inserted again.
from leasehold import StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            mark = await tx.get_for_update("m" + resource)
            if not mark:
                await tx.insert("m" + resource, token)
            elif token < mark:
                raise StaleFencingToken(f"token {token} is too small")
            else:
                await tx.put("m" + resource, token)
            await tx.put(resource, {"value": value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
