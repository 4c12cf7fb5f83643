# killed-by: the_mark_survives_a_restart
# bug: The marks are shared by all objects of the process, and by nobody else.
from leasehold import StaleFencingToken

MARKS = {}


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        if token < MARKS.get(resource, token):
            raise StaleFencingToken(f"{token} < {MARKS[resource]}")
        MARKS[resource] = token
        async with await self._db.begin() as tx:
            await tx.put(resource, {"value": value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
