# killed-by: what_is_written_can_be_read
# bug: Only the very token that wrote last is accepted, not a greater one: after a takeover nobody can write.
# report: redisson/redisson#5044
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
                    seen = await tx.get_for_update(resource)
            if token != seen["mark"]:
                raise StaleFencingToken(f"{token} is not {seen['mark']}")
            await tx.put(resource, record)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
