# killed-by: no_few_disturbances_break_it
# bug: Duplicate is taken for a greater token: the writer that came second is turned away though its token is the newest.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        record = {"mark": token, "value": value}
        async with await self._db.begin() as tx:
            seen = await tx.get_for_update(resource)
            if seen is None:
                try:
                    await tx.insert(resource, record)
                    return
                except Duplicate:
                    raise StaleFencingToken("somebody else was first") from None
            if token < seen["mark"]:
                raise StaleFencingToken(f"{token} < {seen['mark']}")
            await tx.put(resource, record)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
