# A decorator tries again, a few times and after a pause that grows, when the database was out of reach or in the way.
from functools import wraps

from leasehold import Clock, Deadlock, Duplicate, StaleFencingToken, TransactionOver, TransportError

TRANSIENT = (Deadlock, Duplicate, TransactionOver, TransportError)


def again(times, pause):
    def decorate(method):
        @wraps(method)
        async def tried(self, *args):
            wait = pause
            for _ in range(times - 1):
                try:
                    return await method(self, *args)
                except TRANSIENT:
                    await Clock().sleep(wait)
                    wait *= 2
            return await method(self, *args)
        return tried
    return decorate


class FencedStore:
    def __init__(self, db):
        self._db = db

    @again(times=4, pause=0.05)
    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            record = await tx.get_for_update(resource)
            if record is None:
                await tx.insert(resource, {"mark": token, "value": value})
                return
            if token < record["mark"]:
                raise StaleFencingToken(resource)
            await tx.put(resource, {"mark": token, "value": value})

    @again(times=2, pause=0)
    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
