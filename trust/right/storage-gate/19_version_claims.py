# Optimistic: no row is locked for reading; each version of a record has a claim row that only one can insert.
from leasehold import Duplicate, StaleFencingToken


class Superseded(Exception):
    pass


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        while True:
            try:
                return await self._attempt(resource, token, value)
            except Superseded:
                pass

    async def _attempt(self, resource, token, value):
        async with await self._db.begin() as tx:
            record = await tx.get("record " + resource) or {"version": 0, "mark": token, "value": None}
            if token < record["mark"]:
                raise StaleFencingToken(resource)
            version = record["version"] + 1
            try:
                await tx.insert(f"claim {version} {resource}", token)
            except Duplicate as duplicate:
                raise Superseded from duplicate
            await tx.put("record " + resource, {"version": version, "mark": token, "value": value})
        return version

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get("record " + resource)
        return None if record is None else record["value"]
