# Tasks of one process queue up at a Mutex per resource; the row keeps the whole history, and is changed in place.
from collections import defaultdict

from leasehold import Duplicate, Mutex, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db
        self._mutex = defaultdict(Mutex)

    async def write(self, resource, token, value):
        async with self._mutex[resource], await self._db.begin() as tx:
            try:
                await tx.insert(resource, [])
            except Duplicate:
                pass
            history = await tx.get_for_update(resource)
            if any(token < entry["token"] for entry in history):
                raise StaleFencingToken(resource)
            history.append({"token": token, "value": value})
            await tx.put(resource, history)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            history = await tx.get(resource)
        return history[-1]["value"] if history else None
