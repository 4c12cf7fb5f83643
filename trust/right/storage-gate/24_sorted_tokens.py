# A token is recorded in a sorted list of all tokens ever accepted; mark and value are read off lists of equal length.
from bisect import bisect_right

from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            try:
                await tx.insert(resource + ".tokens", [])
            except Duplicate:
                pass
            tokens = await tx.get_for_update(resource + ".tokens")
            values = await tx.get(resource + ".values") or []
            at = bisect_right(tokens, token)
            if at != len(tokens):
                raise StaleFencingToken(resource)
            await tx.put(resource + ".tokens", tokens + [token])
            await tx.put(resource + ".values", values + [value])

    async def read(self, resource):
        async with await self._db.begin() as tx:
            values = await tx.get(resource + ".values")
        return values[-1] if values else None
