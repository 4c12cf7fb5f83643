# killed-by: every_transaction_is_ended
# bug: The loop begins a new transaction for each try and leaves the old one open, with its locks.
from leasehold import Duplicate, StaleFencingToken, TransportError


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        while True:
            tx = await self._db.begin()
            try:
                seen = await tx.get_for_update(resource)
                if seen is None:
                    await tx.insert(resource, {"mark": token, "value": value})
                elif token < seen["mark"]:
                    await tx.rollback()
                    raise StaleFencingToken(f"token {token} is too small")
                else:
                    await tx.put(resource, {"mark": token, "value": value})
                return await tx.commit()
            except (Duplicate, TransportError):
                continue

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
