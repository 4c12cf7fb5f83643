"""A log for each resource: entry n+1 is inserted, which only one writer can do, and says what the mark was."""
import itertools

from leasehold import Duplicate, StaleFencingToken


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def _last(self, tx, resource):
        last = None
        for number in itertools.count(1):
            entry = await tx.get(f"{resource}#{number}")
            if entry is None:
                return number, last
            last = entry

    async def write(self, resource, token, value):
        while True:
            try:
                async with await self._db.begin() as tx:
                    number, last = await self._last(tx, resource)
                    if last and token < last["token"]:
                        raise StaleFencingToken(f"{resource} has seen {last['token']}")
                    await tx.insert(f"{resource}#{number}", dict(token=token, value=value))
                return
            except Duplicate:
                continue

    async def read(self, resource):
        async with await self._db.begin() as tx:
            _, last = await self._last(tx, resource)
        return last and last["value"]
