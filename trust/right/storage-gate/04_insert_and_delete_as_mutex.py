# A mutex row is inserted first and deleted last in one transaction: others wait at their insert until it has ended.
from leasehold import StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        turn, data = f"turn/{resource}", f"data/{resource}"
        async with await self._db.begin() as tx:
            await tx.insert(turn, token)
            record = await tx.get(data)
            if record is not None and record["mark"] > token:
                raise StaleFencingToken(f"mark {record['mark']}, token {token}")
            await tx.put(data, {"mark": token, "value": value})
            await tx.delete(turn)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(f"data/{resource}")
        return record and record["value"]
