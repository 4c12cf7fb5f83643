# A log of numbered rows, written by insert only: whoever finds the next number taken looks at that entry and goes on.
from itertools import count

from leasehold import Duplicate, StaleFencingToken


def line(resource, number):
    return f"{number}@{resource}"


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            for number in count():
                entry = await tx.get(line(resource, number))
                if entry is None:
                    try:
                        await tx.insert(line(resource, number), (token, value))
                        return
                    except Duplicate:
                        entry = await tx.get(line(resource, number))
                if entry[0] > token:
                    raise StaleFencingToken(resource)

    async def read(self, resource):
        last = None
        async with await self._db.begin() as tx:
            for number in count():
                entry = await tx.get(line(resource, number))
                if entry is None:
                    return last
                _, last = entry
