# A greater mark that was seen committed is remembered, so a stale holder hears no without a round trip; memory never says yes.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db
        self._seen = {}

    def _check(self, resource, token):
        if token < self._seen.get(resource, token):
            raise StaleFencingToken(resource)

    def _saw(self, resource, mark):
        self._seen[resource] = max(mark, self._seen.get(resource, mark))

    async def write(self, resource, token, value):
        self._check(resource, token)
        async with await self._db.begin() as tx:
            try:
                await tx.insert(resource, {"mark": token, "value": value})
            except Duplicate:
                self._saw(resource, (await tx.get_for_update(resource))["mark"])
                self._check(resource, token)
                await tx.put(resource, {"mark": token, "value": value})
        self._saw(resource, token)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        if record is None:
            return None
        self._saw(resource, record["mark"])
        return record["value"]
