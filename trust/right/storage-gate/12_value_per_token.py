# The mark row points at a value row of its own for each token; read follows the pointer.
from leasehold import Duplicate, StaleFencingToken


class Names:
    def __init__(self, resource):
        self.mark = f"mark|{resource}"
        self._resource = resource

    def value(self, token):
        return f"value|{token}|{self._resource}"


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        names = Names(resource)
        async with await self._db.begin() as tx:
            try:
                await tx.insert(names.mark, token)
            except Duplicate:
                mark = await tx.get_for_update(names.mark)
                if mark > token:
                    raise StaleFencingToken
                if mark != token:
                    await tx.put(names.mark, token)
            await tx.put(names.value(token), value)

    async def read(self, resource):
        names = Names(resource)
        async with await self._db.begin() as tx:
            token = await tx.get(names.mark)
            return None if token is None else await tx.get(names.value(token))
