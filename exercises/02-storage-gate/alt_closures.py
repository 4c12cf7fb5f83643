from leasehold import Duplicate, StaleFencingToken


def transactions(db):
    """run(body) gives what body(tx) returns, and ends the transaction either way."""

    async def run(body):
        tx = await db.begin()
        end = tx.rollback
        try:
            result = await body(tx)
            end = tx.commit
            return result
        finally:
            await end()

    return run


class FencedStore:
    def __init__(self, db):
        self._run = transactions(db)

    async def write(self, resource, token, value):
        async def body(tx):
            while (row := await tx.get_for_update(resource)) is None:
                try:
                    await tx.insert(resource, {"seen": token, "is": value})
                except Duplicate:
                    pass
            if token < row["seen"]:
                raise StaleFencingToken()
            await tx.put(resource, {"seen": token, "is": value})

        await self._run(body)

    async def read(self, resource):
        async def body(tx):
            return await tx.get(resource)

        row = await self._run(body)
        return row["is"] if row is not None else None
