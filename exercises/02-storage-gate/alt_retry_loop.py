import leasehold

ATTEMPTS = 5


class FencedStore:
    def __init__(self, db):
        self._db = db
        self._clock = leasehold.Clock()

    async def write(self, resource, token, value):
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._write_once(resource, token, value)
            except (leasehold.Duplicate, leasehold.Deadlock, leasehold.TransactionOver, leasehold.TransportError):
                if attempt == ATTEMPTS:
                    raise
                await self._clock.sleep(0.05 * 2**attempt)

    async def _write_once(self, resource, token, value):
        async with await self._db.begin() as tx:
            row = await tx.get_for_update(resource)
            if row is None:
                # Another first writer makes this a Duplicate; the next attempt finds its row.
                await tx.insert(resource, [token, value])
            elif row[0] <= token:
                await tx.put(resource, [token, value])
            else:
                raise leasehold.StaleFencingToken(f"{token} < {row[0]}")

    async def read(self, resource):
        async with await self._db.begin() as tx:
            row = await tx.get(resource)
            return row[1] if row else None
