# killed-by: the_mark_survives_a_restart
# bug: The mark is kept in the object: a new one, or another process, has seen nothing.
from leasehold import StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db
        self._marks = {}

    async def write(self, resource, token, value):
        if token < self._marks.get(resource, token):
            raise StaleFencingToken(f"{token} < {self._marks[resource]}")
        self._marks[resource] = token
        async with await self._db.begin() as tx:
            await tx.put(resource, {"value": value})

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
