# Looks without a lock first, to reject or to found the row; then locks and looks again. match instead of if.
from leasehold import Duplicate, StaleFencingToken

NEVER = -1


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            match await tx.get(resource):
                case None:
                    await self._found(resource)
                case {"mark": mark} if mark > token:
                    raise StaleFencingToken("seen without a lock")
            match await tx.get_for_update(resource):
                case {"mark": mark} if mark > token:
                    raise StaleFencingToken("seen with a lock")
                case _:
                    await tx.put(resource, {"mark": token, "value": value})

    async def _found(self, resource):
        try:
            async with await self._db.begin() as tx:
                await tx.insert(resource, {"mark": NEVER, "value": None})
        except Duplicate:
            pass

    async def read(self, resource):
        async with await self._db.begin() as tx:
            match await tx.get(resource):
                case {"value": value}:
                    return value
