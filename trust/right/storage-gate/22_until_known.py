# Tries again until it is known: only StaleFencingToken and success end the loop.
from leasehold import Clock, Deadlock, Duplicate, StaleFencingToken, TransactionOver, TransportError


class FencedStore:
    def __init__(self, db):
        self._db = db
        self._sleep = Clock().sleep

    async def write(self, resource, token, value):
        stored = False
        while not stored:
            try:
                async with await self._db.begin() as tx:
                    row = await tx.get_for_update(resource)
                    if row is None:
                        await tx.insert(resource, {"mark": token, "value": value})
                    elif row["mark"] <= token:
                        await tx.put(resource, {"mark": token, "value": value})
                    else:
                        raise StaleFencingToken(resource)
                stored = True
            except (Deadlock, Duplicate, TransactionOver, TransportError):
                await self._sleep(0.25)

    async def read(self, resource):
        while True:
            try:
                async with await self._db.begin() as tx:
                    row = await tx.get(resource)
                return None if row is None else row["value"]
            except (TransactionOver, TransportError):
                await self._sleep(0.25)
