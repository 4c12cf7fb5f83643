# The transaction always ends with a commit, also when nothing was written; the verdict is raised after it.
from enum import Enum

from leasehold import Duplicate, StaleFencingToken


class Verdict(Enum):
    ACCEPTED = "accepted"
    STALE = "stale"


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def _judge(self, tx, resource, token, value):
        try:
            await tx.insert(resource, {"mark": token, "value": value})
            return Verdict.ACCEPTED
        except Duplicate:
            record = await tx.get_for_update(resource)
        if record["mark"] > token:
            return Verdict.STALE
        await tx.put(resource, {"mark": token, "value": value})
        return Verdict.ACCEPTED

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            verdict = await self._judge(tx, resource, token, value)
        if verdict is Verdict.STALE:
            raise StaleFencingToken(resource)
        return verdict

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return record["value"] if record is not None else None
